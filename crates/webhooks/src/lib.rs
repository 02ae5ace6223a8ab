//! The client that calls webhooks: one POST to an address that a customer chose, which must not lead into the network of the service.
//!
//! What is sent, how it is signed and when it is tried again is decided by the crate `app`. Addresses are checked there when they are
//! set, and here at every connection, because what a name resolves to can change in between.

mod client;
mod error;
mod resolver;

pub use client::{Client, Limits};
pub use error::CallError;
