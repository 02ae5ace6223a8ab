//! What happened around a base station: incursions, what it told, what it was told, video, runtime, in one order.

use domain::access::ReadInsights;
use domain::{BaseStationId, Invalid, Span, TimelineId, TimelineKind, Timestamp};
use store::{
    DeviceEvent, IncursionDetails, Page, PageRequest, Scope, StationClip, StationMessage, StationRuntime,
    TimelinePosition, TimelineSelection, Tx, VisibleStation,
};

use crate::registry::base_stations;
use crate::{App, Caller, Error, Names};

/// How many days are shown if it is not said from when.
const DEFAULT_DAYS: i64 = 7;
/// How many days may be asked for.
const MAX_DAYS: i64 = 400;

/// Which entries of a timeline are asked for.
#[derive(Clone, Debug, Default)]
pub struct TimelineFilter {
    /// Only of these kinds; none for all.
    pub kinds: Vec<TimelineKind>,
    /// Only from then on; left out, a week back.
    pub from: Option<Timestamp>,
    /// Only earlier; left out, up to now.
    pub to: Option<Timestamp>,
}

/// An entry of a timeline.
#[derive(Clone, Debug)]
pub enum TimelineEntry {
    /// A tag came inside a zone.
    Incursion(Box<IncursionDetails>),
    /// The station told something of this kind.
    DeviceEvent(TimelineKind, DeviceEvent),
    /// Text to the cab.
    Message(StationMessage),
    /// Video that was asked for.
    Clip(StationClip),
    /// Ignition on.
    Runtime(StationRuntime),
}

impl TimelineEntry {
    /// What names it.
    pub fn id(&self) -> TimelineId {
        match self {
            Self::Incursion(row) => TimelineId { kind: TimelineKind::Incursion, id: row.stored.id.0 },
            Self::DeviceEvent(kind, row) => TimelineId { kind: *kind, id: row.id.0 },
            Self::Message(row) => TimelineId { kind: TimelineKind::Message, id: row.id.0 },
            Self::Clip(row) => TimelineId { kind: TimelineKind::VideoClip, id: row.id.0 },
            Self::Runtime(row) => TimelineId { kind: TimelineKind::Runtime, id: row.id.0 },
        }
    }

    /// When it was; of what lasts, when it began.
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

impl App {
    /// One page of what happened around a station that the caller sees, the newest first, with how much there is if that is
    /// asked for.
    pub async fn list_timeline(
        &self,
        caller: &Caller<ReadInsights>,
        station: BaseStationId,
        filter: &TimelineFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<TimelineEntry>, Option<i64>), Error> {
        let scope = caller.scope();
        let (from, to) = resolve_window(filter.from, filter.to, self.clock.now(), (DEFAULT_DAYS, MAX_DAYS))?;
        let mut tx = self.store.read().await?;
        let seen = tx.visible_station(scope, station).await?.ok_or_else(base_stations::station_not_found)?;
        // As it was asked for: a beginning that is left out moves with the clock, and the cursor stays good.
        let list = format!("timeline {station} {filter:?}");
        let after = TimelinePosition::after(&list, page)?;
        let kinds = match filter.kinds.as_slice() {
            [] => &TimelineKind::ALL[..],
            some => some,
        };
        let (mut rows, mut total) = (Vec::new(), include_total.then_some(0));
        for kind in kinds.iter().copied() {
            let end = (to, i64::MIN);
            let before = after.map_or(end, |after| after.bound(kind).min(end));
            let among = TimelineSelection::Newest { from, before, limit: i64::from(page.limit) + 1 };
            rows.extend(list_entries(&mut tx, scope, caller.names(), &seen, kind, among).await?);
            if let Some(total) = &mut total {
                *total += tx.timeline(scope, &seen).count(kind, from, to).await?;
            }
        }
        Ok((TimelinePosition::page(rows, &list, page, TimelineEntry::position), total))
    }
}

/// The entry of a station that an id names, as it may be seen.
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

/// The time that is asked for. What is left out is so many days before the end; one that has no end is open.
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
