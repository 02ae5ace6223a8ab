//! What counts as enough, and as a change, in every report.

/// With fewer incursions, nothing is judged: neither a change, nor a concentration, nor a rate.
pub(super) const MIN_INCURSIONS: i64 = 10;

/// A difference by less than this share of the compared value counts as none.
pub(super) const MIN_CHANGE: f64 = 0.05;
