//! Users and service accounts, their credentials, permissions and preferences.

pub mod access;
pub mod account_link;
pub mod preferences;
pub mod secret;
pub mod service_account;
pub mod session;
pub mod user;
