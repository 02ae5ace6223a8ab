//! Who signs in, with what, and what they may do.

pub(crate) mod account_mail;
pub(crate) mod account_notice;
