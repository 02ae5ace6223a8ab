//! Forms: a session that ends in the middle of one, and second clicks

use domain::Role;
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp};

use super::{assert_calm, browse_as, sign_in};
use crate::browser::{Look, browse};

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

/// SQLite only, because no engine sees the second click.
#[test]
fn a_second_click_is_not_sent() {
    testkit::run(Engine::Sqlite, click_twice);
}

async fn click_twice(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "Gate 1" });
    app.post("/api/v1/admin/tester_devices").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let browser = browse_as(&app, Look::default(), &admin.cookie).await;
    browser.open(&format!("{PAGE}/1")).await;
    // The page stays, so that its button can be looked at. Whether a click would have been sent is known when all others have seen it.
    let clicks = "const prevented = [];
        addEventListener('submit', (event) => {
          prevented.push(event.defaultPrevented);
          event.preventDefault();
        });
        const button = document.querySelector('#token button');
        button.click();
        button.click();
        return prevented;";
    assert_eq!(browser.run(clicks, &[]).await, json!([false, true]));
    // It is disabled once the form has been read, which a timer of the page waits for.
    let is_held = "const done = arguments[arguments.length - 1];
        setTimeout(() => done(document.querySelector('#token button:not([data-copy])').disabled), 10);";
    assert_eq!(browser.run_until_done(is_held).await, true);
    // A button that was clicked once works as ever.
    browser.open(&format!("{PAGE}/1")).await;
    browser.press("Generate a token").await;
    browser.wait_for("Copy it now").await;
    assert_calm(&browser, &[]).await;
}

/// Clicks twice on the button of the form with a password, and returns which clicks were not sent. The page stays.
const CLICK_TWICE_ON_PASSWORD: &str = "
    const prevented = [];
    addEventListener('submit', (event) => {
      prevented.push(event.defaultPrevented);
      event.preventDefault();
    });
    const { form } = document.querySelector('input[type=password]');
    form.noValidate = true;
    const button = form.querySelector('button');
    button.click();
    button.click();
    return prevented;
";

/// The first click uses a code up, or changes the password that the second one brings. SQLite only, like the one above.
#[test]
fn a_second_click_on_a_form_with_a_password_is_not_sent() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
        let browser = browse(&app, Look::default()).await;
        browser.open("/sign-in").await;
        assert_eq!(browser.run(CLICK_TWICE_ON_PASSWORD, &[]).await, json!([false, true]));
        browser.take_session(&ada.cookie).await;
        browser.open("/settings/password").await;
        assert_eq!(browser.run(CLICK_TWICE_ON_PASSWORD, &[]).await, json!([false, true]));
        assert_calm(&browser, &[]).await;
    });
}
