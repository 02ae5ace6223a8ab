//! /api/v1/admin/base_stations

use domain::{EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_station_gets_a_token_that_is_shown_once,
    what_is_not_yours_does_not_exist,
    a_token_and_a_change_at_once_both_come_through,
);

const PATH: &str = "/api/v1/admin/base_stations";

async fn a_station_gets_a_token_that_is_shown_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "serial": "BS-1", "name": "Mast" });
    app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let shown = || async { app.get(&format!("{PATH}/1")).cookie(&admin.cookie).send().await.expect(200) };
    assert_eq!(shown().await.json()["token"], json!(null));
    let issue = || app.post(&format!("{PATH}/1/token")).cookie(&admin.cookie).send();
    let issued = issue().await.expect(201);
    assert_eq!(issued.header("location"), format!("{PATH}/1"));
    let body = issued.json();
    let token = body["token"].as_str().unwrap();
    assert!(token.starts_with("kcs_") && token.len() == 47);
    assert_eq!((&body["device"]["serial"], &body["device"]["name"]), (&json!("BS-1"), &json!("Mast")));
    assert_eq!(body["device"]["token"]["begins"], token[..10]);
    assert!(!String::from_utf8_lossy(&shown().await.body).contains(token));
    // It is the same device as the command line's, and only one token is valid.
    let second = issue().await.expect(201).json();
    assert_ne!(second["token"], body["token"]);
    let tokens = app.app.list_all_tokens(None).await.unwrap();
    let states: Vec<_> = tokens.iter().map(|token| token.ended_by.as_deref()).collect();
    assert_eq!((states, tokens[0].device_name.as_str()), (vec![Some("rotated"), None], "BS-1"));
    for _ in 0..2 {
        let revoked = app.delete(&format!("{PATH}/1/token")).cookie(&admin.cookie).send().await.expect(200);
        assert_eq!(revoked.json()["token"], json!(null));
    }
    let tokens = app.app.list_all_tokens(None).await.unwrap();
    assert_eq!(tokens[1].ended_by.as_deref(), Some("revoked"));
}

async fn what_is_not_yours_does_not_exist(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let new = json!({ "serial": "BS-1" });
    app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await.expect(201);
    for who in [&eve, &bob] {
        app.get(&format!("{PATH}/1")).cookie(&who.cookie).send().await.expect(404);
        app.post(&format!("{PATH}/1/token")).cookie(&who.cookie).send().await.expect(404);
        app.delete(&format!("{PATH}/1/token")).cookie(&who.cookie).send().await.expect(404);
    }
    assert!(app.app.list_all_tokens(None).await.unwrap().is_empty());
}

async fn a_token_and_a_change_at_once_both_come_through(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "serial": "BS-1" });
    app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let mut work = tokio::task::JoinSet::new();
    for n in 0..40 {
        let request = match n % 4 {
            0 => app.post(&format!("{PATH}/1/token")),
            1 => app.delete(&format!("{PATH}/1/token")),
            _ => app.patch("/api/v1/base_stations/1").json(&json!({ "name": format!("Name {n}") })),
        };
        work.spawn(request.cookie(&admin.cookie).send());
    }
    for reply in work.join_all().await {
        assert!(reply.status.is_success(), "{}", String::from_utf8_lossy(&reply.body));
    }
}
