//! GET /api/v1/insights

use std::sync::Arc;

use app::App;
use app::insights::{Summary, TopEntry};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, DimensionValue, FactFilters, NamedMetrics, Params, Result, problem};

use super::totals::{self, InsightTotals};
use super::trends::{self, InsightTrends};

/// An overview of the incursions that match the filters.
#[derive(Serialize, ToSchema)]
pub struct InsightSummary {
    /// All metrics, and those of the preceding period of equal length.
    totals: InsightTotals,
    /// Incursions and acknowledgement rate, by day.
    trend: InsightTrends,
    /// Worksites with the most incursions, at most five.
    top_worksites: Vec<TopGroup>,
    /// Machines with the most incursions, at most five.
    top_machines: Vec<TopGroup>,
    /// Pedestrians with the most incursions, at most five.
    top_people: Vec<TopGroup>,
}

/// One of the groups with the most incursions.
#[derive(Serialize, ToSchema)]
pub struct TopGroup {
    /// The worksite, machine or person.
    part: DimensionValue,
    /// Metrics of the group: `incursions` and `acknowledgement_rate`.
    metrics: NamedMetrics,
}

fn shape_top_groups(entries: Vec<TopEntry>) -> Vec<TopGroup> {
    let shape = |entry: TopEntry| TopGroup {
        metrics: NamedMetrics::new(&Summary::TOP_MEASURES, &entry.figures),
        part: entry.part.into(),
    };
    entries.into_iter().map(shape).collect()
}

/// Get an overview of incursions
///
/// Returns totals with a comparison to the preceding period, a trend by day, and the worksites, machines and people with the most
/// incursions.
#[web::operation(
    get, path = "/api/v1/insights", tag = "insights", operation_id = "get_insights", params(FactFilters),
    responses(
        (status = 200, description = "The summary", body = InsightSummary),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insights(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(filter): Params<IncursionFilter>,
) -> Result {
    let summary = app.insight_summary(&caller, &filter).await?;
    Ok(web::json_response(&InsightSummary {
        totals: totals::shape(&summary.totals),
        trend: trends::shape(summary.trend),
        top_worksites: shape_top_groups(summary.worksites),
        top_machines: shape_top_groups(summary.machines),
        top_people: shape_top_groups(summary.pedestrians),
    }))
}
