//! Video clips.

pub(crate) mod old_clips;
pub(crate) mod video_clips;
