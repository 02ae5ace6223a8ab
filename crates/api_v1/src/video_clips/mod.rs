//! /api/v1/video_clips: the video clips of all base stations.

mod content;
mod get;
mod list;

use domain::{Timestamp, encode_hex};
use web::{List, OperationRouter, enum_schemas, routes};

use crate::machines::BaseStationReference;
use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_video_clips))
        .routes(routes!(get::get_video_clip))
        .routes(routes!(content::get_video_clip_content))
}

/// A video clip that was requested from a base station.
#[web::answer]
pub struct VideoClip {
    /// Identifier of the video clip.
    #[schema(example = 11)]
    id: i64,
    /// Base station that the clip was requested from.
    base_station: BaseStationReference,
    /// Identifier of the incursion that the clip was requested for; null if it was requested by time.
    #[schema(example = 77)]
    incursion_id: Option<i64>,
    /// Identifier of the project that the base station was in at that time; null if it was in none.
    #[schema(example = 2)]
    project_id: Option<i64>,
    /// Name of the camera.
    #[schema(example = "front")]
    camera: String,
    /// Start of the clip, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// End of the clip, RFC 3339 in UTC, exclusive.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:30Z")]
    to: Timestamp,
    /// State of the clip.
    #[schema(value_type = enum_schemas::ClipState, example = "available")]
    state: &'static str,
    /// Reason for the failure, as reported by the base station; `never_uploaded` if no video was uploaded within 7 days.
    #[schema(example = "no_recording")]
    reason: Option<String>,
    /// Media type of the video, once it is available.
    #[schema(example = "video/mp4")]
    content_type: Option<&'static str>,
    /// Size of the video in bytes, once it is available.
    #[schema(example = 4_718_592)]
    size_bytes: Option<i64>,
    /// SHA-256 of the video, once it is available.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: Option<String>,
    /// Path of the video, once it is available.
    #[schema(example = "/api/v1/video_clips/11/content")]
    content: Option<String>,
    /// User who requested the video clip.
    requested_by: Actor,
    /// Time at which the clip was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:05:00Z")]
    requested_at: Timestamp,
    /// Time at which the base station first received the request, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:05:02Z")]
    fetched_at: Option<Timestamp>,
    /// Time at which the video became available, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:06:00Z")]
    available_at: Option<Timestamp>,
    /// Time at which the request is abandoned or the video is deleted, RFC 3339 in UTC; null if this has happened or if video is retained
    /// forever.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-05-30T08:06:00Z")]
    expires_at: Option<Timestamp>,
    /// Time at which the clip was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:05:00Z")]
    created_at: Timestamp,
    /// Time at which the clip was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:05:00Z")]
    updated_at: Timestamp,
}

pub type VideoClipList = List<VideoClip>;

pub fn shape(clip: domain::VideoClip) -> VideoClip {
    let content = clip.content.as_ref();
    VideoClip {
        id: clip.id.0,
        base_station: BaseStationReference { id: clip.base_station.0, serial: clip.station_serial },
        incursion_id: clip.incursion.map(|id| id.0),
        project_id: clip.project.map(|id| id.0),
        camera: clip.camera,
        from: clip.footage.from,
        to: clip.footage.to,
        state: clip.state.as_str(),
        reason: clip.reason,
        content_type: content.map(|content| content.kind.media_type()),
        size_bytes: content.map(|content| content.size_bytes),
        sha256: content.map(|content| encode_hex(&content.sha256)),
        content: content.map(|_| format!("/api/v1/video_clips/{}/content", clip.id)),
        requested_by: clip.requested_by.into(),
        requested_at: clip.created_at,
        created_at: clip.created_at,
        updated_at: clip.updated_at,
        fetched_at: clip.fetched_at,
        available_at: clip.available_at,
        expires_at: clip.expires_at,
    }
}
