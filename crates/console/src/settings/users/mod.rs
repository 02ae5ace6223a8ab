//! /settings/users: the people who sign in, their roles and projects.

mod edit;
mod list;
mod sign_in;

use axum::Router;
use axum::routing::get;
use domain::UserState;
use texts::console::settings::users as t;
use web::EdgeState;

use crate::done::Done;
use crate::frame::Frame;
use crate::parts::{Badge, Tone};

use sign_in::Button;

pub const INVITED: Done = Done { code: "user-invited", text: t::WAS_INVITED, undo: None };
pub const SAVED: Done = Done { code: "user-saved", text: t::SAVED, undo: None };
pub const INVITED_AGAIN: Done = Done { code: "user-invited-again", text: t::INVITED_AGAIN, undo: None };
pub const SESSIONS_ENDED: Done = Done { code: "user-sessions-ended", text: t::SESSIONS_ENDED, undo: None };
pub const FACTOR_RESET: Done = Done { code: "user-factor-reset", text: t::FACTOR_RESET, undo: None };
pub const DEACTIVATED: Done = Done {
    code: "user-deactivated",
    text: t::WAS_DEACTIVATED,
    undo: Some("/settings/users/{id}/reactivate"),
};
pub const REACTIVATED: Done = Done { code: "user-reactivated", text: t::REACTIVATED, undo: None };

const PATH: &str = "/settings/users";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::invite))
        .route("/settings/users/{id}", get(edit::show).post(edit::save))
        .route("/settings/users/{id}/resend-invitation", sign_in::on(Button::Resend))
        .route("/settings/users/{id}/end-sessions", sign_in::on(Button::EndSessions))
        .route("/settings/users/{id}/reset-second-factor", sign_in::on(Button::ResetFactor))
        .route("/settings/users/{id}/deactivate", sign_in::on(Button::Deactivate))
        .route("/settings/users/{id}/reactivate", sign_in::on(Button::Reactivate))
}

fn state_word(frame: &Frame, state: UserState) -> &'static str {
    frame.text(match state {
        UserState::Invited => t::INVITED,
        UserState::Active => t::ACTIVE,
        UserState::Deactivated => t::DEACTIVATED,
    })
}

fn state_badge(frame: &Frame, state: UserState) -> Badge {
    let (sign, tone) = match state {
        UserState::Invited => ("○", Tone::Neutral),
        UserState::Active => ("●", Tone::Good),
        UserState::Deactivated => ("–", Tone::Neutral),
    };
    Badge { word: state_word(frame, state).to_owned(), sign, tone }
}
