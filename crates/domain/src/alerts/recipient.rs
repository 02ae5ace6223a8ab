//! Who an alert is mailed to.

use crate::{AlertRecipientId, EmailAddress, Timestamp, UserId};

/// A recipient as it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewRecipient {
    /// Gets what that user may see.
    User(UserId),
    /// Is never matched with a user, even if one has the same address.
    Address(EmailAddress),
}

/// A user or an address that an alert is mailed to.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct AlertRecipient {
    pub id: AlertRecipientId,
    #[row(column = "user_id")]
    pub user: Option<UserId>,
    pub user_name: Option<String>,
    /// None for a user.
    pub email: Option<String>,
    pub unsubscribed_at: Option<Timestamp>,
    /// When the mail server refused the address.
    pub refused_at: Option<Timestamp>,
    /// The code with which it did.
    pub refused_reason: Option<String>,
}

impl AlertRecipient {
    /// The maximum number of recipients of an alert.
    pub const MAX: usize = 50;
}
