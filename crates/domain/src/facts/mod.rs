//! Recorded facts: incursions, runtime, positions and device events.

pub mod event;
pub mod incursion;
pub mod incursion_order;
pub mod incursion_record;
pub mod position;
pub mod station_figures;
pub mod timeline;
