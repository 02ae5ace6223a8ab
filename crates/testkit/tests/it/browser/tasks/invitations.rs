//! An invitation

use domain::Role;
use testkit::TestApp;

use super::{arrive, assert_calm, browse_as, link_to, sign_in};
use crate::browser::Look;

with_and_without_script!(somebody_is_invited_and_accepts_by_the_link_in_the_mail);

const PASSWORD: &str = "seven grey otters row";

async fn somebody_is_invited_and_accepts_by_the_link_in_the_mail(app: TestApp, look: Look) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let browser = browse_as(&app, look, &admin.cookie).await;
    browser.open("/settings/users").await;
    browser.fill("#add [name=email]", "grace@example.com").await;
    browser.fill("#add [name=name]", "Grace").await;
    browser.choose("#add [name=role]", "member").await;
    browser.press("Send the invitation").await;
    browser.wait_for("The invitation is on its way.").await;
    app.run_jobs().await;
    let link = link_to(&app, "grace@example.com");
    browser.forget_session().await;
    browser.open(&link).await;
    browser.wait_for("Join Acme").await;
    assert_eq!(browser.value("[name=name]").await, "Grace");
    browser.fill("[name=name]", "Grace Hopper").await;
    browser.fill("[name=password]", "short").await;
    browser.press("Accept the invitation").await;
    browser.wait_for("Nothing has been saved yet.").await;
    browser.fill("[name=password]", PASSWORD).await;
    browser.press("Accept the invitation").await;
    browser.wait_for("Your account is ready.").await;
    sign_in(&browser, "grace@example.com", PASSWORD).await;
    arrive(&browser, "/").await;
    browser.wait_for("Grace Hopper").await;
    // The link works once.
    browser.open(&link).await;
    browser.wait_for("This invitation cannot be used").await;
    assert_calm(&browser, &[404, 422]).await;
}
