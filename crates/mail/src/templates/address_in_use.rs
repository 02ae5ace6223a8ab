//! Notifies someone who was invited that their address already has an account.

use askama::Template;
use texts::{Language, mails};

use super::{greeting, signature};
use crate::EmailTemplate;

/// Notifies someone who was invited to a brand that their address already has an account in the installation. It does not name
/// the other brand: the receiver knows it, and nobody else may learn it.
#[derive(Clone, Debug)]
pub struct AddressInUse {
    pub language: Language,
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

impl AddressInUse {
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    /// Returns what stands before and after the name of the brand.
    fn invited(&self) -> (String, String) {
        match &self.inviter {
            Some(inviter) => mails::ADDRESS_IN_USE_BY.around(self.language, "brand", &[("inviter", inviter)]),
            None => mails::ADDRESS_IN_USE.around(self.language, "brand", &[]),
        }
    }

    fn has_account(&self) -> &'static str {
        mails::ADDRESS_HAS_ACCOUNT.get(self.language)
    }

    fn use_another_address(&self) -> String {
        mails::USE_ANOTHER_ADDRESS.fill(self.language, &[("brand", &self.brand)])
    }
}

impl EmailTemplate for AddressInUse {
    fn subject(&self) -> String {
        mails::INVITATION_SUBJECT.fill(self.language, &[("brand", &self.brand)])
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
