//! GET /api/v1/people

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(people_are_filtered_searched_and_paged);

fn names(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|person| person["name"].as_str().unwrap()).collect()
}

async fn people_are_filtered_searched_and_paged(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for (kind, name) in [("staff", "Zoé"), ("visitor", "Adam"), ("staff", "ada"), ("staff", "Bob")] {
        let body = json!({ "kind": kind, "name": name });
        app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    }
    app.post("/api/v1/people/4/archive").cookie(&member.cookie).send().await.expect(200);
    let get = |query: &str| app.get(&format!("/api/v1/people?{query}")).cookie(&member.cookie).send();
    for (query, expected) in [
        ("", vec!["ada", "Adam", "Zoé"]),
        ("kind=staff", vec!["ada", "Zoé"]),
        ("q=ADA", vec!["ada", "Adam"]),
        ("q=zoe", vec!["Zoé"]),
        ("q=person", vec![]),
        ("archived=true", vec!["Bob"]),
    ] {
        let list = get(&format!("{query}&include_total=true")).await.expect(200).json();
        assert_eq!(names(&list), expected, "{query}");
        assert_eq!(list["page"]["total"], expected.len(), "{query}");
    }
    let first = get("limit=2").await.expect(200).json();
    let next = first["page"]["next"].as_str().unwrap();
    assert_eq!(names(&get(&format!("limit=2&cursor={next}")).await.expect(200).json()), ["Zoé"]);
    for query in [&format!("kind=staff&cursor={next}"), "kind=boss", "archived=maybe", "q=", "name=x"] {
        get(query).await.expect(400);
    }
}
