//! Video clips: requests, uploads, playback and expiry.

pub(crate) mod clip_expiry;
pub(crate) mod clip_uploads;
pub(crate) mod upload_permits;
pub(crate) mod video_clips;
