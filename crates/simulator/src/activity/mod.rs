//! What happens on a day: working hours, tracks, encounters and tag tests, and the events that report them.

pub(crate) mod arrivals;
pub(crate) mod batteries;
pub(crate) mod encounters;
pub(crate) mod habits;
pub(crate) mod shifts;
pub(crate) mod station_events;
pub(crate) mod tag_tests;
pub(crate) mod tracks;
