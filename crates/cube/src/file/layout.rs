//! The columns of a file in their order. The columns of links follow, which are the only ones with dictionaries.

/// Start time in UTC.
pub(super) const STARTED_AT: &str = "started_at";
pub(super) const ID: &str = "id";
/// Duration: milliseconds for incursions, microseconds for runtime.
pub(super) const LENGTH: &str = "length";
/// Milliseconds until the acknowledgement.
pub(super) const ACK_TIME: &str = "waited_ms";
/// Index of the zone.
pub(super) const ZONE: &str = "zone";
/// Code of the review.
pub(super) const REVIEW: &str = "review";
/// Day in the time zone of the worksite.
pub(super) const DAY: &str = "local_day";
/// Minutes since Monday 0:00 in the time zone of the worksite.
pub(super) const MINUTE: &str = "local_minute";

/// All columns except links.
pub(super) const OWN_COLUMNS: [&str; 8] = [STARTED_AT, ID, LENGTH, ACK_TIME, ZONE, REVIEW, DAY, MINUTE];
