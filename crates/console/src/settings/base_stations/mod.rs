//! /settings/base-stations: the devices on machines, their installations and their tokens.

mod edit;
mod fields;
mod installation;
mod installation_form;
mod list;
mod token;

use app::BaseStationEntry;
use axum::Router;
use axum::routing::{get, post};
use domain::{BaseStation, StationStatus};
use texts::console::settings::base_stations as t;
use web::EdgeState;

use crate::done::Done;
use crate::frame::Frame;
use crate::parts::{Badge, Tone};
use crate::settings::imports;

pub const SAVED: Done = Done { code: "base-station-saved", text: t::SAVED, undo: None };
pub const ADDED: Done = Done { code: "base-station-added", text: t::ADDED, undo: None };
pub const INSTALLED: Done = Done { code: "base-station-installed", text: t::INSTALLED, undo: None };
pub const REVOKED: Done = Done { code: "station-token-revoked", text: t::REVOKED, undo: None };

const PATH: &str = "/settings/base-stations";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route(
            "/settings/base-stations/import",
            get(imports::show::<BaseStationEntry>).post(imports::send::<BaseStationEntry>),
        )
        .route("/settings/base-stations/{id}", get(edit::show).post(edit::save))
        .route("/settings/base-stations/{id}/installation", post(installation::save))
        .route("/settings/base-stations/{id}/token", post(token::issue))
        .route("/settings/base-stations/{id}/token/revoke", post(token::revoke))
}

/// The name by which a station is shown: its own, or its serial number.
fn name_of(station: &BaseStation) -> &str {
    station.name.as_deref().unwrap_or(&station.serial)
}

fn status_word(frame: &Frame, status: StationStatus) -> &'static str {
    frame.text(match status {
        StationStatus::NeverSeen => t::NEVER_SEEN,
        StationStatus::Faulty => t::FAULTY,
        StationStatus::Silent => t::SILENT,
        StationStatus::Online => t::ONLINE,
    })
}

fn status_badge(frame: &Frame, status: StationStatus) -> Badge {
    let (sign, tone) = match status {
        StationStatus::NeverSeen => ("–", Tone::Neutral),
        StationStatus::Faulty => ("✗", Tone::Bad),
        StationStatus::Silent => ("!", Tone::Warning),
        StationStatus::Online => ("✓", Tone::Good),
    };
    Badge { word: status_word(frame, status).to_owned(), sign, tone }
}
