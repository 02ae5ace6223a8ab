//! How a base station's timeline is asked for and shown, the same in both versions.

use app::Error;
use domain::{Span, TimelineKind, Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::request::page::{ListParams, PageInfo};
use crate::request::params::{FromParams, Query};
use crate::request::references::{NamedReference, PersonReference, TagReference};
use crate::response::enum_schemas;

/// The filters of a timeline.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct TimelineFilters {
    /// Only of these kinds; repeat it for several. Left out: all.
    #[param(value_type = Option<Vec<enum_schemas::TimelineKind>>)]
    kind: Option<Vec<String>>,
    /// Only from then on, RFC 3339. Left out: seven days before `to`. At most 400 days before `to`.
    #[param(example = "2026-03-01T00:00:00Z")]
    from: Option<String>,
    /// Only before, RFC 3339. Left out: up to now.
    #[param(example = "2026-03-02T00:00:00Z")]
    to: Option<String>,
}

/// Filters and paging.
pub struct TimelineParams {
    /// Which entries.
    pub filter: app::TimelineFilter,
    /// Which page.
    pub list: ListParams,
}

impl FromParams for TimelineParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = app::TimelineFilter {
            kinds: query.many("kind", TimelineKind::ALL.len(), TimelineKind::parse)?,
            from: query.time("from")?,
            to: query.time("to")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

/// A page of a timeline.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct TimelineList {
    data: Vec<TimelineEntry>,
    page: PageInfo,
}

/// Something that happened around a base station; `kind` says what.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum TimelineEntry {
    /// A tag came inside a zone.
    Incursion(Box<TimelineIncursion>),
    /// The station warned or remarked.
    LogEntry(TimelineLogEntry),
    /// The station told how it is.
    Status(TimelineStatus),
    /// A tag's battery.
    TagBattery(TimelineTagBattery),
    /// A tag's test at the station.
    TagTest(TimelineTagTest),
    /// Text to the cab.
    Message(TimelineMessage),
    /// Video that was asked for.
    VideoClip(TimelineClip),
    /// Ignition on.
    Runtime(TimelineRuntime),
}

/// What every entry has.
#[derive(Serialize, ToSchema)]
pub struct TimelineHead {
    /// What it is about.
    #[schema(value_type = enum_schemas::TimelineKind, example = "incursion")]
    kind: &'static str,
    /// The id of the record, unique within its kind.
    #[schema(example = 31)]
    id: i64,
    /// Kind and id: what `/api/v2/base_stations/{id}/events/{event_id}` takes.
    #[schema(example = "incursion-31")]
    event_id: String,
    /// When it was; of what lasts, when it began.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

/// An incursion in short, whatever the office made of it.
#[derive(Serialize, ToSchema)]
pub struct TimelineIncursion {
    #[serde(flatten)]
    head: TimelineHead,
    /// Until when; null while it lasts, or if that was never heard.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// How long it lasted, in milliseconds; null without an end.
    #[schema(example = 12500)]
    duration_ms: Option<i64>,
    /// Whether the button in the cab was pressed.
    #[schema(example = true)]
    acknowledged: bool,
    /// When it was pressed.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// The worst zone that the tag came into.
    #[schema(value_type = enum_schemas::Zone, example = "danger")]
    zone: &'static str,
    /// The least distance, in centimetres.
    #[schema(example = 180)]
    closest_cm: Option<i64>,
    /// Where the machine was.
    position: Option<GeoPosition>,
    /// What the office made of it.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    review: &'static str,
    /// The tag that came near.
    tag: TagReference,
    /// Who wore the tag; null if nobody did.
    pedestrian: Option<PersonReference>,
    /// Who drove; null if that is not known.
    operator: Option<PersonReference>,
    /// The machine that the base station was on then.
    machine: Option<NamedReference>,
    /// Where.
    worksite: Option<NamedReference>,
}

/// A position, in degrees.
#[derive(Serialize, ToSchema)]
pub struct GeoPosition {
    /// To the north.
    #[schema(example = 52.52)]
    pub lat: f64,
    /// To the east.
    #[schema(example = 13.405)]
    pub lon: f64,
}

/// An alarm or a log.
#[derive(Serialize, ToSchema)]
pub struct TimelineLogEntry {
    #[serde(flatten)]
    head: TimelineHead,
    /// For programs, in the station's words.
    #[schema(example = "camera_dark")]
    code: Option<String>,
    /// `info`, `warning`, `error` or `critical`.
    #[schema(example = "warning")]
    severity: Option<String>,
    /// For people.
    #[schema(example = "The rear camera sees nothing.")]
    text: Option<String>,
    /// When it arrived.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// How the station was.
#[derive(Serialize, ToSchema)]
pub struct TimelineStatus {
    #[serde(flatten)]
    head: TimelineHead,
    /// What ran on it; null if it did not say.
    #[schema(value_type = Option<String>, example = "4.2.1")]
    firmware: Value,
    /// How full its battery was, in percent; null if it did not say.
    #[schema(value_type = Option<i64>, example = 80)]
    battery: Value,
    /// What was wrong with it.
    #[schema(value_type = Vec<String>, example = json!([]))]
    faults: Value,
    /// How far its zones reached, `antenna`, `warning_m` and `danger_m` each; null if it did not say.
    #[schema(value_type = Option<Vec<Object>>)]
    zones: Value,
    /// When it arrived.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// How full a tag's battery was.
#[derive(Serialize, ToSchema)]
pub struct TimelineTagBattery {
    #[serde(flatten)]
    head: TimelineHead,
    /// The tag.
    tag: Option<TagReference>,
    /// How full, in percent.
    #[schema(value_type = i64, example = 40)]
    percent: Value,
    /// When it arrived.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// A tag's test at the station.
#[derive(Serialize, ToSchema)]
pub struct TimelineTagTest {
    #[serde(flatten)]
    head: TimelineHead,
    /// The tag.
    tag: Option<TagReference>,
    /// Whether it worked.
    #[schema(value_type = bool, example = true)]
    passed: Value,
    /// When it arrived.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
}

/// Text to the cab.
#[derive(Serialize, ToSchema)]
pub struct TimelineMessage {
    #[serde(flatten)]
    head: TimelineHead,
    /// The text; null for those who do not see names.
    #[schema(example = "Please call the office.")]
    body: Option<String>,
    /// Who sent it; `User 1` for those who do not see names.
    sent_by: NamedReference,
    /// Until when it is worth showing.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    expires_at: Timestamp,
    /// When the station had it.
    #[schema(value_type = Option<String>, format = DateTime)]
    delivered_at: Option<Timestamp>,
    /// When it was shown.
    #[schema(value_type = Option<String>, format = DateTime)]
    displayed_at: Option<Timestamp>,
    /// When the driver said so.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
}

/// Video that was asked for.
#[derive(Serialize, ToSchema)]
pub struct TimelineClip {
    #[serde(flatten)]
    head: TimelineHead,
    #[serde(flatten)]
    clip: ClipSummary,
}

/// A piece of video.
#[derive(Serialize, ToSchema)]
pub struct ClipSummary {
    /// Which camera.
    #[schema(example = "rear")]
    camera: String,
    /// From when it shows.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when it shows.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// The incursion it was asked for by.
    #[schema(example = 31)]
    incursion_id: Option<i64>,
    /// `requested`, `uploading`, `available`, `expired` or `failed`.
    #[schema(example = "available")]
    state: String,
    /// Why it failed.
    reason: Option<String>,
    /// Who asked for it; `User 1` for those who do not see names.
    requested_by: NamedReference,
}

/// Ignition on, within an hour and one set of links.
#[derive(Serialize, ToSchema)]
pub struct TimelineRuntime {
    #[serde(flatten)]
    head: TimelineHead,
    /// Since when; the same as `at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    started_at: Timestamp,
    /// Until when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:40:00Z")]
    ended_at: Timestamp,
    /// Who drove; null if that is not known.
    operator: Option<PersonReference>,
    /// The machine that the base station was on then.
    machine: Option<NamedReference>,
    /// Where.
    worksite: Option<NamedReference>,
}

fn named_reference((id, name): (i64, String)) -> NamedReference {
    NamedReference { id, name }
}

/// An entry as it is shown.
pub fn shape_timeline_entry(entry: app::TimelineEntry) -> TimelineEntry {
    let id = entry.id();
    let head = TimelineHead { kind: id.kind.as_str(), id: id.id, event_id: id.to_string(), at: entry.at() };
    match entry {
        app::TimelineEntry::Incursion(details) => {
            TimelineEntry::Incursion(Box::new(incursion_entry(head, *details)))
        }
        app::TimelineEntry::DeviceEvent(kind, event) => device_event_entry(head, kind, event),
        app::TimelineEntry::Message(message) => TimelineEntry::Message(TimelineMessage {
            head,
            body: message.body,
            sent_by: named_reference((message.sent_by.0.0, message.sent_by.1)),
            expires_at: message.expires_at,
            delivered_at: message.delivered_at,
            displayed_at: message.displayed_at,
            acknowledged_at: message.acknowledged_at,
        }),
        app::TimelineEntry::Clip(clip) => {
            TimelineEntry::VideoClip(TimelineClip { head, clip: shape_clip(clip).1 })
        }
        app::TimelineEntry::Runtime(piece) => TimelineEntry::Runtime(TimelineRuntime {
            head,
            started_at: piece.started_at,
            ended_at: piece.ended_at,
            operator: piece.operator.map(PersonReference::from),
            machine: piece.machine.map(|(id, name)| named_reference((id.0, name))),
            worksite: piece.worksite.map(|(id, name)| named_reference((id.0, name))),
        }),
    }
}

/// A piece of video as it is shown, after its id.
pub fn shape_clip(clip: store::StationClip) -> (i64, ClipSummary) {
    let summary = ClipSummary {
        camera: clip.camera,
        from: clip.from,
        to: clip.to,
        incursion_id: clip.incursion.map(|id| id.0),
        state: clip.state,
        reason: clip.reason,
        requested_by: named_reference((clip.requested_by.0.0, clip.requested_by.1)),
    };
    (clip.id.0, summary)
}

fn incursion_entry(head: TimelineHead, details: store::IncursionDetails) -> TimelineIncursion {
    let milliseconds = |span: Span| span.micros().div_euclid(1_000);
    let row = details.stored.row;
    TimelineIncursion {
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

fn device_event_entry(head: TimelineHead, kind: TimelineKind, event: store::DeviceEvent) -> TimelineEntry {
    let received_at = event.received_at;
    let tag = event.tag.map(|(id, serial)| TagReference { id: id.0, serial });
    let mut details = event.details;
    let mut detail = |name: &str| details.get_mut(name).map(Value::take).unwrap_or_default();
    match kind {
        TimelineKind::Status => TimelineEntry::Status(TimelineStatus {
            head,
            firmware: detail("firmware"),
            battery: detail("battery"),
            faults: detail("faults"),
            zones: detail("zones"),
            received_at,
        }),
        TimelineKind::TagBattery => TimelineEntry::TagBattery(TimelineTagBattery {
            head,
            tag,
            percent: detail("percent"),
            received_at,
        }),
        TimelineKind::TagTest => {
            TimelineEntry::TagTest(TimelineTagTest { head, tag, passed: detail("passed"), received_at })
        }
        _ => TimelineEntry::LogEntry(TimelineLogEntry {
            head,
            code: event.code,
            severity: event.severity,
            text: event.text,
            received_at,
        }),
    }
}
