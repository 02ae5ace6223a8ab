//! What script adds to pages: what is under the pointer on a chart, buttons that copy, rows and columns that change places, time that runs.
//! SQLite only, like all tests in a browser.

use domain::Role;
use serde_json::json;
use testkit::{Engine, TestApp};

use super::seed::Seed;
use super::{Browser, Look, browse};
use crate::jobs::alerts::world::AlertWorld;

/// Moves the pointer over the first chart of the page until something is said there, and returns it.
const POINT_AT_CHART: &str = "
    const done = arguments[arguments.length - 1];
    const image = document.querySelector('[data-chart] img');
    image.scrollIntoView({ block: 'center' });
    const said = () => Array.from(document.querySelectorAll('.tip')).find((tip) => !tip.hidden)?.textContent ?? '';
    const look = () => {
      const { left, top, width, height } = image.getBoundingClientRect();
      for (let part = 0.02; part < 1 && said() === ''; part += 0.002) {
        const place = { clientX: left + width * part, clientY: top + height / 2 };
        image.dispatchEvent(new PointerEvent('pointermove', place));
      }
      return said();
    };
    let looks = 0;
    const again = () => {
      const found = look();
      looks += 1;
      if (found !== '' || looks > 50) done(found);
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
