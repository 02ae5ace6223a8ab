//! GET /api/v2/base_stations/{id}/events

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadInsights;
use web::{
    Caller, ListParams, Params, PathId, Result, TimelineFilters, TimelineList, TimelineParams,
    json_api_errors, shape_timeline_entry,
};

/// List the events of a base station
///
/// Returns the newest first, in the same plain JSON as the timeline of V1. Incursions, runtime and video clips are those of the
/// projects you can see.
#[web::operation(
    get, path = "/api/v2/base_stations/{id}/events", tag = "base stations", operation_id = "list_base_station_events",
    params(
        ("id" = i64, Path, description = "Id of the base station."),
        TimelineFilters,
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of events.", body = TimelineList),
        json_api_errors::BadParams, json_api_errors::NotFound,
    ),
)]
pub async fn list_events(
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
