//! GET /ingest/v1/commands

use std::sync::Arc;
use std::time::Duration;

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use crate::video::{get_clip, mp4, register_station, request_clip, upload_clip};

on_both_engines!(
    a_station_gets_what_waits_for_it_and_a_gateway_what_waits_for_any,
    what_is_over_is_left_out,
    a_call_is_held_open_until_something_waits,
    a_call_is_held_open_until_something_else_waits,
    what_another_process_made_wakes_it_too,
    a_call_that_waits_holds_no_connection,
    a_stop_ends_calls_that_wait,
    what_cannot_be_asked_is_refused,
);

async fn fetch_commands(app: &TestApp, token: &str, query: &str) -> Reply {
    app.get(&format!("/ingest/v1/commands{query}")).bearer(token).send().await
}

async fn send_message(app: &TestApp, user: &Account, station: i64, text: &str) {
    let path = format!("/api/v1/base_stations/{station}/messages");
    app.post(&path).cookie(&user.cookie).json(&json!({ "body": text })).send().await.expect(201);
}

fn texts(commands: &Value) -> Vec<&str> {
    commands["messages"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap()).collect()
}

fn clips(commands: &Value) -> Vec<i64> {
    commands["video_clips"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
}

async fn a_station_gets_what_waits_for_it_and_a_gateway_what_waits_for_any(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (one, two) =
        (register_station(&app, &admin, "BS-1").await, register_station(&app, &admin, "BS-2").await);
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    let theirs = app.issue_token("Other", DeviceKind::Gateway, "Yard").await;
    send_message(&app, &admin, one, "first").await;
    send_message(&app, &admin, two, "second").await;
    let (mine, other) = (request_clip(&app, &admin, one).await, request_clip(&app, &admin, two).await);
    assert_eq!(get_clip(&app, &admin, mine).await["fetched_at"], Value::Null);
    let found = fetch_commands(&app, &token, "").await.expect(200).json();
    assert_eq!((texts(&found), clips(&found)), (vec!["first"], vec![mine]));
    // The time of its first delivery does not change.
    app.clock.advance(Span::seconds(1));
    fetch_commands(&app, &token, "").await.expect(200);
    assert_eq!(get_clip(&app, &admin, mine).await["fetched_at"], "2026-03-01T12:00:30Z");
    let waiting = &found["video_clips"][0];
    for (field, value) in [
        ("base_station", json!("BS-1")),
        ("camera", json!("front")),
        ("from", json!("2026-03-01T11:00:00Z")),
        ("to", json!("2026-03-01T11:00:30Z")),
        ("upload", json!(format!("/ingest/v1/video_clips/{mine}/content"))),
        ("max_bytes", json!(268_435_456)),
    ] {
        assert_eq!(waiting[field], value, "{field}");
    }
    let found = fetch_commands(&app, &gateway, "").await.expect(200).json();
    assert_eq!((texts(&found), clips(&found)), (vec!["first", "second"], vec![mine, other]));
    let found = fetch_commands(&app, &gateway, "?base_station=bs-2").await.expect(200).json();
    assert_eq!((texts(&found), clips(&found)), (vec!["second"], vec![other]));
    let found = fetch_commands(&app, &theirs, "").await.expect(200).json();
    assert_eq!((texts(&found), clips(&found)), (vec![], vec![]));
    // They are returned again until they are done; a clip is done when its upload has begun.
    assert_eq!(texts(&fetch_commands(&app, &token, "").await.json()), ["first"]);
    upload_clip(&app, &token, mine, &mp4(2_000)).await.expect(200);
    assert_eq!(clips(&fetch_commands(&app, &token, "").await.json()), [0; 0]);
}

async fn what_is_over_is_left_out(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    send_message(&app, &admin, id, "hello").await;
    request_clip(&app, &admin, id).await;
    app.clock.advance(Span::minutes(24 * 60));
    let found = fetch_commands(&app, &token, "").await.json();
    assert_eq!((texts(&found).len(), clips(&found).len()), (0, 1));
    app.clock.advance(Span::minutes(6 * 24 * 60));
    assert_eq!(clips(&fetch_commands(&app, &token, "").await.json()), [0; 0]);
}

/// Starts a call that waits because nothing is pending.
async fn start_long_poll(app: &TestApp, token: &str, query: &str) -> tokio::task::JoinHandle<Reply> {
    let call = app.get(&format!("/ingest/v1/commands?wait=30{query}")).bearer(token);
    let mut call = tokio::spawn(call.send());
    // The call has not returned immediately, which is the only sign that it waits.
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut call).await.is_err());
    call
}

async fn a_call_is_held_open_until_something_waits(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let call = start_long_poll(&app, &token, "").await;
    send_message(&app, &admin, id, "hello").await;
    assert_eq!(texts(&call.await.unwrap().expect(200).json()), ["hello"]);
    // Pending commands are returned immediately.
    assert_eq!(texts(&fetch_commands(&app, &token, "?wait=30").await.expect(200).json()), ["hello"]);
}

async fn a_call_is_held_open_until_something_else_waits(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let first = request_clip(&app, &admin, id).await;
    let known =
        fetch_commands(&app, &token, "").await.expect(200).json()["version"].as_str().unwrap().to_owned();
    let call = start_long_poll(&app, &token, &format!("&known={known}")).await;
    let second = request_clip(&app, &admin, id).await;
    assert_eq!(clips(&call.await.unwrap().expect(200).json()), [first, second]);
}

async fn what_another_process_made_wakes_it_too(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let other = app.second_instance().await;
    let call = start_long_poll(&app, &token, "").await;
    send_message(&other, &admin, id, "hello").await;
    assert_eq!(texts(&call.await.unwrap().expect(200).json()), ["hello"]);
}

async fn a_call_that_waits_holds_no_connection(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    // More calls than there are database connections.
    let mut calls = Vec::new();
    for _ in 0..20 {
        let call = app.get("/ingest/v1/commands?wait=30").bearer(&token);
        calls.push(tokio::spawn(call.send()));
    }
    send_message(&app, &admin, id, "hello").await;
    for call in calls {
        assert_eq!(texts(&call.await.unwrap().expect(200).json()), ["hello"]);
    }
}

async fn a_stop_ends_calls_that_wait(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let call = start_long_poll(&app, &token, "").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    web::serve(listener, axum::Router::new(), Arc::clone(app.edge()), std::future::ready(())).await;
    // Well before the wait ends.
    let reply = tokio::time::timeout(Duration::from_secs(20), call).await.unwrap().unwrap();
    assert_eq!(texts(&reply.expect(200).json()), [""; 0]);
}

async fn what_cannot_be_asked_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_station(&app, &admin, "BS-1").await;
    register_station(&app, &admin, "BS-2").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    for (token, query, code) in [
        (&token, "?wait=31", "out_of_range"),
        (&token, "?wait=-1", "out_of_range"),
        (&token, "?wait=x", "out_of_range"),
        (&token, "?base_station=BS-2", "unknown_base_station"),
        (&gateway, "?base_station=BS-3", "unknown_base_station"),
        (&gateway, "?surprise=1", "unknown_parameter"),
        (&gateway, "?wait=1&wait=2", "repeated_parameter"),
    ] {
        assert_eq!(fetch_commands(&app, token, query).await.expect(400).code(), code, "{query}");
    }
    fetch_commands(&app, &token, "?base_station=bs-1").await.expect(200);
    fetch_commands(&app, "kcs_x", "").await.expect(401);
    app.get("/ingest/v1/commands").cookie(&admin.cookie).send().await.expect(401);
    let tester = app.issue_token("Acme", DeviceKind::Tester, "Kiosk").await;
    fetch_commands(&app, &tester, "").await.expect(401);
}
