//! GET /api/v1/insights/breakdown

use std::sync::Arc;

use app::insights::{Breakdown, BreakdownRequest};
use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{IncursionFilter, Measure};
use serde::Serialize;
use utoipa::ToSchema;
use web::{
    Caller, DimensionValue, FactFilters, FromParams, NamedMetrics, Params, Query, Result, Sorting,
    enum_schemas, problem,
};

use super::AnswerScope;

/// The parts of what the filters find.
#[derive(Serialize, ToSchema)]
pub struct InsightBreakdown {
    /// The parts, in order.
    rows: Vec<InsightBreakdownRow>,
    /// How many parts were left off.
    #[schema(example = 0)]
    more: u64,
    /// Everything together, what was left off included.
    totals: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

/// A part.
#[derive(Serialize, ToSchema)]
pub struct InsightBreakdownRow {
    /// Which.
    part: DimensionValue,
    /// Its metrics.
    metrics: NamedMetrics,
}

fn shape(breakdown: Breakdown) -> InsightBreakdown {
    let metrics = |figures: &[_]| NamedMetrics::new(&breakdown.measures, figures);
    let rows = breakdown
        .rows
        .into_iter()
        .map(|row| InsightBreakdownRow { metrics: metrics(&row.figures), part: row.part.into() });
    InsightBreakdown {
        rows: rows.collect(),
        more: breakdown.more,
        totals: metrics(&breakdown.total),
        of: AnswerScope::from(&breakdown.result),
    }
}

/// What is measured unless it is said.
const DEFAULT_MEASURES: [Measure; 5] = [
    Measure::Incursions,
    Measure::AcknowledgementRate,
    Measure::AverageDuration,
    Measure::Exposure,
    Measure::IncursionsPerRuntimeHour,
];

/// What is asked.
pub struct BreakdownParams(Box<IncursionFilter>, BreakdownRequest);

impl FromParams for BreakdownParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let by = query.one("by", super::parse_split_dimension)?.ok_or_else(|| {
            Error::bad_parameter("by", Invalid::new("required", "must say into what it is broken down"))
        })?;
        let mut measures = query.many("metric", Measure::ALL.len(), Measure::parse)?;
        if measures.is_empty() {
            measures = DEFAULT_MEASURES.to_vec();
        }
        let sort = query.one("sort", Sorting::parse)?.unwrap_or(Sorting::descending(measures[0]));
        let place = measures.iter().position(|one| *one == sort.measure).unwrap_or_else(|| {
            measures.push(sort.measure);
            measures.len() - 1
        });
        let limit = query.integer("limit", 1..=500)?.unwrap_or(50);
        let limit = usize::try_from(limit).unwrap_or(50);
        let request = BreakdownRequest { by, measures, order: sort.order_at(place), limit };
        Ok(Self(Box::new(IncursionFilter::read(query)?), request))
    }
}

/// The parts of what the filters find, each with its metrics, sorted by any of them.
#[utoipa::path(
    get, path = "/api/v1/insights/breakdown", tag = "insights", operation_id = "get_insight_breakdown",
    security(("session" = [])),
    params(
        FactFilters,
        ("by" = String, Query, example = "machine",
            description = "Into what: `project`, `worksite`, `machine`, `machine_kind`, `pedestrian`, `operator`, `zone`, \
                `hour_of_day` or `day_of_week`"),
        ("metric" = Option<Vec<enum_schemas::Measure>>, Query,
            description = "What is measured; left out: `incursions`, `acknowledgement_rate`, `average_duration`, `exposure` and \
                `incursions_per_runtime_hour`"),
        ("sort" = Option<String>, Query, example = "-incursions",
            description = "By which metric; with `-` before it the greatest come first. Left out: the first metric, the greatest \
                first. What has no value comes last."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "How many parts at most; left out: 50"),
    ),
    responses(
        (status = 200, description = "The parts", body = InsightBreakdown),
        problem::BadParams, problem::Unauthenticated, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_breakdown(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(BreakdownParams(filter, request)): Params<BreakdownParams>,
) -> Result {
    let breakdown = app.insight_breakdown(&caller, &filter, &request).await?;
    Ok(web::json_response(&shape(breakdown)))
}
