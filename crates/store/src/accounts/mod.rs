//! Users and their authentication: passwords, sessions, second factors, account links and failed logins.

pub(crate) mod account_links;
pub(crate) mod failed_logins;
pub(crate) mod login_throttle;
pub(crate) mod second_factors;
pub(crate) mod sessions;
pub(crate) mod user_preferences;
pub(crate) mod users;
