//! Numbers that stay current, in many tabs, and pages that cannot be kept current. SQLite only, like all tests in a browser.

use std::time::Duration;

use app::LoadingHistory;
use domain::{BrandId, Day, Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, TestApp};

use super::{Browser, Look, browse};
use crate::jobs::alerts::world::AlertWorld;

const TABS: usize = 10;

/// Half a minute of the page is a moment of the test.
const HURRY: &str = "
    const later = window.setTimeout;
    window.setTimeout = (call, wait, ...more) => later(call, wait / 50, ...more);
";

/// A minute of the page is a moment of the test.
pub const HURRY_CHECKS: &str = "
    const often = window.setInterval;
    window.setInterval = (call, wait, ...more) => often(call, wait / 200, ...more);
";

/// Returns how often the page has asked whether its session is there.
const CHECKS: &str = "
    const isCheck = (entry) => entry.name.endsWith('/sign-in/session');
    return performance.getEntriesByType('resource').filter(isCheck).length;
";

/// A stream in the hands of the test, and a list of the times in milliseconds for which the page waits.
const HELD_STREAM: &str = "
    Math.random = () => 0.9;
    window.waits = [];
    const later = window.setTimeout;
    window.setTimeout = (call, wait, ...more) => {
      window.waits.push(wait);
      return later(call, wait, ...more);
    };
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      readyState = 0;
      constructor() {
        super();
        window.stream = this;
      }
      close() {}
    };
";

/// Loses the stream and has it back, and returns for how long the page waits then.
const LOSE_STREAM: &str = "
    window.waits.length = 0;
    window.stream.dispatchEvent(new Event('error'));
    window.stream.dispatchEvent(new Event('open'));
    return window.waits;
";

/// Whether the tab is visible and still shows the page that was opened in it.
const IS_SHOWN: &str = "return !document.hidden && window.isSameDocument === true";

/// Opens the overview in the tab that is shown.
async fn open_overview(browser: &Browser) {
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY })).await;
    browser.open("/").await;
    browser.run("window.isSameDocument = true", &[]).await;
    assert_eq!(incursions(browser).await, "2");
}

/// Returns the number of incursions that the overview shows.
async fn incursions(browser: &Browser) -> String {
    browser.text_of("[data-live=tile-incursions]").await
}

/// Waits until a condition holds.
pub async fn wait_until(what: &str, is_so: &impl AsyncFn() -> bool) {
    for _ in 0..1_200 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} never happened");
}

/// A browser has six connections to a service at most. Ten tabs with a stream each would leave none for pages.
#[test]
fn of_ten_tabs_the_visible_one_is_kept_current() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        open_overview(&browser).await;
        let mut tabs = Vec::new();
        for _ in 1..TABS {
            tabs.push(browser.open_tab().await);
            open_overview(&browser).await;
        }
        let one_stream = async || world.app.app.live_stats().open == 1;
        let is_current = async || incursions(&browser).await == "3";
        wait_until("a single stream", &one_stream).await;
        browser.show_tab(&tabs[4]).await;
        // A tab learns a moment later that it is visible.
        wait_until("another tab", &async || browser.run(IS_SHOWN, &[]).await == true).await;
        wait_until("a single stream of another tab", &one_stream).await;
        world.incursions(1, 1).await;
        world.advance_minutes(1);
        wait_until("the third incursion", &is_current).await;
        assert_eq!(browser.run(IS_SHOWN, &[]).await, true);
        // The others follow when they are looked at.
        browser.show_tab(&tabs[7]).await;
        wait_until("the third incursion in another tab", &is_current).await;
        assert_eq!(browser.run(IS_SHOWN, &[]).await, true);
        wait_until("a single stream at the end", &one_stream).await;
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

/// The notice is renewed while the history is being loaded, and goes when all of it is there.
#[test]
fn the_notice_about_history_follows_it() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let loaded = |percent| LoadingHistory { complete_from: Day::parse("2026-02-20").unwrap(), percent };
        world.app.app.note_loading_history(BrandId(1), loaded(10));
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        open_overview(&browser).await;
        let notice = "return document.querySelector('[data-live=history]')?.textContent ?? ''";
        let says = async |words: &str| browser.run(notice, &[]).await.as_str().unwrap().contains(words);
        assert!(says("10").await);
        world.app.app.note_loading_history(BrandId(1), loaded(60));
        wait_until("60 percent", &async || says("60").await).await;
        world.app.app.note_complete_history(BrandId(1));
        wait_until("the end of the notice", &async || browser.run(notice, &[]).await == "").await;
        assert_eq!(browser.run(IS_SHOWN, &[]).await, true);
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

/// When a host dies, all of its readers look again, and the hosts that are left must have the time to answer.
#[test]
fn a_page_that_loses_its_stream_looks_again_once_and_not_at_the_same_moment_as_others() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HELD_STREAM })).await;
        browser.open("/").await;
        let waits = browser.run(LOSE_STREAM, &[]).await;
        let waits: Vec<f64> = waits.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
        // Nine seconds, of which the moment has passed that the page took to plan it.
        assert!(waits.len() == 1 && waits[0] > 8_000.0, "{waits:?}");
    });
}

/// Ends the session of the page by another way, such as another tab.
async fn sign_out_elsewhere(world: &AlertWorld) {
    world.app.delete("/api/v1/session").cookie(&world.admin.cookie).send().await.expect(200);
}

/// Names and numbers must not stay on the screen of somebody who has signed out in another tab.
#[test]
fn a_page_whose_session_has_ended_leads_to_sign_in() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        open_overview(&browser).await;
        wait_until("a stream", &async || world.app.app.live_stats().open == 1).await;
        sign_out_elsewhere(&world).await;
        wait_until("the sign-in page", &async || browser.place().await.starts_with("/sign-in")).await;
        assert!(!browser.says("Digger").await);
    });
}

/// A page that asks whether its session is there does not keep it alive: one that nobody touches is signed out in time.
#[test]
fn a_page_without_numbers_that_nobody_touches_leads_to_sign_in() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let browser = browse(&app, Look::default()).await;
        browser.take_session(&admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        browser.open("/settings/users").await;
        app.clock.advance(Span::minutes(470));
        let before = checks(&browser).await;
        wait_until("two checks", &async || checks(&browser).await >= before + 2).await;
        assert_eq!(browser.place().await, "/settings/users");
        app.clock.advance(Span::minutes(10));
        wait_until("the sign-in page", &async || browser.place().await.starts_with("/sign-in")).await;
        assert_eq!(browser.place().await, "/sign-in?next=%2Fsettings%2Fusers");
    });
}

async fn checks(browser: &Browser) -> u64 {
    browser.run(CHECKS, &[]).await.as_u64().unwrap()
}

/// What is shown only once is not taken away.
#[test]
fn a_page_that_shows_a_token_says_that_its_session_has_ended() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let new = json!({ "name": "Gate" });
        app.post("/api/v1/admin/tester_devices").cookie(&admin.cookie).json(&new).send().await.expect(201);
        let browser = browse(&app, Look::default()).await;
        browser.take_session(&admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        browser.open("/settings/tester-devices/1").await;
        browser.press("Generate a token").await;
        browser.wait_for("Copy it now").await;
        app.delete("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
        browser.wait_for("You are no longer signed in.").await;
        assert_eq!(browser.place().await, "/settings/tester-devices/1/token");
        assert!(browser.text_of("#secret").await.starts_with("kct_"));
    });
}

/// What was typed is not thrown away, so that the page stays and says why it is old.
#[test]
fn a_page_on_which_something_was_typed_says_that_its_session_has_ended() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY })).await;
        browser.open("/machines/1").await;
        wait_until("a stream", &async || world.app.app.live_stats().open == 1).await;
        browser.fill("[name=note]", "Stop at the gate").await;
        sign_out_elsewhere(&world).await;
        browser.wait_for("You are no longer signed in.").await;
        assert_eq!(browser.place().await, "/machines/1");
        assert_eq!(browser.value("[name=note]").await, "Stop at the gate");
    });
}

/// What came back after signing in was not typed on this page, and is not thrown away either.
#[test]
fn a_form_that_came_back_stays_when_the_session_ends_again() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let browser = browse(&app, Look::default()).await;
        browser.take_session(&admin.cookie).await;
        browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": HURRY_CHECKS })).await;
        browser.open("/settings/tester-devices").await;
        browser.fill("#add [name=name]", "Gate 1").await;
        browser.forget_session().await;
        browser.press("Add").await;
        browser.wait_for("Your session is over").await;
        browser.fill("[name=email]", "ada@example.com").await;
        browser.fill("[name=password]", PASSWORD).await;
        browser.press("Sign in").await;
        browser.wait_for("Check the form and send it.").await;
        browser.forget_session().await;
        browser.wait_for("You are no longer signed in.").await;
        assert_eq!(browser.value("#add [name=name]").await, "Gate 1");
    });
}

/// A wall display must not look current while the service is away.
#[test]
fn a_page_without_the_service_says_that_its_numbers_are_old() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        open_overview(&browser).await;
        wait_until("a stream", &async || world.app.app.live_stats().open == 1).await;
        let is_said = async || browser.says("There is no connection to the service.").await;
        assert!(!is_said().await);
        set_offline(&browser, true).await;
        // The browser may keep the stream that is open; then the page learns that there is something to fetch.
        world.incursions(1, 1).await;
        world.advance_minutes(1);
        wait_until("the notice", &is_said).await;
        assert_eq!(incursions(&browser).await, "2");
        set_offline(&browser, false).await;
        wait_until("the third incursion", &async || incursions(&browser).await == "3").await;
        wait_until("the end of the notice", &async || !is_said().await).await;
        assert_eq!(browser.run(IS_SHOWN, &[]).await, true);
    });
}

/// Takes the network away from the page, or gives it back.
async fn set_offline(browser: &Browser, is_offline: bool) {
    let conditions = json!({
        "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
    });
    browser.command("Network.enable", json!({})).await;
    browser.command("Network.emulateNetworkConditions", conditions).await;
}
