//! Mails to accounts.

mod account_mail;
mod languages;
