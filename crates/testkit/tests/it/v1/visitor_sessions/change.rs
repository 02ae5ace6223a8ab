//! PATCH /api/v1/visitor_sessions/{id}

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::insert_worksite;

on_both_engines!(
    a_visit_is_corrected_and_its_assignment_keeps_in_step,
    a_tag_that_was_taken_back_before_stays_so,
    a_visit_is_opened_again_if_that_can_be,
    a_corrected_visit_never_takes_another_ones_tag,
    times_of_a_visit_that_cannot_be_are_refused,
    a_stale_correction_of_a_visit_is_refused,
);

const PATH: &str = "/api/v1/visitor_sessions";

/// Grace arrived at 12:00:30 and left at 12:10:30 with T-1; now it is 12:20:30.
async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body = json!({ "name": "Grace", "tag_serial": "T-1", "company": "Plums", "notes": "hello" });
    app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
    app.clock.advance(Span::minutes(10));
    app.post(&format!("{PATH}/1/check_out")).cookie(&member.cookie).send().await.expect(200);
    app.clock.advance(Span::minutes(10));
    member
}

async fn patch(app: &TestApp, member: &Account, change: &Value) -> Reply {
    app.patch(&format!("{PATH}/1")).cookie(&member.cookie).json(change).send().await
}

async fn assignment_times(app: &TestApp, member: &Account, id: i64) -> (Value, Value) {
    let path = format!("/api/v1/tag_assignments/{id}");
    let row = app.get(&path).cookie(&member.cookie).send().await.expect(200).json();
    (row["assigned_at"].clone(), row["ended_at"].clone())
}

fn at(time: &str) -> Value {
    json!(format!("2026-03-01T{time}Z"))
}

async fn a_visit_is_corrected_and_its_assignment_keeps_in_step(app: TestApp) {
    let member = set_up(&app).await;
    insert_worksite(&app, 7, "North quay", "UTC", None).await;
    let change =
        json!({ "checked_in_at": at("11:00:00"), "checked_out_at": at("11:30:00"), "worksite_id": 7 });
    let reply = patch(&app, &member, &change).await.expect(200);
    let visit = reply.json();
    assert_eq!((&visit["duration_s"], &visit["company"]), (&json!(1800), &json!("Plums")));
    assert_eq!(visit["worksite"]["name"], "North quay");
    assert_eq!(reply.header("etag"), "\"3\"");
    assert_eq!(assignment_times(&app, &member, 1).await, (at("11:00:00"), at("11:30:00")));
    // A PATCH without effect does not change the version.
    assert_eq!(patch(&app, &member, &change).await.expect(200).header("etag"), "\"3\"");
    let words =
        json!({ "company": null, "notes": " ", "worksite_id": null, "expected_until": at("13:00:00") });
    let visit = patch(&app, &member, &words).await.expect(200).json();
    for field in ["company", "notes", "worksite"] {
        assert_eq!(visit[field], json!(null), "{field}");
    }
    assert_eq!(visit["expected_until"], at("13:00:00"));
    assert_eq!(assignment_times(&app, &member, 1).await, (at("11:00:00"), at("11:30:00")));
}

async fn a_tag_that_was_taken_back_before_stays_so(app: TestApp) {
    let member = set_up(&app).await;
    let earlier = json!({ "assigned_at": at("12:01:00"), "ended_at": at("12:05:00") });
    let request = app.patch("/api/v1/tag_assignments/1").cookie(&member.cookie).json(&earlier);
    request.send().await.expect(200);
    patch(&app, &member, &json!({ "checked_out_at": at("12:15:00") })).await.expect(200);
    assert_eq!(assignment_times(&app, &member, 1).await, (at("12:01:00"), at("12:05:00")));
    patch(&app, &member, &json!({ "checked_out_at": at("12:03:00") })).await.expect(200);
    assert_eq!(assignment_times(&app, &member, 1).await, (at("12:01:00"), at("12:03:00")));
    patch(&app, &member, &json!({ "checked_in_at": at("12:02:00") })).await.expect(200);
    assert_eq!(assignment_times(&app, &member, 1).await, (at("12:02:00"), at("12:03:00")));
}

async fn a_visit_is_opened_again_if_that_can_be(app: TestApp) {
    let member = set_up(&app).await;
    let open = json!({ "checked_out_at": null });
    let visit = patch(&app, &member, &open).await.expect(200).json();
    assert_eq!((&visit["state"], &visit["checked_out_by"]), (&json!("active"), &json!(null)));
    assert_eq!(assignment_times(&app, &member, 1).await.1, json!(null));
    // And closed by a correction.
    let visit = patch(&app, &member, &json!({ "checked_out_at": at("12:12:00") })).await.expect(200).json();
    assert_eq!(visit["checked_out_by"], json!({ "type": "user", "id": 1, "name": "m" }));
    assert_eq!(assignment_times(&app, &member, 1).await.1, at("12:12:00"));
    let again = json!({ "person_id": 1, "tag_serial": "T-2" });
    app.post(PATH).cookie(&member.cookie).json(&again).send().await.expect(201);
    let error = patch(&app, &member, &open).await.expect(422).json()["errors"][0].clone();
    assert_eq!((&error["field"], &error["code"]), (&json!("checked_out_at"), &json!("already_checked_in")));
    app.post("/api/v1/people/1/archive").cookie(&member.cookie).send().await.expect(200);
    let error = patch(&app, &member, &open).await.expect(422).json()["errors"][0].clone();
    assert_eq!((&error["field"], &error["code"]), (&json!("checked_out_at"), &json!("person_archived")));
}

async fn a_corrected_visit_never_takes_another_ones_tag(app: TestApp) {
    let member = set_up(&app).await;
    let other = json!({ "name": "Ada", "tag_serial": "T-1" });
    app.post(PATH).cookie(&member.cookie).json(&other).send().await.expect(201);
    app.clock.advance(Span::minutes(10));
    for (change, field) in [
        (json!({ "checked_out_at": at("12:20:31") }), "checked_out_at"),
        (json!({ "checked_out_at": null }), "checked_out_at"),
    ] {
        let error = patch(&app, &member, &change).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!("overlap")), "{change}");
    }
    let early = json!({ "checked_in_at": at("12:10:29") });
    let refused =
        app.patch(&format!("{PATH}/2")).cookie(&member.cookie).json(&early).send().await.expect(422);
    assert_eq!(refused.json()["errors"][0]["field"], "checked_in_at");
    patch(&app, &member, &json!({ "checked_out_at": at("12:20:30") })).await.expect(200);
}

async fn times_of_a_visit_that_cannot_be_are_refused(app: TestApp) {
    let member = set_up(&app).await;
    for (change, field, code) in [
        (json!({ "checked_in_at": at("12:10:31") }), "checked_in_at", "bad_time"),
        (json!({ "checked_out_at": at("12:00:29") }), "checked_out_at", "bad_time"),
        (json!({ "checked_out_at": at("12:20:31") }), "checked_out_at", "bad_time"),
        (json!({ "checked_in_at": "2024-01-01T00:00:00Z" }), "checked_in_at", "bad_time"),
        (json!({ "checked_in_at": null }), "checked_in_at", "required"),
        (json!({ "expected_until": at("12:00:30") }), "expected_until", "bad_time"),
        (json!({ "expected_until": "2028-01-01T00:00:00Z" }), "expected_until", "bad_time"),
        (json!({ "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (json!({ "company": "a\u{7}" }), "company", "control_character"),
        (json!({ "tag_serial": "T-2" }), "tag_serial", "unknown_field"),
    ] {
        let error = patch(&app, &member, &change).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{change}");
    }
}

async fn a_stale_correction_of_a_visit_is_refused(app: TestApp) {
    let member = set_up(&app).await;
    let change = |notes: &str| {
        let request = app.patch(&format!("{PATH}/1")).cookie(&member.cookie).header("if-match", "\"2\"");
        request.json(&json!({ "notes": notes })).send()
    };
    change("one").await.expect(200);
    assert_eq!(change("two").await.expect(412).code(), "stale");
}
