//! POST /api/v1/tester/tag_tests, GET /api/v1/tester/tags/{serial}

use domain::{DeviceKind, Span};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(
    a_test_is_written_down_with_who_wore_the_tag,
    a_test_that_comes_late_does_not_change_the_battery_of_today,
    every_wrong_field_is_named,
    what_is_no_serial_names_no_tag,
);

async fn test(app: &TestApp, token: &str, body: &Value) -> Reply {
    app.post("/api/v1/tester/tag_tests").bearer(token).json(body).send().await
}

async fn view(app: &TestApp, token: &str) -> Value {
    app.get("/api/v1/tester/tags/TAG-1").bearer(token).send().await.expect(200).json()
}

async fn a_test_is_written_down_with_who_wore_the_tag(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    // An unknown tag is registered.
    let first = test(&app, &token, &json!({ "tag_serial": "TAG-1", "passed": false })).await.expect(201);
    assert_eq!(first.json()["person"], json!(null));
    assert_eq!(first.json()["tester_device"], json!({ "id": 1 }));
    assert_eq!(first.header("location"), "/api/v1/tester/tags/TAG-1");
    let person = json!({ "kind": "visitor", "name": "Ada" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    let assignment = json!({ "tag_serial": "TAG-1", "person_id": 1 });
    app.post("/api/v1/tester/tag_assignments").bearer(&token).json(&assignment).send().await.expect(201);
    app.clock.advance(Span::minutes(10));
    let body = json!({ "tag_serial": "tag-1", "passed": true, "battery_percent": 87 });
    let second = test(&app, &token, &body).await.expect(201).json();
    assert_eq!((&second["person"]["id"], &second["battery_percent"]), (&json!(1), &json!(87)));
    let seen = view(&app, &token).await;
    assert_eq!(seen["last_test"], json!({ "tested_at": "2026-03-01T12:10:30Z", "passed": true }));
    assert_eq!((&seen["battery_percent"], &seen["role"]), (&json!(87), &json!("pedestrian")));
    // A test before the assignment has no wearer.
    let body = json!({ "tag_serial": "TAG-1", "passed": true, "tested_at": "2026-03-01T13:00:00+01:00" });
    assert_eq!(test(&app, &token, &body).await.expect(201).json()["person"], json!(null));
    // Whatever characters a serial has, its `Location` works.
    let odd = test(&app, &token, &json!({ "tag_serial": "A/B?c#%41", "passed": true })).await.expect(201);
    app.get(odd.header("location")).bearer(&token).send().await.expect(200);
}

async fn a_test_that_comes_late_does_not_change_the_battery_of_today(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    test(&app, &token, &json!({ "tag_serial": "TAG-1", "passed": true, "battery_percent": 40 }))
        .await
        .expect(201);
    let late = json!({ "tag_serial": "TAG-1", "passed": false, "battery_percent": 90, "tested_at": "2026-02-01T08:00:00Z" });
    test(&app, &token, &late).await.expect(201);
    let seen = view(&app, &token).await;
    assert_eq!((&seen["battery_percent"], &seen["last_test"]["passed"]), (&json!(40), &json!(true)));
}

async fn every_wrong_field_is_named(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for (body, field, code) in [
        (json!({ "passed": true }), "tag_serial", "required"),
        (json!({ "tag_serial": "T", "passed": "yes" }), "passed", "wrong_type"),
        (
            json!({ "tag_serial": "T", "passed": true, "battery_percent": 101 }),
            "battery_percent",
            "out_of_range",
        ),
        (
            json!({ "tag_serial": "T", "passed": true, "battery_percent": 8.5 }),
            "battery_percent",
            "wrong_type",
        ),
        (json!({ "tag_serial": "T", "passed": true, "tested_at": "yesterday" }), "tested_at", "invalid_time"),
        (
            json!({ "tag_serial": "T", "passed": true, "tested_at": "2026-03-01T12:05:31Z" }),
            "tested_at",
            "bad_time",
        ),
        (
            json!({ "tag_serial": "T", "passed": true, "tested_at": "2024-01-01T00:00:00Z" }),
            "tested_at",
            "bad_time",
        ),
        (json!({ "tag_serial": "T", "passed": true, "device_id": 1 }), "device_id", "unknown_field"),
    ] {
        let error = test(&app, &token, &body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
    app.get("/api/v1/tester/tags/T").bearer(&token).send().await.expect(404);
    let ahead = json!({ "tag_serial": "T", "passed": true, "tested_at": "2026-03-01T12:05:30Z" });
    test(&app, &token, &ahead).await.expect(201);
}

async fn what_is_no_serial_names_no_tag(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for serial in ["nothing", "%00", "%ff", "a%20b", &"x".repeat(65), "..%2f.."] {
        app.get(&format!("/api/v1/tester/tags/{serial}")).bearer(&token).send().await.expect(404);
    }
}
