//! Errors of the store for values that must be unique.

use crate::Error;

/// Replaces the error for a duplicate value by one that names the field.
pub(crate) fn map_duplicate<T>(
    outcome: Result<T, store::Error>,
    taken: impl FnOnce() -> Error,
) -> Result<T, Error> {
    match outcome {
        Err(store::Error::Duplicate(_)) => Err(taken()),
        other => Ok(other?),
    }
}
