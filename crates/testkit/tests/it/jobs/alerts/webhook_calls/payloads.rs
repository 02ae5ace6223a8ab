//! What calls contain, and for whom.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Engine, on_both_engines};

use super::{Calls, body};
use crate::contract::Schema;

on_both_engines!(
    a_firing_and_its_clearing_are_told_as_they_are_shown,
    calls_are_as_the_document_describes_them,
    people_have_no_names_unless_the_brand_shows_them,
    a_webhook_is_told_of_its_rules_alone,
    another_brand_is_told_nothing,
    tests_are_marked,
);

/// Returns a firing as V1 shows it, without its deliveries.
async fn shown_firing(calls: &Calls, rule: i64) -> Value {
    let firing = calls.world.firings(rule).await.pop().unwrap();
    let path = format!("/api/v1/alerts/{rule}/firings/{}", firing["id"]);
    let mut shown = calls.world.get(&path).await;
    shown.as_object_mut().unwrap().remove("deliveries");
    shown
}

async fn a_firing_and_its_clearing_are_told_as_they_are_shown(engine: Engine) {
    let calls = Calls::new(engine).await;
    calls.webhook(&json!({})).await;
    let rule = calls.world.rule(&json!({ "split_by": "machine", "notify_on_clear": true })).await;
    calls.incursions(3).await;
    let [fired]: [_; 1] = calls.attempt().await.try_into().unwrap();
    let shown = shown_firing(&calls, rule).await;
    let url = shown["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("/alerts/{rule}/firings/{}", shown["id"])), "{url}");
    let expected = json!({
        "type": "alert.fired", "timestamp": shown["fired_at"],
        "data": {
            "firing": shown,
            "alert": {
                "id": rule, "name": "Too many", "metric": "incursions", "unit": "count",
                "severity": "warning",
            },
            "url": url,
            "test": false,
        },
    });
    assert_eq!(body(&fired), expected);
    assert_eq!((&shown["state"], &shown["machine"]["name"]), (&json!("fired"), &json!("Digger")));

    calls.world.advance_minutes(61);
    calls.world.evaluate().await;
    let [cleared]: [_; 1] = calls.attempt().await.try_into().unwrap();
    let shown = shown_firing(&calls, rule).await;
    let payload = body(&cleared);
    assert_eq!((&payload["type"], &payload["timestamp"]), (&json!("alert.cleared"), &shown["cleared_at"]));
    assert_eq!(payload["data"]["firing"], shown);
    assert_ne!(cleared.header("webhook-id"), fired.header("webhook-id"));
}

async fn calls_are_as_the_document_describes_them(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    let rule = calls.world.rule(&json!({ "split_by": "machine", "notify_on_clear": true })).await;
    calls.test(webhook).await;
    calls.world.post(&format!("alerts/{rule}/test"), &json!({})).await;
    calls.incursions(3).await;
    let mut received = calls.attempt().await;
    calls.world.advance_minutes(61);
    calls.world.evaluate().await;
    received.extend(calls.attempt().await);
    let document = serde_json::to_value(api_v1::openapi()).unwrap();
    let described = document["webhooks"].as_object().unwrap();
    let mut types: BTreeSet<String> = BTreeSet::new();
    for call in &received {
        let payload = body(call);
        let event = &described[payload["type"].as_str().unwrap()]["post"];
        let schema = &event["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(Schema::new(&document, schema).violations(&payload, true, &[]), [""; 0], "{payload}");
        for header in event["parameters"].as_array().unwrap() {
            assert_ne!(call.header(header["name"].as_str().unwrap()), "", "{header}");
        }
        types.insert(payload["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(received.len(), 4);
    let all: BTreeSet<String> = described.keys().cloned().collect();
    assert_eq!(types, all);
}

async fn people_have_no_names_unless_the_brand_shows_them(engine: Engine) {
    let calls = Calls::new(engine).await;
    calls.webhook(&json!({})).await;
    let rule = json!({ "split_by": "person", "threshold": 1 });
    calls.world.rule(&rule).await;
    calls.incursions(1).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert_eq!(body(&call)["data"]["firing"]["person"], json!({ "id": 1, "name": "Person 1" }));
    assert!(!String::from_utf8_lossy(&call.body).contains("Ada"));
    calls.world.patch("admin/brand", &json!({ "alerts_show_names": true })).await;
    calls.world.rule(&rule).await;
    calls.world.evaluate().await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert_eq!(body(&call)["data"]["firing"]["person"], json!({ "id": 1, "name": "Ada" }));
}

async fn a_webhook_is_told_of_its_rules_alone(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (first, second) = (
        calls.world.rule(&json!({ "name": "First" })).await,
        calls.world.rule(&json!({ "name": "Second" })).await,
    );
    let (one, _) = calls.webhook(&json!({ "name": "One", "alert_ids": [first] })).await;
    let (all, _) = calls.webhook(&json!({ "name": "All" })).await;
    let (none, _) = calls.webhook(&json!({ "name": "None", "alert_ids": [] })).await;
    let (off, _) = calls.webhook(&json!({ "name": "Off", "enabled": false })).await;
    calls.incursions(3).await;
    let mut alerts: Vec<i64> = Vec::new();
    for call in calls.attempt().await {
        alerts.push(body(&call)["data"]["alert"]["id"].as_i64().unwrap());
    }
    alerts.sort_unstable();
    assert_eq!(alerts, [first, first, second]);
    for (webhook, count) in [(one, 1), (all, 2), (none, 0), (off, 0)] {
        let list = calls.world.get(&format!("/api/v1/webhooks/{webhook}/deliveries")).await;
        assert_eq!(list["data"].as_array().unwrap().len(), count, "webhook {webhook}");
    }
    // The firing shows to whom it was sent.
    let firing = calls.world.firings(first).await.pop().unwrap();
    let shown = calls.world.get(&format!("/api/v1/alerts/{first}/firings/{}", firing["id"])).await;
    let deliveries = shown["deliveries"].as_array().unwrap().iter();
    let webhooks: Vec<i64> = deliveries.filter_map(|delivery| delivery["webhook_id"].as_i64()).collect();
    assert_eq!(webhooks, [one, all]);
}

async fn another_brand_is_told_nothing(engine: Engine) {
    let calls = Calls::new(engine).await;
    let app = &calls.world.app;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", domain::Role::Admin).await;
    let new = json!({ "name": "Theirs", "url": calls.receiver.url() });
    let made = app.post("/api/v1/webhooks").cookie(&stranger.cookie).json(&new).send().await;
    made.expect(201);
    calls.world.rule(&json!({})).await;
    calls.incursions(3).await;
    assert!(calls.attempt().await.is_empty());
}

async fn tests_are_marked(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.test(webhook).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    let payload = body(&call);
    assert_eq!((&payload["type"], &payload["data"]["test"]), (&json!("alert.test"), &json!(true)));
    assert_eq!(payload["timestamp"], json!(calls.world.app.clock.now()));
    assert_eq!(payload["data"]["firing"]["id"], 0);

    let rule = calls.world.rule(&json!({})).await;
    calls.world.post(&format!("alerts/{rule}/test"), &json!({})).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    let payload = body(&call);
    assert_eq!((&payload["type"], &payload["data"]["alert"]["id"]), (&json!("alert.test"), &json!(rule)));
    assert!(payload["data"]["url"].as_str().unwrap().ends_with(&format!("/alerts/{rule}")), "{payload}");
    // Nothing has fired.
    assert!(calls.world.firings(rule).await.is_empty());
}
