//! PATCH /api/v1/tag_assignments/{id}

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    times_are_corrected_and_tests_follow,
    a_correction_never_overlaps_another_assignment,
    times_that_cannot_be_are_refused,
    an_assignment_is_opened_again_if_that_can_be,
    the_assignment_of_a_visit_stays_within_it,
    a_stale_correction_is_refused,
    a_correction_is_written_down_and_raises_the_registry,
);

const PATH: &str = "/api/v1/tag_assignments";

/// Ada wore T-1 from 12:00:30 to 12:10:30, Bob has worn it since 12:20:30; now it is 12:30:30.
async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for name in ["Ada", "Bob"] {
        let body = json!({ "kind": "staff", "name": name });
        app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    }
    for person in [1, 2] {
        let body = json!({ "tag_serial": "T-1", "person_id": person });
        app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
        app.clock.advance(Span::minutes(10));
        if person == 1 {
            app.delete(&format!("{PATH}/1")).cookie(&member.cookie).send().await.expect(200);
            app.clock.advance(Span::minutes(10));
        }
    }
    member
}

async fn patch(app: &TestApp, member: &Account, id: i64, change: &Value) -> Reply {
    app.patch(&format!("{PATH}/{id}")).cookie(&member.cookie).json(change).send().await
}

async fn times_are_corrected_and_tests_follow(app: TestApp) {
    let member = set_up(&app).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for at in ["11:30", "12:05", "12:15", "12:25"] {
        let test =
            json!({ "tag_serial": "T-1", "passed": true, "tested_at": format!("2026-03-01T{at}:00Z") });
        app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    }
    let wearers = async || -> Vec<Value> {
        let tests = app.get("/api/v1/tags/1/tests").cookie(&member.cookie).send().await.expect(200).json();
        let names = tests["data"].as_array().unwrap().iter().rev();
        names.map(|test| test["person"]["name"].clone()).collect()
    };
    assert_eq!(wearers().await, [json!(null), json!("Ada"), json!(null), json!("Bob")]);
    let reply = patch(&app, &member, 1, &json!({ "ended_at": "2026-03-01T12:20:00Z" })).await.expect(200);
    assert_eq!(reply.json()["ended_at"], "2026-03-01T12:20:00Z");
    assert_eq!(reply.json()["ended_by"], json!({ "type": "user", "id": 1, "name": "m" }));
    assert_eq!(reply.header("etag"), "\"3\"");
    assert_eq!(wearers().await, [json!(null), json!("Ada"), json!("Ada"), json!("Bob")]);
    let both = json!({ "assigned_at": "2026-03-01T11:00:00Z", "ended_at": "2026-03-01T12:00:00Z" });
    patch(&app, &member, 1, &both).await.expect(200);
    assert_eq!(wearers().await, [json!("Ada"), json!(null), json!(null), json!("Bob")]);
    // Adjacent assignments are allowed: a tag passes directly from one person to the other.
    patch(&app, &member, 2, &json!({ "assigned_at": "2026-03-01T12:00:00Z" })).await.expect(200);
    assert_eq!(wearers().await, [json!("Ada"), json!("Bob"), json!("Bob"), json!("Bob")]);
    // A PATCH without effect does not change the version.
    let tag = patch(&app, &member, 1, &both).await.expect(200).header("etag").to_owned();
    assert_eq!(tag, "\"4\"");
}

async fn a_correction_never_overlaps_another_assignment(app: TestApp) {
    let member = set_up(&app).await;
    for (id, change, field) in [
        (1, json!({ "ended_at": "2026-03-01T12:20:31Z" }), "ended_at"),
        (1, json!({ "ended_at": null }), "ended_at"),
        (2, json!({ "assigned_at": "2026-03-01T12:10:29Z" }), "assigned_at"),
        (2, json!({ "assigned_at": "2026-03-01T11:00:00Z" }), "assigned_at"),
        (
            2,
            json!({ "assigned_at": "2026-03-01T11:00:00Z", "ended_at": "2026-03-01T12:00:31Z" }),
            "assigned_at",
        ),
    ] {
        let error = patch(&app, &member, id, &change).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!("overlap")), "{change}");
        let clash = format!("assignment {} of T-1", 3 - id);
        assert!(error["message"].as_str().unwrap().contains(&clash), "{error}");
    }
    for (id, change) in [
        (2, json!({ "assigned_at": "2026-03-01T12:10:30Z" })),
        (2, json!({ "assigned_at": "2026-03-01T11:00:00Z", "ended_at": "2026-03-01T12:00:30Z" })),
        (1, json!({ "ended_at": null })),
        // An empty assignment conflicts with none.
        (2, json!({ "assigned_at": "2026-03-01T12:05:00Z", "ended_at": "2026-03-01T12:05:00Z" })),
    ] {
        patch(&app, &member, id, &change).await.expect(200);
    }
}

async fn times_that_cannot_be_are_refused(app: TestApp) {
    let member = set_up(&app).await;
    for (change, field, code) in [
        (json!({ "assigned_at": "2026-03-01T12:10:31Z" }), "assigned_at", "bad_time"),
        (json!({ "ended_at": "2026-03-01T12:00:29Z" }), "ended_at", "bad_time"),
        (json!({ "ended_at": "2026-03-01T12:30:31Z" }), "ended_at", "bad_time"),
        (json!({ "assigned_at": "2026-03-01T12:30:31Z", "ended_at": null }), "assigned_at", "bad_time"),
        (json!({ "assigned_at": "2024-01-01T00:00:00Z" }), "assigned_at", "bad_time"),
        (json!({ "assigned_at": null }), "assigned_at", "required"),
        (json!({ "assigned_at": "x" }), "assigned_at", "invalid_time"),
        (json!({ "ended_at": 7 }), "ended_at", "wrong_type"),
        (json!({ "person_id": 2 }), "person_id", "unknown_field"),
    ] {
        let error = patch(&app, &member, 1, &change).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{change}");
    }
}

async fn an_assignment_is_opened_again_if_that_can_be(app: TestApp) {
    let member = set_up(&app).await;
    app.delete(&format!("{PATH}/2")).cookie(&member.cookie).send().await.expect(200);
    let open = json!({ "ended_at": null });
    let opened = patch(&app, &member, 2, &open).await.expect(200).json();
    assert_eq!((&opened["ended_at"], &opened["ended_by"]), (&json!(null), &json!(null)));
    app.post("/api/v1/people/2/archive").cookie(&member.cookie).send().await.expect(200);
    let error = patch(&app, &member, 2, &open).await.expect(422).json()["errors"][0].clone();
    assert_eq!((&error["field"], &error["code"]), (&json!("ended_at"), &json!("person_archived")));
}

async fn the_assignment_of_a_visit_stays_within_it(app: TestApp) {
    let member = set_up(&app).await;
    let visit = json!({ "name": "Grace", "tag_serial": "T-2" });
    app.post("/api/v1/visitor_sessions").cookie(&member.cookie).json(&visit).send().await.expect(201);
    app.clock.advance(Span::minutes(10));
    app.post("/api/v1/visitor_sessions/1/check_out").cookie(&member.cookie).send().await.expect(200);
    app.clock.advance(Span::minutes(10));
    for (change, field) in [
        (json!({ "assigned_at": "2026-03-01T12:30:29Z" }), "assigned_at"),
        (json!({ "ended_at": "2026-03-01T12:40:31Z" }), "ended_at"),
        (json!({ "ended_at": null }), "ended_at"),
    ] {
        let error = patch(&app, &member, 3, &change).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!("outside_visit")), "{change}");
    }
    let shorter = json!({ "assigned_at": "2026-03-01T12:31:00Z", "ended_at": "2026-03-01T12:35:00Z" });
    patch(&app, &member, 3, &shorter).await.expect(200);
}

async fn a_stale_correction_is_refused(app: TestApp) {
    let member = set_up(&app).await;
    let tag = app.get(&format!("{PATH}/1")).cookie(&member.cookie).send().await.expect(200);
    let tag = tag.header("etag").to_owned();
    let change = |at: &str| {
        let request = app.patch(&format!("{PATH}/1")).cookie(&member.cookie).header("if-match", &tag);
        request.json(&json!({ "ended_at": at })).send()
    };
    change("2026-03-01T12:05:00Z").await.expect(200);
    assert_eq!(change("2026-03-01T12:06:00Z").await.expect(412).code(), "stale");
}

async fn a_correction_is_written_down_and_raises_the_registry(app: TestApp) {
    let member = set_up(&app).await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(domain::BrandId(1), store::Projects::All);
    let before = store.read().await.unwrap().counters(&scope).await.unwrap().registry_version;
    patch(&app, &member, 1, &json!({ "ended_at": "2026-03-01T12:05:00Z" })).await.expect(200);
    let after = store.read().await.unwrap().counters(&scope).await.unwrap().registry_version;
    assert_eq!(after, before + 1);
    let admin = app.sign_in_new_user("a@example.com", Role::Admin).await;
    let log =
        app.get("/api/v1/admin/audit_log?action=tag_assignment.corrected").cookie(&admin.cookie).send().await;
    let details = log.expect(200).json()["data"][0]["details"].clone();
    assert_eq!(details["before"]["ended_at"], "2026-03-01T12:10:30Z");
    assert_eq!(details["after"]["ended_at"], "2026-03-01T12:05:00Z");
}
