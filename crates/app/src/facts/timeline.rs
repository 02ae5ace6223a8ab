//! The timeline of a base station: incursions, device events, messages, clips and runtime in one order. `machine_timeline` joins several.

use domain::access::ReadInsights;
use domain::{
    BaseStationId, DeviceEvent, IncursionDetails, Invalid, Page, PageRequest, PeriodBound, Span, StationClip,
    StationMessage, StationRuntime, TimelineId, TimelineKind, Timestamp,
};
use serde_json::Value;
use store::{Scope, TimelinePosition, TimelineSelection, Tx, VisibleStation};

use crate::platform::local_bounds::resolve_for_station;
use crate::registry::base_stations;
use crate::{App, Caller, Error, Names};

/// Length of the default window.
pub(super) const DEFAULT_DAYS: i64 = 7;
/// Length of the longest window.
pub(super) const MAX_DAYS: i64 = 400;

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
    pub(super) fn kinds(&self) -> &[TimelineKind] {
        match self.kinds.as_slice() {
            [] => &TimelineKind::ALL[..],
            some => some,
        }
    }
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
        let parts = [TimelinePart { station: seen, times: None }];
        let names = caller.names();
        let reading = Reading { scope, names, parts: &parts, kinds: filter.kinds(), window: (from, to) };
        let Page { rows, next } = reading.page(&mut tx, &list, page).await?;
        let total = match include_total {
            true => Some(reading.total(&mut tx).await?),
            false => None,
        };
        Ok((Page { rows: rows.into_iter().map(|(_, entry)| entry).collect(), next }, total))
    }
}

/// What belongs to a timeline of one station.
pub(super) struct TimelinePart {
    pub station: VisibleStation,
    /// The times of the station that belong to the timeline, the oldest first; all if there are none.
    pub times: Option<Vec<(Timestamp, Option<Timestamp>)>>,
}

impl TimelinePart {
    /// Returns the bounds within which entries of a kind can lie in a window; none if there can be no such entry.
    fn bounds(
        &self,
        kind: TimelineKind,
        (from, to): (Timestamp, Timestamp),
    ) -> Option<(Timestamp, Timestamp)> {
        let Some(times) = &self.times else { return Some((from, to)) };
        // Video is requested after it was recorded, and messages may be sent before their station comes.
        if matches!(kind, TimelineKind::VideoClip | TimelineKind::Message) {
            return Some((from, to));
        }
        let mut overlapping =
            times.iter().filter(|(begin, end)| *begin < to && end.is_none_or(|end| end > from));
        let (first, first_end) = overlapping.next()?;
        let last_end = overlapping.next_back().map_or(*first_end, |(_, end)| *end);
        Some((from.max(*first), last_end.map_or(to, |end| to.min(end))))
    }
}

/// What is read of a timeline.
pub(super) struct Reading<'a> {
    pub scope: &'a Scope,
    pub names: Names,
    /// One for each station, the one that was there last first.
    pub parts: &'a [TimelinePart],
    pub kinds: &'a [TimelineKind],
    /// The end is exclusive.
    pub window: (Timestamp, Timestamp),
}

impl Reading<'_> {
    /// Reads the newest entries after the cursor, with the stations that saw them.
    pub async fn page(
        &self,
        tx: &mut Tx,
        list: &str,
        page: &PageRequest,
    ) -> Result<Page<(BaseStationId, TimelineEntry)>, Error> {
        let after = TimelinePosition::after(list, page)?;
        let mut rows: Vec<(BaseStationId, TimelineEntry)> = Vec::new();
        for part in self.parts {
            for kind in self.kinds.iter().copied() {
                let Some((from, to)) = part.bounds(kind, self.window) else { continue };
                // What this part has is older than a full page.
                let later = rows.iter().filter(|(_, entry)| entry.at() >= to).count();
                if later > usize::from(page.limit) {
                    continue;
                }
                let end = (to, i64::MIN);
                let before = after.map_or(end, |after| after.bound(kind).min(end));
                let among = TimelineSelection::Newest { from, before, limit: i64::from(page.limit) + 1 };
                let found = list_entries(tx, (self.scope, self.names), part, kind, among).await?;
                rows.extend(found.into_iter().map(|entry| (part.station.id, entry)));
            }
        }
        Ok(TimelinePosition::page(rows, list, page, |(_, entry)| entry.position()))
    }

    pub async fn total(&self, tx: &mut Tx) -> Result<i64, Error> {
        let mut total = 0;
        for part in self.parts {
            for kind in self.kinds.iter().copied() {
                if let Some((from, to)) = part.bounds(kind, self.window) {
                    let mut timeline = tx.timeline(self.scope, &part.station).within(part.times.as_deref());
                    total += timeline.count(kind, from, to).await?;
                }
            }
        }
        Ok(total)
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
    let part = TimelinePart { station: station.clone(), times: None };
    let one = TimelineSelection::One(id.id);
    Ok(list_entries(tx, (scope, names), &part, id.kind, one).await?.pop())
}

async fn list_entries(
    tx: &mut Tx,
    (scope, names): (&Scope, Names),
    part: &TimelinePart,
    kind: TimelineKind,
    among: TimelineSelection,
) -> Result<Vec<TimelineEntry>, Error> {
    let mut timeline = tx.timeline(scope, &part.station).within(part.times.as_deref());
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
