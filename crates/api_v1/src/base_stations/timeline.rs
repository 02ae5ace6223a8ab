//! GET /api/v1/base_stations/{id}/timeline

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadInsights;
use web::{
    Caller, ListParams, Params, PathId, Result, TimelineFilters, TimelineList, TimelineParams, problem,
    shape_timeline_entry,
};

/// List the timeline of a base station
///
/// The timeline contains incursions, alarms, logs, states, battery levels, tests, messages, video requests and runtime, the newest first.
/// If your access is restricted to projects, it contains only what happened in these projects, and what the base station reported or was
/// sent while it was in them.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/timeline", tag = "base stations",
    operation_id = "list_base_station_timeline",
    params(
        ("id" = i64, Path, description = "Identifier of the base station"),
        TimelineFilters,
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of timeline entries", body = TimelineList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_base_station_timeline(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(params): Params<TimelineParams>,
) -> Result {
    let TimelineParams { filter, list } = params;
    let station = BaseStationId(id);
    let found = app.list_timeline(&caller, station, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape_timeline_entry))
}
