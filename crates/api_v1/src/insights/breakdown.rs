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

/// The incursions that match the filters, broken down by a dimension.
#[derive(Serialize, ToSchema)]
pub struct InsightBreakdown {
    /// Groups of the breakdown, in the requested order.
    rows: Vec<InsightBreakdownRow>,
    /// Number of groups that were left out because of `limit`.
    #[schema(example = 0)]
    more: u64,
    /// Metrics of all groups together, including those that were left out.
    totals: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

/// One group of a breakdown.
#[derive(Serialize, ToSchema)]
pub struct InsightBreakdownRow {
    /// Value of the dimension that defines the group.
    part: DimensionValue,
    /// Metrics of the group.
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

/// The metrics of a breakdown if `metric` is not given.
const DEFAULT_MEASURES: [Measure; 5] = [
    Measure::Incursions,
    Measure::AcknowledgementRate,
    Measure::AverageDuration,
    Measure::Exposure,
    Measure::IncursionsPerRuntimeHour,
];

pub struct BreakdownParams(Box<IncursionFilter>, BreakdownRequest);

impl FromParams for BreakdownParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let by = query.one("by", super::parse_split_dimension)?.ok_or_else(|| {
            Error::bad_parameter("by", Invalid::new("required", "must name the dimension of the breakdown"))
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

/// Break incursions down by a dimension
///
/// Groups the incursions that match the filters. Each group has its metrics, by any of which the groups can be sorted.
#[web::operation(
    get, path = "/api/v1/insights/breakdown", tag = "insights", operation_id = "get_insight_breakdown",
    params(
        FactFilters,
        ("by" = String, Query, example = "machine",
            description = "Dimension of the breakdown: `project`, `worksite`, `machine`, `machine_kind`, `pedestrian`, `operator`, `zone`, \
                `hour_of_day` or `day_of_week`"),
        ("metric" = Option<Vec<enum_schemas::Measure>>, Query,
            description = "Metrics to return; the default is `incursions`, `acknowledgement_rate`, `average_duration`, `exposure` and \
                `incursions_per_runtime_hour`"),
        ("sort" = Option<String>, Query, example = "-incursions",
            description = "Metric to sort by. A leading `-` sorts in descending order. The default is the first metric in descending \
                order. Groups without a value come last."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "Maximum number of groups; the default is 50"),
    ),
    responses(
        (status = 200, description = "The breakdown", body = InsightBreakdown),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
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
