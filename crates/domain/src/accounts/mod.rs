//! Who signs in, with what, and what they may do.

pub mod access;
pub mod account_link;
pub mod preferences;
pub mod secret;
pub mod user;
