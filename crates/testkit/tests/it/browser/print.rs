//! Pages on paper, and the bar at the top, which only a browser lays out. SQLite only, like all tests in a browser.

use serde_json::json;
use testkit::Engine;

use super::live::wait_until;
use super::seed::Seed;
use super::{Browser, Look, browse};

/// What paper must not have. An element without a box is not printed.
const LEFT_OVER: &str = "
    const left = document.querySelectorAll('main :is(button, .button, form, .pager a), .side, .pick');
    return Array.from(left).filter((one) => one.getClientRects().length > 0).map((one) => one.outerHTML.slice(0, 120));
";

/// Whether a list may begin on the page of its title, and its rows stay whole.
const BREAKS: &str = "
    const of = (selector) => Array.from(document.querySelectorAll(selector), (one) => getComputedStyle(one).breakInside);
    return [[...new Set(of('.panel'))], [...new Set(of('tbody tr'))]];
";

/// The width of A4 between margins of 10 mm, in pixels.
const PAPER: (u32, u32) = (718, 1_047);

async fn print(browser: &Browser, path: &str) {
    browser.open(path).await;
    browser.command("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
}

#[test]
fn paper_has_neither_buttons_nor_forms_and_breaks_between_rows() {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse(&seed.world.app, Look { window: PAPER, ..Look::default() }).await;
        browser.take_session(&seed.admin.cookie).await;
        let pages = [
            "/",
            "/sites/1",
            "/sites/1/roll-call",
            "/incursions",
            "/incursions/{incursion}",
            "/machines",
            "/machines/1",
            "/reports",
            "/people",
            "/settings/audit-log",
        ];
        for page in pages {
            let path = seed.fill(&seed.admin, page);
            print(&browser, &path).await;
            assert_eq!(browser.run(LEFT_OVER, &[]).await, json!([]), "{path}");
            let breaks = browser.run(BREAKS, &[]).await;
            assert_eq!(breaks[0], json!(["auto"]), "{path}");
            assert!([json!([]), json!(["avoid"])].contains(&breaks[1]), "{path}: {breaks}");
            let width = browser.run("return document.documentElement.scrollWidth", &[]).await;
            assert!(width.as_u64().unwrap_or(u64::MAX) <= u64::from(PAPER.0), "{path} is {width} wide");
        }
    });
}

#[test]
fn the_bar_at_the_top_is_one_line_on_a_laptop() {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let browser = browse(&seed.world.app, Look::default()).await;
        browser.take_session(&seed.admin.cookie).await;
        browser.open("/").await;
        // Not at once, because the window may still be getting its size.
        wait_until("a bar of one line", &async || {
            let height = browser.run("return document.querySelector('.top').offsetHeight", &[]).await;
            height.as_u64().is_some_and(|height| height < 60)
        })
        .await;
    });
}
