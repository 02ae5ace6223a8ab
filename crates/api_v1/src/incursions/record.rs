//! The full representation of an incursion, with its reviews and its history of changes.

use domain::{Day, Timestamp};
use web::enum_schemas;

use super::{Incursion, IncursionReview};

/// An incursion with its reviews and its history of changes.
#[web::answer]
pub struct IncursionRecord {
    #[serde(flatten)]
    incursion: Incursion,
    /// Reviews of the incursion, the oldest first.
    reviews: Vec<IncursionReview>,
    /// Changes of the incursion, the oldest first. Links, such as the wearer of a tag, may be corrected later.
    changes: Vec<IncursionChange>,
}

/// A change of an incursion.
#[web::answer]
pub struct IncursionChange {
    /// Sequence number of the change, in the order of the brand's changes.
    #[schema(example = 1207)]
    seq: i64,
    /// Time of the change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    at: Timestamp,
    /// Cause of the change. `report`: the base station reported more; `attribution`: a link was corrected; `review`: the office reviewed
    /// it; `closing`: its end was never reported.
    #[schema(value_type = enum_schemas::ChangeCause, example = "review")]
    cause: &'static str,
    /// Values before the change; null if the incursion was then in a project that is not visible to you.
    replaced: Option<ReplacedIncursion>,
}

/// The values that an incursion had before a change, as far as they can change.
#[web::answer]
pub struct ReplacedIncursion {
    /// Sequence number of the change that set these values.
    #[schema(example = 1101)]
    seq: i64,
    /// Time at which the incursion ended, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Whether the incursion had been closed because its end was never reported.
    #[schema(example = false)]
    closed_without_end: bool,
    /// Time at which the button in the cab was pressed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// Innermost zone that the tag entered.
    #[schema(value_type = enum_schemas::Zone, example = "warning")]
    zone: &'static str,
    /// Smallest distance between the tag and the machine, in centimetres.
    #[schema(example = 240)]
    closest_cm: Option<i64>,
    /// Identifier of the machine.
    #[schema(example = 3)]
    machine_id: Option<i64>,
    /// Identifier of the person who wore the tag.
    #[schema(example = 7)]
    pedestrian_id: Option<i64>,
    /// Identifier of the person who operated the machine.
    #[schema(example = 9)]
    operator_id: Option<i64>,
    /// Identifier of the worksite.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Identifier of the project.
    #[schema(example = 1)]
    project_id: Option<i64>,
    /// Date on which the incursion started, in the time zone of the worksite.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    local_day: Day,
    /// Result of the latest review.
    #[schema(value_type = enum_schemas::Review, example = "unreviewed")]
    review: &'static str,
}

fn shape_replaced(was: &domain::IncursionVersion) -> ReplacedIncursion {
    ReplacedIncursion {
        seq: was.seq,
        ended_at: was.ended_at,
        closed_without_end: was.closed_at.is_some() && was.ended_at.is_none(),
        acknowledged_at: was.acknowledged_at,
        zone: was.zone.as_str(),
        closest_cm: was.closest_cm,
        machine_id: was.attribution.machine.map(|id| id.0),
        pedestrian_id: was.attribution.pedestrian.map(|id| id.0),
        operator_id: was.attribution.operator.map(|id| id.0),
        worksite_id: was.attribution.worksite.map(|id| id.0),
        project_id: was.attribution.project.map(|id| id.0),
        local_day: Day::from_number(was.attribution.local_day),
        review: was.review.as_str(),
    }
}

pub fn shape_record(record: app::IncursionRecord) -> IncursionRecord {
    let reviews = record.reviews.into_iter().map(|said| IncursionReview {
        state: said.review.as_str(),
        by: Some(said.by.into()),
        at: Some(said.at),
        comment: said.comment,
    });
    let changes = record.changes.into_iter().map(|change| IncursionChange {
        seq: change.seq,
        at: change.at,
        cause: change.cause.as_str(),
        replaced: change.replaced.as_ref().map(shape_replaced),
    });
    IncursionRecord {
        reviews: reviews.collect(),
        changes: changes.collect(),
        incursion: super::shape(record.view),
    }
}
