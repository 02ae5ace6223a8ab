//! /ingest/v1/video_clips: what a base station was asked to show.

mod content;
mod failed;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(content::put_video_clip)).routes(routes!(failed::fail_video_clip))
}

/// A video clip, as its base station sees it.
#[derive(Serialize, ToSchema)]
pub struct ReportedClip {
    /// Its id.
    #[schema(example = 11)]
    id: i64,
    /// Where it stands.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
    /// Why it failed.
    #[schema(example = "no_recording")]
    reason: Option<String>,
    /// What kind of video came.
    #[schema(example = "video/mp4")]
    content_type: Option<&'static str>,
    /// How many bytes came.
    #[schema(example = 4_718_592)]
    size_bytes: Option<i64>,
    /// When it came.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:06:00Z")]
    available_at: Option<Timestamp>,
}

fn shape(clip: store::VideoClip) -> ReportedClip {
    ReportedClip {
        id: clip.id.0,
        state: clip.state.as_str(),
        reason: clip.reason,
        content_type: clip.content.as_ref().map(|content| content.kind.media_type()),
        size_bytes: clip.content.as_ref().map(|content| content.size_bytes),
        available_at: clip.available_at,
    }
}
