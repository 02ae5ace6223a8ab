//! What script adds to pages: what is under the pointer on a chart, buttons that copy, rows and columns that change places, time that runs,
//! names that are suggested.
//! SQLite only, like all tests in a browser.

use domain::Role;
use serde_json::json;
use testkit::{Engine, TestApp};

use super::seed::Seed;
use super::{Browser, Look, browse};
use crate::jobs::alerts::world::AlertWorld;

/// Moves the pointer over the first chart of the page, again until it says something, and returns all that it says.
const POINT_AT_CHART: &str = "
    const done = arguments[arguments.length - 1];
    const image = document.querySelector('[data-chart] img');
    image.scrollIntoView({ block: 'center' });
    const said = () => Array.from(document.querySelectorAll('.tip')).find((tip) => !tip.hidden)?.textContent ?? '';
    const look = () => {
      const { left, top, width, height } = image.getBoundingClientRect();
      const texts = new Set();
      for (let part = 0.02; part < 1; part += 0.002) {
        const place = { clientX: left + width * part, clientY: top + height / 2 };
        image.dispatchEvent(new PointerEvent('pointermove', place));
        if (said() !== '') texts.add(said());
      }
      return Array.from(texts).join('; ');
    };
    let looks = 0;
    const again = () => {
      const found = look();
      looks += 1;
      if (found !== '' || looks > 400) done(found);
      else setTimeout(again, 100);
    };
    again();
";

/// Keeps what is copied, because browsers of tests have no clipboard.
const KEEP_COPY: &str = "navigator.clipboard.writeText = async (text) => { window.copied = text; }";

/// An hour later.
const LATER: &str = "
    const now = performance.now.bind(performance);
    performance.now = () => now() + 3_600_000;
    document.dispatchEvent(new Event('visibilitychange'));
";

/// Returns how long a visitor has been on site, as the page says.
async fn stay(browser: &Browser) -> String {
    let text = browser.run("return document.querySelector('[data-stay]').textContent", &[]).await;
    text.as_str().unwrap().to_owned()
}

#[test]
fn charts_say_what_is_under_the_pointer() {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse(&seed.world.app, Look::default()).await;
        browser.take_session(&seed.admin.cookie).await;
        for path in ["/", "/machines/1"] {
            browser.open(path).await;
            let said = browser.run_until_done(POINT_AT_CHART).await;
            assert!(said.as_str().is_some_and(|said| said.contains("incursions")), "{path}: {said}");
        }
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

#[test]
fn the_chart_of_a_dry_run_says_what_is_under_the_pointer() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 3).await;
        world.advance_minutes(2);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.member.cookie).await;
        browser.open("/alerts/new?metric=incursions").await;
        browser.fill("[name=threshold]", "3").await;
        browser.press("Try on the past").await;
        browser.wait_for("It would have fired once").await;
        let said = browser.run_until_done(POINT_AT_CHART).await;
        assert!(said.as_str().is_some_and(|said| said.contains("Worst value")), "{said}");
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

#[test]
fn names_are_suggested_while_one_is_written() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let zoe = json!({ "kind": "staff", "name": "Zoe", "company": "Acme" });
        world.app.post("/api/v1/people").cookie(&world.admin.cookie).json(&zoe).send().await.expect(201);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.open("/incursions").await;
        browser.click("section.panel summary").await;
        browser.fill("[name=find_operator]", "zo").await;
        let suggested = "#field-find_operator-names option";
        assert_eq!(browser.value(suggested).await, "Zoe");
        // Some browsers show and filter by this alone.
        let label = format!("return document.querySelector('{suggested}').label");
        assert_eq!(browser.run(&label, &[]).await, "Zoe (Acme)");
        browser.open("/incursions").await;
        browser.click("section.panel summary").await;
        browser.fill("[name=find_person]", "ad").await;
        assert_eq!(browser.value("#field-find_person-names option").await, "Ada");
        browser.run("document.querySelector('form.filters').requestSubmit()", &[]).await;
        browser.wait_for("Person: Ada").await;
        assert_eq!(browser.place().await, "/incursions?review=unreviewed&review=confirmed&person_id=1");
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

#[test]
fn a_token_is_copied() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let device = json!({ "name": "Gate" });
        app.post("/api/v1/admin/tester_devices").cookie(&admin.cookie).json(&device).send().await.expect(201);
        let browser = browse(&app, Look::default()).await;
        browser.take_session(&admin.cookie).await;
        browser.open("/settings/tester-devices/1").await;
        browser.press("Generate a token").await;
        browser.wait_for("Copy it now").await;
        browser.run(KEEP_COPY, &[]).await;
        browser.press("Copy").await;
        browser.wait_for("Copied").await;
        assert_eq!(browser.run("return window.copied", &[]).await, browser.text_of("#secret").await);
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

#[test]
fn rows_and_columns_of_a_table_change_places() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        world.incursions(1, 2).await;
        world.advance_minutes(1);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.open("/explore?row1=machine&column1=zone&measure=incursions").await;
        browser.click("[data-swap]").await;
        assert_eq!(browser.value("[data-pivot] [name=row1]").await, "zone");
        assert_eq!(browser.value("[data-pivot] [name=column1]").await, "machine");
        browser.press("Show the table").await;
        browser.wait_for("by Zone, Machine").await;
        // What was left empty is not in the address.
        let place = browser.place().await;
        assert!(place.contains("row1=zone&column1=machine") && !place.contains("row2"), "{place}");
        assert_eq!(browser.errors().await, [""; 0]);
    });
}

#[test]
fn the_time_of_visitors_on_site_runs() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let world = AlertWorld::new(app).await;
        let visit = json!({ "name": "Grace", "tag_serial": "V-1", "worksite_id": 1 });
        world.post("visitor_sessions", &visit).await;
        world.advance_minutes(25);
        let browser = browse(&world.app, Look::default()).await;
        browser.take_session(&world.admin.cookie).await;
        browser.open("/visitors").await;
        assert_eq!(stay(&browser).await, "25\u{a0}min");
        browser.run(LATER, &[]).await;
        assert_eq!(stay(&browser).await, "1\u{a0}h 25\u{a0}min");
    });
}
