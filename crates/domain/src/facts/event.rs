//! What devices report, read and checked.

use std::fmt;

use crate::{AntennaZones, Coordinates, Invalid, MessageId, Percent, Serial, Span, Timestamp, Zone};

/// What a device calls an event, so that it can send it again: 1 to 64 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(String);

impl Uid {
    /// Reads a uid as it is.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let fits = (1..=64).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if fits {
            return Ok(Self(text.to_owned()));
        }
        Err(Invalid::new("invalid_uid", "must have 1 to 64 printable ASCII characters"))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, to be kept.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One event of a base station.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What the device calls it.
    pub uid: Uid,
    /// Whose it is. Only a gateway has to say.
    pub base_station: Option<Serial>,
    /// What is reported.
    pub payload: EventPayload,
}

impl Event {
    /// About how many bytes it takes beside itself: what its lists and texts hold.
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

/// What an event reports.
#[derive(Clone, Debug, PartialEq)]
pub enum EventPayload {
    /// A tag came inside a zone.
    Incursion(IncursionReport),
    /// The ignition was on.
    Runtime(RuntimeReport),
    /// Where the station was.
    Gps(Vec<Fix>),
    /// How the station is.
    Status(StatusReport),
    /// Something of note: an alarm or a line of its log.
    LogEntry(LogEntry),
    /// How full a tag's battery is.
    TagBattery(TagBatteryReport),
    /// A tag was tested at the station.
    TagTest(TagTestReport),
    /// What became of a message to the cab.
    Receipt(Receipt),
}

impl EventPayload {
    /// The word of its kind.
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

/// A tag came inside a zone. Station, tag and start are what it is; the rest may come later, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncursionReport {
    /// The tag.
    pub tag: Serial,
    /// The tag of who drove.
    pub operator_tag: Option<Serial>,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when, as far as is known.
    pub ended_at: Option<Timestamp>,
    /// When the button in the cab was pressed.
    pub acknowledged_at: Option<Timestamp>,
    /// The worst zone so far.
    pub zone: Zone,
    /// The least distance so far.
    pub closest_cm: Option<i64>,
    /// Where.
    pub position: Option<Coordinates>,
}

/// The ignition was on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeReport {
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    pub ended_at: Timestamp,
    /// The tag of who drove.
    pub operator_tag: Option<Serial>,
}

/// Where a station was at a moment, as precisely as tracks keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Millionths of a degree to the north.
    pub lat_e6: i32,
    /// Millionths of a degree to the east.
    pub lon_e6: i32,
    /// Steps of 0.5 km/h.
    pub speed_half_kmh: Option<u16>,
    /// Steps of 5 degrees, clockwise from north: 0 to 71.
    pub heading_5deg: Option<u8>,
    /// Metres.
    pub accuracy_m: Option<u16>,
}

/// How a station is.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusReport {
    /// When.
    pub at: Timestamp,
    /// The version of its program.
    pub firmware: Option<String>,
    /// How full its battery is.
    pub battery: Option<Percent>,
    /// What is wrong with it.
    pub faults: Vec<String>,
    /// How far its zones reach; none if it did not say.
    pub zones: Option<Vec<AntennaZones>>,
}

/// Which kind of remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEntryKind {
    /// Someone should look.
    Alarm,
    /// For the record.
    Log,
}

impl LogEntryKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Log => "log",
        }
    }
}

/// How grave a remark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Worth a look.
    Warning,
    /// Something does not work.
    Error,
    /// Something must be done now.
    Critical,
}

impl Severity {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Info, Self::Warning, Self::Error, Self::Critical];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|severity| severity.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_severity", "must be info, warning, error or critical"))
    }
}

/// An alarm, or a line of a station's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Which of the two.
    pub kind: LogEntryKind,
    /// When.
    pub at: Timestamp,
    /// For programs.
    pub code: String,
    /// How grave.
    pub severity: Severity,
    /// For people.
    pub text: String,
}

/// How full a tag's battery is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagBatteryReport {
    /// When.
    pub at: Timestamp,
    /// The tag.
    pub tag: Serial,
    /// How full.
    pub percent: Percent,
}

/// A tag was tested at a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagTestReport {
    /// When.
    pub at: Timestamp,
    /// The tag.
    pub tag: Serial,
    /// Whether it works.
    pub passed: bool,
}

/// How far a message to the cab has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReceiptState {
    /// The station has it.
    Delivered,
    /// It was shown.
    Displayed,
    /// Someone in the cab confirmed it.
    Acknowledged,
}

impl ReceiptState {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Delivered, Self::Displayed, Self::Acknowledged];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Displayed => "displayed",
            Self::Acknowledged => "acknowledged",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be delivered, displayed or acknowledged"))
    }
}

/// What became of a message to the cab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// When.
    pub at: Timestamp,
    /// The message.
    pub message: MessageId,
    /// How far it came.
    pub state: ReceiptState,
}

/// The times that a report may speak of.
#[derive(Clone, Copy, Debug)]
pub struct TimeWindow {
    /// The oldest.
    pub from: Timestamp,
    /// The newest.
    pub to: Timestamp,
}

impl TimeWindow {
    /// How far a device's clock may be ahead.
    const MAX_CLOCK_AHEAD: Span = Span::minutes(5);

    /// What a device may send now: not more than five minutes ahead, not more than 400 days old.
    pub fn for_devices(now: Timestamp) -> Self {
        Self { from: now - Span::minutes(400 * 24 * 60), to: now + Self::MAX_CLOCK_AHEAD }
    }

    /// What may be brought in now: history of any age.
    pub fn for_imports(now: Timestamp) -> Self {
        Self { from: Timestamp::from_micros(0), to: now + Self::MAX_CLOCK_AHEAD }
    }

    /// Refuses a time outside.
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
