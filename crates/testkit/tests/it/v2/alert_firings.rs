//! /api/v2/alert_firings

use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{JSON_API, ids};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    firings_are_listed_with_what_they_are_about,
    a_firing_has_its_value_and_its_evidence,
    firings_are_filtered_and_sorted,
    firings_are_those_that_one_sees_all_of,
    firings_cannot_be_written,
);

const PATH: &str = "/api/v2/alert_firings";

async fn get(world: &AlertWorld, user: &Account, rest: &str) -> Reply {
    world.app.get(&format!("{PATH}{rest}")).bearer(&user.jwt).send().await
}

async fn list(world: &AlertWorld, rest: &str) -> Value {
    get(world, &world.admin, rest).await.expect(200).json()
}

/// Firings 1 of the digger and 2 of Ada, both open, and 3 of the truck a minute later, by the alerts 1 to 3.
async fn fired(app: TestApp) -> AlertWorld {
    let world = AlertWorld::new(app).await;
    let rule = |name: &str, more: &[(&str, Value)]| {
        let mut members = json!({ "name": name });
        for (name, value) in more {
            members[*name] = value.clone();
        }
        members
    };
    let yard = json!({ "worksite_ids": [1] });
    let split = |by: &str| ("split_by", json!(by));
    world.rule(&rule("Machines", &[split("machine"), ("scope", yard.clone())])).await;
    world.rule(&rule("People", &[split("person"), ("scope", yard), ("severity", json!("info"))])).await;
    let depot = json!({ "worksite_ids": [2] });
    let long = [("metric", json!("long_incursion")), ("scope", depot), split("machine")];
    world.rule(&rule("Long", &[&long[..], &[("severity", json!("critical"))]].concat())).await;
    world.incursions(1, 3).await;
    world.evaluate().await;
    let started_at = world.app.clock.now();
    world.advance_minutes(1);
    let ended_at = world.app.clock.now();
    world.incursion(3, &json!({ "tag": "TAG-3", "started_at": started_at, "ended_at": ended_at })).await;
    world.mails().await;
    world
}

async fn firings_are_listed_with_what_they_are_about(app: TestApp) {
    let world = fired(app).await;
    let fields = "fields[machines]=name&fields[people]=name&fields[worksites]=name&fields[projects]=name";
    let document = list(&world, &format!("?include=machine,person,worksite,project&{fields}")).await;
    assert_eq!(ids(&document["data"]), ["3", "2", "1"]);
    let included = document["included"].as_array().unwrap().iter();
    let mut names: Vec<&str> = included.map(|one| one["attributes"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ada", "Depot", "Digger", "North", "South", "Truck", "Yard"]);
    let (truck, ada) = (&document["data"][0], &document["data"][1]);
    assert_eq!(truck["relationships"]["machine"]["data"], json!({ "type": "machines", "id": "3" }));
    assert_eq!(truck["relationships"]["person"]["data"], Value::Null);
    assert_eq!(ada["relationships"]["person"]["data"], json!({ "type": "people", "id": "1" }));
    assert_eq!(ada["relationships"]["alert"]["data"], json!({ "type": "alerts", "id": "2" }));
    assert_eq!((&ada["type"], &ada["links"]["self"]), (&json!("alert_firings"), &json!(format!("{PATH}/2"))));
    let few = list(&world, "?fields[alert_firings]=state,machine&page[total]=true&page[size]=2").await;
    assert_eq!(ids(&few["data"]), ["3", "2"]);
    assert_eq!(few["meta"]["total"], 3);
    assert_eq!(few["data"][0]["attributes"], json!({ "state": "fired" }));
}

async fn a_firing_has_its_value_and_its_evidence(app: TestApp) {
    let world = fired(app).await;
    let reply = get(&world, &world.viewer, "/1").await.expect(200);
    assert!(!reply.header("etag").is_empty());
    let firing = reply.json()["data"].clone();
    let attributes = &firing["attributes"];
    for (name, value) in [
        ("alert_name", json!("Machines")),
        ("state", json!("fired")),
        ("metric", json!("incursions")),
        ("unit", json!("count")),
        ("comparison", json!("above")),
        ("threshold", json!(3)),
        ("severity", json!("warning")),
        ("value", json!(3)),
        ("numerator", json!(3)),
        ("denominator", json!(1)),
        ("peak", json!({ "value": 3, "numerator": 3, "denominator": 1 })),
        ("window", json!({ "from": "2026-03-01T11:00:30Z", "to": "2026-03-01T12:00:30Z" })),
        ("time_zone", json!("Europe/Berlin")),
        ("fired_at", json!("2026-03-01T12:00:30Z")),
        ("held_until", Value::Null),
        ("not_notified_reason", Value::Null),
        ("cleared_at", Value::Null),
        ("clear_reason", Value::Null),
        ("cleared_value", Value::Null),
    ] {
        assert_eq!(attributes[name], value, "{name}: {attributes}");
    }
    assert!(attributes["url"].as_str().unwrap().ends_with("/alerts/1/firings/1"), "{attributes}");
    let evidence = firing["relationships"]["incursions"]["data"].as_array().unwrap();
    assert_eq!(evidence.len(), 3);
    for one in evidence {
        let path = format!("/api/v2/incursions/{}", one["id"].as_str().unwrap());
        world.app.get(&path).bearer(&world.viewer.jwt).send().await.expect(200);
    }
    // The same as in V1.
    let shown = world.get("/api/v1/alerts/1/firings/1").await;
    for name in ["value", "peak", "window", "details", "seq", "url", "created_at", "updated_at"] {
        assert_eq!(attributes[name], shown[name], "{name}");
    }
    get(&world, &world.admin, "/99").await.expect(404);
}

async fn firings_are_filtered_and_sorted(app: TestApp) {
    let world = fired(app).await;
    for (query, expected) in [
        ("filter[id]=1,3", &["3", "1"][..]),
        ("filter[state]=fired", &["3", "2", "1"]),
        ("filter[state]=held,cleared", &[]),
        ("filter[severity]=info,critical", &["3", "2"]),
        ("filter[metric]=long_incursion", &["3"]),
        ("filter[alert]=1", &["1"]),
        ("filter[alert]=1,2", &["2", "1"]),
        ("filter[machine]=1", &["1"]),
        ("filter[worksite]=2", &["3"]),
        ("filter[project]=1", &["2", "1"]),
        ("filter[person]=1", &["2"]),
        ("filter[tag]=1", &[]),
        ("filter[base_station]=1", &[]),
        ("sort=fired_at&filter[worksite]=1", &["1", "2"]),
        ("sort=-fired_at&page[size]=1", &["3"]),
        ("sort=-updated_at&filter[alert]=3", &["3"]),
    ] {
        assert_eq!(ids(&list(&world, &format!("?{query}")).await["data"]), expected, "{query}");
    }
    for (query, parameter) in [
        ("filter[state]=open", "filter[state]"),
        ("filter[severity]=high", "filter[severity]"),
        ("filter[metric]=noise", "filter[metric]"),
        ("filter[machine]=x", "filter[machine]"),
        ("filter[colour]=red", "filter[colour]"),
        ("sort=name", "sort"),
        ("include=tag", "include"),
        ("fields[alert_firings]=label", "fields[alert_firings]"),
    ] {
        let refused = get(&world, &world.admin, &format!("?{query}")).await.expect(400).json();
        assert_eq!(refused["errors"][0]["source"]["parameter"], parameter, "{query}: {refused}");
    }
}

async fn firings_are_those_that_one_sees_all_of(app: TestApp) {
    let world = fired(app).await;
    let seen = get(&world, &world.restricted, "").await.expect(200).json();
    assert_eq!(ids(&seen["data"]), ["2", "1"]);
    get(&world, &world.restricted, "/3").await.expect(404);
    get(&world, &world.restricted, "/1").await.expect(200);
    // The other project only: someone who came there is named, and who did not is not.
    world.restrict(&world.viewer, Some(&[2])).await;
    let theirs = get(&world, &world.viewer, "?include=machine").await.expect(200).json();
    assert_eq!(ids(&theirs["data"]), ["3"]);
    assert_eq!(ids(&theirs["included"]), ["3"]);
    world.app.get(PATH).send().await.expect(401);
}

async fn firings_cannot_be_written(app: TestApp) {
    let world = fired(app).await;
    let attributes = json!({ "state": "cleared" });
    let body = json!({ "data": { "type": "alert_firings", "id": "1", "attributes": attributes } });
    for (method, rest) in [(Method::POST, ""), (Method::PATCH, "/1"), (Method::DELETE, "/1")] {
        let call = world.app.request(method, &format!("{PATH}{rest}")).bearer(&world.admin.jwt);
        call.bytes(JSON_API, body.to_string()).send().await.expect(405);
    }
}
