//! POST /ingest/v1/video_clips/{id}/failed

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::{ClipId, Name};
use web::{DeferredBody, NoParams, PathId, Reporter, Result, problem};

use super::{ReportedClip, shape};

/// The reason why there is no video.
#[web::body]
pub struct ClipFailureBody {
    /// Reason as a word or a sentence, for people.
    #[schema(example = "no_recording", min_length = 1, max_length = 100)]
    reason: Name,
}

/// Report that a requested video clip is unavailable
///
/// Repeating the report changes nothing. Once the video has been received, the response is 409.
#[web::operation(
    post, path = "/ingest/v1/video_clips/{id}/failed", tag = "devices", operation_id = "fail_video_clip",
    params(("id" = i64, Path, description = "Id of the video clip.")),
    request_body = ClipFailureBody,
    responses(
        (status = 200, description = "The video clip is marked as failed.", body = ReportedClip),
        problem::BadBody, problem::NotFound, problem::Conflict,
    ),
)]
pub async fn fail_video_clip(
    State(app): State<Arc<App>>,
    Reporter(reporter): Reporter,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = ClipId(id);
    app.find_clip_to_upload(&reporter, id).await?;
    let ClipFailureBody { reason } = body.read().await?;
    Ok(web::json_response(&shape(app.fail_clip(&reporter, id, reason.as_str()).await?)))
}
