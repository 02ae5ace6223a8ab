//! Invites someone to join a brand.

use askama::Template;
use domain::Role;

use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct Invitation {
    pub name: String,
    /// `None` if the installation's operator sends the invitation.
    pub inviter: Option<String>,
    pub brand: String,
    pub role: Role,
    pub link: String,
    /// Expiry of the link, formatted for people.
    pub until: String,
}

#[derive(Template)]
#[template(path = "invitation.txt")]
struct Text<'a> {
    mail: &'a Invitation,
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct Html<'a> {
    mail: &'a Invitation,
}

impl Invitation {
    /// Returns the role with its article.
    fn as_role(&self) -> &'static str {
        match self.role {
            Role::Viewer => "a viewer",
            Role::Member => "a member",
            Role::Admin => "an admin",
        }
    }
}

impl EmailTemplate for Invitation {
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
