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

/// All metrics of what the filters find.
#[derive(Serialize, ToSchema)]
pub struct InsightTotals {
    /// Each metric with what it was made of.
    metrics: NamedMetrics,
    /// With `compare=previous`: the same of the period of equal length right before.
    previous: Option<PreviousTotals>,
    #[serde(flatten)]
    of: AnswerScope,
}

/// All metrics of the period before.
#[derive(Serialize, ToSchema)]
pub struct PreviousTotals {
    /// Each metric with what it was made of.
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

/// What is asked.
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

/// All metrics of what the filters find, each with numerator and denominator, or with the reason why it has no value.
///
/// Filters on zone, acknowledgement, duration and review touch the numerator of `incursions_per_runtime_hour` only. A filter on
/// a person on foot or a tag has no runtime.
#[utoipa::path(
    get, path = "/api/v1/insights/totals", tag = "insights", operation_id = "get_insight_totals",
    security(("session" = [])),
    params(
        FactFilters,
        ("compare" = Option<String>, Query, example = "previous",
            description = "`previous`: also the period of equal length right before"),
    ),
    responses(
        (status = 200, description = "All metrics", body = InsightTotals),
        problem::BadParams, problem::Unauthenticated, problem::ResultTooLarge, problem::Unavailable,
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
