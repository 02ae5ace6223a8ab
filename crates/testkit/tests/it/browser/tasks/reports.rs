//! A report

use testkit::TestApp;

use super::{arrive, assert_calm, browse_as, set, wait_or_reload};
use crate::browser::Look;
use crate::v1::reports::busy_yard;

with_and_without_script!(a_report_is_ordered_waited_for_and_opened);

async fn a_report_is_ordered_waited_for_and_opened(app: TestApp, look: Look) {
    let yard = busy_yard(app).await;
    let browser = browse_as(&yard.app, look, &yard.admin.cookie).await;
    browser.open("/reports").await;
    browser.wait_for("No reports yet").await;
    browser.follow("New report").await;
    browser.wait_for("What is the report to be about?").await;
    browser.follow("Site safety").await;
    arrive(&browser, "/reports/new?kind=site_safety").await;
    browser.choose("[name=worksite_id]", "1").await;
    set(&browser, "[name='filters.from']", "2026-02-01").await;
    set(&browser, "[name='filters.to']", "2026-02-28").await;
    browser.press("Order the report").await;
    browser.wait_for("The report is being made.").await;
    browser.wait_for("Waiting").await;
    assert_eq!(browser.place().await, "/reports/1");
    yard.app.run_jobs().await;
    wait_or_reload(&browser, look, "Key figures").await;
    browser.wait_for("Ready").await;
    browser.follow("Open the PDF").await;
    arrive(&browser, "/reports/1/file?format=pdf&inline=true").await;
    assert_eq!(browser.run("return document.contentType", &[]).await, "application/pdf");
    assert_eq!(browser.status().await, 200);
    assert_calm(&browser, &[]).await;
}
