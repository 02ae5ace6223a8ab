//! /account: the endpoints behind the pages that links in mails lead to.

mod invitations;
mod password_resets;

use testkit::TestApp;

/// Returns the paths of the endpoints for the links in the mails to an address, oldest first. The links themselves lead to pages.
pub fn links(app: &TestApp, email: &str) -> Vec<String> {
    let mails = app.mails().into_iter().filter(|mail| mail.to.as_str().eq_ignore_ascii_case(email));
    mails.filter_map(|mail| path_of_link(&mail.text)).collect()
}

/// Returns the path of the endpoint for the link in a mail.
pub fn path_of_link(text: &str) -> Option<String> {
    let pages =
        [("/invitations/", "/account/invitations/"), ("/password-resets/", "/account/password_resets/")];
    pages.into_iter().find_map(|(page, endpoint)| {
        let (_, rest) = text.split_once(page)?;
        Some(format!("{endpoint}{}", rest.split_whitespace().next()?))
    })
}
