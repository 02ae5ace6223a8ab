//! Lets a user choose a new password.

use askama::Template;

use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct PasswordReset {
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

impl EmailTemplate for PasswordReset {
    fn subject(&self) -> String {
        format!("A new password for {}", self.brand)
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
