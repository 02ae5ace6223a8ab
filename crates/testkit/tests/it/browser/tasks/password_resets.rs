//! A forgotten password

use domain::Role;
use testkit::TestApp;

use super::{arrive, assert_calm, link_to, sign_in};
use crate::browser::{Look, browse};

with_and_without_script!(a_forgotten_password_is_replaced_by_the_link_in_the_mail);

const NEW_PASSWORD: &str = "seven grey otters row";

async fn a_forgotten_password_is_replaced_by_the_link_in_the_mail(app: TestApp, look: Look) {
    app.create_user("grace@example.com", Role::Member).await;
    let browser = browse(&app, look).await;
    browser.open("/sign-in").await;
    browser.follow("Forgotten your password?").await;
    arrive(&browser, "/password-resets").await;
    browser.fill("[name=email]", "grace@example.com").await;
    browser.press("Send the link").await;
    browser.wait_for("Check your mail").await;
    app.run_jobs().await;
    let link = link_to(&app, "grace@example.com");
    browser.open(&link).await;
    browser.wait_for("Choose a new password.").await;
    browser.fill("[name=password]", NEW_PASSWORD).await;
    browser.press("Set the password").await;
    browser.wait_for("Your password is changed. Sign in with it.").await;
    sign_in(&browser, "grace@example.com", testkit::PASSWORD).await;
    browser.wait_for("is wrong.").await;
    sign_in(&browser, "grace@example.com", NEW_PASSWORD).await;
    arrive(&browser, "/").await;
    // The link works once.
    browser.open(&link).await;
    browser.wait_for("This link cannot be used").await;
    // The user is notified of the change.
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 2);
    assert_calm(&browser, &[401, 404]).await;
}
