//! One machine: its figures, its places, its operators, its devices and what is written about it.

use std::sync::Arc;

use app::{App, Error, ErrorKind};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry, WriteRegistry};
use domain::{BaseStationId, ClipFilter, EntityType, MachineId, PageRequest};
use http::StatusCode;
use texts::console::machines as t;
use texts::values;
use web::{Caller, Params, PathId, Result};

use super::clips::{ClipPanel, clip_panel_of_machine};
use super::figures::{Figures, has_gantt};
use super::messages::MessagePanel;
use super::station::StationPanel;
use super::track::Track;
use super::{MachineAtSite, PickerParams, clip_form, timeline};
use crate::entities::notes::NotePanel;
use crate::entities::parts::{activity_badge, link_table, open_alarms};
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{
    Attention, Badge, Cell, ChartImage, Details, Empty, FormPart, Slot, Table, Tile, Timeline,
};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The number of clips that are listed.
const MAX_CLIPS: u16 = 10;

/// The forms of the page, as they are shown.
pub struct Forms {
    pub status: StatusCode,
    pub message: FormView,
    pub note: FormView,
    pub clip: FormView,
}

impl Forms {
    /// Forms that nobody has sent.
    pub fn fresh(frame: &Frame, at: &MachineAtSite) -> Self {
        Self {
            status: StatusCode::OK,
            message: FormView::new(Vec::new()),
            note: FormView::new(Vec::new()),
            clip: clip_form::fresh_view(frame, at),
        }
    }
}

/// The base station with what is known through it.
struct DevicePanels {
    station: StationPanel,
    messages: MessagePanel,
    clips: ClipPanel,
    /// None for those who may not ask, and for stations without cameras.
    clip_form: Option<FormPart>,
}

struct Charts {
    score: ChartImage,
    runtime: ChartImage,
    map: ChartImage,
    /// None if the period is too long for it.
    gantt: Option<ChartImage>,
}

#[derive(Template)]
#[template(path = "machines/show.html")]
struct MachinePage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    name: &'a str,
    activity: Badge,
    period: String,
    archived: Option<String>,
    tiles: Vec<Tile>,
    alarms: Attention,
    details: Details,
    edit: Option<String>,
    charts: Charts,
    days: Table,
    operators: Table,
    incursions: String,
    /// None if there was no base station that could have sent positions.
    track: Option<Track>,
    /// What its stations saw in the last days, also those that are elsewhere now.
    timeline: Timeline,
    /// Shown instead of a timeline without entries.
    nothing_lately: Empty,
    timeline_href: String,
    devices: Option<DevicePanels>,
    no_station: Empty,
    links: Table,
    more_links: bool,
    notes: NotePanel,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(pickers)): Params<PickerParams>,
) -> Result {
    let at = MachineAtSite::find(&app, &frame, MachineId(id)).await?;
    let forms = Forms::fresh(&frame, &at);
    render(&app, &frame, &at, pickers, &forms).await
}

/// Shows the page; one of the forms may come back with faults.
pub async fn render(app: &App, frame: &Frame, at: &MachineAtSite, pickers: Pickers, forms: &Forms) -> Result {
    let (machine, id) = (&at.machine, at.machine.id);
    let caller = frame.caller::<ReadInsights>()?;
    let pickers = pickers.load(app, frame).await?.with_comparison();
    let figures = Figures::load(app, frame, id, &pickers.filter, pickers.compare).await?;
    let details = app.find_machine_entity(&caller, id, &pickers.filter).await?;
    let devices = match machine.base_station {
        Some((station, _)) => load_devices(app, frame, at, station, forms).await?,
        None => None,
    };
    let track = Track::new(frame, id, pickers.filter.period);
    let has_track = devices.is_some() || app.can_have_track(&caller, id, track.period).await?;
    let note_address = frame.link(&format!("/machines/{id}/notes"));
    let on = (EntityType::Machine, id.0);
    let notes = NotePanel::load(app, frame, on, (note_address, &forms.note), &at.zone).await?;
    let since =
        |archived| frame.fill(t::ARCHIVED_SINCE, &[("at", &frame.formats().instant(archived, &at.zone))]);
    let page = MachinePage {
        name: &machine.name,
        activity: activity_badge(frame, details.activity),
        period: figures.period(frame),
        archived: machine.archived_at.map(since),
        tiles: figures.tiles(frame),
        alarms: open_alarms(frame, &details),
        details: describe(frame, at),
        edit: frame.may::<WriteRegistry>().then(|| format!("/settings/machines/{id}")),
        charts: charts(frame, id, has_gantt(pickers.filter.period, frame.now)),
        days: figures.day_table(frame),
        operators: figures.operator_table(frame),
        incursions: frame.incursions(&[("machine_id", &id.to_string())]),
        track: has_track.then_some(track),
        timeline: timeline::latest(app, frame, at).await?,
        nothing_lately: timeline::nothing_lately(frame),
        timeline_href: frame.link(&format!("/machines/{id}/timeline")),
        devices,
        no_station: no_station(frame),
        links: link_table(frame, &details, t::LINKS, &at.zone),
        more_links: details.more_links,
        notes,
        pickers,
        frame,
    };
    response::page_with(forms.status, frame, &page)
}

/// Loads what is known through the base station since it came to the machine. One that has just left the machine or the reader's projects
/// counts as none.
async fn load_devices(
    app: &App,
    frame: &Frame,
    at: &MachineAtSite,
    station: BaseStationId,
    forms: &Forms,
) -> Result<Option<DevicePanels>, Error> {
    let panel = match StationPanel::load(app, frame, at, station).await {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(None),
        panel => panel?,
    };
    let Some(since) = panel.since else { return Ok(None) };
    let registry = frame.caller::<ReadRegistry>()?;
    let filter = ClipFilter { base_station: Some(station), ..ClipFilter::default() };
    let page = PageRequest { limit: MAX_CLIPS, after: None };
    let (mut clips, _) = app.list_video_clips(&registry, &filter, &page, false).await?;
    clips.rows.retain(|clip| clip.footage.from >= since);
    let may_ask = frame.may::<WriteRegistry>() && !panel.cameras.is_empty();
    Ok(Some(DevicePanels {
        messages: MessagePanel::load(app, frame, at, (station, since), &forms.message).await?,
        clips: clip_panel_of_machine(frame, &clips.rows, (at.machine.id, &at.zone), None),
        clip_form: may_ask.then(|| clip_form::form(frame, at, &panel.cameras, &forms.clip)),
        station: panel,
    }))
}

fn charts(frame: &Frame, id: MachineId, has_gantt: bool) -> Charts {
    let id = id.to_string();
    let pairs = [("machine_id", id.as_str())];
    let chart = |kind: &'static str, slot: Slot, height: u32, alt: texts::Text| {
        ChartImage::new(frame, kind, &pairs, slot, height, frame.text(alt))
    };
    Charts {
        score: chart("acknowledgement-score", Slot::Wide, 260, t::SCORE_ALT).seen_first(),
        runtime: chart("machine-runtime", Slot::Half, 260, t::RUNTIME_ALT),
        map: chart("heatmap", Slot::Third, 260, t::MAP_ALT),
        gantt: has_gantt.then(|| chart("operators", Slot::Full, 260, t::GANTT_ALT)),
    }
}

fn describe(frame: &Frame, at: &MachineAtSite) -> Details {
    let machine = &at.machine;
    let row = |text: texts::Text, cell: Cell| (frame.text(text).to_owned(), cell);
    let site = match &machine.worksite {
        Some((id, name)) => Cell::link(name.as_str(), frame.link(&format!("/sites/{id}"))),
        None => Cell::text(frame.text(t::NO_SITE)),
    };
    let kind = values::machine_kind(frame.language, machine.kind.as_str());
    let mut rows = vec![row(t::KIND, Cell::text(kind)), row(values::WORKSITE, site)];
    let year = machine.year.map(|year| year.to_string());
    let texts = [
        (t::MANUFACTURER, &machine.manufacturer),
        (t::MODEL, &machine.model),
        (t::SERIAL_NUMBER, &machine.serial_number),
        (t::NUMBER_PLATE, &machine.number_plate),
        (t::YEAR, &year),
    ];
    for (text, value) in texts {
        if let Some(value) = value {
            rows.push(row(text, Cell::text(value.as_str())));
        }
    }
    Details { rows }
}

fn no_station(frame: &Frame) -> Empty {
    let action = frame
        .may::<domain::access::ManageDevices>()
        .then(|| (frame.text(t::INSTALL_STATION).to_owned(), "/settings/base-stations".to_owned()));
    Empty {
        title: frame.text(t::NO_STATION).to_owned(),
        reason: frame.text(t::NO_STATION_REASON).to_owned(),
        action,
    }
}
