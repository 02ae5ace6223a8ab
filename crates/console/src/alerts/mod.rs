//! /alerts: alerts with their state and their alarms, and what an alert would have done in the past.

mod actions;
mod choose;
mod dry_run;
mod dry_run_result;
mod edit;
mod fields;
mod firing;
mod firings;
mod form;
mod form_page;
mod form_values;
mod list;
pub mod marks;
mod new;
mod scope;
mod show;
mod terms;

use axum::Router;
use axum::routing::{get, post};
use domain::insights::IncursionFilter;
use domain::{AlertFiringFilter, FiringState, FiringSubject};
use texts::console::alerts as t;
use web::EdgeState;

use crate::done::Done;

const ADDED: Done = Done { code: "alert-added", text: t::ADDED, undo: None };
const SAVED: Done = Done { code: "alert-saved", text: t::SAVED, undo: None };
const DELETED: Done = Done { code: "alert-deleted", text: t::DELETED, undo: None };
const ENABLED: Done = Done { code: "alert-enabled", text: t::ENABLED, undo: None };
const DISABLED: Done = Done { code: "alert-disabled", text: t::DISABLED, undo: Some("/alerts/{id}/enable") };
const TESTED: Done = Done { code: "alert-tested", text: t::TESTED, undo: None };

/// Returns the filter of the open alarms, as far as they are about the project or the site that was picked. A filter has one of each, so that
/// several of them filter nothing.
pub fn open_alarms_of(picked: &IncursionFilter) -> AlertFiringFilter {
    AlertFiringFilter {
        states: vec![FiringState::Held, FiringState::Fired],
        subject: FiringSubject {
            project: single(&picked.projects),
            worksite: single(&picked.worksites),
            ..FiringSubject::default()
        },
        ..AlertFiringFilter::default()
    }
}

fn single<T: Copy>(ids: &[T]) -> Option<T> {
    match ids {
        [id] => Some(*id),
        _ => None,
    }
}

pub const DONE: &[Done] = &[ADDED, SAVED, DELETED, ENABLED, DISABLED, TESTED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/alerts", get(list::show))
        .route("/alerts/new", get(new::show).post(new::create))
        .route("/alerts/dry-run", get(dry_run::show).post(dry_run::run))
        .route("/alerts/dry-run/chart", get(dry_run::chart))
        .route("/alerts/{id}", get(show::show))
        .route("/alerts/{id}/edit", get(edit::show).post(edit::save))
        .route("/alerts/{id}/enable", post(actions::enable))
        .route("/alerts/{id}/disable", post(actions::disable))
        .route("/alerts/{id}/delete", post(actions::delete))
        .route("/alerts/{id}/test", post(actions::test))
        .route("/alerts/{id}/firings/{firing_id}", get(firing::show))
}
