//! Messages to people: what they say, and how they are handed over.
//!
//! A mail is a struct with two templates (`mails/`). A [`Message`] is a mail with an address, a date and an id that the
//! caller gives, so that sending it again sends the same bytes. A [`Mailer`] hands it over, and says of a failure whether
//! trying again can help.

mod config;
mod email;
mod error;
mod folder;
mod mailer;
mod smtp;
mod templates;

pub use config::{Config, Security, Smtp, Transport};
pub use domain::Secret;
pub use email::{Email, MessageId};
pub use error::SendError;
pub use mailer::{Mailer, SentEmail};
pub use templates::{AccountNotice, AddressInUse, EmailTemplate, Invitation, PasswordReset, format_time};
