//! Video clips, as they are requested and stored.

use crate::{
    Actor, BaseStationId, ClipId, ClipRange, ClipState, IncursionId, ProjectId, Timestamp, VideoType,
};

#[derive(Clone, Debug)]
pub struct VideoClip {
    pub id: ClipId,
    pub base_station: BaseStationId,
    pub station_serial: String,
    /// The incursion that it was requested for, if any.
    pub incursion: Option<IncursionId>,
    /// The project at the time of the footage.
    pub project: Option<ProjectId>,
    pub camera: String,
    /// The period that the video shows.
    pub footage: ClipRange,
    pub state: ClipState,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// None unless the video is available.
    pub content: Option<ClipContent>,
    pub requested_by: Actor,
    /// Time at which the base station first fetched the request.
    pub fetched_at: Option<Timestamp>,
    /// Time at which the upload finished.
    pub available_at: Option<Timestamp>,
    /// Time at which a pending request fails, or an available video is deleted; none if never.
    pub expires_at: Option<Timestamp>,
    /// Time of the request.
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The stored video of a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipContent {
    pub kind: VideoType,
    pub size_bytes: i64,
    pub sha256: Vec<u8>,
    /// Id of the upload, which is part of the object name.
    pub upload: String,
}

/// Filters of a list of clips.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClipFilter {
    pub base_station: Option<BaseStationId>,
    pub incursion: Option<IncursionId>,
    pub state: Option<ClipState>,
}
