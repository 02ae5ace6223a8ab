//! A session that ends in the middle of a form

use domain::Role;
use testkit::{PASSWORD, TestApp};

use super::{assert_calm, browse_as, sign_in};
use crate::browser::Look;

with_and_without_script!(a_form_comes_back_after_signing_in_again);

const PAGE: &str = "/settings/tester-devices";

async fn a_form_comes_back_after_signing_in_again(app: TestApp, look: Look) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let browser = browse_as(&app, look, &admin.cookie).await;
    browser.open(PAGE).await;
    browser.fill("#add [name=name]", "Gate \"1\" & <2>").await;
    browser.fill("#add [name=serial]", "KT-1").await;
    app.delete("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
    browser.press("Add").await;
    browser.wait_for("Your session is over").await;
    // A wrong password loses nothing.
    sign_in(&browser, "ada@example.com", "wrong wagon sixty tiles").await;
    browser.wait_for("is wrong.").await;
    sign_in(&browser, "ada@example.com", PASSWORD).await;
    if !look.has_script {
        browser.press("Back to your form").await;
    }
    browser.wait_for("Check the form and send it.").await;
    assert_eq!(browser.value("#add [name=name]").await, "Gate \"1\" & <2>");
    assert_eq!(browser.value("#add [name=serial]").await, "KT-1");
    browser.press("Add").await;
    browser.wait_for("The tester device was added.").await;
    assert_eq!(browser.place().await, format!("{PAGE}/1"));
    assert_calm(&browser, &[401]).await;
}
