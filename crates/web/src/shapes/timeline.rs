//! The timeline of a base station, shared by both API versions.

use app::Error;
use domain::event::Severity;
use domain::{PeriodBound, Span, TimelineKind, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::request::page::{List, ListParams};
use crate::request::params::{FromParams, Query};
use crate::request::references::{Actor, NamedReference, PersonReference, TagReference};
use crate::response::enum_schemas;
#[cfg(feature = "openapi")]
use crate::shapes::timeline_kinds;
use crate::{IntoParams, ToSchema};

/// The query parameters that filter a timeline.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct TimelineFilters {
    /// Only entries of these kinds; repeat the parameter for several. The default is all kinds.
    #[param(value_type = Option<Vec<enum_schemas::TimelineKind>>)]
    kind: Option<Vec<String>>,
    /// Only entries at this time or later: a time (RFC 3339), or a date, which begins by the local time of the worksite where the machine
    /// is now. The default is seven days before `to`; at most 400 days before `to`.
    #[param(example = "2026-03-01T00:00:00Z")]
    from: Option<String>,
    /// Only entries before this time; a time or a date, as in `from`. The default is now.
    #[param(example = "2026-03-02T00:00:00Z")]
    to: Option<String>,
}

pub struct TimelineParams {
    pub filter: app::TimelineFilter,
    pub list: ListParams,
}

impl FromParams for TimelineParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = app::TimelineFilter {
            kinds: query.many("kind", TimelineKind::ALL.len(), TimelineKind::parse)?,
            from: query.one("from", PeriodBound::parse)?,
            to: query.one("to", PeriodBound::parse)?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type TimelineList = List<TimelineEntry>;

/// An entry in the timeline of a base station. `kind` says which variant it is.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(discriminator(property_name = "kind", mapping(
    ("incursion" = "#/components/schemas/TimelineIncursion"),
    ("alarm" = "#/components/schemas/TimelineLogEntry"),
    ("log" = "#/components/schemas/TimelineLogEntry"),
    ("status" = "#/components/schemas/TimelineStatus"),
    ("tag_battery" = "#/components/schemas/TimelineTagBattery"),
    ("tag_test" = "#/components/schemas/TimelineTagTest"),
    ("message" = "#/components/schemas/TimelineMessage"),
    ("video_clip" = "#/components/schemas/TimelineClip"),
    ("runtime" = "#/components/schemas/TimelineRuntime")
)))]
pub enum TimelineEntry {
    /// A tag entered a zone.
    Incursion(Box<TimelineIncursion>),
    /// An alarm or log entry of the base station.
    LogEntry(TimelineLogEntry),
    /// A status report of the base station.
    Status(TimelineStatus),
    /// A battery report of a tag.
    TagBattery(TimelineTagBattery),
    /// A test of a tag at the base station.
    TagTest(TimelineTagTest),
    /// A text message to the cab.
    Message(TimelineMessage),
    /// A request for a video clip.
    VideoClip(TimelineClip),
    /// A period with the ignition on.
    Runtime(TimelineRuntime),
}

/// The fields that every entry has after its `kind`, whose schema differs by variant.
#[macros::answer]
pub struct TimelineHead {
    /// Identifier of the record, unique within its kind.
    #[schema(example = 31)]
    id: i64,
    /// Kind and identifier, as used by `/api/v2/base_stations/{id}/events/{event_id}`.
    #[schema(example = "incursion-31")]
    event_id: String,
    /// Time of the entry, RFC 3339 in UTC; for a period, the time at which it started.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

/// A summary of an incursion, whatever its review.
#[macros::answer]
pub struct TimelineIncursion {
    #[schema(schema_with = timeline_kinds::incursion)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Time at which the incursion ended, RFC 3339 in UTC; null while it lasts, or if its end was never reported.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Duration in milliseconds; null without an end.
    #[schema(example = 12500)]
    duration_ms: Option<i64>,
    /// Whether the acknowledgement button in the cab was pressed.
    #[schema(example = true)]
    acknowledged: bool,
    /// Time at which the button was pressed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// Innermost zone that the tag entered.
    #[schema(value_type = enum_schemas::Zone, example = "danger")]
    zone: &'static str,
    /// Smallest distance between the tag and the machine, in centimetres.
    #[schema(example = 180)]
    closest_cm: Option<i64>,
    /// Position of the machine at the time of the incursion.
    position: Option<GeoPosition>,
    /// Result of the latest review.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    review: &'static str,
    /// Tag that entered the zone.
    tag: TagReference,
    /// Person who wore the tag; null if it was assigned to nobody.
    pedestrian: Option<PersonReference>,
    /// Person who operated the machine; null if unknown.
    operator: Option<PersonReference>,
    /// Machine that the base station was installed on at the time.
    machine: Option<NamedReference>,
    /// Worksite where the incursion happened.
    worksite: Option<NamedReference>,
}

/// A position in degrees (WGS 84).
#[macros::answer]
pub struct GeoPosition {
    /// Latitude; north is positive.
    #[schema(example = 52.52)]
    pub lat: f64,
    /// Longitude; east is positive.
    #[schema(example = 13.405)]
    pub lon: f64,
}

/// An alarm or a log entry of a base station.
#[macros::answer]
pub struct TimelineLogEntry {
    #[schema(schema_with = timeline_kinds::log_entry)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Machine-readable code, as chosen by the base station.
    #[schema(example = "camera_dark")]
    code: Option<String>,
    /// Severity.
    #[schema(value_type = Option<enum_schemas::Severity>, example = "warning")]
    severity: Option<&'static str>,
    /// Human-readable text.
    #[schema(example = "The rear camera sees nothing.")]
    text: Option<String>,
    /// Time at which the entry was received, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// A status report of a base station.
#[macros::answer]
pub struct TimelineStatus {
    #[schema(schema_with = timeline_kinds::status)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Firmware version; null if it was not reported.
    #[schema(value_type = Option<String>, example = "4.2.1")]
    firmware: Value,
    /// Battery level in percent; null if it was not reported.
    #[schema(value_type = Option<i64>, example = 80)]
    battery: Value,
    /// Reported faults.
    #[schema(value_type = Vec<String>, example = json!([]))]
    faults: Value,
    /// Zone radii in metres, each with `antenna`, `warning_m` and `danger_m`; null if they were not reported.
    #[schema(value_type = Option<Vec<Object>>)]
    zones: Value,
    /// Time at which the report was received, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// A battery report of a tag.
#[macros::answer]
pub struct TimelineTagBattery {
    #[schema(schema_with = timeline_kinds::tag_battery)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Tag that the battery belongs to.
    tag: Option<TagReference>,
    /// Battery level in percent.
    #[schema(value_type = i64, example = 40)]
    percent: Value,
    /// Time at which the report was received, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// A test of a tag at a base station.
#[macros::answer]
pub struct TimelineTagTest {
    #[schema(schema_with = timeline_kinds::tag_test)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Tag that was tested.
    tag: Option<TagReference>,
    /// Whether the tag passed the test.
    #[schema(value_type = bool, example = true)]
    passed: Value,
    /// Time at which the result was received, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// A text message to the cab.
#[macros::answer]
pub struct TimelineMessage {
    #[schema(schema_with = timeline_kinds::message)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Text of the message; null for callers who may not see names.
    #[schema(example = "Please call the office.")]
    body: Option<String>,
    /// User who sent the message.
    sent_by: Actor,
    /// Time at which the message expires if it has not been delivered, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    expires_at: Timestamp,
    /// Time at which the base station received the message, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    delivered_at: Option<Timestamp>,
    /// Time at which the message was displayed in the cab, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    displayed_at: Option<Timestamp>,
    /// Time at which someone in the cab acknowledged the message, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
}

/// A request for a video clip.
#[macros::answer]
pub struct TimelineClip {
    #[schema(schema_with = timeline_kinds::video_clip)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    #[serde(flatten)]
    clip: ClipSummary,
}

/// A summary of a video clip.
#[macros::answer]
pub struct ClipSummary {
    /// Name of the camera.
    #[schema(example = "rear")]
    camera: String,
    /// Start of the clip, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// End of the clip, RFC 3339 in UTC, exclusive.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// Identifier of the incursion that the clip was requested for; null if it was requested by time.
    #[schema(example = 31)]
    incursion_id: Option<i64>,
    /// State of the clip.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
    /// Reason for the failure, if the clip failed.
    reason: Option<String>,
    /// User who requested the clip.
    requested_by: Actor,
}

/// A period with the ignition on, within one hour and with the same links.
#[macros::answer]
pub struct TimelineRuntime {
    #[schema(schema_with = timeline_kinds::runtime)]
    kind: &'static str,
    #[serde(flatten)]
    head: TimelineHead,
    /// Time at which the period started, RFC 3339 in UTC; the same as `at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    started_at: Timestamp,
    /// Time at which the period ended, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:40:00Z")]
    ended_at: Timestamp,
    /// Person who operated the machine; null if unknown.
    operator: Option<PersonReference>,
    /// Machine that the base station was installed on at the time.
    machine: Option<NamedReference>,
    /// Worksite of the machine at the time.
    worksite: Option<NamedReference>,
}

fn named_reference((id, name): (i64, String)) -> NamedReference {
    NamedReference { id, name }
}

pub fn shape_timeline_entry(entry: app::TimelineEntry) -> TimelineEntry {
    let id = entry.id();
    let kind = id.kind.as_str();
    let head = TimelineHead { id: id.id, event_id: id.to_string(), at: entry.at() };
    match entry {
        app::TimelineEntry::Incursion(details) => {
            TimelineEntry::Incursion(Box::new(incursion_entry(kind, head, *details)))
        }
        app::TimelineEntry::DeviceEvent(kind, event) => device_event_entry(head, kind, event),
        app::TimelineEntry::Message(message) => TimelineEntry::Message(TimelineMessage {
            kind,
            head,
            body: message.body,
            sent_by: message.sent_by.into(),
            expires_at: message.expires_at,
            delivered_at: message.delivered_at,
            displayed_at: message.displayed_at,
            acknowledged_at: message.acknowledged_at,
        }),
        app::TimelineEntry::Clip(clip) => {
            TimelineEntry::VideoClip(TimelineClip { kind, head, clip: shape_clip(clip).1 })
        }
        app::TimelineEntry::Runtime(piece) => TimelineEntry::Runtime(TimelineRuntime {
            kind,
            head,
            started_at: piece.started_at,
            ended_at: piece.ended_at,
            operator: piece.operator.map(PersonReference::from),
            machine: piece.machine.map(|(id, name)| named_reference((id.0, name))),
            worksite: piece.worksite.map(|(id, name)| named_reference((id.0, name))),
        }),
    }
}

/// Returns the identifier of a clip and its summary.
pub fn shape_clip(clip: domain::StationClip) -> (i64, ClipSummary) {
    let summary = ClipSummary {
        camera: clip.camera,
        from: clip.from,
        to: clip.to,
        incursion_id: clip.incursion.map(|id| id.0),
        state: clip.state.as_str(),
        reason: clip.reason,
        requested_by: clip.requested_by.into(),
    };
    (clip.id.0, summary)
}

fn incursion_entry(
    kind: &'static str,
    head: TimelineHead,
    details: domain::IncursionDetails,
) -> TimelineIncursion {
    let milliseconds = |span: Span| span.micros().div_euclid(1_000);
    let row = details.stored.row;
    TimelineIncursion {
        kind,
        head,
        ended_at: row.ended_at,
        duration_ms: row.ended_at.map(|at| milliseconds(at - row.started_at)),
        acknowledged: row.acknowledged_at.is_some(),
        acknowledged_at: row.acknowledged_at,
        zone: row.zone.as_str(),
        closest_cm: row.closest_cm,
        position: row.position.map(|place| GeoPosition { lat: place.lat(), lon: place.lon() }),
        review: row.review.as_str(),
        tag: TagReference { id: details.tag.0.0, serial: details.tag.1 },
        pedestrian: details.pedestrian.map(PersonReference::from),
        operator: details.operator.map(PersonReference::from),
        machine: details.machine.map(|(id, name)| named_reference((id.0, name))),
        worksite: details.worksite.map(|(id, name)| named_reference((id.0, name))),
    }
}

fn device_event_entry(
    head: TimelineHead,
    event_kind: TimelineKind,
    event: domain::DeviceEvent<Value>,
) -> TimelineEntry {
    let (kind, received_at) = (event_kind.as_str(), event.received_at);
    let tag = event.tag.map(|(id, serial)| TagReference { id: id.0, serial });
    let mut details = event.details;
    let mut detail = |name: &str| details.get_mut(name).map(Value::take).unwrap_or_default();
    match event_kind {
        TimelineKind::Status => TimelineEntry::Status(TimelineStatus {
            kind,
            head,
            firmware: detail("firmware"),
            battery: detail("battery"),
            faults: detail("faults"),
            zones: detail("zones"),
            received_at,
        }),
        TimelineKind::TagBattery => TimelineEntry::TagBattery(TimelineTagBattery {
            kind,
            head,
            tag,
            percent: detail("percent"),
            received_at,
        }),
        TimelineKind::TagTest => {
            TimelineEntry::TagTest(TimelineTagTest { kind, head, tag, passed: detail("passed"), received_at })
        }
        _ => TimelineEntry::LogEntry(TimelineLogEntry {
            kind,
            head,
            code: event.code,
            severity: event.severity.map(Severity::as_str),
            text: event.text,
            received_at,
        }),
    }
}
