//! GET /api/v1/tags/{id}/tests, …/assignments

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(tests_are_listed_the_latest_first, assignments_of_a_tag_are_listed_the_latest_first);

async fn pages(app: &TestApp, cookie: &str, path: &str) -> Vec<Value> {
    let (mut rows, mut query) = (Vec::new(), "limit=2&include_total=true".to_owned());
    loop {
        let page = app.get(&format!("{path}?{query}")).cookie(cookie).send().await.expect(200).json();
        rows.extend(page["data"].as_array().unwrap().clone());
        let total = page["page"]["total"].as_u64().unwrap();
        let Some(next) = page["page"]["next"].as_str() else {
            assert_eq!(total, rows.len() as u64);
            return rows;
        };
        query = format!("limit=2&include_total=true&cursor={next}");
    }
}

async fn tests_are_listed_the_latest_first(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for at in ["09", "07", "11", "11", "08"] {
        let body =
            json!({ "tag_serial": "T-1", "passed": true, "tested_at": format!("2026-03-01T{at}:00:00Z") });
        app.post("/api/v1/tester/tag_tests").bearer(&token).json(&body).send().await.expect(201);
    }
    let tests = pages(&app, &member.cookie, "/api/v1/tags/1/tests").await;
    let ids: Vec<i64> = tests.iter().map(|test| test["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [4, 3, 1, 5, 2]);
    let expected = json!({
        "id": 4, "tag": { "id": 1, "serial": "T-1" }, "tester_device": { "id": 1 }, "person": null,
        "tested_at": "2026-03-01T11:00:00Z", "passed": true, "base_station": null, "battery_percent": null,
        "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(tests[0], expected);
    for query in ["cursor=x", "limit=0", "passed=true"] {
        app.get(&format!("/api/v1/tags/1/tests?{query}")).cookie(&member.cookie).send().await.expect(400);
    }
    app.get("/api/v1/tags/99/tests").cookie(&member.cookie).send().await.expect(404);
}

async fn assignments_of_a_tag_are_listed_the_latest_first(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let post = |path: &str, body: Value| app.post(path).cookie(&member.cookie).json(&body).send();
    post("/api/v1/people", json!({ "kind": "staff", "name": "Ada" })).await.expect(201);
    for _ in 0..4 {
        let body = json!({ "tag_serial": "T-1", "person_id": 1, "replace": true });
        post("/api/v1/tag_assignments", body).await.expect(201);
        app.clock.advance(Span::minutes(1));
    }
    post("/api/v1/tag_assignments", json!({ "tag_serial": "T-2", "person_id": 1 })).await.expect(201);
    let rows = pages(&app, &member.cookie, "/api/v1/tags/1/assignments").await;
    let ids: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [4, 3, 2, 1]);
}
