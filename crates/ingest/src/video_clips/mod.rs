//! /ingest/v1/video_clips: the video clips that were requested from a base station.

mod content;
mod failed;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(content::put_video_clip)).routes(routes!(failed::fail_video_clip))
}

/// A video clip that was requested from a base station.
#[web::answer]
pub struct ReportedClip {
    /// Id of the video clip.
    #[schema(example = 11)]
    id: i64,
    /// State of the video clip.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
    /// Reason for the failure, if the video clip failed.
    #[schema(example = "no_recording")]
    reason: Option<String>,
    /// Media type of the video, once it has been received.
    #[schema(example = "video/mp4")]
    content_type: Option<&'static str>,
    /// Size of the video in bytes, once it has been received.
    #[schema(example = 4_718_592)]
    size_bytes: Option<i64>,
    /// Time at which the video was received, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:06:00Z")]
    available_at: Option<Timestamp>,
}

fn shape(clip: domain::VideoClip) -> ReportedClip {
    ReportedClip {
        id: clip.id.0,
        state: clip.state.as_str(),
        reason: clip.reason,
        content_type: clip.content.as_ref().map(|content| content.kind.media_type()),
        size_bytes: clip.content.as_ref().map(|content| content.size_bytes),
        available_at: clip.available_at,
    }
}
