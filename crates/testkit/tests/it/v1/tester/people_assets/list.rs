//! GET /api/v1/tester/people_assets

use domain::DeviceKind;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(people_are_filtered_by_kind_and_name, anything_but_staff_or_visitor_is_refused);

async fn people_are_filtered_by_kind_and_name(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for (kind, name) in [("staff", "Zoë"), ("staff", "adam"), ("visitor", "Ada"), ("visitor", "José")] {
        let person = json!({ "kind": kind, "name": name });
        app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    }
    for (query, expected) in [
        ("", json!(["Ada", "adam", "José", "Zoë"])),
        ("?kind=staff", json!(["adam", "Zoë"])),
        ("?kind=visitor", json!(["Ada", "José"])),
        ("?q=AD", json!(["Ada", "adam"])),
        ("?q=jose&kind=visitor", json!(["José"])),
        ("?q=nobody", json!([])),
    ] {
        let path = format!("/api/v1/tester/people_assets{query}");
        let body = app.get(&path).bearer(&token).send().await.expect(200).json();
        let names: Vec<_> =
            body["data"].as_array().unwrap().iter().map(|person| person["name"].clone()).collect();
        assert_eq!(json!(names), expected, "{query}");
    }
}

async fn anything_but_staff_or_visitor_is_refused(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for query in ["kind=ghost", "kind=", "kind=Staff", "kind=staff&kind=visitor", "q=", "kinds=staff"] {
        let path = format!("/api/v1/tester/people_assets?{query}");
        app.get(&path).bearer(&token).send().await.expect(400);
    }
}
