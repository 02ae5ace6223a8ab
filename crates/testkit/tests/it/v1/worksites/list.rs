//! GET /api/v1/worksites

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{create_project, get, new_site, post, square};

on_both_engines!(a_thousand_are_paged_while_others_are_added, worksites_are_found_by_what_they_are);

async fn a_thousand_are_paged_while_others_are_added(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let rows: Vec<String> = (0..1_000)
        .map(|n| format!("(1, 'S{n:04}', 's{n:04}', '#000000', 'other', 'UTC', 1, 1, 1)"))
        .collect();
    let insert = "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, version, created_at, updated_at) values";
    testkit::execute_raw_sql(app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    let (mut seen, mut query) = (Vec::new(), "?limit=300".to_owned());
    loop {
        let body = get(&app, &ada, &query).await.expect(200).json();
        let names = body["data"].as_array().unwrap().iter();
        seen.extend(names.map(|site| site["name"].as_str().unwrap().to_owned()));
        for name in ["A newcomer", "S0500 newcomer"] {
            post(&app, &ada, &new_site(name, &json!({}))).await.expect(201);
        }
        match body["page"]["next"].as_str() {
            Some(next) => query = format!("?limit=300&cursor={next}"),
            None => break,
        }
    }
    seen.retain(|name| !name.contains("newcomer"));
    let expected: Vec<String> = (0..1_000).map(|n| format!("S{n:04}")).collect();
    assert_eq!(seen, expected);
}

async fn worksites_are_found_by_what_they_are(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    let boundary = square(13.0, 52.0, 0.01);
    for more in [
        json!({ "name": "Brücke", "project_id": 1, "boundary": boundary }),
        json!({ "name": "BRUCKE 2", "kind": "forestry" }),
        json!({ "name": "Wald", "kind": "forestry", "project_id": 1 }),
    ] {
        post(&app, &ada, &new_site("", &more)).await.expect(201);
    }
    for (query, found) in [
        ("", vec!["Brücke", "BRUCKE 2", "Wald"]),
        ("&q=brucke", vec!["Brücke", "BRUCKE 2"]),
        ("&kind=forestry", vec!["BRUCKE 2", "Wald"]),
        ("&project_id=1&kind=forestry", vec!["Wald"]),
        ("&archived=true", vec![]),
    ] {
        let body = get(&app, &ada, &format!("?include_total=true{query}")).await.expect(200).json();
        let rows = body["data"].as_array().unwrap();
        let names: Vec<&str> = rows.iter().map(|site| site["name"].as_str().unwrap()).collect();
        assert_eq!(names, found, "{query}");
        assert_eq!(body["page"]["total"], found.len(), "{query}");
        assert!(rows.iter().all(|site| site.get("boundary").is_none()), "lists leave out boundaries");
    }
    for query in ["q=", "kind=moon", "project_id=x", "archived=1", "colour=red", "contains=13"] {
        get(&app, &ada, &format!("?{query}")).await.expect(400);
    }
}
