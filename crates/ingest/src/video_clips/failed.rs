//! POST /ingest/v1/video_clips/{id}/failed

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::{ClipId, Name};
use utoipa::ToSchema;
use web::{DeferredBody, Fields, FromFields, NoParams, PathId, Reporter, Result, problem, text};

use super::{ReportedClip, shape};

/// The reason why there is no video.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ClipFailureBody {
    /// Reason as a word or a sentence, for people.
    #[schema(example = "no_recording", min_length = 1, max_length = 100)]
    reason: String,
}

pub struct FailureFields(Name);

impl FromFields for FailureFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("reason", text(Name::parse)).map(Self)
    }
}

/// Report that a requested video clip is unavailable
///
/// Repeating the report changes nothing. Once the video has been received, the response is 409.
#[utoipa::path(
    post, path = "/ingest/v1/video_clips/{id}/failed", tag = "devices", operation_id = "fail_video_clip",
    security(("device_token" = [])),
    params(("id" = i64, Path, description = "Id of the video clip.")),
    request_body = ClipFailureBody,
    responses(
        (status = 200, description = "The video clip is marked as failed.", body = ReportedClip),
        problem::BadBody, problem::Unauthenticated, problem::NotFound, problem::Conflict,
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
    let FailureFields(reason) = body.read().await?;
    Ok(web::json_response(&shape(app.fail_clip(&reporter, id, reason.as_str()).await?)))
}
