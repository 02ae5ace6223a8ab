//! What happened: incursions, runtime, positions, device events.

pub mod event;
pub mod incursion;
pub mod timeline;
