//! Video clips.

pub(crate) mod expired_clips;
pub(crate) mod video_clips;
