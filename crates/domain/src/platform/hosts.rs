//! The processes of an installation, and the connections of all of them to its database.

use crate::{Span, Timestamp};

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRole {
    /// It answers requests and runs jobs.
    Serve,
    /// It runs jobs only.
    Worker,
}

impl HostRole {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Worker => "worker",
        }
    }
}

/// A process as it last said of itself.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct Host {
    /// Random, anew at each start.
    pub id: String,
    /// The name of the machine.
    pub name: String,
    /// The word of a [`HostRole`]. A newer version may have more.
    pub role: String,
    pub version: String,
    /// The id of its installation key.
    pub key_id: String,
    /// By how much its clock is ahead of the clock of the database.
    #[row(column = "clock_offset_us")]
    pub clock_offset: Span,
    /// The most connections that it opens to the server of the database; 0 where there is none.
    pub max_connections: i64,
    /// For how long changes have waited for the copy that is furthest behind; none while it follows none.
    #[row(column = "feed_lag_us")]
    pub feed_lag: Option<Span>,
    pub started_at: Timestamp,
    /// Time since it last said so, by the clock of the database.
    #[row(column = "seen_ago_us")]
    pub seen_ago: Span,
}

impl Host {
    /// Time between two heartbeats of a process.
    pub const HEARTBEAT_INTERVAL: Span = Span::seconds(10);

    /// Time after which a process that has said nothing counts as gone: three heartbeats, and some patience.
    pub const SILENT_AFTER: Span = Span::seconds(35);

    /// The largest difference between the clocks of a host and of the database that is no reason for a warning.
    pub const MAX_CLOCK_OFFSET: Span = Span::seconds(1);

    /// Whether it has said nothing for so long that it was killed, or cannot reach the database.
    pub fn is_silent(&self) -> bool {
        self.seen_ago > Self::SILENT_AFTER
    }

    /// Whether its clock differs too much from that of the database. Leases, sessions and alerts compare times of several hosts.
    pub fn has_wrong_clock(&self) -> bool {
        is_wrong_clock(self.clock_offset)
    }
}

/// Whether a clock that is ahead of the database by so much, or behind by less than nothing, differs too much.
pub fn is_wrong_clock(offset: Span) -> bool {
    offset.micros().saturating_abs() > Host::MAX_CLOCK_OFFSET.micros()
}

/// The connections of a database server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ServerConnections {
    /// Those that are open, of all users.
    pub open: i64,
    /// The most that the user of this program may open.
    pub allowed: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_second_in_either_direction_is_too_much() {
        for (micros, is_wrong) in
            [(0, false), (1_000_000, false), (-1_000_000, false), (1_000_001, true), (-1_000_001, true)]
        {
            assert_eq!(is_wrong_clock(Span::from_micros(micros)), is_wrong, "{micros}");
        }
        assert!(is_wrong_clock(Span::from_micros(i64::MIN)));
    }
}
