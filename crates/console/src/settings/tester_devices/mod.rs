//! /settings/tester-devices: the kiosks and their tokens.

use app::{App, Caller, Error, Idempotent, unrestricted};
use axum::Router;
use axum::routing::{get, post};
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind, Listing, Name, Serial, StoredResponse, TesterDevice, WorksiteId};
use texts::console::tester_devices as t;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Cell, Field, Input};
use crate::settings;
use crate::settings::devices::{Device, DeviceSummary, Pages, RefusedActions, edit, filter_of, list, token};
use crate::settings::list_params::RegistryParams;

pub const SAVED: Done = Done { code: "tester-device-saved", text: t::SAVED, undo: None };
pub const ADDED: Done = Done { code: "tester-device-added", text: t::ADDED, undo: None };
pub const REVOKED: Done = Done { code: "tester-token-revoked", text: t::REVOKED, undo: None };

const PATH: &str = "/settings/tester-devices";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show::<TesterDevice>).post(list::create::<TesterDevice>))
        .route(
            "/settings/tester-devices/{id}",
            get(edit::show::<TesterDevice>).post(edit::save::<TesterDevice>),
        )
        .route("/settings/tester-devices/{id}/token", post(token::issue::<TesterDevice>))
        .route("/settings/tester-devices/{id}/token/revoke", post(token::revoke::<TesterDevice>))
}

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text), ("serial", Kind::Text), ("worksite_id", Kind::Number)];

fn read_change(fields: &mut Fields) -> Option<app::TesterDeviceChange> {
    let name = fields.change("name", Name::from_json);
    let serial = fields.change_optional("serial", Serial::from_json);
    let worksite = fields.change_optional("worksite_id", WorksiteId::from_json);
    Some(app::TesterDeviceChange { name: name?, serial: serial?, worksite: worksite? })
}

fn read_new(fields: &mut Fields) -> Option<domain::NewTesterDevice> {
    let name = fields.required("name", Name::from_json);
    let serial = fields.optional("serial", Serial::from_json);
    let worksite = fields.optional("worksite_id", WorksiteId::from_json);
    Some(domain::NewTesterDevice { name: name?, serial: serial?, worksite: worksite? })
}

impl Device for TesterDevice {
    const KIND: DeviceKind = DeviceKind::Tester;
    const PAGES: Pages = Pages {
        path: PATH,
        csv: "tester-devices.csv",
        title: t::TITLE,
        lead: t::LEAD,
        none_yet: (t::NONE_YET, t::NONE_YET_REASON),
        name: t::NAME,
        columns: &[t::SERIAL, t::WORKSITE],
        new: t::NEW,
        device: t::DEVICE,
        restricted: t::RESTRICTED,
        added: &ADDED,
        saved: &SAVED,
        revoked: &REVOKED,
    };
    const REFUSED: RefusedActions = RefusedActions {
        add: unrestricted::ADD_TESTER_DEVICE,
        change: unrestricted::CHANGE_TESTER_DEVICE,
        manage_token: unrestricted::MANAGE_TESTER_DEVICE_TOKEN,
    };

    fn summary(&self) -> DeviceSummary<'_> {
        let Self { id, name, token, version, created_at, .. } = self;
        DeviceSummary { id: *id, name, token: token.as_ref(), version: *version, created_at: *created_at }
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("name", self.name.clone()),
            ("serial", self.serial.clone().unwrap_or_default()),
            ("worksite_id", self.worksite.as_ref().map(|(id, _)| id.to_string()).unwrap_or_default()),
        ]
    }

    fn cells(&self, frame: &Frame) -> Vec<Cell> {
        let site = match &self.worksite {
            Some((id, name)) => Cell::link(name.clone(), frame.link(&format!("/sites/{id}"))),
            None => Cell::text(""),
        };
        vec![Cell::text(self.serial.clone().unwrap_or_default()), site]
    }

    async fn fields(
        app: &App,
        frame: &Frame,
        view: &FormView,
        of: Option<&Self>,
    ) -> Result<Vec<Field>, Error> {
        let current = of.and_then(|device| device.worksite.as_ref());
        let worksites = settings::worksite_choices_with(app, frame, current).await?;
        Ok(vec![
            Field::new(frame, view, "name", t::NAME, Input::Text).required().hint(frame.text(t::NAME_HINT)),
            Field::new(frame, view, "serial", t::SERIAL, Input::Text).hint(frame.text(t::SERIAL_HINT)),
            Field::new(frame, view, "worksite_id", t::WORKSITE, Input::Select(worksites)),
        ])
    }

    async fn list(
        app: &App,
        caller: &Caller<ManageDevices>,
        params: &RegistryParams,
    ) -> Result<Listing<Self>, Error> {
        app.list_tester_devices(caller, &filter_of(params), &params.request()).await
    }

    async fn find(app: &App, caller: &Caller<ManageDevices>, id: DeviceId) -> Result<Self, Error> {
        app.find_tester_device(caller, id).await
    }

    async fn create(
        app: &App,
        caller: &Caller<ManageDevices>,
        form: &Form,
        idempotent: Idempotent<'static, Self>,
    ) -> Result<StoredResponse, Error> {
        let new = form.read(KINDS, read_new)?;
        app.create_tester_device(caller, &new, idempotent).await
    }

    async fn change(
        app: &App,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        form: &Form,
    ) -> Result<Self, Error> {
        let change = form.read(KINDS, read_change)?;
        app.change_tester_device(caller, id, &form.if_match(), change).await
    }
}
