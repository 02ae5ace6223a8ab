//! Signing in and out

use domain::{Role, Span};
use serde_json::json;
use testkit::{Account, PASSWORD, TestApp};

use super::{arrive, assert_calm, sign_in, sign_in_and_arrive};
use crate::browser::{Look, browse};

with_and_without_script!(somebody_signs_in_and_out, the_code_of_a_second_factor_is_typed);

async fn somebody_signs_in_and_out(app: TestApp, look: Look) {
    app.create_user("ada@example.com", Role::Admin).await;
    let browser = browse(&app, look).await;
    browser.open("/settings/tags").await;
    browser.wait_for("Please sign in to see this page.").await;
    sign_in(&browser, "ada@example.com", "wrong wagon sixty tiles").await;
    browser.wait_for("is wrong.").await;
    assert_eq!(browser.value("[name=email]").await, "ada@example.com");
    assert_eq!(browser.value("[name=password]").await, "");
    sign_in_and_arrive(&browser, "ada@example.com", "/settings/tags").await;
    browser.press("Sign out").await;
    browser.wait_for("You are signed out.").await;
    browser.open("/settings/tags").await;
    browser.wait_for("Please sign in to see this page.").await;
    assert_calm(&browser, &[401]).await;
}

/// Adds a second factor to an account, and returns its secret.
async fn add_second_factor(app: &TestApp, user: &Account) -> String {
    let path = "/api/v1/session/second_factor";
    let begun = app.post(path).cookie(&user.cookie).send().await.expect(201).json();
    let secret = begun["secret"].as_str().unwrap();
    let confirm = app.post(&format!("{path}/confirm")).cookie(&user.cookie);
    confirm.json(&json!({ "otp": app.otp(secret) })).send().await.expect(200);
    app.run_jobs().await;
    // A code is good for once.
    app.clock.advance(Span::seconds(30));
    secret.to_owned()
}

async fn the_code_of_a_second_factor_is_typed(app: TestApp, look: Look) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let secret = add_second_factor(&app, &ada).await;
    let browser = browse(&app, look).await;
    browser.open("/settings").await;
    sign_in(&browser, "ada@example.com", PASSWORD).await;
    browser.wait_for("Your account has a second factor.").await;
    browser.fill("[name=otp]", "000000").await;
    browser.fill("[name=password]", PASSWORD).await;
    browser.press("Sign in").await;
    browser.wait_for("or the code is wrong.").await;
    browser.fill("[name=otp]", &app.otp(&secret)).await;
    browser.fill("[name=password]", PASSWORD).await;
    browser.press("Sign in").await;
    arrive(&browser, "/settings").await;
    assert_eq!(browser.status().await, 200);
    assert_calm(&browser, &[401]).await;
}
