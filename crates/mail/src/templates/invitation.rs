//! Invites someone to join a brand.

use askama::Template;
use domain::Role;
use texts::{Language, mails};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct Invitation {
    pub language: Language,
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
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    /// Returns what stands before and after the name of the brand.
    fn invited(&self) -> (String, String) {
        let role = match self.role {
            Role::Viewer => mails::ROLE_VIEWER,
            Role::Member => mails::ROLE_MEMBER,
            Role::Admin => mails::ROLE_ADMIN,
        };
        let role = ("role", role.get(self.language));
        match &self.inviter {
            Some(inviter) => mails::INVITED_BY.around(self.language, "brand", &[("inviter", inviter), role]),
            None => mails::INVITED.around(self.language, "brand", &[role]),
        }
    }

    fn open(&self) -> &'static str {
        mails::OPEN_INVITATION.get(self.language)
    }

    fn accept(&self) -> &'static str {
        mails::ACCEPT_INVITATION.get(self.language)
    }

    fn until_when(&self) -> String {
        mails::INVITATION_UNTIL.fill(self.language, &[("until", &self.until)])
    }
}

impl EmailTemplate for Invitation {
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
