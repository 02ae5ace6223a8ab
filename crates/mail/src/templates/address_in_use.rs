//! Notifies someone who was invited that their address already has an account.

use askama::Template;

use crate::EmailTemplate;

/// Notifies someone who was invited to a brand that their address already has an account in the installation. It does not name
/// the other brand: the receiver knows it, and nobody else may learn it.
#[derive(Clone, Debug)]
pub struct AddressInUse {
    pub name: String,
    /// `None` if the installation's operator sends the invitation.
    pub inviter: Option<String>,
    pub brand: String,
}

#[derive(Template)]
#[template(path = "address_in_use.txt")]
struct Text<'a> {
    mail: &'a AddressInUse,
}

#[derive(Template)]
#[template(path = "address_in_use.html")]
struct Html<'a> {
    mail: &'a AddressInUse,
}

impl EmailTemplate for AddressInUse {
    fn subject(&self) -> String {
        format!("Your invitation to {}", self.brand)
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
