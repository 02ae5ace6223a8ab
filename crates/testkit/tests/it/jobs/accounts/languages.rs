//! Mails in the language of their recipient, or else of the brand.

use domain::{LinkPurpose, Role, UserState};
use http::Method;
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use crate::jobs::{issue, user};

on_both_engines!(
    an_invitation_is_in_the_language_of_the_brand,
    a_mail_is_in_the_language_of_its_recipient,
    a_language_without_texts_is_english,
);

async fn set_brand_locale(app: &TestApp, admin: &Account, locale: &str) {
    let body = json!({ "locale": locale, "time_zone": "Europe/Vienna" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&body).send().await.expect(200);
}

async fn set_own_language(app: &TestApp, user: &Account, language: &str) {
    let path = "/api/v2/user_preferences";
    let found = app.get(path).bearer(&user.jwt).send().await.expect(200).json();
    let attributes = json!({ "language": language });
    let body = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": attributes,
    } });
    let call = app.request(Method::PATCH, path).bearer(&user.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(200);
}

async fn change_password(app: &TestApp, user: &Account, from: &str, to: &str) {
    let body = json!({ "current_password": from, "new_password": to });
    let call = app.request(Method::PUT, "/api/v1/session/password").cookie(&user.cookie);
    call.json(&body).send().await.expect(200);
    app.run_jobs().await;
}

async fn an_invitation_is_in_the_language_of_the_brand(app: TestApp) {
    let admin = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    set_brand_locale(&app, &admin, "de-AT").await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    issue(&app, &ada, LinkPurpose::Invitation).await;
    app.run_jobs().await;
    let mail = app.mails().pop().unwrap();
    assert_eq!(mail.subject, "Ihre Einladung zu Acme");
    assert!(mail.text.contains("Guten Tag ada,"), "{}", mail.text);
    assert!(mail.text.contains("bis 8. März 2026, 13:00 (Europe/Vienna)"), "{}", mail.text);
    assert!(mail.html.contains("<html lang=\"de\">"), "{}", mail.html);
}

async fn a_mail_is_in_the_language_of_its_recipient(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    set_brand_locale(&app, &ada, "de").await;
    set_own_language(&app, &ada, "en-GB").await;
    change_password(&app, &ada, testkit::PASSWORD, "seven grey otters row").await;
    assert_eq!(app.mails().pop().unwrap().subject, "Your password was changed at Acme");
    // Someone who has chosen nothing reads the language of the brand.
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    change_password(&app, &bob, testkit::PASSWORD, "seven grey otters row").await;
    let mail = app.mails().pop().unwrap();
    assert_eq!(mail.subject, "Ihr Passwort bei Acme wurde geändert");
    assert!(mail.text.contains("Die Änderung erfolgte am 1. März 2026, 13:00"), "{}", mail.text);
}

async fn a_language_without_texts_is_english(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    set_own_language(&app, &ada, "sv-SE").await;
    change_password(&app, &ada, testkit::PASSWORD, "seven grey otters row").await;
    let mail = app.mails().pop().unwrap();
    assert_eq!(mail.subject, "Your password was changed at Acme");
    assert!(mail.html.contains("<html lang=\"en\">"), "{}", mail.html);
}
