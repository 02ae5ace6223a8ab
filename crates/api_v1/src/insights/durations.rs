//! GET /api/v1/insights/durations

use std::sync::Arc;

use app::App;
use app::insights::Durations;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FactFilters, NamedMetrics, Params, Result, problem};

use super::AnswerScope;

/// How long incursions lasted.
#[derive(Serialize, ToSchema)]
pub struct InsightDurations {
    /// All steps, the shortest first.
    steps: Vec<DurationBucket>,
    /// How many have no end.
    #[schema(example = 0)]
    without_end: i64,
    /// What is measured of all of them.
    metrics: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

/// A step of the histogram.
#[derive(Serialize, ToSchema)]
pub struct DurationBucket {
    /// From so many seconds, inclusive.
    #[schema(example = 5)]
    from_s: i64,
    /// To so many, exclusive; null for the last.
    #[schema(example = 15)]
    to_s: Option<i64>,
    /// How many lasted so long.
    #[schema(example = 31)]
    incursions: i64,
}

/// How long incursions lasted, as a histogram: 0 to 5, 15, 30, 60, 120, 300 seconds and longer.
#[utoipa::path(
    get, path = "/api/v1/insights/durations", tag = "insights", operation_id = "get_insight_durations",
    security(("session" = [])), params(FactFilters),
    responses(
        (status = 200, description = "The histogram", body = InsightDurations),
        problem::BadParams, problem::Unauthenticated, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_durations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(filter): Params<IncursionFilter>,
) -> Result {
    let durations = app.insight_durations(&caller, &filter).await?;
    let steps = durations.buckets.iter().map(|step| DurationBucket {
        from_s: step.from_s,
        to_s: step.to_s,
        incursions: step.incursions,
    });
    Ok(web::json_response(&InsightDurations {
        steps: steps.collect(),
        without_end: durations.without_end,
        metrics: NamedMetrics::new(&Durations::MEASURES, &durations.total),
        of: AnswerScope::from(&durations.result),
    }))
}
