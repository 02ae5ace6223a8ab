//! Video clips: requests, uploads and retention. The videos themselves are in the object store.

pub(crate) mod expired_clips;
pub(crate) mod video_clips;
