//! The token of a tester device

use domain::Role;
use testkit::TestApp;

use super::{assert_calm, browse_as};
use crate::browser::{Browser, Look};

with_and_without_script!(a_token_is_generated_used_replaced_and_revoked);

const PAGE: &str = "/settings/tester-devices/1";

/// Presses a button that issues a token, and returns what is shown.
async fn issue(browser: &Browser, button: &str) -> String {
    browser.press(button).await;
    browser.wait_for("Copy it now").await;
    browser.text_of("#secret").await
}

/// Calls the API as the device with this token.
async fn assert_status(app: &TestApp, token: &str, status: u16) {
    app.get("/api/v1/tester/people_assets").bearer(token).send().await.expect(status);
}

async fn a_token_is_generated_used_replaced_and_revoked(app: TestApp, look: Look) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let browser = browse_as(&app, look, &admin.cookie).await;
    browser.open("/settings/tester-devices").await;
    browser.fill("#add [name=name]", "Gate 1").await;
    browser.fill("#add [name=serial]", "KT-1").await;
    browser.press("Add").await;
    browser.wait_for("The tester device was added. Generate its token next.").await;
    assert_eq!(browser.place().await, PAGE);
    let first = issue(&browser, "Generate a token").await;
    assert_status(&app, &first, 200).await;
    // It is shown once; afterwards only its beginning is.
    browser.open(PAGE).await;
    browser.wait_for(&first[..10]).await;
    assert!(!browser.says(&first).await);
    let second = issue(&browser, "Replace the token").await;
    assert_ne!(first, second);
    assert_status(&app, &first, 401).await;
    assert_status(&app, &second, 200).await;
    browser.press("Revoke the token").await;
    browser.wait_for("The token was revoked.").await;
    browser.wait_for("There is no token.").await;
    assert_status(&app, &second, 401).await;
    assert_calm(&browser, &[]).await;
}
