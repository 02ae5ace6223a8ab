//! GET /api/v1/insights/totals

use std::sync::Arc;

use app::insights::{Compare, Totals};
use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{IncursionFilter, Measure};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FactFilters, FromParams, NamedMetrics, Params, Query, Result, problem};

use super::AnswerScope;

/// All metrics of the incursions that match the filters.
#[derive(Serialize, ToSchema)]
pub struct InsightTotals {
    /// Metrics, each with its numerator and denominator.
    metrics: NamedMetrics,
    /// With `compare=previous`: the metrics of the preceding period of equal length.
    previous: Option<PreviousTotals>,
    #[serde(flatten)]
    of: AnswerScope,
}

/// All metrics of the preceding period.
#[derive(Serialize, ToSchema)]
pub struct PreviousTotals {
    /// Metrics, each with its numerator and denominator.
    metrics: NamedMetrics,
    #[serde(flatten)]
    of: AnswerScope,
}

pub fn shape(totals: &Totals) -> InsightTotals {
    let metrics = |figures| NamedMetrics::new(&Measure::ALL, figures);
    InsightTotals {
        metrics: metrics(&totals.figures),
        previous: totals.previous.as_ref().map(|(asked, figures)| PreviousTotals {
            metrics: metrics(figures),
            of: AnswerScope::from(asked),
        }),
        of: AnswerScope::from(&totals.result),
    }
}

pub struct TotalsParams(Box<IncursionFilter>, Compare);

impl FromParams for TotalsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let compare = query.one("compare", |text| match text {
            "previous" => Ok(Compare::Previous),
            _ => Err(Invalid::new("invalid_comparison", "must be previous")),
        })?;
        Ok(Self(Box::new(IncursionFilter::read(query)?), compare.unwrap_or_default()))
    }
}

/// Get all metrics of incursions
///
/// Each metric has a numerator and a denominator, or the reason why it has no value.
///
/// Filters on zone, acknowledgement, duration and review affect only the numerator of `incursions_per_runtime_hour`. With a filter on a
/// pedestrian or a tag there is no runtime.
#[web::operation(
    get, path = "/api/v1/insights/totals", tag = "insights", operation_id = "get_insight_totals",
    params(
        FactFilters,
        ("compare" = Option<String>, Query, example = "previous",
            description = "`previous` adds the metrics of the preceding period of equal length"),
    ),
    responses(
        (status = 200, description = "All metrics", body = InsightTotals),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_totals(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(TotalsParams(filter, compare)): Params<TotalsParams>,
) -> Result {
    let totals = app.insight_totals(&caller, &filter, compare).await?;
    Ok(web::json_response(&shape(&totals)))
}
