//! The columns of a part in their order.

use crate::dictionary::Link;

/// A column of a part. All have a value for each row, except [`Column::Ids`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Start time in microseconds of UTC.
    StartedAt,
    Id,
    /// Duration: milliseconds for incursions, microseconds for runtime.
    Length,
    /// Milliseconds until the acknowledgement.
    AckTime,
    /// Zone and review, as in [`Flags`](crate::storage::Flags). The other flags follow from the durations.
    ZoneAndReview,
    /// Day in the time zone of the worksite, since 1970.
    Day,
    /// Minutes since Monday 0:00 in the time zone of the worksite.
    Minute,
    /// For each row the place of its id among [`Column::Ids`], or their number if it has none.
    Places(Link),
    /// The ids that occur, in the order in which they first do.
    Ids(Link),
}

impl Column {
    const OWN_COUNT: usize = 7;
    pub const COUNT: usize = Self::OWN_COUNT + 2 * Link::COUNT;

    /// Returns the number by which a file names it, which is its place, too.
    pub const fn number(self) -> usize {
        match self {
            Self::StartedAt => 0,
            Self::Id => 1,
            Self::Length => 2,
            Self::AckTime => 3,
            Self::ZoneAndReview => 4,
            Self::Day => 5,
            Self::Minute => 6,
            Self::Places(link) => Self::OWN_COUNT + 2 * link as usize,
            Self::Ids(link) => Self::OWN_COUNT + 2 * link as usize + 1,
        }
    }
}
