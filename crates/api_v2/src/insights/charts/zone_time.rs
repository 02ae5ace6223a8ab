//! GET /api/v2/insights/charts/zone_time

use std::sync::Arc;

use app::insights::ZoneTimeRequest;
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Dimension;
use web::{Accept, Caller, FactFilters, FromParams, Params, PictureFilters, Query, Result, json_api};

use super::answers::PartChart;
use super::{ChartParams, one_of, shown};

/// How many parts are told unless it is said.
pub const USUAL: usize = 20;

/// What is asked.
pub struct ZoneTimeWish(ZoneTimeRequest);

impl FromParams for ZoneTimeWish {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let by = query.one("by", one_of(&ZoneTimeRequest::BY))?.unwrap_or(Dimension::Zone);
        let limit = query.whole("limit", 1..=ZoneTimeRequest::MOST as i64)?;
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL);
        Ok(Self(ZoneTimeRequest { by, limit }))
    }
}

/// How long people were in zones: the lengths of incursions that ended, added up.
///
/// By zone there is one series with a point for each zone; by anything else a series for each zone, with the same points in each,
/// the part with the most time first.
#[utoipa::path(
    get, path = "/api/v2/insights/charts/zone_time", tag = "charts", operation_id = "get_zone_time_chart",
    security(("jwt" = [])),
    params(
        ("by" = Option<String>, Query, example = "machine",
            description = "By what: `zone`, `project`, `worksite`, `machine`, `pedestrian` or `operator`; left out: `zone`"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "How many parts at most; left out: 20"),
        PictureFilters, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart", content((PartChart = "application/json"), (String = "image/svg+xml"))),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotAcceptable, json_api::TooWide, json_api::NotNow,
    ),
)]
pub async fn get_zone_time_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<ZoneTimeWish>>,
    accept: Accept,
) -> Result {
    let wish = params.picture.wish(&accept)?;
    let chart = app.zone_time_chart(&caller, &params.filter, params.own.0).await?;
    shown(&app, &caller, chart, wish, PartChart::from).await
}
