//! Tells someone who was asked to join why they cannot under this address.

use askama::Template;

use crate::EmailTemplate;

/// Tells someone who was invited to a brand that their address already has an account in the installation. It does not say
/// where: they know, and nobody else is to learn it.
#[derive(Clone, Debug)]
pub struct AddressInUse {
    /// Whom.
    pub name: String,
    /// Who asks; none if the installation's operator does.
    pub inviter: Option<String>,
    /// To join what.
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
