//! Changes that count from a moment in the past on.

use domain::{Invalid, Span, Timestamp};

use crate::Error;

/// How far back a change may reach: five years, with their leap days.
const MAX_BACKDATING: Span = Span::minutes(1_827 * 24 * 60);

/// The moment a change counts from. Never in the future, never more than five years back.
pub(crate) fn check_effective_from(given: Timestamp, now: Timestamp) -> Result<Timestamp, Error> {
    if given <= now && given >= now - MAX_BACKDATING {
        return Ok(given);
    }
    let invalid = Invalid::new("bad_time", "must not be in the future, nor more than five years ago");
    Err(Error::invalid_field("effective_from", invalid))
}
