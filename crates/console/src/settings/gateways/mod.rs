//! /settings/gateways: the devices that report for many base stations, and their tokens.

use app::{App, Caller, Error, Idempotent, unrestricted};
use axum::Router;
use axum::routing::{get, post};
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind, Gateway, Listing, Name, StoredResponse};
use texts::console::settings::gateways as t;
use web::{BodyField, EdgeState};

use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};
use crate::settings::devices::{Device, DeviceSummary, Pages, RefusedActions, edit, filter_of, list, token};
use crate::settings::list_params::RegistryParams;

pub const SAVED: Done = Done { code: "gateway-saved", text: t::SAVED, undo: None };
pub const ADDED: Done = Done { code: "gateway-added", text: t::ADDED, undo: None };
pub const REVOKED: Done = Done { code: "gateway-token-revoked", text: t::REVOKED, undo: None };

const PATH: &str = "/settings/gateways";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show::<Gateway>).post(list::create::<Gateway>))
        .route("/settings/gateways/{id}", get(edit::show::<Gateway>).post(edit::save::<Gateway>))
        .route("/settings/gateways/{id}/token", post(token::issue::<Gateway>))
        .route("/settings/gateways/{id}/token/revoke", post(token::revoke::<Gateway>))
}

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text)];

impl Device for Gateway {
    const KIND: DeviceKind = DeviceKind::Gateway;
    const PAGES: Pages = Pages {
        path: PATH,
        csv: "gateways.csv",
        title: t::TITLE,
        lead: t::LEAD,
        none_yet: (t::NONE_YET, t::NONE_YET_REASON),
        name: t::NAME,
        columns: &[],
        new: t::NEW,
        device: t::DEVICE,
        restricted: t::RESTRICTED,
        added: &ADDED,
        saved: &SAVED,
        revoked: &REVOKED,
    };
    const REFUSED: RefusedActions = RefusedActions {
        add: unrestricted::ADD_GATEWAY,
        change: unrestricted::CHANGE_GATEWAY,
        manage_token: unrestricted::MANAGE_GATEWAY_TOKEN,
    };

    fn summary(&self) -> DeviceSummary<'_> {
        let Self { id, name, token, version, created_at, .. } = self;
        DeviceSummary { id: *id, name, token: token.as_ref(), version: *version, created_at: *created_at }
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        vec![("name", self.name.clone())]
    }

    async fn fields(_: &App, frame: &Frame, view: &FormView, _: Option<&Self>) -> Result<Vec<Field>, Error> {
        let name = Field::new(frame, view, "name", t::NAME, Input::Text).required();
        Ok(vec![name.hint(frame.text(t::NAME_HINT))])
    }

    async fn list(
        app: &App,
        caller: &Caller<ManageDevices>,
        params: &RegistryParams,
    ) -> Result<Listing<Self>, Error> {
        app.list_gateways(caller, &filter_of(params), &params.request()).await
    }

    async fn find(app: &App, caller: &Caller<ManageDevices>, id: DeviceId) -> Result<Self, Error> {
        app.find_gateway(caller, id).await
    }

    async fn create(
        app: &App,
        caller: &Caller<ManageDevices>,
        form: &Form,
        idempotent: Idempotent<'static, Self>,
    ) -> Result<StoredResponse, Error> {
        let name = form.read(KINDS, |fields| fields.required("name", Name::from_json))?;
        app.create_gateway(caller, &name, idempotent).await
    }

    async fn change(
        app: &App,
        caller: &Caller<ManageDevices>,
        id: DeviceId,
        form: &Form,
    ) -> Result<Self, Error> {
        let name = form.read(KINDS, |fields| fields.change("name", Name::from_json))?;
        app.change_gateway(caller, id, &form.if_match(), name).await
    }
}
