//! Jobs for accounts: mails about invitations, password resets and changes of the sign-in.

pub(crate) mod account_mail;
pub(crate) mod account_notice;
