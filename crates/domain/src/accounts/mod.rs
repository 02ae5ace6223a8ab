//! Users, their credentials, permissions and preferences.

pub mod access;
pub mod account_link;
pub mod preferences;
pub mod secret;
pub mod session;
pub mod user;
