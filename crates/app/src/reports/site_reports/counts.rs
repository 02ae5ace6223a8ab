//! Counts as facts have them, from the numbers of figures.

/// Returns a number as a count: zero if it is missing or negative.
pub(super) fn unsigned(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}
