//! GET /api/v1/insights

use std::sync::Arc;

use app::App;
use app::insights::{Summary, TopEntry};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use web::{
    Caller, DimensionValue, FactFilters, InsightTotals, InsightTrends, NamedMetrics, Params, Result, problem,
};

/// An overview of the incursions that match the filters.
#[web::answer]
pub struct InsightSummary {
    /// All metrics, and those of the previous period, which is earlier by whole weeks.
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
#[web::answer]
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
/// Returns totals with a comparison to the previous period, a trend by day, and the worksites, machines and people with the most
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
        totals: web::shape_totals(&summary.totals),
        trend: web::shape_trends(summary.trend),
        top_worksites: shape_top_groups(summary.worksites),
        top_machines: shape_top_groups(summary.machines),
        top_people: shape_top_groups(summary.pedestrians),
    }))
}
