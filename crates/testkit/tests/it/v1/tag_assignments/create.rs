//! GET, POST and DELETE /api/v1/tag_assignments[/{id}]

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    a_desk_hands_out_and_takes_back,
    an_assignment_may_begin_in_the_past,
    a_past_assignment_never_overlaps_another,
    every_wrong_field_of_an_assignment_is_named,
    an_assignment_of_another_brand_does_not_exist,
    a_repeated_assignment_is_made_once,
);

const PATH: &str = "/api/v1/tag_assignments";

async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for name in ["Ada", "Bob"] {
        let body = json!({ "kind": "staff", "name": name });
        app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    }
    member
}

async fn assign(app: &TestApp, member: &Account, body: &Value) -> Reply {
    app.post(PATH).cookie(&member.cookie).json(body).send().await
}

async fn a_desk_hands_out_and_takes_back(app: TestApp) {
    let member = set_up(&app).await;
    let made = assign(&app, &member, &json!({ "tag_serial": "T-1", "person_id": 1 })).await.expect(201);
    let body = made.json();
    assert_eq!(body["assigned_by"], json!({ "type": "user", "id": 1, "name": "m" }));
    assert_eq!(app.get(made.header("location")).cookie(&member.cookie).send().await.expect(200).json(), body);
    let list = app.get(&format!("{PATH}?open=true&person_id=1")).cookie(&member.cookie).send().await;
    assert_eq!(list.expect(200).json()["data"], json!([body]));
    // A tester device can end an assignment that a user made.
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    app.clock.advance(Span::minutes(1));
    let ended = app.delete("/api/v1/tester/tag_assignments/1").bearer(&token).send().await.expect(200).json();
    assert_eq!(ended["ended_by"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
    // The device does not see the names of users.
    assert_eq!(ended["assigned_by"], json!({ "type": "user", "id": 1, "name": null }));
    let mut again =
        app.delete(made.header("location")).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(again["assigned_by"]["name"].take(), json!("m"));
    assert_eq!(again, ended);
    assign(&app, &member, &json!({ "tag_serial": "T-1", "person_id": 2 })).await.expect(201);
    let ended = app.delete(&format!("{PATH}/2")).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(ended["ended_by"], json!({ "type": "user", "id": 1, "name": "m" }));
}

async fn an_assignment_may_begin_in_the_past(app: TestApp) {
    let member = set_up(&app).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for at in ["08", "10"] {
        let test =
            json!({ "tag_serial": "T-1", "passed": true, "tested_at": format!("2026-03-01T{at}:00:00Z") });
        app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    }
    let body = json!({ "tag_serial": "T-1", "person_id": 1, "assigned_at": "2026-03-01T09:00:00Z" });
    let made = assign(&app, &member, &body).await.expect(201).json();
    assert_eq!(
        (&made["assigned_at"], &made["created_at"]),
        (&json!("2026-03-01T09:00:00Z"), &json!("2026-03-01T12:00:30Z"))
    );
    // The wearer at a test is updated.
    let tests = app.get("/api/v1/tags/1/tests").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(
        (&tests["data"][0]["person"]["name"], &tests["data"][1]["person"]),
        (&json!("Ada"), &json!(null))
    );
    // Replacing from a time in the past ends the other assignment at that time.
    let body = json!({ "tag_serial": "T-1", "person_id": 2, "replace": true, "assigned_at": "2026-03-01T09:30:00Z" });
    assign(&app, &member, &body).await.expect(201);
    let first = app.get(&format!("{PATH}/1")).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(first["ended_at"], "2026-03-01T09:30:00Z");
    let tests = app.get("/api/v1/tags/1/tests").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(tests["data"][0]["person"]["name"], "Bob");
}

async fn a_past_assignment_never_overlaps_another(app: TestApp) {
    let member = set_up(&app).await;
    assign(&app, &member, &json!({ "tag_serial": "T-1", "person_id": 1 })).await.expect(201);
    let body = |at: &str| json!({ "tag_serial": "T-1", "person_id": 2, "replace": true, "assigned_at": at });
    let error =
        assign(&app, &member, &body("2026-03-01T12:00:29Z")).await.expect(422).json()["errors"][0].clone();
    assert_eq!((&error["field"], &error["code"]), (&json!("assigned_at"), &json!("overlap")));
    assert!(error["message"].as_str().unwrap().contains("assignment 1 of T-1"), "{error}");
    app.clock.advance(Span::minutes(10));
    app.delete(&format!("{PATH}/1")).cookie(&member.cookie).send().await.expect(200);
    for (at, status) in
        [("2026-03-01T12:05:00Z", 422), ("2026-03-01T12:00:00Z", 422), ("2026-03-01T12:10:30Z", 201)]
    {
        assign(&app, &member, &body(at)).await.expect(status);
    }
}

async fn every_wrong_field_of_an_assignment_is_named(app: TestApp) {
    let member = set_up(&app).await;
    for (body, field, code) in [
        (json!({ "tag_serial": "T", "person_id": 1, "assigned_at": "x" }), "assigned_at", "invalid_time"),
        (
            json!({ "tag_serial": "T", "person_id": 1, "assigned_at": "2026-03-01T12:00:31Z" }),
            "assigned_at",
            "bad_time",
        ),
        (
            json!({ "tag_serial": "T", "person_id": 1, "assigned_at": "2025-01-01T00:00:00Z" }),
            "assigned_at",
            "bad_time",
        ),
        (json!({ "tag_serial": "T", "person_id": 1, "ended_at": null }), "ended_at", "unknown_field"),
        (json!({ "tag_serial": "T", "tag_id": 1, "person_id": 1 }), "tag_id", "ambiguous"),
        (json!({ "tag_id": 9, "person_id": 1 }), "tag_id", "unknown_tag"),
        (json!({ "tag_serial": "T", "person_id": 9 }), "person_id", "unknown_person"),
    ] {
        let error = assign(&app, &member, &body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
    for query in ["open=maybe", "person_id=x", "tag_id=", "cursor=x", "q=x"] {
        app.get(&format!("{PATH}?{query}")).cookie(&member.cookie).send().await.expect(400);
    }
}

async fn an_assignment_of_another_brand_does_not_exist(app: TestApp) {
    let member = set_up(&app).await;
    assign(&app, &member, &json!({ "tag_serial": "T-1", "person_id": 1 })).await.expect(201);
    let other = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Admin).await;
    app.get(&format!("{PATH}/1")).cookie(&other.cookie).send().await.expect(404);
    app.delete(&format!("{PATH}/1")).cookie(&other.cookie).send().await.expect(404);
    app.patch(&format!("{PATH}/1")).cookie(&other.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
    assert_eq!(app.get(PATH).cookie(&other.cookie).send().await.expect(200).json()["data"], json!([]));
}

async fn a_repeated_assignment_is_made_once(app: TestApp) {
    let member = set_up(&app).await;
    let send = || {
        let request = app.post(PATH).cookie(&member.cookie).header("idempotency-key", "k");
        request
            .json(&json!({ "tag_serial": "T-1", "person_id": 1, "assigned_at": "2026-03-01T09:00:00Z" }))
            .send()
    };
    let first = send().await.expect(201).json();
    assert_eq!(send().await.expect(201).json(), first);
}
