//! Pages in whose browser somebody else signs in. SQLite only, like all tests in a browser.

use domain::Role;
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp};

use super::live::{HURRY_CHECKS, wait_until};
use super::{Look, browse};
use crate::jobs::alerts::world::AlertWorld;

const FIELDS: &str = "return document.querySelectorAll('input, textarea, select').length";

/// Whoever signs in next on a shared computer does not see what the one before saw.
#[test]
fn a_page_becomes_that_of_the_next_person_who_signs_in() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        browser.open("/settings/users").await;
        assert!(browser.says("restricted@example.com").await);
        browser.take_session(&world.viewer.cookie).await;
        browser.wait_for("You may not do this").await;
        assert_eq!(browser.place().await, "/settings/users");
        assert!(!browser.says("restricted@example.com").await);
    });
}

/// What was typed is neither shown to the next person nor sent in their name, and it is not thrown away.
#[test]
fn a_page_on_which_something_was_typed_is_out_of_sight_until_its_reader_is_back() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        browser.open("/machines/1").await;
        browser.fill("[name=note]", "Stop at the gate").await;
        browser.take_session(&world.viewer.cookie).await;
        let is_said = async || browser.says("Somebody else has signed in in this browser.").await;
        wait_until("the notice", &is_said).await;
        assert!(!browser.says("Digger").await, "{}", browser.text().await);
        assert!(!browser.title().await.contains("Digger"));
        // It is not only hidden.
        assert_eq!(browser.run(FIELDS, &[]).await, 0);
        browser.take_session(&world.admin.cookie).await;
        wait_until("the page", &async || browser.says("Digger").await).await;
        assert!(!is_said().await);
        assert_eq!(browser.value("[name=note]").await, "Stop at the gate");
    });
}

/// What somebody has typed or been shown is not in the page of the next person. Passwords are not kept for its reader either.
#[test]
fn passwords_and_tokens_are_out_of_reach_of_the_next_person() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let viewer = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
        let new = json!({ "name": "Gate" });
        app.post("/api/v1/admin/tester_devices").cookie(&admin.cookie).json(&new).send().await.expect(201);
        let browser = browse(&app, Look::default()).await;
        browser.take_session(&admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        let is_said = async || browser.says("Somebody else has signed in in this browser.").await;
        browser.open("/settings/password").await;
        browser.fill("[name=current_password]", PASSWORD).await;
        browser.take_session(&viewer.cookie).await;
        wait_until("the notice", &is_said).await;
        assert_eq!(browser.run(FIELDS, &[]).await, 0);
        browser.take_session(&admin.cookie).await;
        wait_until("the page", &async || !is_said().await).await;
        assert_eq!(browser.value("[name=current_password]").await, "");
        browser.open("/settings/tester-devices/1").await;
        browser.press("Generate a token").await;
        browser.wait_for("Copy it now").await;
        let token = browser.text_of("#secret").await;
        browser.take_session(&viewer.cookie).await;
        wait_until("the notice", &is_said).await;
        assert_eq!(browser.run("return document.body.textContent.includes('kct_')", &[]).await, false);
        browser.take_session(&admin.cookie).await;
        wait_until("the page", &async || !is_said().await).await;
        assert_eq!(browser.text_of("#secret").await, token);
    });
}
