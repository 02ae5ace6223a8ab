//! A visitor at the gate

use testkit::TestApp;

use super::{arrive, assert_calm, browse_as};
use crate::browser::Look;
use crate::v1::incursions::Yard;

with_and_without_script!(a_visitor_is_checked_in_and_out);

/// Returns the state of the visit.
async fn state(yard: &Yard) -> String {
    let call = yard.app.get("/api/v1/visitor_sessions/1").cookie(&yard.admin.cookie);
    call.send().await.expect(200).json()["state"].as_str().unwrap().to_owned()
}

async fn a_visitor_is_checked_in_and_out(app: TestApp, look: Look) {
    let yard = Yard::new(app).await;
    let browser = browse_as(&yard.app, look, &yard.admin.cookie).await;
    browser.open("/visitors").await;
    browser.wait_for("Nobody is on site").await;
    browser.fill("#check-in [name=name]", "Grace Hopper").await;
    browser.fill("#check-in [name=company]", "Plums & Co").await;
    browser.fill("#check-in [name=tag_serial]", "V-1").await;
    browser.choose("#check-in [name=worksite_id]", "1").await;
    browser.fill("#check-in [name=notes]", "Lift inspection").await;
    browser.press("Check in").await;
    browser.wait_for("The visitor is checked in.").await;
    for words in ["One visitor on site", "Grace Hopper", "Plums & Co · Site 1 · V-1"] {
        browser.wait_for(words).await;
    }
    browser.press("Check out").await;
    browser.wait_for("The visitor is checked out.").await;
    browser.wait_for("Nobody is on site").await;
    assert_eq!(state(&yard).await, "completed");
    browser.press("Undo").await;
    browser.wait_for("The visitor is on site again.").await;
    assert_eq!(state(&yard).await, "active");
    browser.open("/visitors").await;
    browser.follow("Grace Hopper").await;
    arrive(&browser, "/visitors/1").await;
    browser.wait_for("Visit of Grace Hopper").await;
    browser.press("Check out").await;
    browser.wait_for("The visitor is checked out.").await;
    assert_eq!(state(&yard).await, "completed");
    assert_calm(&browser, &[]).await;
}
