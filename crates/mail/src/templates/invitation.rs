//! Asks someone to join.

use askama::Template;
use domain::Role;

use crate::EmailTemplate;

/// Asks someone to join a brand.
#[derive(Clone, Debug)]
pub struct Invitation {
    /// Whom.
    pub name: String,
    /// Who asks; none if the installation's operator does.
    pub inviter: Option<String>,
    /// To join what.
    pub brand: String,
    /// As what.
    pub role: Role,
    /// Where to go.
    pub link: String,
    /// Until when that is good, for people.
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
    /// With its article, as a sentence takes it.
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
