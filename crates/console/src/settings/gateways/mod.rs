//! /settings/gateways: the devices that report for many base stations, and their tokens.

mod edit;
mod list;
mod token;

use axum::Router;
use axum::routing::{get, post};
use domain::{Change, Name};
use texts::console::settings::gateways as t;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};

pub const SAVED: Done = Done { code: "gateway-saved", text: t::SAVED, undo: None };
pub const ADDED: Done = Done { code: "gateway-added", text: t::ADDED, undo: None };
pub const REVOKED: Done = Done { code: "gateway-token-revoked", text: t::REVOKED, undo: None };

const PATH: &str = "/settings/gateways";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/gateways/{id}", get(edit::show).post(edit::save))
        .route("/settings/gateways/{id}/token", post(token::issue))
        .route("/settings/gateways/{id}/token/revoke", post(token::revoke))
}

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text)];

fn read_change(fields: &mut Fields) -> Option<Change<Name>> {
    fields.change("name", Name::from_json)
}

fn read_new(fields: &mut Fields) -> Option<Name> {
    fields.required("name", Name::from_json)
}

/// The fields of a gateway, in the form that adds one and in the one that changes it.
fn fields_of(frame: &Frame, view: &FormView) -> Vec<Field> {
    vec![Field::new(frame, view, "name", t::NAME, Input::Text).required().hint(frame.text(t::NAME_HINT))]
}
