//! Jobs for facts: incursions, runtime, positions and device events.

pub(crate) mod reattribution;
