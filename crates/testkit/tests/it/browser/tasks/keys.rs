//! Keys that all pages have. SQLite only, because no engine sees them.

use domain::Role;
use testkit::{Engine, TestApp};

use super::{ESCAPE, assert_calm, browse_as};
use crate::browser::Look;

#[test]
fn keys_lead_to_the_search_and_close_menus() {
    testkit::run(Engine::Sqlite, press_keys);
}

async fn press_keys(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let browser = browse_as(&app, Look::default(), &admin.cookie).await;
    browser.open("/settings/tester-devices").await;
    browser.type_keys("/").await;
    assert_eq!(browser.run("return document.activeElement.name", &[]).await, "q");
    assert_eq!(browser.value("[name=q]").await, "");
    // In a field it is a character like any other.
    browser.fill("#add [name=name]", "Gate 1/2").await;
    assert_eq!(browser.value("#add [name=name]").await, "Gate 1/2");
    browser.open("/incursions").await;
    browser.click("details.menu summary").await;
    let is_open = "return document.querySelector('details.menu').open";
    assert_eq!(browser.run(is_open, &[]).await, true);
    browser.type_keys(ESCAPE).await;
    assert_eq!(browser.run(is_open, &[]).await, false);
    assert_calm(&browser, &[]).await;
}
