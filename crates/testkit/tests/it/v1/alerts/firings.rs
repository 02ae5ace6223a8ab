//! GET /api/v1/alerts/{id}/firings and /api/v1/alerts/{id}/firings/{firing_id}

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::PATH;
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_firing_shows_what_happened,
    it_names_what_it_is_about,
    lists_show_firings_newest_first,
    a_firing_belongs_to_its_alert,
    a_cleared_firing_says_when_and_why,
);

async fn a_firing_shows_what_happened(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "severity": "critical", "scope": { "worksite_ids": [1] } })).await;
    let mut incursions = BTreeSet::new();
    for _ in 0..3 {
        incursions.insert(world.incursion(1, &json!({})).await);
    }
    world.advance_minutes(1);
    let mails = world.mails().await;
    assert_eq!(mails.len(), 1);
    let firing = world.firings(id).await.remove(0);
    let path = format!("{PATH}/{id}/firings/{}", firing["id"]);
    let shown = world.get(&path).await;

    for (name, expected) in [
        ("alert", json!({ "id": id, "name": "Too many" })),
        ("state", json!("fired")),
        ("metric", json!("incursions")),
        ("unit", json!("count")),
        ("comparison", json!("above")),
        ("threshold", json!(3)),
        ("severity", json!("critical")),
        ("value", json!(3)),
        ("numerator", json!(3)),
        ("denominator", json!(1)),
        ("peak", json!({ "value": 3, "numerator": 3, "denominator": 1 })),
        // The window ends with the evaluation, a minute after the incursions.
        ("window", json!({ "from": "2026-03-01T11:01:30Z", "to": "2026-03-01T12:01:30Z" })),
        // Of the only worksite in the scope.
        ("time_zone", json!("Europe/Berlin")),
        ("fired_at", json!("2026-03-01T12:01:30Z")),
        ("held_until", Value::Null),
        ("not_notified_reason", Value::Null),
        ("cleared_at", Value::Null),
        ("clear_reason", Value::Null),
        ("cleared_value", Value::Null),
        ("visitor_session_id", Value::Null),
        ("created_at", json!("2026-03-01T12:01:30Z")),
    ] {
        assert_eq!(shown[name], expected, "{name}");
    }
    let evidence: BTreeSet<i64> =
        shown["incursion_ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
    assert_eq!(evidence, incursions);
    assert!(shown["seq"].as_i64().unwrap() >= 3 && shown["details"].is_object(), "{shown}");
    let page = format!("/alerts/{id}/firings/{}", firing["id"]);
    assert!(shown["url"].as_str().unwrap().ends_with(&page), "{shown}");

    // With what was sent about it.
    let deliveries = shown["deliveries"].as_array().unwrap();
    assert_eq!(deliveries.len(), 1);
    let alert = world.get(&format!("{PATH}/{id}")).await;
    for (name, expected) in [
        ("recipient_id", alert["recipients"][0]["id"].clone()),
        ("webhook_id", Value::Null),
        ("state", json!("sent")),
        ("reason", Value::Null),
        ("attempts", json!(1)),
        ("sent_at", json!("2026-03-01T12:01:30Z")),
    ] {
        assert_eq!(deliveries[0][name], expected, "{name}");
    }
    // The list shows the same without them.
    let mut without = shown.clone();
    without.as_object_mut().unwrap().remove("deliveries");
    assert_eq!(firing, without);
}

async fn it_names_what_it_is_about(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let by_machine = world.rule(&json!({ "split_by": "machine" })).await;
    let by_worksite = world.rule(&json!({ "split_by": "worksite" })).await;
    let by_station = world.rule(&json!({ "split_by": "base_station" })).await;
    let by_tag = world.rule(&json!({ "split_by": "tag" })).await;
    let by_person = world.rule(&json!({ "split_by": "person" })).await;
    let by_pair = world.rule(&json!({ "metric": "repeat_pair" })).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    world.mails().await;
    for (rule, name, expected) in [
        (by_machine, "machine", json!({ "id": 1, "name": "Digger" })),
        (by_worksite, "worksite", json!({ "id": 1, "name": "Yard" })),
        (by_station, "base_station", json!({ "id": 1, "serial": "ST-1" })),
        (by_tag, "tag", json!({ "id": 1, "serial": "TAG-1" })),
        (by_person, "person", json!({ "id": 1, "name": "Ada" })),
        (by_pair, "machine", json!({ "id": 1, "name": "Digger" })),
        (by_pair, "person", json!({ "id": 1, "name": "Ada" })),
    ] {
        let firings = world.firings(rule).await;
        assert_eq!(firings.len(), 1, "{name}");
        assert_eq!(firings[0][name], expected, "{name}");
    }
    // By the clock of the yard.
    for rule in [by_machine, by_worksite] {
        assert_eq!(world.firings(rule).await[0]["time_zone"], "Europe/Berlin");
    }
    // Viewers do not learn whom it is about.
    for path in [format!("{PATH}/{by_person}/firings"), format!("/api/v1/alert_firings?alert_id={by_pair}")] {
        let list = world.send(&world.viewer, Method::GET, &path, None).await.expect(200);
        assert_eq!(list.json()["data"][0]["person"], json!({ "id": 1, "name": "Person 1" }));
        assert!(!list.text().contains("Ada"), "{}", list.text());
    }
}

async fn lists_show_firings_newest_first(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "split_by": "machine", "threshold": 1 })).await;
    for machine in [1, 2, 3] {
        world.incursion(machine, &json!({})).await;
        world.advance_minutes(1);
        world.mails().await;
    }
    let machines = async |query: &str| -> Value {
        let list = world.get(&format!("{PATH}/{id}/firings?{query}")).await;
        let rows = list["data"].as_array().unwrap().iter();
        json!([rows.map(|row| &row["machine"]["id"]).collect::<Vec<_>>(), list["page"]["total"]])
    };
    assert_eq!(machines("include_total=true").await, json!([[3, 2, 1], 3]));
    assert_eq!(machines("machine_id=2").await, json!([[2], null]));
    assert_eq!(machines("from=2026-03-01T12:02:00Z&to=2026-03-01T12:03:00Z").await, json!([[2], null]));
    let first = world.get(&format!("{PATH}/{id}/firings?limit=2")).await;
    let next = first["page"]["next"].as_str().unwrap();
    assert_eq!(machines(&format!("limit=2&cursor={next}")).await, json!([[1], null]));
    // Another alert has a list of its own.
    let other = world.rule(&json!({ "threshold": 1_000 })).await;
    let path = format!("{PATH}/{other}/firings");
    assert_eq!(world.get(&path).await["data"], json!([]));
    let mixed = format!("{path}?limit=2&cursor={next}");
    world.send(&world.admin, Method::GET, &mixed, None).await.expect(400);
}

async fn a_firing_belongs_to_its_alert(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let (id, other) = (world.rule(&json!({})).await, world.rule(&json!({ "threshold": 1_000 })).await);
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    world.mails().await;
    let firing = world.firings(id).await[0]["id"].clone();
    world.get(&format!("{PATH}/{id}/firings/{firing}")).await;
    for path in [
        format!("{PATH}/{other}/firings/{firing}"),
        format!("{PATH}/99/firings/{firing}"),
        format!("{PATH}/{id}/firings/99"),
        format!("{PATH}/{id}/firings/x"),
        format!("{PATH}/99/firings"),
    ] {
        world.send(&world.admin, Method::GET, &path, None).await.expect(404);
    }
}

async fn a_cleared_firing_says_when_and_why(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({})).await;
    world.incursions(1, 4).await;
    world.advance_minutes(1);
    world.mails().await;
    world.incursions(1, 2).await;
    world.advance_minutes(1);
    world.mails().await;
    let open = world.firings(id).await.remove(0);
    assert_eq!((&open["value"], &open["peak"]["value"]), (&json!(4), &json!(6)));
    world.advance_minutes(60);
    world.mails().await;
    let cleared = world.firings(id).await.remove(0);
    assert_eq!((&cleared["state"], &cleared["clear_reason"]), (&json!("cleared"), &json!("recovered")));
    assert_eq!(cleared["cleared_at"], "2026-03-01T13:02:30Z");
    assert_eq!((&cleared["value"], &cleared["peak"]), (&json!(4), &open["peak"]));
    assert_eq!(cleared["cleared_value"], json!({ "value": 0, "numerator": 0, "denominator": 1 }));
    assert_eq!(world.get(&format!("{PATH}/{id}")).await["open_firings"], 0);
}
