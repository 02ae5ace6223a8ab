//! GET /api/v1/video_clips/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ClipId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{VideoClip, shape};

/// Get a video clip
///
/// Returns the state of the clip and, once its video is available, the path of the content.
#[web::operation(
    get, path = "/api/v1/video_clips/{id}", tag = "video clips", operation_id = "get_video_clip",
    params(("id" = i64, Path, description = "Identifier of the video clip")),
    responses(
        (status = 200, description = "The video clip", body = VideoClip),
        problem::NotFound,
    ),
)]
pub async fn get_video_clip(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_video_clip(&caller, ClipId(id)).await?)))
}
