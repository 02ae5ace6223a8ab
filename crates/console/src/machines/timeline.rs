//! The timeline of a machine: everything that its base stations saw while they were installed on it, with a filter of kinds.

use std::sync::Arc;

use app::{App, Error, TimelineFilter};
use askama::Template;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{MachineId, PageRequest, PeriodBound, Span, StationInstallation, TimelineKind};
use texts::console::machines as t;
use web::{Caller, FromParams, ListParams, Params, PathId, Query, Result};

use super::MachineAtSite;
use super::timeline_entries::by_day;
use crate::entities::list::FilterOption;
use crate::frame::Frame;
use crate::parts::{Empty, Pager, Timeline};
use crate::pickers::{PickerRow, Pickers};
use crate::response;

/// The number of entries on the page of the machine.
const LATEST: u16 = 8;
const LATEST_PERIOD: Span = Span::minutes(7 * 24 * 60);

pub struct TimelineParams {
    pickers: Pickers,
    kinds: Vec<TimelineKind>,
    list: ListParams,
}

impl FromParams for TimelineParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            pickers: Pickers::read(query)?,
            kinds: query.many("kind", TimelineKind::ALL.len(), TimelineKind::parse)?,
            list: ListParams::read(query)?,
        })
    }
}

#[derive(Template)]
#[template(path = "machines/timeline.html")]
struct TimelinePage<'a> {
    frame: &'a Frame,
    pickers: PickerRow,
    /// The parameters of the pickers, which the form keeps.
    kept: Vec<(String, String)>,
    title: String,
    zone: String,
    /// Which base stations saw the entries, and when they were on the machine.
    seen_by: Vec<String>,
    kinds: Vec<FilterOption>,
    timeline: Timeline,
    /// Shown instead of a timeline without entries.
    empty: Empty,
    pager: Option<Pager>,
    path: String,
    back: String,
    back_text: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    Params(params): Params<TimelineParams>,
) -> Result {
    let at = MachineAtSite::find(&app, &frame, MachineId(id)).await?;
    let TimelineParams { pickers, kinds, list } = params;
    let pickers = pickers.load(&app, &frame).await?;
    let bounds = pickers.filter.period.unwrap_or_default().bounds(frame.now, &at.zone);
    let (from, to) = bounds.map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
    let filter = TimelineFilter { kinds, from: Some(from), to };
    let found = app.list_machine_timeline(&caller, at.machine.id, &filter, &list.page(), true).await?;
    let (entries, installations) = (&found.entries.rows, &found.installations);
    let has_station = at.machine.base_station.is_some() || !installations.is_empty();
    let kind = |kind: TimelineKind| FilterOption {
        value: kind.as_str().to_owned(),
        label: t::timeline_kind(frame.language, kind.as_str()).to_owned(),
        is_chosen: filter.kinds.is_empty() || filter.kinds.contains(&kind),
    };
    let page = TimelinePage {
        pickers,
        kept: frame.pickers.0.clone(),
        title: frame.fill(t::TIMELINE_OF, &[("name", &at.machine.name)]),
        zone: at.zone.to_string(),
        seen_by: installations.iter().map(|one| seen_by(&frame, &at, one)).collect(),
        kinds: TimelineKind::ALL.into_iter().map(kind).collect(),
        timeline: by_day(&frame, &at, entries, &found.moved_messages),
        empty: if has_station { nothing(&frame) } else { no_station(&frame) },
        pager: has_station
            .then(|| Pager::of(&frame, entries.len(), found.total, found.entries.next.as_ref())),
        path: format!("/machines/{id}/timeline"),
        back: at.address(&frame),
        back_text: frame.fill(t::BACK_TO, &[("name", &at.machine.name)]),
        frame: &frame,
    };
    response::page(&frame, &page)
}

/// Says which base station saw a part of the timeline, and when it was on the machine.
fn seen_by(frame: &Frame, at: &MachineAtSite, one: &StationInstallation) -> String {
    let instant = |time| frame.formats().instant(time, &at.zone);
    let (serial, from) = (one.serial.as_str(), instant(one.from));
    match one.to {
        None => frame.fill(t::TIMELINE_SINCE, &[("serial", serial), ("at", &from)]),
        Some(to) => {
            frame.fill(t::TIMELINE_WHILE, &[("serial", serial), ("from", &from), ("to", &instant(to))])
        }
    }
}

fn no_station(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NO_STATION).to_owned(),
        reason: frame.text(t::NO_STATION_REASON).to_owned(),
        action: None,
    }
}

fn nothing(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NO_ENTRIES).to_owned(),
        reason: frame.text(t::NO_ENTRIES_REASON).to_owned(),
        action: None,
    }
}

/// What is shown if there is no entry of the last seven days.
pub fn nothing_lately(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NOTHING_LATELY).to_owned(),
        reason: frame.text(t::NOTHING_LATELY_REASON).to_owned(),
        action: None,
    }
}

/// The latest entries of the last seven days.
pub async fn latest(app: &App, frame: &Frame, at: &MachineAtSite) -> Result<Timeline, Error> {
    let page = PageRequest { limit: LATEST, after: None };
    let from = PeriodBound::Instant(frame.now - LATEST_PERIOD);
    let filter = TimelineFilter { from: Some(from), ..TimelineFilter::default() };
    let caller = frame.caller::<ReadInsights>()?;
    let found = app.list_machine_timeline(&caller, at.machine.id, &filter, &page, false).await?;
    Ok(by_day(frame, at, &found.entries.rows, &found.moved_messages))
}
