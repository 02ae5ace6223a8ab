//! /api/v1/incursions: who came too close to which machine.

mod get;
mod list;
mod record;
mod review;

use domain::{Day, Span, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, PageInfo, enum_schemas};

use crate::machines::BaseStationReference;
use crate::references::{NamedReference, PersonReference, TagReference};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_incursions))
        .routes(routes!(get::get_incursion))
        .routes(routes!(review::review_incursion))
}

/// A time that a tag was inside a machine's zone. Everything it joins is that of its time.
#[derive(Serialize, ToSchema)]
pub struct Incursion {
    /// Its id.
    #[schema(example = 31)]
    id: i64,
    /// The number of its last change, in the order of the brand's changes; also the ETag.
    #[schema(example = 1207)]
    seq: i64,
    /// What the base station calls it.
    #[schema(example = "i-20260301-0007")]
    uid: String,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    started_at: Timestamp,
    /// Until when; null while it lasts, or if that was never heard.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Whether it was closed because its end never came.
    #[schema(example = false)]
    closed_without_end: bool,
    /// How long it lasted, in milliseconds; null without an end.
    #[schema(example = 12500)]
    duration_ms: Option<i64>,
    /// The day it began on, by the site's own clock.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    local_day: Day,
    /// Whether the button in the cab was pressed.
    #[schema(example = true)]
    acknowledged: bool,
    /// When it was pressed.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// How long after the beginning that was, in milliseconds.
    #[schema(example = 3100)]
    ack_ms: Option<i64>,
    /// The worst zone that the tag came into.
    #[schema(value_type = enum_schemas::Zone, example = "danger")]
    zone: &'static str,
    /// The least distance, in centimetres.
    #[schema(example = 180)]
    closest_cm: Option<i64>,
    /// Where the machine was.
    position: Option<IncursionPosition>,
    /// The machine that the base station was on; null if it was on none.
    machine: Option<NamedReference>,
    /// The base station that noticed it.
    base_station: BaseStationReference,
    /// The tag that came near.
    tag: TagReference,
    /// The tag of who drove.
    operator_tag: Option<TagReference>,
    /// Who wore the tag; null if nobody did.
    pedestrian: Option<PersonReference>,
    /// Who drove; null if that is not known.
    operator: Option<PersonReference>,
    /// Where.
    worksite: Option<NamedReference>,
    /// The project that the worksite had.
    project: Option<NamedReference>,
    /// What the office made of it.
    review: IncursionReview,
    /// When it was first heard of.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:20Z")]
    received_at: Timestamp,
    /// The video of it.
    clips: Vec<IncursionClip>,
}

/// A page of the incursions of something else.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct RelatedIncursionList {
    data: Vec<Incursion>,
    page: PageInfo,
}

/// A position, in degrees.
#[derive(Serialize, ToSchema)]
pub struct IncursionPosition {
    /// To the north.
    #[schema(example = 52.52)]
    lat: f64,
    /// To the east.
    #[schema(example = 13.405)]
    lon: f64,
}

/// What the office made of an incursion. It has nothing to do with the button in the cab.
#[derive(Serialize, ToSchema)]
pub struct IncursionReview {
    /// `dismissed`: it was one, and of no concern; `false_detection`: it was none. Neither is counted unless asked for.
    #[schema(value_type = enum_schemas::Review, example = "confirmed")]
    state: &'static str,
    /// Who said so last; `User 1` for those who do not see names, null if nobody did yet.
    by: Option<NamedReference>,
    /// When.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// Why; null for those who do not see names.
    #[schema(example = "Signaller on the wrong side of the fence")]
    comment: Option<String>,
}

/// A piece of video, as incursions name it.
#[derive(Serialize, ToSchema)]
pub struct IncursionClip {
    /// Its id.
    #[schema(example = 8)]
    id: i64,
    /// Which camera.
    #[schema(example = "rear")]
    camera: String,
    /// `requested`, `uploading`, `available`, `expired` or `failed`.
    #[schema(example = "available")]
    state: String,
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

/// An incursion as lists show it.
pub fn shape(view: app::IncursionView) -> Incursion {
    let app::IncursionView { details, clips } = view;
    let store::StoredIncursion { id, row } = details.stored;
    let (by, at, comment) = match details.last_review {
        Some(said) => (Some(named_reference((said.user.0, said.user_name))), Some(said.at), said.comment),
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
        position: row.position.map(|place| IncursionPosition { lat: place.lat(), lon: place.lon() }),
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
            .map(|clip| IncursionClip { id: clip.id.0, camera: clip.camera, state: clip.state })
            .collect(),
    }
}
