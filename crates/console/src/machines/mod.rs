//! /machines: the machines with their figures, and one machine with its devices, its video and what is written about it.

mod clip;
mod clip_form;
mod clip_request;
pub mod clips;
pub mod figures;
mod list;
mod messages;
mod new_message;
mod new_note;
mod show;
mod station;
mod timeline;
mod timeline_entries;
mod track;

use app::{App, Error};
use axum::Router;
use axum::routing::{get, post};
use domain::access::ReadRegistry;
use domain::{BaseStation, Machine, MachineId, TimeZone, Timestamp, WorksiteId};
use texts::console::machines as t;
use web::{EdgeState, FromParams, Query};

use crate::done::Done;
use crate::frame::Frame;
use crate::pickers::Pickers;

const NOTE_ADDED: Done = Done { code: "machine-note-added", text: t::NOTE_ADDED, undo: None };
const MESSAGE_SENT: Done = Done { code: "machine-message-sent", text: t::MESSAGE_SENT, undo: None };
const CLIP_ASKED: Done = Done { code: "machine-clip-asked", text: t::CLIP_ASKED, undo: None };

pub const DONE: &[Done] = &[NOTE_ADDED, MESSAGE_SENT, CLIP_ASKED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/machines", get(list::show))
        .route("/machines/{id}", get(show::show))
        .route("/machines/{id}/timeline", get(timeline::show))
        .route("/machines/{id}/messages", post(new_message::send))
        .route("/machines/{id}/notes", post(new_note::add))
        .route("/machines/{id}/clips", post(clip_request::ask))
        .route("/machines/{id}/clips/{clip_id}", get(clip::show))
        .route("/machines/{id}/clips/{clip_id}/video", get(clip::video))
}

/// The parameters of a page that has pickers and nothing else.
pub struct PickerParams(pub Pickers);

impl FromParams for PickerParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(Pickers::read(query)?))
    }
}

/// A machine with the time zone of the site where it is now.
pub struct MachineAtSite {
    pub machine: Machine,
    pub zone: TimeZone,
}

impl MachineAtSite {
    pub async fn find(app: &App, frame: &Frame, id: MachineId) -> Result<Self, Error> {
        let machine = app.find_machine(&frame.caller::<ReadRegistry>()?, id).await?;
        let site = machine.worksite.as_ref().map(|(id, _)| *id);
        let zone = zone_of_site(app, frame, site).await?;
        Ok(Self { machine, zone })
    }

    /// Returns since when a base station has been on the machine, before which it saw what happened on another; none if it is elsewhere.
    pub fn since(&self, station: &BaseStation) -> Option<Timestamp> {
        let (machine, _, since) = station.machine.as_ref()?;
        (*machine == self.machine.id).then_some(*since)
    }

    /// The address of the page, with the pickers.
    pub fn address(&self, frame: &Frame) -> String {
        frame.link(&format!("/machines/{}", self.machine.id))
    }
}

/// Returns the time zone of a site; that of the reader without a site, or if the reader does not see it.
pub async fn zone_of_site(app: &App, frame: &Frame, site: Option<WorksiteId>) -> Result<TimeZone, Error> {
    let own = || frame.preferences.time_zone.clone();
    let Some(site) = site else { return Ok(own()) };
    let sites = app.find_worksites_by_id(&frame.caller::<ReadRegistry>()?, &[site]).await?;
    let zone = sites.first().and_then(|site| TimeZone::parse(&site.time_zone).ok());
    Ok(zone.unwrap_or_else(own))
}

/// Writes the time of day to the second.
pub fn time_of_day(at: Timestamp, zone: &TimeZone) -> String {
    let second = zone.local(at).second_of_day;
    format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
}

/// Writes a time as `<input type="datetime-local">` has it.
pub fn local_input(at: Timestamp, zone: &TimeZone) -> String {
    let local = zone.local(at);
    let (day, second) = (domain::Day::from_number(local.day), local.second_of_day);
    format!("{day}T{:02}:{:02}", second / 3_600, second / 60 % 60)
}
