//! GET /api/v1/projects

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(a_thousand_are_paged_while_others_are_added, projects_are_searched_by_name);

async fn a_thousand_are_paged_while_others_are_added(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let rows: Vec<String> = (0..1_000).map(|n| format!("(1, 'P{n:04}', 'p{n:04}', 1, 1, 1)")).collect();
    let insert = "insert into projects (brand_id, name, name_key, version, created_at, updated_at) values";
    testkit::execute_raw_sql(app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    let (mut seen, mut path) = (Vec::new(), "/api/v1/projects?limit=300".to_owned());
    loop {
        let body = app.get(&path).cookie(&ada.cookie).send().await.expect(200).json();
        let names = body["data"].as_array().unwrap().iter();
        seen.extend(names.map(|project| project["name"].as_str().unwrap().to_owned()));
        for name in ["A newcomer", "P0500 newcomer"] {
            app.post("/api/v1/projects")
                .cookie(&ada.cookie)
                .json(&json!({ "name": name }))
                .send()
                .await
                .expect(201);
        }
        match body["page"]["next"].as_str() {
            Some(next) => path = format!("/api/v1/projects?limit=300&cursor={next}"),
            None => break,
        }
    }
    seen.retain(|name| !name.contains("newcomer"));
    let expected: Vec<String> = (0..1_000).map(|n| format!("P{n:04}")).collect();
    assert_eq!(seen, expected);
}

async fn projects_are_searched_by_name(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for name in ["Brücke Nord", "Tunnel", "BRUCKE Süd"] {
        app.post("/api/v1/projects")
            .cookie(&ada.cookie)
            .json(&json!({ "name": name }))
            .send()
            .await
            .expect(201);
    }
    let found = app.get("/api/v1/projects?q=brucke").cookie(&ada.cookie).send().await.expect(200).json();
    let names: Vec<_> =
        found["data"].as_array().unwrap().iter().map(|project| project["name"].clone()).collect();
    assert_eq!(names, ["Brücke Nord", "BRUCKE Süd"]);
    for query in ["q=", "archived=maybe", "name=x", "limit=0"] {
        app.get(&format!("/api/v1/projects?{query}")).cookie(&ada.cookie).send().await.expect(400);
    }
}
