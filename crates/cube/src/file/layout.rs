//! The columns of a file, in their order; those of links follow, and are the only ones with dictionaries.

/// When it started, UTC.
pub(super) const STARTED_AT: &str = "started_at";
/// Its id.
pub(super) const ID: &str = "id";
/// How long it lasted: of incursions milliseconds, of runtime microseconds.
pub(super) const LENGTH: &str = "length";
/// Milliseconds to the acknowledgement.
pub(super) const ACK_TIME: &str = "waited_ms";
/// The place of the zone among all.
pub(super) const ZONE: &str = "zone";
/// The code of the review.
pub(super) const REVIEW: &str = "review";
/// The day on the site's clock.
pub(super) const DAY: &str = "local_day";
/// Minutes since Monday 0:00 on the site's clock.
pub(super) const MINUTE: &str = "local_minute";

/// All but the links.
pub(super) const OWN_COLUMNS: [&str; 8] = [STARTED_AT, ID, LENGTH, ACK_TIME, ZONE, REVIEW, DAY, MINUTE];
