//! Messages to people: what they say, and how they are handed over.
//!
//! A mail is a struct with two templates (`mails/`). A [`Message`] is a mail with an address, a date and an id that the
//! caller gives, so that sending it again sends the same bytes. A [`Mailer`] hands it over, and says of a failure whether
//! trying again can help.

mod config;
mod error;
mod folder;
mod mailer;
mod mails;
mod message;
mod smtp;

pub use config::{Config, Security, Smtp, Transport};
pub use domain::Secret;
pub use error::SendError;
pub use mailer::{Delivered, Mailer};
pub use mails::{AccountNotice, AddressInUse, Invitation, Mail, PasswordReset, moment};
pub use message::{Message, MessageId};
