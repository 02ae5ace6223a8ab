//! One fact with its ids as codes: what goes into chunks and comes out of them.

use domain::{Review, Zone};

use crate::dictionary::Link;

/// What tells a row apart, and orders it: when it started, in microseconds, and its id.
pub(crate) type Key = (i64, i64);

/// Zone, review, whether acknowledged and whether ended: all that is small of a row, in six bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Flags(pub u8);

impl Flags {
    /// How many there are.
    pub const COUNT: usize = 64;
    pub const ACKNOWLEDGED: u8 = 1 << 4;
    pub const ENDED: u8 = 1 << 5;

    pub fn new(zone: Zone, review: Review, ack_ms: Option<i64>, length: Option<i64>) -> Self {
        let zone = match zone {
            Zone::Warning => 0,
            Zone::Danger => 1,
        };
        let review = match review {
            Review::Unreviewed => 0,
            Review::Confirmed => 1,
            Review::Dismissed => 2,
            Review::FalseDetection => 3,
        };
        let acknowledged = u8::from(ack_ms.is_some()) * Self::ACKNOWLEDGED;
        let ended = u8::from(length.is_some()) * Self::ENDED;
        Self(zone | review << 2 | acknowledged | ended)
    }

    /// The place of the zone among all.
    pub const fn zone(self) -> usize {
        (self.0 & 1) as usize
    }

    /// The place of the review among all.
    pub const fn review(self) -> usize {
        (self.0 >> 2 & 3) as usize
    }

    pub const fn is_acknowledged(self) -> bool {
        self.0 & Self::ACKNOWLEDGED != 0
    }

    pub const fn has_ended(self) -> bool {
        self.0 & Self::ENDED != 0
    }
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub started_at: i64,
    pub id: i64,
    /// Of an incursion milliseconds, of runtime microseconds.
    pub length: Option<i64>,
    /// Milliseconds to the acknowledgement.
    pub ack_ms: Option<i64>,
    pub flags: Flags,
    pub codes: [u32; Link::COUNT],
    pub day: i64,
    pub minute: u16,
}

impl Row {
    /// The farthest days from 1970 that are told apart; no calendar of ours reaches so far.
    pub const MAX_ABS_DAY: i64 = 5_000_000;
    /// Minutes of a week.
    pub const MINUTES_PER_WEEK: u16 = 7 * 1_440;

    pub const fn key(&self) -> Key {
        (self.started_at, self.id)
    }
}
