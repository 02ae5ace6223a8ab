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

/// The first look.
#[derive(Serialize, ToSchema)]
pub struct InsightSummary {
    /// All metrics, and those of the period of equal length right before.
    totals: InsightTotals,
    /// Incursions and the part that was acknowledged, day by day.
    trend: InsightTrends,
    /// The worksites with the most incursions, up to five.
    top_worksites: Vec<TopGroup>,
    /// The machines with the most incursions, up to five.
    top_machines: Vec<TopGroup>,
    /// The people on foot with the most incursions, up to five.
    top_people: Vec<TopGroup>,
}

/// One of those with the most incursions.
#[derive(Serialize, ToSchema)]
pub struct TopGroup {
    /// Which.
    part: DimensionValue,
    /// `incursions` and `acknowledgement_rate`.
    metrics: NamedMetrics,
}

fn shape_top_groups(entries: Vec<TopEntry>) -> Vec<TopGroup> {
    let shape = |entry: TopEntry| TopGroup {
        metrics: NamedMetrics::new(&Summary::TOP_MEASURES, &entry.figures),
        part: entry.part.into(),
    };
    entries.into_iter().map(shape).collect()
}

/// The first look at what the filters find: totals and how they changed, day by day, and where most happens.
#[utoipa::path(
    get, path = "/api/v1/insights", tag = "insights", operation_id = "get_insights",
    security(("session" = [])), params(FactFilters),
    responses(
        (status = 200, description = "The summary", body = InsightSummary),
        problem::BadParams, problem::Unauthenticated, problem::ResultTooLarge, problem::Unavailable,
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
