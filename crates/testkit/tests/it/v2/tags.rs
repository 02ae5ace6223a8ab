//! /api/v2/tags

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{ids, send};
use crate::ingest::events::BerlinYard;

on_both_engines!(
    tags_are_registered_changed_and_retired,
    filters_narrow,
    whoever_wears_a_tag_comes_along_without_a_name_for_viewers,
    a_tag_may_have_changed_hands_since_it_was_read,
);

async fn get(yard: &BerlinYard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v2/tags{rest}")).bearer(&user.jwt).send().await
}

fn change(id: &str, attributes: &Value) -> Value {
    json!({ "type": "tags", "id": id, "attributes": attributes })
}

async fn tags_are_registered_changed_and_retired(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let new = json!({ "type": "tags", "attributes": { "serial": "TAG-9" } });
    let made = send(&yard.app, &yard.admin, Method::POST, "tags", &new).await.expect(201);
    assert_eq!(made.header("location"), "/api/v2/tags/3");
    let attributes = made.json()["data"]["attributes"].clone();
    assert_eq!((&attributes["role"], &attributes["state"]), (&json!("pedestrian"), &json!("stock")));
    let again = send(&yard.app, &yard.admin, Method::POST, "tags", &new).await.expect(422);
    assert_eq!(again.json()["errors"][0]["source"]["pointer"], "/data/attributes/serial");
    // Retiring ends the assignment.
    let retired = change("1", &json!({ "retired": true, "role": "operator" }));
    let retired = send(&yard.app, &yard.admin, Method::PATCH, "tags/1", &retired).await.expect(200).json();
    let attributes = &retired["data"]["attributes"];
    assert_eq!((&attributes["state"], &attributes["role"]), (&json!("retired"), &json!("operator")));
    assert_eq!(retired["data"]["relationships"]["person"]["data"], Value::Null);
    assert_eq!(yard.get("tags/1").await["state"], "retired");
    let renamed = change("1", &json!({ "serial": "TAG-8" }));
    let refused = send(&yard.app, &yard.admin, Method::PATCH, "tags/1", &renamed).await.expect(422);
    assert_eq!(refused.code(), "read_only");
}

async fn filters_narrow(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("tags", json!({ "serial": "A-9", "role": "operator" })).await;
    for (query, expected) in [
        ("", &["3", "1", "2"][..]),
        ("sort=-serial", &["2", "1", "3"]),
        ("filter[role]=operator", &["3"]),
        ("filter[state]=assigned", &["1", "2"]),
        ("filter[flag]=never_tested&filter[person]=2", &["2"]),
        ("filter[flag]=silent,never_tested,low_battery&filter[person]=2,1", &["1", "2"]),
        ("filter[flag]=silent,low_battery", &[]),
        ("filter[q]=tag", &["1", "2"]),
        ("filter[id]=1,3&sort=created_at", &["1", "3"]),
    ] {
        let document = get(&yard, &yard.admin, &format!("?{query}")).await.expect(200).json();
        assert_eq!(ids(&document["data"]), expected, "{query}");
    }
    for name in ["filter[role]", "filter[state]", "filter[flag]", "filter[person]", "filter[id]"] {
        let refused = get(&yard, &yard.admin, &format!("?{name}=?")).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }));
    }
}

async fn whoever_wears_a_tag_comes_along_without_a_name_for_viewers(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    for (user, name) in [(&yard.admin, "Ada"), (&viewer, "Person 1")] {
        let document = get(&yard, user, "/1?include=person").await.expect(200).json();
        let person = json!({ "type": "people", "id": "1" });
        assert_eq!(document["data"]["relationships"]["person"], json!({ "data": person }));
        assert_eq!(document["included"][0]["attributes"]["name"], name);
    }
}

async fn a_tag_may_have_changed_hands_since_it_was_read(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let mut read = get(&yard, &yard.admin, "/1").await.expect(200).json()["data"].clone();
    yard.post("tag_assignments", json!({ "tag_id": 1, "person_id": 2, "replace": true })).await;
    read["attributes"]["role"] = json!("operator");
    let saved = send(&yard.app, &yard.admin, Method::PATCH, "tags/1", &read).await.expect(200).json();
    assert_eq!(saved["data"]["attributes"]["role"], "operator");
    assert_eq!(saved["data"]["relationships"]["person"]["data"]["id"], "2");
    yard.app.run_jobs().await;
}
