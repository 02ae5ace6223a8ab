//! The timelines of base stations and machines: incursions, device events, messages, clips and runtime in one order.

use domain::access::ReadInsights;
use domain::{
    BaseStationId, DeviceEvent, IncursionDetails, Invalid, MachineId, Page, PageRequest, PeriodBound, Span,
    StationClip, StationInstallation, StationMessage, StationRuntime, TimelineId, TimelineKind, Timestamp,
};
use serde_json::Value;
use store::{Scope, TimelinePosition, TimelineSelection, Tx, VisibleStation};

use crate::platform::local_bounds::{resolve_for_machine, resolve_for_station};
use crate::registry::base_stations;
use crate::{App, Caller, Error, Names};

/// Length of the default window.
const DEFAULT_DAYS: i64 = 7;
/// Length of the longest window.
const MAX_DAYS: i64 = 400;

#[derive(Clone, Debug, Default)]
pub struct TimelineFilter {
    /// Only entries of these kinds; empty for all.
    pub kinds: Vec<TimelineKind>,
    /// Earliest time; a week before the end if absent.
    pub from: Option<PeriodBound>,
    /// End of the window, exclusive; now if absent.
    pub to: Option<PeriodBound>,
}

impl TimelineFilter {
    fn kinds(&self) -> &[TimelineKind] {
        match self.kinds.as_slice() {
            [] => &TimelineKind::ALL[..],
            some => some,
        }
    }
}

/// A page of the timeline of a machine.
#[derive(Clone, Debug)]
pub struct MachineTimeline {
    pub entries: Page<TimelineEntry>,
    pub total: Option<i64>,
    /// The installations whose stations saw the entries, the newest first. No two overlap.
    pub installations: Vec<StationInstallation>,
}

#[derive(Clone, Debug)]
pub enum TimelineEntry {
    Incursion(Box<IncursionDetails>),
    /// An event that the station reported.
    DeviceEvent(TimelineKind, DeviceEvent<Value>),
    /// A text sent to the cab.
    Message(StationMessage),
    /// A requested clip.
    Clip(StationClip),
    /// A span with the ignition on.
    Runtime(StationRuntime),
}

impl TimelineEntry {
    pub fn id(&self) -> TimelineId {
        match self {
            Self::Incursion(row) => TimelineId { kind: TimelineKind::Incursion, id: row.stored.id.0 },
            Self::DeviceEvent(kind, row) => TimelineId { kind: *kind, id: row.id.0 },
            Self::Message(row) => TimelineId { kind: TimelineKind::Message, id: row.id.0 },
            Self::Clip(row) => TimelineId { kind: TimelineKind::VideoClip, id: row.id.0 },
            Self::Runtime(row) => TimelineId { kind: TimelineKind::Runtime, id: row.id.0 },
        }
    }

    /// Returns the time of the entry; for one with a duration, its start.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Incursion(row) => row.stored.row.started_at,
            Self::DeviceEvent(_, row) => row.at,
            Self::Message(row) => row.queued_at,
            Self::Clip(row) => row.requested_at,
            Self::Runtime(row) => row.started_at,
        }
    }

    fn position(&self) -> TimelinePosition {
        let TimelineId { kind, id } = self.id();
        TimelinePosition { at: self.at(), kind, id }
    }
}

#[macros::boxed]
impl App {
    /// Returns a page of the timeline of a station that the caller may see, the newest first, with the total if requested.
    pub async fn list_timeline(
        &self,
        caller: &Caller<ReadInsights>,
        station: BaseStationId,
        filter: &TimelineFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<TimelineEntry>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_station(&mut tx, scope, station, (filter.from, filter.to)).await?;
        let (from, to) = resolve_window(from, to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        let seen = tx.visible_station(scope, station).await?.ok_or_else(base_stations::station_not_found)?;
        // The cursor depends on the filter as given, not on the resolved window: a default start moves with the clock.
        let list = format!("timeline {station} {filter:?}");
        let parts = [TimelinePart { station: seen, from, to }];
        let reading = Reading { scope, names: caller.names(), parts: &parts, kinds: filter.kinds() };
        Ok((reading.page(&mut tx, &list, page).await?, reading.total(&mut tx, include_total).await?))
    }

    /// Returns a page of the timeline of a machine that the caller may see, the newest first: what each of its stations saw while it
    /// was installed on the machine.
    pub async fn list_machine_timeline(
        &self,
        caller: &Caller<ReadInsights>,
        machine: MachineId,
        filter: &TimelineFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<MachineTimeline, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let (from, to) = resolve_for_machine(&mut tx, scope, machine, (filter.from, filter.to)).await?;
        let (from, to) = resolve_window(from, to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        tx.machines(scope).find(machine).await?.ok_or_else(|| Error::not_found("machine"))?;
        let installed = tx.station_installations(scope).on_machine(machine, from, to).await?;
        let (installations, parts) = list_parts(&mut tx, scope, installed, (from, to)).await?;
        let list = format!("timeline of machine {machine} {filter:?}");
        let reading = Reading { scope, names: caller.names(), parts: &parts, kinds: filter.kinds() };
        let entries = reading.page(&mut tx, &list, page).await?;
        let total = reading.total(&mut tx, include_total).await?;
        Ok(MachineTimeline { entries, total, installations })
    }
}

/// A time of which a station's entries belong to a timeline.
struct TimelinePart {
    station: VisibleStation,
    from: Timestamp,
    /// Exclusive.
    to: Timestamp,
}

/// Returns the installations during which the caller sees something of their stations, and the parts of the timeline that they are,
/// the newest first. A machine has one station at a time, so the parts do not overlap.
async fn list_parts(
    tx: &mut Tx,
    scope: &Scope,
    installed: Vec<StationInstallation>,
    (from, to): (Timestamp, Timestamp),
) -> Result<(Vec<StationInstallation>, Vec<TimelinePart>), Error> {
    let mut ids: Vec<BaseStationId> = installed.iter().map(|one| one.base_station).collect();
    ids.sort_unstable();
    ids.dedup();
    let stations = tx.visible_stations(scope, &ids).await?;
    let (mut installations, mut parts) = (Vec::new(), Vec::new());
    for one in installed.into_iter().rev() {
        let Some(station) = stations.iter().find(|station| station.id == one.base_station) else { continue };
        let (from, to) = (from.max(one.from), one.to.map_or(to, |end| to.min(end)));
        if !station.visible_parts(from, to).is_empty() {
            parts.push(TimelinePart { station: station.clone(), from, to });
            installations.push(one);
        }
    }
    Ok((installations, parts))
}

/// What is read of a timeline.
struct Reading<'a> {
    scope: &'a Scope,
    names: Names,
    /// The newest first; they do not overlap.
    parts: &'a [TimelinePart],
    kinds: &'a [TimelineKind],
}

impl Reading<'_> {
    /// Reads the newest entries after the cursor. Parts that are older than a full page are not read.
    async fn page(&self, tx: &mut Tx, list: &str, page: &PageRequest) -> Result<Page<TimelineEntry>, Error> {
        let after = TimelinePosition::after(list, page)?;
        let mut rows = Vec::new();
        for part in self.parts {
            if rows.len() > usize::from(page.limit) {
                break;
            }
            let end = (part.to, i64::MIN);
            for kind in self.kinds.iter().copied() {
                let before = after.map_or(end, |after| after.bound(kind).min(end));
                let limit = i64::from(page.limit) + 1;
                let among = TimelineSelection::Newest { from: part.from, before, limit };
                rows.extend(list_entries(tx, self.scope, self.names, &part.station, kind, among).await?);
            }
        }
        Ok(TimelinePosition::page(rows, list, page, TimelineEntry::position))
    }

    async fn total(&self, tx: &mut Tx, is_wanted: bool) -> Result<Option<i64>, Error> {
        if !is_wanted {
            return Ok(None);
        }
        let mut total = 0;
        for part in self.parts {
            for kind in self.kinds.iter().copied() {
                total += tx.timeline(self.scope, &part.station).count(kind, part.from, part.to).await?;
            }
        }
        Ok(Some(total))
    }
}

/// Finds an entry of a station by its id and redacts it as the reader requires.
pub(crate) async fn find_entry(
    tx: &mut Tx,
    scope: &Scope,
    names: Names,
    station: &VisibleStation,
    id: TimelineId,
) -> Result<Option<TimelineEntry>, Error> {
    Ok(list_entries(tx, scope, names, station, id.kind, TimelineSelection::One(id.id)).await?.pop())
}

async fn list_entries(
    tx: &mut Tx,
    scope: &Scope,
    names: Names,
    station: &VisibleStation,
    kind: TimelineKind,
    among: TimelineSelection,
) -> Result<Vec<TimelineEntry>, Error> {
    let mut timeline = tx.timeline(scope, station);
    Ok(match kind {
        TimelineKind::Incursion => {
            let rows = timeline.incursions(among).await?.into_iter();
            rows.map(|row| TimelineEntry::Incursion(Box::new(names.redact_record(row)))).collect()
        }
        TimelineKind::Message => {
            let rows = timeline.messages(among).await?.into_iter();
            rows.map(|row| TimelineEntry::Message(names.redact_record(row))).collect()
        }
        TimelineKind::VideoClip => {
            let rows = timeline.clips(among).await?.into_iter();
            rows.map(|row| TimelineEntry::Clip(names.redact_record(row))).collect()
        }
        TimelineKind::Runtime => {
            let rows = timeline.runtime(among).await?.into_iter();
            rows.map(|row| TimelineEntry::Runtime(names.redact_record(row))).collect()
        }
        TimelineKind::Alarm
        | TimelineKind::Log
        | TimelineKind::Status
        | TimelineKind::TagBattery
        | TimelineKind::TagTest => {
            let rows = timeline.device_events(kind, among).await?.into_iter();
            rows.map(|row| TimelineEntry::DeviceEvent(kind, row)).collect()
        }
    })
}

/// Resolves the requested window. A missing start lies the default number of days before the end; a missing end leaves it open.
pub(crate) fn resolve_window(
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    now: Timestamp,
    (default_days, max_days): (i64, i64),
) -> Result<(Timestamp, Timestamp), Error> {
    let days = |days: i64| Span::minutes(days * 24 * 60);
    let end = to.unwrap_or(now);
    let from = from.unwrap_or(end - days(default_days));
    if to.is_some_and(|to| from > to) {
        return Err(Error::bad_parameter("to", Invalid::new("out_of_range", "must not come before from")));
    }
    if end - from > days(max_days) {
        let text = format!("must lie at most {max_days} days before to");
        return Err(Error::bad_parameter("from", Invalid::new("out_of_range", text)));
    }
    Ok((from, to.unwrap_or(Timestamp::from_micros(i64::MAX))))
}
