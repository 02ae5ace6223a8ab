//! /api/v1/video_clips: across machines.

mod content;
mod get;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, PageInfo, enum_schemas};

use crate::references::NamedReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_video_clips))
        .routes(routes!(get::get_video_clip))
        .routes(routes!(content::get_video_clip_content))
}

/// A piece of video that a base station was asked for.
#[derive(Serialize, ToSchema)]
pub struct VideoClip {
    /// Its id.
    #[schema(example = 11)]
    id: i64,
    /// The base station.
    base_station: StationReference,
    /// The incursion it was asked for by; null if it was asked for by time.
    #[schema(example = 77)]
    incursion_id: Option<i64>,
    /// The project that the base station was in at that time; null if it was in none.
    #[schema(example = 2)]
    project_id: Option<i64>,
    /// The camera.
    #[schema(example = "front")]
    camera: String,
    /// Since when it shows.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// Where it stands.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
    /// Why it failed, as the base station told it; `never_uploaded` if nothing came within 7 days.
    #[schema(example = "no_recording")]
    reason: Option<String>,
    /// What kind of video it is, once it is there.
    #[schema(example = "video/mp4")]
    content_type: Option<&'static str>,
    /// How many bytes it has, once it is there.
    #[schema(example = 4_718_592)]
    size_bytes: Option<i64>,
    /// Their SHA-256, once it is there.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: Option<String>,
    /// Where it can be watched, once it is there.
    #[schema(example = "/api/v1/video_clips/11/content")]
    content: Option<String>,
    /// Who asked for it; `User 1` for those who do not see names.
    requested_by: NamedReference,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:05:00Z")]
    requested_at: Timestamp,
    /// When the base station first heard of it.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:05:02Z")]
    fetched_at: Option<Timestamp>,
    /// When it came to be there.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:06:00Z")]
    available_at: Option<Timestamp>,
    /// When it is given up, or goes; null if it has gone, or is kept for ever.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-05-30T08:06:00Z")]
    expires_at: Option<Timestamp>,
}

/// A base station, as others name it.
#[derive(Serialize, ToSchema)]
pub struct StationReference {
    /// Its id.
    #[schema(example = 5)]
    id: i64,
    /// What stands on it.
    #[schema(example = "BS-0042")]
    serial: String,
}

/// A page of video clips.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct VideoClipList {
    data: Vec<VideoClip>,
    page: PageInfo,
}

pub fn shape(clip: store::VideoClip) -> VideoClip {
    let content = clip.content.as_ref();
    VideoClip {
        id: clip.id.0,
        base_station: StationReference { id: clip.base_station.0, serial: clip.station_serial },
        incursion_id: clip.incursion.map(|id| id.0),
        project_id: clip.project.map(|id| id.0),
        camera: clip.camera,
        from: clip.footage.from,
        to: clip.footage.to,
        state: clip.state.as_str(),
        reason: clip.reason,
        content_type: content.map(|content| content.kind.media_type()),
        size_bytes: content.map(|content| content.size_bytes),
        sha256: content.map(|content| hex(&content.sha256)),
        content: content.map(|_| format!("/api/v1/video_clips/{}/content", clip.id)),
        requested_by: NamedReference { id: clip.requested_by.0, name: clip.requester_name },
        requested_at: clip.created_at,
        fetched_at: clip.fetched_at,
        available_at: clip.available_at,
        expires_at: clip.expires_at,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
