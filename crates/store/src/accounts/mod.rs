//! Who signs in, with what, and what they may do.

pub(crate) mod account_links;
pub(crate) mod failed_logins;
pub(crate) mod login_throttle;
pub(crate) mod second_factors;
pub(crate) mod sessions;
pub(crate) mod user_preferences;
pub(crate) mod users;
