//! GET /api/v2/insights/charts/hours_of_week

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Measure;
use web::{Accept, Caller, FactFilters, FromParams, Params, PictureFilters, Query, Result, json_api, words};

use super::answers::PartChart;
use super::{ChartParams, shown};

/// What is measured.
pub struct Metric(Measure);

impl FromParams for Metric {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(query.one("metric", Measure::parse)?.unwrap_or(Measure::Incursions)))
    }
}

/// A metric for each hour of each day of the week, on each site's own clock.
///
/// Seven series, keyed 1 (Monday) to 7 (Sunday), of 24 points each, keyed 0 to 23. Every hour is there; where there is no value,
/// the reason is.
#[utoipa::path(
    get, path = "/api/v2/insights/charts/hours_of_week", tag = "charts", operation_id = "get_hours_of_week_chart",
    security(("jwt" = [])),
    params(
        ("metric" = Option<words::Measure>, Query, description = "What is measured; left out: `incursions`"),
        PictureFilters, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart", content((PartChart = "application/json"), (String = "image/svg+xml"))),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotAcceptable, json_api::TooWide, json_api::NotNow,
    ),
)]
pub async fn get_hours_of_week_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<Metric>>,
    accept: Accept,
) -> Result {
    let wish = params.picture.wish(&accept)?;
    let chart = app.hours_of_week_chart(&caller, &params.filter, params.own.0).await?;
    shown(&app, &caller, chart, wish, PartChart::from).await
}
