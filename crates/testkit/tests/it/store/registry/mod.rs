//! The registry.

mod listing;
mod messages;
