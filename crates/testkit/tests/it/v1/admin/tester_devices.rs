//! /api/v1/admin/tester_devices

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_device_gets_a_token_that_is_shown_once,
    issuing_again_rotates_and_revoking_ends_it,
    names_are_taken_once_and_found_by_search,
    another_brands_device_does_not_exist,
);

const PATH: &str = "/api/v1/admin/tester_devices";
const OPENED: &str = "/api/v1/tester/people_assets";

async fn a_device_gets_a_token_that_is_shown_once(app: TestApp) {
    let admin = app.signed_in("ada@example.com", Role::Admin).await;
    let made =
        app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    let device = made.header("location").to_owned();
    assert_eq!((&made.json()["name"], &made.json()["token"]), (&json!("Gate 1"), &json!(null)));
    let issued = app.post(&format!("{device}/token")).cookie(&admin.cookie).send().await.expect(201).json();
    let token = issued["token"].as_str().unwrap();
    assert!(token.starts_with("kct_") && token.len() == 47);
    assert_eq!(issued["device"]["token"]["begins"], token[..10]);
    app.get(OPENED).bearer(token).send().await.expect(200);
    let shown = app.get(&device).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json()["token"]["last_used_at"], "2026-03-01T12:00:30Z");
    assert!(!String::from_utf8_lossy(&shown.body).contains(token));
}

async fn issuing_again_rotates_and_revoking_ends_it(app: TestApp) {
    let admin = app.signed_in("ada@example.com", Role::Admin).await;
    app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    let path = format!("{PATH}/1/token");
    let issue = || app.post(&path).cookie(&admin.cookie).send();
    let first = issue().await.expect(201).json()["token"].as_str().unwrap().to_owned();
    let second = issue().await.expect(201).json()["token"].as_str().unwrap().to_owned();
    app.get(OPENED).bearer(&first).send().await.expect(401);
    app.get(OPENED).bearer(&second).send().await.expect(200);
    for _ in 0..2 {
        let revoked = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(revoked["token"], json!(null));
    }
    app.get(OPENED).bearer(&second).send().await.expect(401);

    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let acts: Vec<_> = rows.iter().filter(|row| row.target_kind == "token").collect();
    let actions: Vec<&str> = acts.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["token.issued", "token.rotated", "token.revoked"]);
    assert!(acts.iter().all(|row| row.actor_kind == "user" && !row.details.contains("kct_")));
}

async fn names_are_taken_once_and_found_by_search(app: TestApp) {
    let admin = app.signed_in("ada@example.com", Role::Admin).await;
    let create = |name: &str| app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": name })).send();
    for name in ["Gate 1", "Gate 2", "Portão"] {
        create(name).await.expect(201);
    }
    let taken = create("GATE  1").await.expect(422).json();
    assert_eq!(taken["errors"][0]["code"], "name_taken");
    let mut seen = Vec::new();
    let mut path = format!("{PATH}?limit=2&include_total=true");
    loop {
        let body = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(body["page"]["total"], 3);
        seen.extend(
            body["data"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()),
        );
        match body["page"]["next"].as_str() {
            Some(next) => path = format!("{PATH}?limit=2&include_total=true&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["Gate 1", "Gate 2", "Portão"]);
    let found = app.get(&format!("{PATH}?q=portao")).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
}

async fn another_brands_device_does_not_exist(app: TestApp) {
    let ours = app.signed_in("ada@example.com", Role::Admin).await;
    let theirs = app.signed_in_of("Other", "eve@example.com", Role::Admin).await;
    app.post(PATH).cookie(&ours.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    app.get(&format!("{PATH}/1")).cookie(&theirs.cookie).send().await.expect(404);
    app.post(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    app.delete(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    // The same name is free there.
    app.post(PATH).cookie(&theirs.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
}
