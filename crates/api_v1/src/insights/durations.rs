//! GET /api/v1/insights/durations

use std::sync::Arc;

use app::App;
use app::insights::Durations;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use web::{Caller, FactFilters, NamedMetrics, Params, Result, problem};

use super::AnswerScope;

/// The distribution of the durations of incursions.
#[web::answer]
pub struct InsightDurations {
    /// All steps of the histogram, the shortest first.
    steps: Vec<DurationBucket>,
    /// Number of incursions without an end.
    #[schema(example = 0)]
    without_end: i64,
    /// Metrics of all incursions together.
    metrics: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

/// One step of the histogram.
#[web::answer]
pub struct DurationBucket {
    /// Lower bound in seconds, inclusive.
    #[schema(example = 5)]
    from_s: i64,
    /// Upper bound in seconds, exclusive; null for the last step.
    #[schema(example = 15)]
    to_s: Option<i64>,
    /// Number of incursions with such a duration.
    #[schema(example = 31)]
    incursions: i64,
}

/// Get the durations of incursions
///
/// Returns a histogram with bounds at 5, 15, 30, 60, 120 and 300 seconds.
#[web::operation(
    get, path = "/api/v1/insights/durations", tag = "insights", operation_id = "get_insight_durations", params(FactFilters),
    responses(
        (status = 200, description = "The histogram", body = InsightDurations),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
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
