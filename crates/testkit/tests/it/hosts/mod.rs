//! Several hosts over one database: what they say of themselves, and how they are upgraded one by one.

mod draining;
mod heartbeats;
mod upgrades;
