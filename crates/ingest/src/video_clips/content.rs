//! PUT /ingest/v1/video_clips/{id}/content

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::{ClipId, video};
use http::HeaderMap;
use web::{DeferredBody, NoParams, PathId, Reporter, Result, problem};

use super::{ReportedClip, shape};
use crate::digest;

/// Upload a requested video clip
///
/// The video must be MP4 or WebM, which is recognised by its content, and have at most 256 MiB. After a failure, send it again from the
/// beginning. Sending the same video again changes nothing.
#[web::operation(
    put, path = "/ingest/v1/video_clips/{id}/content", tag = "devices", operation_id = "put_video_clip",
    params(
        ("id" = i64, Path, description = "Id of the video clip."),
        ("X-Content-SHA256" = Option<String>, Header, description = "SHA-256 of the body in 64 hexadecimal digits. This header or Content-Digest is required."),
        ("Content-Digest" = Option<String>, Header, description = "SHA-256 of the body in the form of RFC 9530, such as sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:"),
    ),
    request_body(
        content((inline(web::BinaryContent) = "video/mp4"), (inline(web::BinaryContent) = "video/webm")),
        description = "The video.",
    ),
    responses(
        (status = 200, description = "The video has been stored.", body = ReportedClip),
        problem::BadBody, problem::NotFound, problem::Conflict,
    ),
)]
pub async fn put_video_clip(
    State(app): State<Arc<App>>,
    Reporter(reporter): Reporter,
    PathId(id): PathId,
    _: NoParams,
    headers: HeaderMap,
    body: DeferredBody,
) -> Result {
    let id = ClipId(id);
    app.find_clip_to_upload(&reporter, id).await?;
    let sha256 = digest::read_sha256(&headers)?;
    let body = body.into_stream(video::MAX_CLIP_BYTES)?;
    Ok(web::json_response(&shape(app.receive_clip(&reporter, id, sha256, body).await?)))
}
