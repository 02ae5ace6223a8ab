//! /account: the pages that links in mails lead to.

mod invitations;
mod password_resets;

use testkit::TestApp;

/// Returns the paths of the links in the mails to an address, oldest first.
pub fn links(app: &TestApp, email: &str) -> Vec<String> {
    let mails = app.mails().into_iter().filter(|mail| mail.to.as_str().eq_ignore_ascii_case(email));
    mails
        .map(|mail| {
            let text = mail.text;
            let link = text.split_whitespace().find(|word| word.contains("/account/")).unwrap();
            link[link.find("/account/").unwrap()..].to_owned()
        })
        .collect()
}
