//! POST /api/v1/projects

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_project_is_made_and_found_again,
    every_wrong_field_is_named_and_what_is_not_the_callers_is_refused,
    a_restricted_member_cannot_add_what_they_would_not_see,
);

async fn a_project_is_made_and_found_again(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({ "name": " North bridge ", "code": "NB-2026" });
    let made = app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
    let body = made.json();
    assert_eq!((&body["name"], &body["code"]), (&json!("North bridge"), &json!("NB-2026")));
    assert!(body["archived_at"].is_null());
    let found = app.get(made.header("location")).cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(found.json(), body);
    assert_eq!(found.header("etag"), "\"1\"");
}

async fn every_wrong_field_is_named_and_what_is_not_the_callers_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({ "name": "", "code": 7, "id": 1, "brand_id": 2, "created_at": "2020-01-01T00:00:00Z", "archived": true });
    let refused = app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(422).json();
    let named: Vec<String> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    let expected = [
        "name: required",
        "code: wrong_type",
        "archived: unknown_field",
        "brand_id: unknown_field",
        "created_at: unknown_field",
        "id: unknown_field",
    ];
    assert_eq!(named, expected);
    let list = app.get("/api/v1/projects?include_total=true").cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(list.json()["page"]["total"], 0);
}

async fn a_restricted_member_cannot_add_what_they_would_not_see(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    app.app.restrict_user(&email, Some(&[])).await.unwrap();
    let new = json!({ "name": "Hidden" });
    let refused = app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(403);
    assert_eq!(refused.code(), "restricted");
}
