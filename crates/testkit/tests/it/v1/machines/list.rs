//! GET /api/v1/machines

use domain::Role;
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::{create_site, post};

on_both_engines!(a_thousand_are_paged_while_others_are_added, machines_are_found_by_what_they_are_and_where);

async fn a_thousand_are_paged_while_others_are_added(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let rows: Vec<String> =
        (0..1_000).map(|n| format!("(1, 'M{n:04}', 'm{n:04}', 'truck', 1, 1, 1)")).collect();
    let insert =
        "insert into machines (brand_id, name, name_key, kind, version, created_at, updated_at) values";
    testkit::execute_raw_sql(app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    let (mut seen, mut path) = (Vec::new(), "/api/v1/machines?limit=300".to_owned());
    loop {
        let body = app.get(&path).cookie(&ada.cookie).send().await.expect(200).json();
        let names = body["data"].as_array().unwrap().iter();
        seen.extend(names.map(|machine| machine["name"].as_str().unwrap().to_owned()));
        for name in ["A newcomer", "M0500 newcomer"] {
            post(&app, &ada, &json!({ "name": name, "kind": "truck" })).await.expect(201);
        }
        match body["page"]["next"].as_str() {
            Some(next) => path = format!("/api/v1/machines?limit=300&cursor={next}"),
            None => break,
        }
    }
    seen.retain(|name| !name.contains("newcomer"));
    let expected: Vec<String> = (0..1_000).map(|n| format!("M{n:04}")).collect();
    assert_eq!(seen, expected);
}

async fn names(app: &TestApp, ada: &Account, query: &str) -> Vec<String> {
    let path = format!("/api/v1/machines?include_total=true&{query}");
    let body = app.get(&path).cookie(&ada.cookie).send().await.expect(200).json();
    let names: Vec<String> =
        body["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(body["page"]["total"], names.len(), "{query}");
    names
}

async fn machines_are_found_by_what_they_are_and_where(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
    create_site(&app, &ada, "East", Some(1)).await;
    create_site(&app, &ada, "West", None).await;
    for (name, kind, at) in
        [("Kran Süd", "crane", Some(1)), ("KRAN NORD", "crane", Some(2)), ("Radlader", "loader", None)]
    {
        post(&app, &ada, &json!({ "name": name, "kind": kind, "worksite_id": at })).await.expect(201);
    }
    for (query, found) in [
        ("q=kran", vec!["KRAN NORD", "Kran Süd"]),
        ("kind=loader", vec!["Radlader"]),
        ("worksite_id=2", vec!["KRAN NORD"]),
        ("project_id=1", vec!["Kran Süd"]),
        ("project_id=1&worksite_id=2", vec![]),
        ("archived=true", vec![]),
        ("limit=500", vec!["KRAN NORD", "Kran Süd", "Radlader"]),
    ] {
        assert_eq!(names(&app, &ada, query).await, found, "{query}");
    }
    for query in ["q=", "kind=tank", "worksite_id=x", "project_id=", "archived=1", "site=1", "cursor=x"] {
        app.get(&format!("/api/v1/machines?{query}")).cookie(&ada.cookie).send().await.expect(400);
    }
}
