//! /settings/people: those who wear tags.

mod archiving;
mod edit;
mod erase;
mod list;

use app::PersonChange;
use axum::Router;
use axum::routing::{get, post};
use domain::{EmailAddress, Name, NewPerson, PersonKind};
use texts::console::settings::people as t;
use texts::values;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::settings::imports;

pub const ADDED: Done = Done { code: "person-added", text: t::ADDED, undo: None };
pub const SAVED: Done = Done { code: "person-saved", text: t::SAVED, undo: None };
pub const ARCHIVED: Done =
    Done { code: "person-archived", text: t::ARCHIVED, undo: Some("/settings/people/{id}/restore") };
pub const RESTORED: Done = Done { code: "person-restored", text: t::RESTORED, undo: None };
pub const ERASED: Done = Done { code: "person-erased", text: t::WAS_ERASED, undo: None };

const PATH: &str = "/settings/people";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/people/import", get(imports::show::<NewPerson>).post(imports::send::<NewPerson>))
        .route("/settings/people/{id}", get(edit::show).post(edit::save))
        .route("/settings/people/{id}/archive", post(archiving::archive))
        .route("/settings/people/{id}/restore", post(archiving::restore))
        .route("/settings/people/{id}/erase", get(erase::show).post(erase::erase))
}

const KINDS: &[(&str, Kind)] = &[
    ("kind", Kind::Text),
    ("name", Kind::Text),
    ("employee_id", Kind::Text),
    ("email", Kind::Text),
    ("company", Kind::Text),
];

fn read_change(fields: &mut Fields) -> Option<PersonChange> {
    let kind = fields.change("kind", PersonKind::from_json);
    let name = fields.change("name", Name::from_json);
    let employee_id = fields.change_optional("employee_id", Name::from_json);
    let email = fields.change_optional("email", EmailAddress::from_json);
    let company = fields.change_optional("company", Name::from_json);
    Some(PersonChange {
        kind: kind?,
        name: name?,
        employee_id: employee_id?,
        email: email?,
        company: company?,
    })
}

/// The fields of a person, in the form that adds one and in the one that changes them.
fn fields_of(frame: &Frame, view: &FormView) -> Vec<Field> {
    let kinds = kind_choices(frame).collect();
    vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required().autocomplete("off"),
        Field::new(frame, view, "kind", t::KIND, Input::Select(kinds)).required(),
        Field::new(frame, view, "employee_id", t::EMPLOYEE_ID, Input::Text),
        Field::new(frame, view, "email", t::EMAIL, Input::Email).autocomplete("off"),
        Field::new(frame, view, "company", t::COMPANY, Input::Text),
    ]
}

/// Staff or visitor.
fn kind_choices(frame: &Frame) -> impl Iterator<Item = Choice> {
    let language = frame.language;
    PersonKind::ALL
        .into_iter()
        .map(move |kind| Choice::new(kind.as_str(), values::person_kind(language, kind.as_str())))
}
