//! GET and POST /api/v1/tags[/{id}]

use domain::{DeviceKind, Role};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_tag_is_registered_and_found,
    a_serial_is_taken_once_in_a_brand_whatever_its_case,
    tags_are_filtered_and_paged_by_serial,
    a_tag_of_another_brand_does_not_exist,
    kiosk_and_desk_show_the_same_tag,
);

const PATH: &str = "/api/v1/tags";

async fn a_tag_is_registered_and_found(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body = json!({ "serial": " TAG-1 ", "role": "operator" });
    let made = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
    let expected = json!({
        "id": 1, "serial": "TAG-1", "role": "operator", "state": "stock", "flags": ["never_tested"],
        "battery_percent": null, "person": null, "last_seen_at": null, "last_test": null,
        "days_since_last_test": null, "incursions": { "last_30_days": 0, "last_at": null }, "created_at": "2026-03-01T12:00:30Z",
        "updated_at": "2026-03-01T12:00:30Z", "retired_at": null,
    });
    assert_eq!(made.json(), expected);
    let found = app.get(made.header("location")).cookie(&member.cookie).send().await.expect(200);
    assert_eq!((found.json(), found.header("etag")), (expected, "\"1\""));
    // Flags change with the clock, so conditional requests are not answered with 304.
    let again = app.get("/api/v1/tags/1").cookie(&member.cookie).header("if-none-match", "\"1\"");
    again.send().await.expect(200);
    let plain = app.post(PATH).cookie(&member.cookie).json(&json!({ "serial": "TAG-2" })).send().await;
    assert_eq!(plain.expect(201).json()["role"], "pedestrian");
    for (body, code) in [
        (json!({}), "required"),
        (json!({ "serial": "a b" }), "invalid_serial"),
        (json!({ "serial": "x", "role": "boss" }), "invalid_role"),
        (json!({ "serial": "x", "state": "stock" }), "unknown_field"),
    ] {
        let refused = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{body}");
    }
}

async fn a_serial_is_taken_once_in_a_brand_whatever_its_case(app: TestApp) {
    let ours = app.sign_in_new_user("m@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Member).await;
    let post =
        |cookie: &str, serial: &str| app.post(PATH).cookie(cookie).json(&json!({ "serial": serial })).send();
    post(&ours.cookie, "TAG-1").await.expect(201);
    let refused = post(&ours.cookie, "tag-1").await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "serial_taken");
    post(&theirs.cookie, "TAG-1").await.expect(201);
}

async fn tags_are_filtered_and_paged_by_serial(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let post = |path: &str, body: Value| app.post(path).cookie(&member.cookie).json(&body).send();
    for (serial, role) in
        [("b-2", "pedestrian"), ("A-1", "operator"), ("C-3", "pedestrian"), ("c_4", "operator")]
    {
        post(PATH, json!({ "serial": serial, "role": role })).await.expect(201);
    }
    post("/api/v1/people", json!({ "kind": "staff", "name": "Ada" })).await.expect(201);
    post("/api/v1/tag_assignments", json!({ "tag_serial": "b-2", "person_id": 1 })).await.expect(201);
    let retire = json!({ "retired": true });
    app.patch("/api/v1/tags/3").cookie(&member.cookie).json(&retire).send().await.expect(200);
    let get = |query: &str| app.get(&format!("{PATH}?{query}")).cookie(&member.cookie).send();
    for (query, expected) in [
        ("", vec!["A-1", "b-2", "C-3", "c_4"]),
        ("q=C", vec!["C-3", "c_4"]),
        ("q=_", vec!["c_4"]),
        ("role=operator", vec!["A-1", "c_4"]),
        ("state=assigned", vec!["b-2"]),
        ("state=stock", vec!["A-1", "c_4"]),
        ("state=retired", vec!["C-3"]),
        ("person_id=1", vec!["b-2"]),
        ("person_id=2", vec![]),
        ("flag=never_tested&role=pedestrian", vec!["b-2"]),
    ] {
        let list = get(&format!("{query}&include_total=true")).await.expect(200).json();
        assert_eq!(serials(&list), expected, "{query}");
        assert_eq!(list["page"]["total"], expected.len(), "{query}");
    }
    let next = get("limit=2").await.expect(200).json()["page"]["next"].as_str().unwrap().to_owned();
    assert_eq!(serials(&get(&format!("limit=2&cursor={next}")).await.expect(200).json()), ["C-3", "c_4"]);
    for query in ["role=boss", "state=lost", "flag=odd", "person_id=x", &format!("q=c&cursor={next}")] {
        get(query).await.expect(400);
    }
}

async fn a_tag_of_another_brand_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("m@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Admin).await;
    app.post(PATH).cookie(&ours.cookie).json(&json!({ "serial": "TAG-1" })).send().await.expect(201);
    for path in ["/api/v1/tags/1", "/api/v1/tags/1/tests", "/api/v1/tags/1/assignments"] {
        app.get(path).cookie(&theirs.cookie).send().await.expect(404);
    }
    app.patch("/api/v1/tags/1").cookie(&theirs.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
}

async fn kiosk_and_desk_show_the_same_tag(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let test = json!({ "tag_serial": "TAG-1", "passed": false, "battery_percent": 8 });
    app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    let desk = app.get("/api/v1/tags/1").cookie(&member.cookie).send().await.expect(200).json();
    let kiosk = app.get("/api/v1/tester/tags/tag-1").bearer(&token).send().await.expect(200).json();
    assert_eq!(desk, kiosk);
    assert_eq!(desk["flags"], json!(["critical_battery"]));
    assert_eq!(desk["last_test"], json!({ "tested_at": "2026-03-01T12:00:30Z", "passed": false }));
    assert_eq!(
        (&desk["days_since_last_test"], &desk["last_seen_at"]),
        (&json!(0), &desk["last_test"]["tested_at"])
    );
}

fn serials(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|tag| tag["serial"].as_str().unwrap()).collect()
}
