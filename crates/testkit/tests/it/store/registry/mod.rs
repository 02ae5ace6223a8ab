//! The registry.

mod messages;
