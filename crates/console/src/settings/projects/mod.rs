//! /settings/projects: what groups worksites.

mod edit;
mod list;

use axum::Router;
use axum::routing::{get, post};
use domain::{Change, Name, NewProject};
use texts::console::settings::projects as t;
use web::{BodyField, EdgeState, Fields};

use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};

pub const ADDED: Done = Done { code: "project-added", text: t::ADDED, undo: None };
pub const SAVED: Done = Done { code: "project-saved", text: t::SAVED, undo: None };
pub const ARCHIVED: Done =
    Done { code: "project-archived", text: t::ARCHIVED, undo: Some("/settings/projects/{id}/restore") };
pub const RESTORED: Done = Done { code: "project-restored", text: t::RESTORED, undo: None };

const PATH: &str = "/settings/projects";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/projects/{id}", get(edit::show).post(edit::save))
        .route("/settings/projects/{id}/archive", post(edit::archive))
        .route("/settings/projects/{id}/restore", post(edit::restore))
}

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text), ("code", Kind::Text)];

fn read_change(fields: &mut Fields) -> Option<app::ProjectChange> {
    let name = fields.change("name", Name::from_json);
    let code = fields.change_optional("code", Name::from_json);
    Some(app::ProjectChange { name: name?, code: code?, archived: Change::Keep })
}

fn read_new(fields: &mut Fields) -> Option<NewProject> {
    let name = fields.required("name", Name::from_json);
    let code = fields.optional("code", Name::from_json);
    Some(NewProject { name: name?, code: code?, archived_at: None })
}

/// The fields of a project, in the form that adds one and in the one that changes it.
fn fields_of(frame: &Frame, view: &FormView) -> Vec<Field> {
    vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required(),
        Field::new(frame, view, "code", t::CODE, Input::Text).hint(frame.text(t::CODE_HINT)),
    ]
}
