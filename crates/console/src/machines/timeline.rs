//! The timeline of a machine: everything that its base station saw since it came to the machine, with a filter of kinds.

use std::sync::Arc;

use app::{App, Error, TimelineFilter};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry};
use domain::{
    BaseStation, BaseStationId, MachineId, PageRequest, PeriodBound, Span, TimelineKind, Timestamp,
};
use texts::console::machines as t;
use web::{Caller, FromParams, ListParams, Params, PathId, Query, Result};

use super::MachineAtSite;
use super::entity_list::FilterOption;
use super::timeline_entries::by_day;
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
    /// Which base station saw the entries, and since when.
    since: Option<String>,
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
    let mut filter = TimelineFilter { kinds, from: Some(from), to };
    let (mut entries, mut pager, mut since) = (Vec::new(), None, None);
    let mut empty = Empty {
        title: frame.text(t::NO_STATION).to_owned(),
        reason: frame.text(t::NO_STATION_REASON).to_owned(),
        action: None,
    };
    if let Some((station, came_at)) = station_on(&app, &frame, &at).await? {
        empty = nothing(&frame);
        let day = frame.formats().instant(came_at, &at.zone);
        since = Some(frame.fill(t::TIMELINE_SINCE, &[("serial", &station.serial), ("at", &day)]));
        if from.instant_in(&at.zone) < came_at {
            filter.from = Some(PeriodBound::Instant(came_at));
        }
        if to.is_none_or(|to| to.instant_in(&at.zone) > came_at) {
            let (found, total) = app.list_timeline(&caller, station.id, &filter, &list.page(), true).await?;
            pager = Some(Pager::of(&frame, found.rows.len(), total, found.next.as_ref()));
            entries = found.rows;
        }
    }
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
        since,
        kinds: TimelineKind::ALL.into_iter().map(kind).collect(),
        timeline: by_day(&frame, &at, &entries),
        empty,
        pager,
        path: format!("/machines/{id}/timeline"),
        back: at.address(&frame),
        back_text: frame.fill(t::BACK_TO, &[("name", &at.machine.name)]),
        frame: &frame,
    };
    response::page(&frame, &page)
}

/// Returns the base station that is on the machine, and since when.
async fn station_on(
    app: &App,
    frame: &Frame,
    at: &MachineAtSite,
) -> Result<Option<(BaseStation, Timestamp)>, Error> {
    let Some((station, _)) = at.machine.base_station else { return Ok(None) };
    let found = app.find_base_station(&frame.caller::<ReadRegistry>()?, station).await?.station;
    Ok(at.since(&found).map(|since| (found, since)))
}

fn nothing(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::NO_ENTRIES).to_owned(),
        reason: frame.text(t::NO_ENTRIES_REASON).to_owned(),
        action: None,
    }
}

/// The latest entries of the last seven days, as far as the base station was on the machine.
pub async fn latest(
    app: &App,
    frame: &Frame,
    at: &MachineAtSite,
    (station, since): (BaseStationId, Timestamp),
) -> Result<Timeline, Error> {
    let page = PageRequest { limit: LATEST, after: None };
    let from = since.max(frame.now - LATEST_PERIOD);
    let filter = TimelineFilter { from: Some(PeriodBound::Instant(from)), ..TimelineFilter::default() };
    let caller = frame.caller::<ReadInsights>()?;
    let (found, _) = app.list_timeline(&caller, station, &filter, &page, false).await?;
    Ok(by_day(frame, at, &found.rows))
}
