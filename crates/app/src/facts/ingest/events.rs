//! The events of a batch and their outcomes, as all parts of ingest see them.

use domain::{BaseStationId, Event, EventPayload, Invalid, Serial, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// It is stored.
    Accepted,
    /// Everything in it was stored already.
    Duplicate,
    /// It is not stored, for this reason.
    Rejected(Invalid),
}

#[derive(Clone, Debug)]
pub struct BatchOutcome {
    /// One outcome for each event, in the same order.
    pub outcomes: Vec<EventOutcome>,
    /// The brand's sequence number that includes the batch.
    pub seq: i64,
}

#[derive(Clone, Debug)]
pub struct ReceivedEvent {
    pub event: Event,
    pub received_at: Timestamp,
}

/// The sender of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventSource {
    /// A station that reports its own events.
    Station(BaseStationId),
    /// A sender that reports for any station of the brand, by serial.
    AnyStation,
}

/// An event whose station has been found.
pub(super) struct ResolvedEvent<'a> {
    /// Position among all events of the commit.
    pub index: usize,
    pub station: BaseStationId,
    pub received: &'a ReceivedEvent,
}

/// Returns the serials of the tags in a report.
pub(super) fn tag_serials(report: &EventPayload) -> impl Iterator<Item = &Serial> {
    let (first, second) = match report {
        EventPayload::Incursion(incursion) => (Some(&incursion.tag), incursion.operator_tag.as_ref()),
        EventPayload::Runtime(runtime) => (None, runtime.operator_tag.as_ref()),
        EventPayload::TagBattery(battery) => (Some(&battery.tag), None),
        EventPayload::TagTest(test) => (Some(&test.tag), None),
        EventPayload::Gps(_)
        | EventPayload::Status(_)
        | EventPayload::LogEntry(_)
        | EventPayload::Receipt(_) => (None, None),
    };
    first.into_iter().chain(second)
}

/// Returns the latest time that a report mentions.
pub(super) fn latest_timestamp(report: &EventPayload) -> Timestamp {
    match report {
        EventPayload::Incursion(incursion) => {
            let last = incursion.started_at.max(incursion.ended_at.unwrap_or(incursion.started_at));
            last.max(incursion.acknowledged_at.unwrap_or(last))
        }
        EventPayload::Runtime(runtime) => runtime.ended_at,
        EventPayload::Gps(fixes) => {
            let last = fixes.iter().map(|fix| fix.at_ms).max().unwrap_or(0);
            Timestamp::from_micros(last.saturating_mul(1_000))
        }
        EventPayload::Status(status) => status.at,
        EventPayload::LogEntry(remark) => remark.at,
        EventPayload::TagBattery(battery) => battery.at,
        EventPayload::TagTest(test) => test.at,
        EventPayload::Receipt(receipt) => receipt.at,
    }
}
