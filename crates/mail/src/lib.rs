//! Mail to users: templates and transports.
//!
//! A mail is a struct with two templates (`templates/`). An [`Email`] is a rendered mail with an address, a date, an id and files
//! given by the caller, so that sending it again sends the same bytes. A [`Mailer`] sends it and reports whether a failure can
//! be retried.

#[cfg(test)]
mod address_tests;
mod config;
mod email;
mod error;
mod folder;
mod mailer;
mod smtp;
mod templates;

pub use config::{Config, Security, Smtp, Transport};
pub use domain::Secret;
pub use email::{Attachment, Email, InlineImage, MessageId};
pub use error::SendError;
pub use mailer::{Mailer, SentEmail};
pub use templates::{
    AccountNotice, AddressInUse, Alert, AlertChart, AlertMailKind, AlertRow, EmailTemplate, FailedRun,
    Invitation, PasswordReset, ReportLink, ScheduledReport, WebhookDisabled, format_time,
};
