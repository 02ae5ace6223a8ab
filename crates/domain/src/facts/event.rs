//! Events that devices report, parsed and validated.

use std::fmt;

use crate::{AntennaZones, Coordinates, Invalid, MessageId, Percent, Serial, Span, Timestamp, Zone};

/// An event id chosen by the device, which makes retransmission idempotent: 1 to 64 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(String);

impl Uid {
    /// Parses a uid without trimming it.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let fits = (1..=64).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if fits {
            return Ok(Self(text.to_owned()));
        }
        Err(Invalid::new("invalid_uid", "must have 1 to 64 printable ASCII characters"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub uid: Uid,
    /// The reporting station. Only a gateway has to set it.
    pub base_station: Option<Serial>,
    pub payload: EventPayload,
}

impl Event {
    /// Estimates the heap memory of the event's lists and texts, in bytes.
    pub fn heap_bytes(&self) -> usize {
        let lists = match &self.payload {
            EventPayload::Gps(fixes) => fixes.len() * size_of::<Fix>(),
            EventPayload::Status(status) => {
                let texts: usize = status.faults.iter().map(|fault| size_of::<String>() + fault.len()).sum();
                texts + status.zones.as_ref().map_or(0, |zones| zones.len() * size_of::<AntennaZones>())
            }
            EventPayload::LogEntry(remark) => remark.text.len(),
            _ => 0,
        };
        self.uid.0.len() + lists
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventPayload {
    /// A tag came inside a zone.
    Incursion(IncursionReport),
    /// The ignition was on.
    Runtime(RuntimeReport),
    /// Positions of the station.
    Gps(Vec<Fix>),
    /// The station's condition.
    Status(StatusReport),
    /// An alarm or a line of the station's log.
    LogEntry(LogEntry),
    TagBattery(TagBatteryReport),
    TagTest(TagTestReport),
    /// The delivery state of a message to the cab.
    Receipt(Receipt),
}

impl EventPayload {
    /// Returns the event kind as used in the API.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Incursion(_) => "incursion",
            Self::Runtime(_) => "runtime",
            Self::Gps(_) => "gps",
            Self::Status(_) => "status",
            Self::LogEntry(remark) => remark.kind.as_str(),
            Self::TagBattery(_) => "tag_battery",
            Self::TagTest(_) => "tag_test",
            Self::Receipt(_) => "receipt",
        }
    }
}

/// A tag came inside a zone. Station, tag and start identify the incursion; the other fields may follow in later events, in any
/// order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncursionReport {
    pub tag: Serial,
    /// The tag of the operator.
    pub operator_tag: Option<Serial>,
    pub started_at: Timestamp,
    /// End of the incursion, if known.
    pub ended_at: Option<Timestamp>,
    /// Time at which the button in the cab was pressed.
    pub acknowledged_at: Option<Timestamp>,
    /// The innermost zone so far.
    pub zone: Zone,
    /// The smallest distance so far.
    pub closest_cm: Option<i64>,
    pub position: Option<Coordinates>,
}

/// The ignition was on from `started_at` to `ended_at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeReport {
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// The tag of the operator.
    pub operator_tag: Option<Serial>,
}

/// A GPS position of a station, in the precision in which tracks are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Latitude in millionths of a degree.
    pub lat_e6: i32,
    /// Longitude in millionths of a degree.
    pub lon_e6: i32,
    /// Speed in steps of 0.5 km/h.
    pub speed_half_kmh: Option<u16>,
    /// Heading in steps of 5 degrees, clockwise from north: 0 to 71.
    pub heading_5deg: Option<u8>,
    pub accuracy_m: Option<u16>,
}

/// The condition of a station.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusReport {
    pub at: Timestamp,
    pub firmware: Option<String>,
    pub battery: Option<Percent>,
    /// Codes of the current faults; empty if there are none.
    pub faults: Vec<String>,
    /// The zone radii of its antennas; `None` if not reported.
    pub zones: Option<Vec<AntennaZones>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEntryKind {
    /// Needs attention.
    Alarm,
    /// For information only.
    Log,
}

impl LogEntryKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Log => "log",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Info,
    Warning,
    Error,
    Critical,
}

impl Severity {
    pub const ALL: [Self; 4] = [Self::Info, Self::Warning, Self::Error, Self::Critical];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|severity| severity.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_severity", "must be info, warning, error or critical"))
    }
}

/// An alarm, or a line of a station's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    pub kind: LogEntryKind,
    pub at: Timestamp,
    /// A machine-readable code.
    pub code: String,
    pub severity: Severity,
    /// A text for people.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagBatteryReport {
    pub at: Timestamp,
    pub tag: Serial,
    pub percent: Percent,
}

/// A tag was tested at a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagTestReport {
    pub at: Timestamp,
    pub tag: Serial,
    pub passed: bool,
}

/// Delivery state of a message to the cab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReceiptState {
    /// The station has received it.
    Delivered,
    /// It was shown in the cab.
    Displayed,
    /// Someone in the cab confirmed it.
    Acknowledged,
}

impl ReceiptState {
    /// All states, in the order in which a message passes through them.
    pub const ALL: [Self; 3] = [Self::Delivered, Self::Displayed, Self::Acknowledged];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Displayed => "displayed",
            Self::Acknowledged => "acknowledged",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be delivered, displayed or acknowledged"))
    }
}

/// A station's report on the delivery of a message to the cab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub at: Timestamp,
    pub message: MessageId,
    pub state: ReceiptState,
}

/// The period in which the timestamps of a report must lie.
#[derive(Clone, Copy, Debug)]
pub struct TimeWindow {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl TimeWindow {
    /// How far a device's clock may be ahead.
    const MAX_CLOCK_AHEAD: Span = Span::minutes(5);

    /// Window for devices: at most five minutes ahead, at most 400 days old.
    pub fn for_devices(now: Timestamp) -> Self {
        Self { from: now - Span::minutes(400 * 24 * 60), to: now + Self::MAX_CLOCK_AHEAD }
    }

    /// Window for imports: at most five minutes ahead, of any age.
    pub fn for_imports(now: Timestamp) -> Self {
        Self { from: Timestamp::from_micros(0), to: now + Self::MAX_CLOCK_AHEAD }
    }

    /// Rejects a time outside the window.
    pub fn check(self, at: Timestamp) -> Result<Timestamp, Invalid> {
        if at > self.to {
            return Err(Invalid::new("bad_time", "is more than five minutes ahead"));
        }
        if at < self.from {
            return Err(Invalid::new("bad_time", "is too long ago"));
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_printable_and_bounded() {
        assert_eq!(Uid::parse("ST-0042/17 a").unwrap().as_str(), "ST-0042/17 a");
        for bad in ["", "é", "a\n", &"x".repeat(65)] {
            assert_eq!(Uid::parse(bad).unwrap_err().code, "invalid_uid", "{bad:?} was taken");
        }
    }

    #[test]
    fn times_are_taken_within_their_window() {
        let now = Timestamp::parse("2026-03-01T08:00:00Z").unwrap();
        let window = TimeWindow::for_devices(now);
        assert!(window.check(now + Span::minutes(5)).is_ok());
        assert!(window.check(now + Span::minutes(5) + Span::from_micros(1)).is_err());
        assert!(window.check(now - Span::minutes(400 * 24 * 60)).is_ok());
        assert_eq!(window.check(now - Span::minutes(500 * 24 * 60)).unwrap_err().code, "bad_time");
        assert!(TimeWindow::for_imports(now).check(now - Span::minutes(5000 * 24 * 60)).is_ok());
    }
}
