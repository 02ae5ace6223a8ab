//! An incursion with everything.

use domain::{Day, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::enum_schemas;

use super::{Incursion, IncursionReview, named_reference};

/// An incursion with what was said about it and what it was before.
#[derive(Serialize, ToSchema)]
pub struct IncursionRecord {
    #[serde(flatten)]
    incursion: Incursion,
    /// What the office said about it, the oldest first.
    reviews: Vec<IncursionReview>,
    /// What changed of it, the oldest first. Who wore a tag, and what else links say, may be corrected later.
    changes: Vec<IncursionChange>,
}

/// A change of an incursion.
#[derive(Serialize, ToSchema)]
pub struct IncursionChange {
    /// Its number, in the order of the brand's changes.
    #[schema(example = 1207)]
    seq: i64,
    /// When it was made.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T09:00:00Z")]
    at: Timestamp,
    /// `report`: the base station told more; `attribution`: a link was corrected; `review`: the office reviewed it;
    /// `closing`: its end never came.
    #[schema(example = "review")]
    cause: String,
    /// What it was until then; null if it was in a project that you do not see.
    replaced: Option<ReplacedIncursion>,
}

/// What an incursion was for a while, as far as that can change.
#[derive(Serialize, ToSchema)]
pub struct ReplacedIncursion {
    /// The number of the change that made it so.
    #[schema(example = 1101)]
    seq: i64,
    /// Until when it lasted.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// Whether it had been closed because its end never came.
    #[schema(example = false)]
    closed_without_end: bool,
    /// When the button in the cab was pressed.
    #[schema(value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    /// The worst zone.
    #[schema(value_type = enum_schemas::Zone, example = "warning")]
    zone: &'static str,
    /// The least distance, in centimetres.
    #[schema(example = 240)]
    closest_cm: Option<i64>,
    /// The machine.
    #[schema(example = 3)]
    machine_id: Option<i64>,
    /// Who was on foot.
    #[schema(example = 7)]
    pedestrian_id: Option<i64>,
    /// Who drove.
    #[schema(example = 9)]
    operator_id: Option<i64>,
    /// The worksite.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// The project.
    #[schema(example = 1)]
    project_id: Option<i64>,
    /// The day it began on, by the site's own clock.
    #[schema(value_type = String, format = Date, example = "2026-03-01")]
    local_day: Day,
    /// What the office made of it.
    #[schema(value_type = enum_schemas::Review, example = "unreviewed")]
    review: &'static str,
}

fn shape_replaced(was: &store::IncursionVersion) -> ReplacedIncursion {
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

/// An incursion as it is shown by itself.
pub fn shape_record(record: app::IncursionRecord) -> IncursionRecord {
    let reviews = record.reviews.into_iter().map(|said| IncursionReview {
        state: said.review.as_str(),
        by: Some(named_reference((said.user.0, said.user_name))),
        at: Some(said.at),
        comment: said.comment,
    });
    let changes = record.changes.into_iter().map(|change| IncursionChange {
        seq: change.seq,
        at: change.at,
        cause: change.cause,
        replaced: change.replaced.as_ref().map(shape_replaced),
    });
    IncursionRecord {
        reviews: reviews.collect(),
        changes: changes.collect(),
        incursion: super::shape(record.view),
    }
}
