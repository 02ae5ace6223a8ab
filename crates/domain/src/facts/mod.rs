//! Recorded facts: incursions, runtime, positions and device events.

pub mod event;
pub mod incursion;
pub mod timeline;
