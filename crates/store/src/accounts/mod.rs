//! Users and service accounts, and their authentication: passwords, sessions, tokens of service accounts, second factors, account links and failed logins.

pub(crate) mod account_links;
pub(crate) mod failed_logins;
pub(crate) mod login_throttle;
pub(crate) mod second_factors;
pub(crate) mod service_accounts;
pub(crate) mod service_tokens;
pub(crate) mod sessions;
pub(crate) mod user_preferences;
pub(crate) mod users;
