//! /settings/tester-devices: the kiosks and their tokens.

mod edit;
mod list;
mod token;

use axum::Router;
use axum::routing::{get, post};
use domain::{Name, Serial, WorksiteId};
use texts::console::tester_devices as t;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};

pub const SAVED: Done = Done { code: "tester-device-saved", text: t::SAVED, undo: None };
pub const ADDED: Done = Done { code: "tester-device-added", text: t::ADDED, undo: None };
pub const REVOKED: Done = Done { code: "tester-token-revoked", text: t::REVOKED, undo: None };

const PATH: &str = "/settings/tester-devices";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/tester-devices/{id}", get(edit::show).post(edit::save))
        .route("/settings/tester-devices/{id}/token", post(token::issue))
        .route("/settings/tester-devices/{id}/token/revoke", post(token::revoke))
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

/// The fields of a device, in the form that adds one and in the one that changes it.
fn fields_of(frame: &Frame, view: &FormView, worksites: Vec<Choice>) -> Vec<Field> {
    vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required().hint(frame.text(t::NAME_HINT)),
        Field::new(frame, view, "serial", t::SERIAL, Input::Text).hint(frame.text(t::SERIAL_HINT)),
        Field::new(frame, view, "worksite_id", t::WORKSITE, Input::Select(worksites)),
    ]
}
