//! Lets someone choose a new password.

use askama::Template;

use crate::EmailTemplate;

/// Lets someone choose a new password.
#[derive(Clone, Debug)]
pub struct PasswordReset {
    /// Whom.
    pub name: String,
    /// Where they sign in.
    pub brand: String,
    /// Where to go.
    pub link: String,
    /// Until when that is good, for people.
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
