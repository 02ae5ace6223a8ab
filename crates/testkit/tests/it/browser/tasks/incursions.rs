//! The review of incursions: by keys, or by buttons where no script runs

use domain::DeviceKind;
use serde_json::{Value, json};
use testkit::TestApp;

use super::{ESCAPE, arrive, assert_calm, browse_as, wait_or_reload};
use crate::browser::{Browser, Look};
use crate::v1::incursions::Yard;
use crate::video::{mp4, upload_clip};

with_and_without_script!(
    incursions_are_reviewed_one_after_another,
    the_clip_of_an_incursion_is_asked_for_and_watched,
);

/// A yard with three incursions, the newest of which is the first, and a camera.
async fn yard_with_three(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let rows = [30, 60, 90].map(|minutes| yard.row(minutes, Some(1)));
    yard.facts.add_incursions(rows.into()).await;
    let station = yard.app.patch("/api/v1/base_stations/1").cookie(&yard.admin.cookie);
    station.json(&json!({ "cameras": ["front"] })).send().await.expect(200);
    yard
}

async fn review_of(yard: &Yard, id: i64) -> Value {
    let call = yard.app.get(&format!("/api/v1/incursions/{id}")).cookie(&yard.admin.cookie);
    call.send().await.expect(200).json()["review"].clone()
}

/// Presses a button of the review, with its key if there is script.
async fn judge(browser: &Browser, look: Look, key: &str, button: &str) {
    match look.has_script {
        true => browser.type_keys(key).await,
        false => browser.press(button).await,
    }
}

/// Goes to another incursion of the list in the same way.
async fn go(browser: &Browser, look: Look, key: &str, link: &str) {
    match look.has_script {
        true => browser.type_keys(key).await,
        false => browser.follow(link).await,
    }
}

async fn incursions_are_reviewed_one_after_another(app: TestApp, look: Look) {
    let yard = yard_with_three(app).await;
    let browser = browse_as(&yard.app, look, &yard.admin.cookie).await;
    browser.open("/incursions").await;
    browser.click("a[href='/incursions/1']").await;
    arrive(&browser, "/incursions/1").await;
    browser.wait_for("Not reviewed yet").await;
    if look.has_script {
        browser.type_keys("?").await;
        browser.wait_for("n next, p previous, c confirm").await;
    }
    judge(&browser, look, "c", "Confirm").await;
    // A review leads to the next one.
    arrive(&browser, "/incursions/2").await;
    browser.wait_for("The review was saved.").await;
    assert_eq!(review_of(&yard, 1).await["state"], "confirmed");
    go(&browser, look, "n", "Next").await;
    arrive(&browser, "/incursions/3").await;
    go(&browser, look, "p", "Previous").await;
    arrive(&browser, "/incursions/2").await;
    // Keys do nothing while a comment is typed; Escape leaves it.
    let comment = "A chef, d and n";
    match look.has_script {
        true => browser.fill("[name=comment]", &format!("{comment}{ESCAPE}")).await,
        false => browser.fill("[name=comment]", comment).await,
    }
    judge(&browser, look, "d", "Dismiss").await;
    arrive(&browser, "/incursions/3").await;
    let review = review_of(&yard, 2).await;
    assert_eq!((&review["state"], &review["comment"]), (&json!("dismissed"), &json!(comment)));
    judge(&browser, look, "f", "False detection").await;
    // After the last one comes the list.
    arrive(&browser, "/incursions").await;
    assert_eq!(review_of(&yard, 3).await["state"], "false_detection");
    browser.press("Undo").await;
    browser.wait_for("The review was undone.").await;
    assert_eq!(review_of(&yard, 3).await["state"], "unreviewed");
    assert_calm(&browser, &[]).await;
}

async fn the_clip_of_an_incursion_is_asked_for_and_watched(app: TestApp, look: Look) {
    let yard = yard_with_three(app).await;
    let browser = browse_as(&yard.app, look, &yard.admin.cookie).await;
    browser.open("/incursions/1").await;
    browser.press("Ask for the video").await;
    browser.wait_for("The video was asked for.").await;
    browser.wait_for("Waiting for the base station").await;
    let token = yard.app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    upload_clip(&yard.app, &token, 1, &mp4(10_000)).await.expect(200);
    wait_or_reload(&browser, look, "Can be watched").await;
    let video = browser.run("return document.querySelector('video').getAttribute('src')", &[]).await;
    let call = yard.app.get(video.as_str().unwrap()).cookie(&yard.admin.cookie);
    assert_eq!(call.send().await.expect(200).body, mp4(10_000));
    judge(&browser, look, "c", "Confirm").await;
    arrive(&browser, "/incursions/2").await;
    assert_eq!(review_of(&yard, 1).await["state"], "confirmed");
    assert_calm(&browser, &[]).await;
}
