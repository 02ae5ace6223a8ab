//! /api/v1/base_stations/{id}/messages

use domain::event::ReceiptState;
use domain::{BaseStationId, MessageId, Role, Span};
use serde_json::{Value, json};
use store::Projects;
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{create_two_projects, field_errors, get, install, register_stations};

on_both_engines!(
    a_message_waits_for_a_day_unless_it_says_otherwise,
    its_state_follows_from_its_receipts,
    what_cannot_be_sent_is_refused,
    a_repeat_sends_nothing_twice,
    those_who_do_not_see_names_do_not_see_texts,
    it_is_seen_by_those_who_see_the_station,
    sending_is_written_down,
);

async fn send(app: &TestApp, user: &Account, station: i64, body: &Value) -> Reply {
    let path = format!("/api/v1/base_stations/{station}/messages");
    app.post(&path).cookie(&user.cookie).json(body).send().await
}

async fn states(app: &TestApp, user: &Account) -> Vec<String> {
    let body = get(app, user, "/1/messages").await.expect(200).json();
    let rows = body["data"].as_array().unwrap().iter();
    rows.map(|row| row["state"].as_str().unwrap().to_owned()).collect()
}

async fn a_message_waits_for_a_day_unless_it_says_otherwise(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let sent = send(&app, &admin, 1, &json!({ "body": " Stop at gate 4 " })).await.expect(201);
    assert_eq!(sent.header("location"), "/api/v1/base_stations/1/messages");
    let sent = sent.json();
    assert_eq!(sent["body"], "Stop at gate 4");
    assert_eq!(sent["state"], "queued");
    assert_eq!(sent["sent_by"]["name"], "ada");
    assert_eq!(sent["expires_at"], "2026-03-02T12:00:30Z");
    let body = json!({ "body": "Quick", "expires_in_minutes": 1 });
    send(&app, &admin, 1, &body).await.expect(201);
    assert_eq!(states(&app, &admin).await, ["queued", "queued"]);
    app.clock.advance(Span::seconds(60));
    assert_eq!(states(&app, &admin).await, ["expired", "queued"]);
    app.clock.advance(Span::minutes(24 * 60));
    // The first session has expired by now.
    let other = app.sign_in_new_user("max@example.com", Role::Member).await;
    assert_eq!(states(&app, &other).await, ["expired", "expired"]);
}

async fn its_state_follows_from_its_receipts(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    send(&app, &admin, 1, &json!({ "body": "Stop" })).await.expect(201);
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
    for (state, word) in [
        (ReceiptState::Delivered, "delivered"),
        (ReceiptState::Displayed, "displayed"),
        (ReceiptState::Acknowledged, "acknowledged"),
    ] {
        let mut tx = store.begin().await.unwrap();
        let found =
            tx.messages(&scope).record_receipt(BaseStationId(1), MessageId(1), state, app.clock.now()).await;
        assert!(found.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(states(&app, &admin).await, [word]);
    }
}

async fn what_cannot_be_sent_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    for (body, fault) in [
        (json!({}), "body: required"),
        (json!({ "body": " " }), "body: required"),
        (json!({ "body": "x".repeat(201) }), "body: too_long"),
        (json!({ "body": "a\nb" }), "body: control_character"),
        (json!({ "body": "x", "expires_in_minutes": 0 }), "expires_in_minutes: out_of_range"),
        (json!({ "body": "x", "expires_in_minutes": 10081 }), "expires_in_minutes: out_of_range"),
        (json!({ "body": "x", "state": "displayed" }), "state: unknown_field"),
    ] {
        let refused = send(&app, &admin, 1, &body).await.expect(422).json();
        assert_eq!(field_errors(&refused), [fault], "{body}");
    }
    send(&app, &admin, 2, &json!({ "body": "x" })).await.expect(404);
    assert_eq!(states(&app, &admin).await, [""; 0]);
}

async fn a_repeat_sends_nothing_twice(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let call = || {
        let call = app.post("/api/v1/base_stations/1/messages").cookie(&admin.cookie);
        call.header("idempotency-key", "k-1").json(&json!({ "body": "Stop" }))
    };
    let first = call().send().await.expect(201).json();
    assert_eq!(call().send().await.expect(201).json(), first);
    assert_eq!(states(&app, &admin).await, ["queued"]);
}

async fn those_who_do_not_see_names_do_not_see_texts(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    send(&app, &admin, 1, &json!({ "body": "Ask for Ms Lovelace" })).await.expect(201);
    send(&app, &viewer, 1, &json!({ "body": "x" })).await.expect(403);
    let row = get(&app, &viewer, "/1/messages").await.expect(200).json()["data"][0].clone();
    assert_eq!((&row["body"], &row["sent_by"]["name"]), (&Value::Null, &Value::Null));
}

async fn it_is_seen_by_those_who_see_the_station(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_two_projects(&app, &admin).await;
    register_stations(&app, &admin, &["BS-1", "BS-2"]).await;
    for id in 1..=2 {
        install(&app, &admin, id, &json!({ "machine_id": id })).await.expect(200);
        send(&app, &admin, id, &json!({ "body": "x" })).await.expect(201);
    }
    let member = app.sign_in_new_user("max@example.com", Role::Member).await;
    let email = domain::EmailAddress::parse("max@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[domain::ProjectId(1)])).await.unwrap();
    get(&app, &member, "/1/messages").await.expect(200);
    send(&app, &member, 1, &json!({ "body": "y" })).await.expect(201);
    get(&app, &member, "/2/messages").await.expect(404);
    send(&app, &member, 2, &json!({ "body": "y" })).await.expect(404);
}

async fn sending_is_written_down(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    send(&app, &admin, 1, &json!({ "body": "Stop" })).await.expect(201);
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 500).await.unwrap();
    let row = rows.into_iter().find(|row| row.target_kind == "message").unwrap();
    assert_eq!(row.action, "message.sent");
    // The text may have to be erased one day, so it is stored beside the audit row.
    assert!(!row.details.contains("Stop"), "{}", row.details);
}
