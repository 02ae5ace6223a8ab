//! GET /api/v2/insights/charts/incursion_rate

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::{Dimension, Interval};
use web::{Accept, Caller, FactFilters, FromParams, Params, PictureFilters, Query, Result, json_api, words};

use super::answers::TimeChart;
use super::{ChartParams, Steps, one_of, shown};

/// By what it may be split: by what runtime can be told apart.
pub const PARTS: &[Dimension] = &[
    Dimension::Project,
    Dimension::Worksite,
    Dimension::Machine,
    Dimension::MachineKind,
    Dimension::Operator,
];

/// In which steps, and into what it is split.
pub struct Split(Interval, Option<Dimension>);

impl FromParams for Split {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let Steps(interval) = Steps::read(query)?;
        Ok(Self(interval, query.one("split_by", one_of(PARTS))?))
    }
}

/// Incursions divided by the hours that the machines concerned ran, step by step. Without runtime there is no rate.
///
/// Filters on zone, acknowledgement, duration and review touch the numerator only; a filter on a person on foot or a tag has no
/// runtime.
#[utoipa::path(
    get, path = "/api/v2/insights/charts/incursion_rate", tag = "charts", operation_id = "get_incursion_rate_chart",
    security(("jwt" = [])),
    params(
        ("interval" = Option<words::Interval>, Query, description = "In which steps; left out: `day`"),
        ("split_by" = Option<String>, Query, example = "worksite",
            description = "Into what it is split: `project`, `worksite`, `machine`, `machine_kind` or `operator`. The 20 that ran \
                the longest are told."),
        PictureFilters, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart", content((TimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotAcceptable, json_api::TooWide, json_api::NotNow,
    ),
)]
pub async fn get_incursion_rate_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<Split>>,
    accept: Accept,
) -> Result {
    let wish = params.picture.wish(&accept)?;
    let Split(interval, split_by) = params.own;
    let chart = app.incursion_rate_chart(&caller, &params.filter, interval, split_by).await?;
    shown(&app, &caller, chart, wish, TimeChart::from).await
}
