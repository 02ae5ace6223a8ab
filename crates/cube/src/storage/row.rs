//! One fact with its ids as codes, in the form that chunks store.

use domain::{Review, Zone};

use crate::dictionary::Link;

/// The unique key of a row, which also orders it: the start in microseconds, and the id.
pub(crate) type Key = (i64, i64);

/// Zone, review, whether acknowledged and whether ended, in six bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Flags(pub u8);

impl Flags {
    /// The number of different values.
    pub const COUNT: usize = 64;
    /// The bits of the zone, of which there are two, and of the review.
    pub const ZONE_AND_REVIEW: u8 = 0b1101;
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

    /// Returns the index of the zone.
    pub const fn zone(self) -> usize {
        (self.0 & 1) as usize
    }

    /// Returns the index of the review.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub started_at: i64,
    pub id: i64,
    /// Milliseconds for an incursion, microseconds for runtime.
    pub length: Option<i64>,
    /// Milliseconds until the acknowledgement.
    pub ack_ms: Option<i64>,
    pub flags: Flags,
    pub codes: [u32; Link::COUNT],
    pub day: i64,
    pub minute: u16,
}

impl Row {
    /// The maximum distance of a day from 1970. No supported calendar date is that far away.
    pub const MAX_ABS_DAY: i64 = 5_000_000;
    pub const MINUTES_PER_WEEK: u16 = 7 * 1_440;

    pub const fn key(&self) -> Key {
        (self.started_at, self.id)
    }
}
