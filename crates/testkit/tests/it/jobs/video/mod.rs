//! Video clips.

mod clips;
