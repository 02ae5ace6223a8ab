//! User accounts: sign-in, credentials, sessions and permissions.

pub(crate) mod account_links;
pub(crate) mod account_notices;
pub(crate) mod caller;
pub(crate) mod grant_checks;
pub(crate) mod identity;
pub(crate) mod identity_cache;
pub(crate) mod invitations;
pub(crate) mod jwt;
pub(crate) mod login;
pub(crate) mod login_buckets;
pub(crate) mod names;
pub(crate) mod out_of_scope_people;
pub(crate) mod password_reset_queue;
pub(crate) mod password_resets;
pub(crate) mod passwords;
pub(crate) mod proof;
pub(crate) mod registry_access;
pub(crate) mod restricted_error;
pub(crate) mod restriction;
pub(crate) mod second_factor;
pub(crate) mod sessions;
pub mod totp;
pub(crate) mod user_access;
pub(crate) mod user_preferences;
pub(crate) mod users;
