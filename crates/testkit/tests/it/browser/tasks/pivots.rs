//! A table of the user's own

use serde_json::json;
use testkit::TestApp;

use super::{arrive, assert_calm, browse_as};
use crate::browser::Look;
use crate::v1::reports::busy_yard;

with_and_without_script!(a_table_is_built_saved_and_exported);

async fn a_table_is_built_saved_and_exported(app: TestApp, look: Look) {
    let yard = busy_yard(app).await;
    let browser = browse_as(&yard.app, look, &yard.admin.cookie).await;
    browser.open("/explore").await;
    browser.choose("[data-pivot] [name=row1]", "machine").await;
    browser.choose("[data-pivot] [name=column1]", "zone").await;
    browser.click("[data-pivot] [name=measure][value=acknowledgement_rate]").await;
    browser.press("Show the table").await;
    browser.wait_for("Incursions, Incursions per runtime hour by Machine, Zone").await;
    for words in ["Crane 1", "Crane 2", "Danger", "Warning"] {
        browser.wait_for(words).await;
    }
    browser.fill("#save [name=name]", "By machine").await;
    browser.click("#save [name=shared]").await;
    browser.click("#save button.main").await;
    browser.wait_for("The view was saved.").await;
    browser.wait_for("View “By machine”").await;
    // It opens from the list of views.
    browser.open("/explore/views").await;
    browser.follow("By machine").await;
    browser.wait_for("View “By machine”").await;
    browser.wait_for("by Machine, Zone").await;
    browser.choose("#export [name=format]", "csv").await;
    browser.click("#export button.main").await;
    browser.wait_for("The export was ordered.").await;
    arrive(&browser, "/explore/exports/1").await;
    yard.app.run_jobs().await;
    browser.open("/explore/exports/1").await;
    browser.wait_for("Download").await;
    // A click begins a download, which tests do not keep, and the page stays.
    browser.command("Browser.setDownloadBehavior", json!({ "behavior": "deny" })).await;
    browser.follow("Download").await;
    assert_eq!(browser.place().await, "/explore/exports/1");
    let file = yard.app.get("/explore/exports/1/file").cookie(&yard.admin.cookie).send().await.expect(200);
    assert!(file.header("content-disposition").starts_with("attachment"));
    assert!(file.text().contains("Crane 1") && file.text().contains("Crane 2"), "{}", file.text());
    assert_calm(&browser, &[]).await;
}
