//! Notifies a user of a change to their sign-in.

use askama::Template;
use domain::AccountChange;
use texts::{Language, mails};

use super::{greeting, signature};
use crate::EmailTemplate;

#[derive(Clone, Debug)]
pub struct AccountNotice {
    pub language: Language,
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
    fn greeting(&self) -> String {
        greeting(self.language, &self.name)
    }

    fn signature(&self) -> String {
        signature(self.language, &self.brand)
    }

    fn change_sentence(&self) -> &'static str {
        let sentence = match self.change {
            AccountChange::PasswordChanged => mails::PASSWORD_CHANGED,
            AccountChange::SecondFactorAdded => mails::FACTOR_ADDED,
            AccountChange::SecondFactorRemoved => mails::FACTOR_REMOVED,
        };
        sentence.get(self.language)
    }

    fn changed_at(&self) -> String {
        mails::CHANGED_AT.fill(self.language, &[("at", &self.at)])
    }

    /// Returns what stands before and after the name of the brand.
    fn if_not_you(&self) -> (String, String) {
        mails::IF_NOT_YOU.around(self.language, "brand", &[])
    }
}

impl EmailTemplate for AccountNotice {
    fn subject(&self) -> String {
        let subject = match self.change {
            AccountChange::PasswordChanged => mails::PASSWORD_CHANGED_SUBJECT,
            AccountChange::SecondFactorAdded => mails::FACTOR_ADDED_SUBJECT,
            AccountChange::SecondFactorRemoved => mails::FACTOR_REMOVED_SUBJECT,
        };
        subject.fill(self.language, &[("brand", &self.brand)])
    }

    fn text(&self) -> askama::Result<String> {
        Text { mail: self }.render()
    }

    fn html(&self) -> askama::Result<String> {
        Html { mail: self }.render()
    }
}
