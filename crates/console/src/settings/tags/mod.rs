//! /settings/tags: what people wear, who wears it, and its tests.

mod assignment;
mod edit;
mod list;
mod wearers;

use app::TagEntry;
use axum::Router;
use axum::routing::{get, post};
use domain::{TagFlag, TagRole, TagState};
use texts::console::settings::tags as t;
use web::EdgeState;

use crate::done::Done;
use crate::frame::Frame;
use crate::parts::{Badge, Choice, Tone};
use crate::settings::imports;

pub const ADDED: Done = Done { code: "tag-added", text: t::ADDED, undo: None };
pub const SAVED: Done = Done { code: "tag-saved", text: t::SAVED, undo: None };
pub const RETIRED: Done =
    Done { code: "tag-retired", text: t::WAS_RETIRED, undo: Some("/settings/tags/{id}/reinstate") };
pub const REINSTATED: Done = Done { code: "tag-reinstated", text: t::REINSTATED, undo: None };
pub const HANDED_OUT: Done =
    Done { code: "tag-handed-out", text: t::HANDED_OUT, undo: Some("/settings/tags/{id}/take-back") };
pub const TAKEN_BACK: Done = Done { code: "tag-taken-back", text: t::TAKEN_BACK, undo: None };

const PATH: &str = "/settings/tags";

/// The number of tests and of wearers that a page shows, the latest first.
const SHOWN_ROWS: u16 = 50;

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/tags/import", get(imports::show::<TagEntry>).post(imports::send::<TagEntry>))
        .route("/settings/tags/{id}", get(edit::show).post(edit::save))
        .route("/settings/tags/{id}/retire", post(edit::retire))
        .route("/settings/tags/{id}/reinstate", post(edit::reinstate))
        .route("/settings/tags/{id}/hand-out", post(assignment::hand_out))
        .route("/settings/tags/{id}/take-back", post(assignment::take_back))
}

fn role_word(frame: &Frame, role: TagRole) -> &'static str {
    frame.text(match role {
        TagRole::Pedestrian => t::FOR_PEDESTRIANS,
        TagRole::Operator => t::FOR_OPERATORS,
    })
}

fn role_choices(frame: &Frame) -> Vec<Choice> {
    TagRole::ALL.map(|role| Choice::new(role.as_str(), role_word(frame, role))).into_iter().collect()
}

fn state_word(frame: &Frame, state: TagState) -> &'static str {
    frame.text(match state {
        TagState::Retired => t::RETIRED,
        TagState::Assigned => t::ASSIGNED,
        TagState::Stock => t::IN_STOCK,
    })
}

fn state_badge(frame: &Frame, state: TagState) -> Badge {
    let (sign, tone) = match state {
        TagState::Retired => ("–", Tone::Neutral),
        TagState::Assigned => ("●", Tone::Good),
        TagState::Stock => ("○", Tone::Neutral),
    };
    Badge { word: state_word(frame, state).to_owned(), sign, tone }
}

fn flag_word(frame: &Frame, flag: TagFlag) -> &'static str {
    frame.text(match flag {
        TagFlag::TestOverdue => t::TEST_OVERDUE,
        TagFlag::TestDue => t::TEST_DUE,
        TagFlag::NeverTested => t::NEVER_TESTED,
        TagFlag::LowBattery => t::LOW_BATTERY,
        TagFlag::CriticalBattery => t::CRITICAL_BATTERY,
        TagFlag::Silent => t::SILENT,
    })
}

fn flag_words(frame: &Frame, flags: &[TagFlag]) -> String {
    flags.iter().map(|flag| flag_word(frame, *flag)).collect::<Vec<_>>().join(", ")
}
