//! POST /api/v1/tester/people_assets

use domain::DeviceKind;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(a_person_is_made_and_found_again, every_wrong_field_is_named_and_nothing_is_made);

async fn a_person_is_made_and_found_again(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let person =
        json!({ "kind": "visitor", "name": " Zoë Ångström ", "company": "Plums & Co", "email": null });
    let made = app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    let body = made.json();
    assert_eq!(body["name"], "Zoë Ångström");
    assert_eq!((&body["kind"], &body["company"]), (&json!("visitor"), &json!("Plums & Co")));
    assert_eq!((&body["email"], &body["archived_at"]), (&json!(null), &json!(null)));
    let found = app.get(made.header("location")).bearer(&token).send().await.expect(200).json();
    assert_eq!(found, body);
}

async fn every_wrong_field_is_named_and_nothing_is_made(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let person = json!({
        "kind": "ghost", "name": "x".repeat(101), "email": "nowhere", "employee_id": 7, "company": "a\nb", "age": 3,
    });
    let refused =
        app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(422);
    let errors = refused.json()["errors"].clone();
    let named: Vec<String> = errors
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    let expected = [
        "kind: invalid_kind",
        "name: too_long",
        "employee_id: wrong_type",
        "email: invalid_email",
        "company: control_character",
        "age: unknown_field",
    ];
    assert_eq!(named, expected);
    let list = app.get("/api/v1/tester/people_assets?include_total=true").bearer(&token).send().await;
    assert_eq!(list.expect(200).json()["page"]["total"], 0);
}
