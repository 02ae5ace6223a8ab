//! GET /api/v1/insights

use std::sync::Arc;

use app::App;
use app::insights::{Summary, TopEntry};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FactFilters, NamedMetrics, Params, Part, Result, problem};

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
    top_worksites: Vec<Top>,
    /// The machines with the most incursions, up to five.
    top_machines: Vec<Top>,
    /// The people on foot with the most incursions, up to five.
    top_people: Vec<Top>,
}

/// One of those with the most incursions.
#[derive(Serialize, ToSchema)]
pub struct Top {
    /// Which.
    part: Part,
    /// `incursions` and `acknowledgement_rate`.
    metrics: NamedMetrics,
}

fn tops(entries: Vec<TopEntry>) -> Vec<Top> {
    let shape = |entry: TopEntry| Top {
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
        problem::BadParams, problem::Unauthenticated, problem::TooWide, problem::NotNow,
    ),
)]
pub async fn get_insights(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(filter): Params<IncursionFilter>,
) -> Result {
    let summary = app.insight_summary(&caller, &filter).await?;
    Ok(web::answer(&InsightSummary {
        totals: totals::shape(&summary.totals),
        trend: trends::shape(summary.trend),
        top_worksites: tops(summary.worksites),
        top_machines: tops(summary.machines),
        top_people: tops(summary.pedestrians),
    }))
}
