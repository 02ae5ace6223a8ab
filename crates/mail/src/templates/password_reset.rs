//! Lets a user choose a new password.

use askama::Template;
use texts::{Language, mails};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct PasswordReset {
    pub language: Language,
    pub name: String,
    pub brand: String,
    pub link: String,
    /// Expiry of the link, formatted for people.
    pub until: String,
}

#[derive(Template)]
#[template(path = "password_reset.txt")]
struct Text<'a> {
    mail: &'a PasswordReset,
}

#[derive(Template)]
#[template(path = "password_reset.html")]
struct Html<'a> {
    mail: &'a PasswordReset,
}

impl PasswordReset {
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    /// Returns what stands before and after the name of the brand.
    fn requested(&self) -> (String, String) {
        mails::RESET_REQUESTED.around(self.language, "brand", &[])
    }

    fn open(&self) -> &'static str {
        mails::OPEN_RESET.get(self.language)
    }

    fn choose(&self) -> &'static str {
        mails::CHOOSE_PASSWORD.get(self.language)
    }

    fn until_when(&self) -> String {
        mails::RESET_UNTIL.fill(self.language, &[("until", &self.until)])
    }
}

impl EmailTemplate for PasswordReset {
    fn subject(&self) -> String {
        mails::RESET_SUBJECT.fill(self.language, &[("brand", &self.brand)])
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
