//! An alert

use testkit::TestApp;

use super::{arrive, assert_calm, browse_as};
use crate::browser::Look;
use crate::jobs::alerts::world::AlertWorld;

with_and_without_script!(an_alert_is_tried_on_the_past_created_and_tested);

async fn an_alert_is_tried_on_the_past_created_and_tested(app: TestApp, look: Look) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 3).await;
    world.advance_minutes(2);
    let browser = browse_as(&world.app, look, &world.member.cookie).await;
    browser.open("/alerts").await;
    browser.wait_for("No alerts yet").await;
    browser.follow("New alert").await;
    browser.wait_for("What do you want to watch?").await;
    browser.click("a[href='/alerts/new?metric=incursions']").await;
    arrive(&browser, "/alerts/new?metric=incursions").await;
    browser.fill("[name=threshold]", "50").await;
    browser.press("Try on the past").await;
    browser.wait_for("It would have fired 0 times").await;
    browser.fill("[name=threshold]", "3").await;
    browser.choose("[name=split_by]", "machine").await;
    browser.press("Try on the past").await;
    browser.wait_for("It would have fired once").await;
    browser.wait_for("Digger").await;
    // What was tried is still filled in.
    assert_eq!(browser.value("[name=threshold]").await, "3");
    assert_eq!(browser.value("[name=split_by]").await, "machine");
    browser.fill("[name=name]", "Too many").await;
    browser.fill("[name=recipients]", "ada@example.com").await;
    browser.press("Create the alert").await;
    browser.wait_for("The alert was created.").await;
    arrive(&browser, "/alerts/1").await;
    browser.wait_for("Incursions: at least 3 in 60 minutes").await;
    browser.press("Send a test message").await;
    browser.wait_for("A test message is on its way.").await;
    world.app.run_jobs().await;
    // Whoever creates an alert is among its recipients unless they choose otherwise.
    let recipients: Vec<_> = world.app.mails().iter().map(|mail| mail.to.as_str().to_owned()).collect();
    assert_eq!(recipients, ["ada@example.com", "member@example.com"]);
    assert_calm(&browser, &[]).await;
}
