//! /alerts/dry-run

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::too_many;
use crate::console::{open, submit};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(a_form_is_tried_on_the_past_before_it_is_saved, a_change_is_tried_and_then_saved);

async fn a_form_is_tried_on_the_past_before_it_is_saved(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 3).await;
    world.advance_minutes(2);
    world.incursions(2, 1).await;
    let cookie = &world.member.cookie;
    assert!(open(&world.app, cookie, "/alerts/dry-run").await.expect(200).says("What do you want to watch?"));
    open(&world.app, cookie, "/alerts/dry-run?metric=incursions").await.expect(200);
    // Neither a name nor recipients are needed.
    let fields = [
        ("metric", "incursions"),
        ("threshold", "3"),
        ("split_by", "machine"),
        ("name", ""),
        ("recipients", ""),
    ];
    let page = submit(&world.app, cookie, "/alerts/dry-run", &fields).await.expect(200);
    for words in ["It would have fired once", "one message", "Digger", "Loader", "would still be open"] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    assert_eq!((page.field("threshold").as_deref(), page.field("_alert")), (Some("3"), None));
    let pictures = page.reply.text().replace("&#38;", "&").replace("&amp;", "&");
    // The address of the picture says what is judged, and nothing of who is notified.
    assert!(pictures.contains("/alerts/dry-run/chart?metric=incursions&threshold=3&split_by=machine&theme="));
    let chart = "/alerts/dry-run/chart?metric=incursions&threshold=3&theme=light&width=400&height=300";
    let picture = world.app.get(chart).cookie(cookie).send().await.expect(200);
    assert!(picture.header("content-type").starts_with("image/svg+xml") && picture.text().contains("<svg"));
    open(&world.app, cookie, "/alerts/dry-run/chart?metric=incursions&colour=red").await.expect(400);
    let none = [("metric", "incursions"), ("threshold", "50")];
    let page = submit(&world.app, cookie, "/alerts/dry-run", &none).await.expect(200);
    assert!(page.says("It would have fired 0 times") && page.says("It would not have fired"));
    let refused = [("metric", "incursions"), ("threshold", "many")];
    let page = submit(&world.app, cookie, "/alerts/dry-run", &refused).await.expect(422);
    assert!(page.fault("threshold").is_some() && page.says("could not be tried"));
    assert_eq!(world.get("/api/v1/alerts").await["data"], json!([]));
    assert_eq!(world.mails().await.len(), 0);
    submit(&world.app, &world.viewer.cookie, "/alerts/dry-run", &none).await.expect(403);
}

async fn a_change_is_tried_and_then_saved(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({})).await;
    let cookie = &world.member.cookie;
    let form = open(&world.app, cookie, &format!("/alerts/{id}/edit")).await.expect(200);
    let (alert_id, version) = (form.field("_alert").unwrap(), form.field("_version").unwrap());
    let fields = too_many(&[("threshold", "7"), ("_alert", &alert_id), ("_version", &version)]);
    let page = submit(&world.app, cookie, "/alerts/dry-run", &fields).await.expect(200);
    // Somebody else changes it meanwhile, and the form still has the version from which it was filled.
    world.patch(&format!("alerts/{id}"), &json!({ "severity": "critical" })).await;
    assert_eq!(page.field("_alert").as_deref(), Some(alert_id.as_str()));
    assert_eq!(page.field("_version").as_deref(), Some(version.as_str()));
    assert!(page.reply.text().contains(&format!("action=\"/alerts/{id}/edit\"")));
    submit(&world.app, cookie, &format!("/alerts/{id}/edit"), &fields).await.expect(412);
    let unknown = too_many(&[("_alert", "999")]);
    submit(&world.app, cookie, "/alerts/dry-run", &unknown).await.expect(404);
}
