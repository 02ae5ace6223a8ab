//! How far back changes and reports may reach.

use domain::{Invalid, Span, Timestamp};

use crate::Error;

/// Five years, with their leap days.
const MAX_BACKDATING: Span = Span::minutes(1_827 * 24 * 60);

/// Maximum age of an event that is reported or corrected.
pub(crate) const MAX_EVENT_AGE: Span = Span::minutes(400 * 24 * 60);

/// Checks the time from which a change takes effect: not in the future, and at most five years ago.
pub(crate) fn check_effective_from(given: Timestamp, now: Timestamp) -> Result<Timestamp, Error> {
    if given <= now && given >= now - MAX_BACKDATING {
        return Ok(given);
    }
    let invalid = Invalid::new("bad_time", "must not be in the future or more than five years ago");
    Err(Error::invalid_field("effective_from", invalid))
}
