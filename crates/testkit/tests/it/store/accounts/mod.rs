//! Sign-in.

mod failed_logins;
