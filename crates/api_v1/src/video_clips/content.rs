//! GET and HEAD /api/v1/video_clips/{id}/content

use std::sync::Arc;

use app::App;
use axum::body::Body;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ClipId, encode_hex};
use http::{HeaderMap, Method};
use web::{
    Caller, Disposition, NoParams, PathId, RangeOutcome, Representation, Result, evaluate_range_request,
    problem,
};

/// Download a video clip
///
/// Players can seek: a single `Range` gives 206 with that part, several ranges give the whole video. `HEAD` returns the headers only.
///
/// Fails with 409 `not_ready` until the video has been uploaded, and with 404 `clip_expired` or `clip_failed` if it has been deleted or
/// was never uploaded.
#[web::operation(
    get, path = "/api/v1/video_clips/{id}/content", tag = "video clips", operation_id = "get_video_clip_content",
    params(
        ("id" = i64, Path, description = "Identifier of the video clip"),
        ("Range" = Option<String>, Header, description = "Part of the video to return, such as `bytes=0-1023`"),
        ("If-Range" = Option<String>, Header, description = "ETag of the parts you have; the whole video is returned if it has changed"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
    ),
    responses(
        (status = 200, description = "The video",
            content((inline(web::BinaryContent) = "video/mp4"), (inline(web::BinaryContent) = "video/webm")),
            headers(
                ("ETag" = String, description = "SHA-256 of the video"),
                ("Accept-Ranges" = String, description = "Always `bytes`"),
            )),
        (status = 206, description = "A part of the video",
            content((inline(web::BinaryContent) = "video/mp4"), (inline(web::BinaryContent) = "video/webm")),
            headers(("Content-Range" = String, description = "Range of the part, and the total number of bytes"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound, problem::Conflict, problem::PreconditionFailed, problem::RangeNotSatisfiable,
    ),
)]
pub async fn get_video_clip_content(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
    method: Method,
    headers: HeaderMap,
) -> Result {
    let clip = app.open_video_clip(&caller, ClipId(id)).await?;
    let stored = Representation {
        size_bytes: clip.content.size_bytes.unsigned_abs(),
        media_type: clip.content.kind.media_type(),
        etag: encode_hex(&clip.content.sha256),
        file_name: format!("clip-{id}.{}", clip.content.kind.extension()),
        disposition: Disposition::Inline,
    };
    match evaluate_range_request(&method, &headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => Ok(answer),
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_video_clip(&clip, range).await?;
            Ok(answer.map(|_| Body::from_stream(bytes)))
        }
    }
}
