//! GET /api/v1/base_stations/{id}/video_clips

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, ClipFilter};
use web::{Caller, ListParams, Params, PathId, Result, problem};

use crate::video_clips::{VideoClipList, shape};

/// List video clips of a base station
///
/// The newest clips come first. Only clips of projects visible to you are listed.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/video_clips", tag = "base stations",
    operation_id = "list_base_station_video_clips",
    params(("id" = i64, Path, description = "Identifier of the base station"), ListParams),
    responses(
        (status = 200, description = "A page of video clips", body = VideoClipList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_station_clips(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let station = BaseStationId(id);
    app.check_base_station(&caller, station).await?;
    let filter = ClipFilter { base_station: Some(station), ..ClipFilter::default() };
    let found = app.list_video_clips(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
