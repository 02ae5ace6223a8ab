//! GET /api/v1/video_clips

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, ClipFilter, ClipState, IncursionId};
use web::{Caller, FromParams, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{VideoClipList, shape};

pub struct ClipParams {
    filter: ClipFilter,
    list: ListParams,
}

impl FromParams for ClipParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = ClipFilter {
            base_station: query.id("base_station_id")?.map(BaseStationId),
            incursion: query.id("incursion_id")?.map(IncursionId),
            state: query.one("state", ClipState::parse)?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

/// List video clips
///
/// The clips visible to you are listed, the newest first.
#[web::operation(
    get, path = "/api/v1/video_clips", tag = "video clips", operation_id = "list_video_clips",
    params(
        ("base_station_id" = Option<i64>, Query, description = "Only clips of this base station"),
        ("incursion_id" = Option<i64>, Query, description = "Only clips of this incursion"),
        ("state" = Option<enum_schemas::ClipState>, Query, description = "Only clips in this state"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of video clips", body = VideoClipList),
        problem::BadParams,
    ),
)]
pub async fn list_video_clips(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(ClipParams { filter, list }): Params<ClipParams>,
) -> Result {
    let found = app.list_video_clips(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
