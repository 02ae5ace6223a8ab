//! Sign-in.

mod login_refusals;
