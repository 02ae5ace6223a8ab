//! Notifies a user of a change to their sign-in.

use askama::Template;
use domain::AccountChange;

use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct AccountNotice {
    pub name: String,
    pub brand: String,
    pub change: AccountChange,
    /// Formatted for people.
    pub at: String,
}

#[derive(Template)]
#[template(path = "account_notice.txt")]
struct Text<'a> {
    mail: &'a AccountNotice,
}

#[derive(Template)]
#[template(path = "account_notice.html")]
struct Html<'a> {
    mail: &'a AccountNotice,
}

impl AccountNotice {
    fn change_sentence(&self) -> &'static str {
        match self.change {
            AccountChange::PasswordChanged => "Your password has been changed.",
            AccountChange::SecondFactorAdded => "A second factor has been added to your account.",
            AccountChange::SecondFactorRemoved => "The second factor has been removed from your account.",
        }
    }
}

impl EmailTemplate for AccountNotice {
    fn subject(&self) -> String {
        let what = match self.change {
            AccountChange::PasswordChanged => "Your password was changed",
            AccountChange::SecondFactorAdded => "A second factor was added",
            AccountChange::SecondFactorRemoved => "Your second factor was removed",
        };
        format!("{what} at {}", self.brand)
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
