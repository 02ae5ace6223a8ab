//! What happened: incursions, runtime, positions, device events.

pub(crate) mod reattribution;
