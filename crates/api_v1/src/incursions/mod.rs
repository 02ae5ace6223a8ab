//! /api/v1/incursions: the incursions, their history and their reviews.

mod get;
mod list;
mod record;
mod review;

use domain::{Day, Span, Timestamp};
use web::{GeoPosition, OperationRouter, PageInfo, ToSchema, enum_schemas, routes};

use crate::machines::BaseStationReference;
use crate::references::{Actor, NamedReference, PersonReference, TagReference};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_incursions))
        .routes(routes!(get::get_incursion))
        .routes(routes!(review::review_incursion))
}

/// A period during which a tag was inside a zone around a machine. All related records are those of the time of the incursion.
#[web::answer]
pub struct Incursion {
    /// Identifier of the incursion.
    #[schema(example = 31)]
    id: i64,
    /// Sequence number of the last change, in the order of the brand's changes. It is also the ETag.
    #[schema(example = 1207)]
    seq: i64,
    /// Unique id that the base station gave to the incursion.
    #[schema(example = "i-20260301-0007")]
    uid: String,
    /// Time at which the incursion started, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    started_at: Timestamp,
    /// Time at which the incursion ended, RFC 3339 in UTC; null while it lasts, or if its end was never reported.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Whether the incursion was closed because its end was never reported.
    #[schema(example = false)]
    closed_without_end: bool,
    /// Duration in milliseconds; null without an end.
    #[schema(example = 12500)]
    duration_ms: Option<i64>,
    /// Date on which the incursion started, in the time zone of the worksite.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    local_day: Day,
    /// Whether the acknowledgement button in the cab was pressed.
    #[schema(example = true)]
    acknowledged: bool,
    /// Time at which the button was pressed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// Time from the start of the incursion until the button was pressed, in milliseconds.
    #[schema(example = 3100)]
    ack_ms: Option<i64>,
    /// Innermost zone that the tag entered.
    #[schema(value_type = enum_schemas::Zone, example = "danger")]
    zone: &'static str,
    /// Smallest distance between the tag and the machine, in centimetres.
    #[schema(example = 180)]
    closest_cm: Option<i64>,
    /// Position of the machine at the time of the incursion.
    position: Option<GeoPosition>,
    /// Machine that the base station was installed on; null if it was on none.
    machine: Option<NamedReference>,
    /// Base station that detected the incursion.
    base_station: BaseStationReference,
    /// Tag that entered the zone.
    tag: TagReference,
    /// Tag of the operator of the machine.
    operator_tag: Option<TagReference>,
    /// Person who wore the tag; null if it was assigned to nobody.
    pedestrian: Option<PersonReference>,
    /// Person who operated the machine; null if unknown.
    operator: Option<PersonReference>,
    /// Worksite where the incursion happened.
    worksite: Option<NamedReference>,
    /// Project that the worksite belonged to.
    project: Option<NamedReference>,
    /// Latest review of the incursion by the office.
    review: IncursionReview,
    /// Time at which the incursion was first reported, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
    /// Video clips of the incursion.
    clips: Vec<IncursionClip>,
    /// Time at which the incursion was added, RFC 3339 in UTC; the same as `received_at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    updated_at: Timestamp,
}

/// A page of the incursions of a tag or a visit.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct RelatedIncursionList {
    data: Vec<Incursion>,
    page: PageInfo,
}

/// A review of an incursion by the office. It is independent of the acknowledgement in the cab.
#[web::answer]
pub struct IncursionReview {
    /// Result of the review. `dismissed`: an incursion, but of no concern; `false_detection`: not an incursion. Neither is counted by
    /// default.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: &'static str,
    /// User or program that made the review; null without a review.
    by: Option<Actor>,
    /// Time of the review, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// Comment on the review; null for callers who may not see names.
    #[schema(example = "Signaller on the wrong side of the fence")]
    comment: Option<String>,
}

/// A video clip, as referenced by incursions.
#[web::answer]
pub struct IncursionClip {
    /// Identifier of the video clip.
    #[schema(example = 8)]
    id: i64,
    /// Name of the camera.
    #[schema(example = "rear")]
    camera: String,
    /// State of the clip.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
}

fn milliseconds(span: Span) -> i64 {
    span.micros().div_euclid(1_000)
}

fn named_reference((id, name): (i64, String)) -> NamedReference {
    NamedReference { id, name }
}

fn tag((id, serial): (domain::TagId, String)) -> TagReference {
    TagReference { id: id.0, serial }
}

pub fn shape(view: app::IncursionView) -> Incursion {
    let app::IncursionView { details, clips } = view;
    let domain::StoredIncursion { id, row } = details.stored;
    let (by, at, comment) = match details.last_review {
        Some(said) => (Some(Actor::from(said.by)), Some(said.at), said.comment),
        None => (None, None, None),
    };
    Incursion {
        id: id.0,
        seq: row.seq,
        uid: row.uid,
        started_at: row.started_at,
        ended_at: row.ended_at,
        closed_without_end: row.closed_at.is_some() && row.ended_at.is_none(),
        duration_ms: row.ended_at.map(|at| milliseconds(at - row.started_at)),
        local_day: Day::from_number(row.attribution.local_day),
        acknowledged: row.acknowledged_at.is_some(),
        acknowledged_at: row.acknowledged_at,
        ack_ms: row.acknowledged_at.map(|at| milliseconds(at - row.started_at)),
        zone: row.zone.as_str(),
        closest_cm: row.closest_cm,
        position: row.position.map(|place| GeoPosition { lat: place.lat(), lon: place.lon() }),
        machine: details.machine.map(|(id, name)| named_reference((id.0, name))),
        base_station: BaseStationReference { id: details.base_station.0.0, serial: details.base_station.1 },
        tag: tag(details.tag),
        operator_tag: details.operator_tag.map(tag),
        pedestrian: details.pedestrian.map(PersonReference::from),
        operator: details.operator.map(PersonReference::from),
        worksite: details.worksite.map(|(id, name)| named_reference((id.0, name))),
        project: details.project.map(|(id, name)| named_reference((id.0, name))),
        review: IncursionReview { state: row.review.as_str(), by, at, comment },
        received_at: row.received_at,
        clips: clips
            .into_iter()
            .map(|clip| IncursionClip { id: clip.id.0, camera: clip.camera, state: clip.state.as_str() })
            .collect(),
        created_at: row.received_at,
        updated_at: details.updated_at,
    }
}
