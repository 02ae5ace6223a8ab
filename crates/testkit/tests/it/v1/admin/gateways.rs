//! /api/v1/admin/gateways

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_gateway_gets_a_token_that_is_shown_once,
    names_are_taken_once_and_found_by_search,
    a_gateway_is_renamed,
    another_brands_gateway_does_not_exist,
);

const PATH: &str = "/api/v1/admin/gateways";

async fn a_gateway_gets_a_token_that_is_shown_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "Site office" });
    let made = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201);
    let gateway = made.header("location").to_owned();
    assert_eq!((&made.json()["name"], &made.json()["token"]), (&json!("Site office"), &json!(null)));
    let path = format!("{gateway}/token");
    let issued = app.post(&path).cookie(&admin.cookie).send().await.expect(201).json();
    let token = issued["token"].as_str().unwrap();
    assert!(token.starts_with("kcg_") && token.len() == 47);
    assert_eq!(issued["device"]["token"]["begins"], token[..10]);
    let shown = app.get(&gateway).cookie(&admin.cookie).send().await.expect(200);
    assert!(!String::from_utf8_lossy(&shown.body).contains(token));
    assert_eq!(shown.json()["token"]["id"], issued["device"]["token"]["id"]);
    // The command line names the same gateway and rotates its token.
    let other = app.issue_token("Acme", domain::DeviceKind::Gateway, "site OFFICE").await;
    assert_ne!(other, token);
    for _ in 0..2 {
        let revoked = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(revoked["token"], json!(null));
    }
    let tokens = app.app.list_all_tokens(None).await.unwrap();
    let states: Vec<_> = tokens.iter().map(|token| token.ended_by.as_deref()).collect();
    assert_eq!(states, [Some("rotated"), Some("revoked")]);
}

async fn names_are_taken_once_and_found_by_search(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let create = |name: &str| app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": name })).send();
    for name in ["East", "West", "Würzburg"] {
        create(name).await.expect(201);
    }
    for (body, code) in [
        (json!({ "name": "EAST" }), "name_taken"),
        (json!({}), "required"),
        (json!({ "name": 1 }), "wrong_type"),
    ] {
        let refused = app.post(PATH).cookie(&admin.cookie).json(&body).send().await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code);
    }
    let first = app.get(&format!("{PATH}?limit=2&include_total=true")).cookie(&admin.cookie).send().await;
    let first = first.expect(200).json();
    assert_eq!((&first["page"]["total"], &first["data"][1]["name"]), (&json!(3), &json!("West")));
    let next = first["page"]["next"].as_str().unwrap();
    let last =
        app.get(&format!("{PATH}?limit=2&cursor={next}")).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(last.json()["data"][0]["name"], "Würzburg");
    let found = app.get(&format!("{PATH}?q=wurz")).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
    app.get(&format!("{PATH}?name=x")).cookie(&admin.cookie).send().await.expect(400);
}

async fn a_gateway_is_renamed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["East", "West"] {
        app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": name })).send().await.expect(201);
    }
    let shown = app.get(&format!("{PATH}/1")).cookie(&admin.cookie).send().await.expect(200);
    let change = |body, tag: &str| {
        let request = app.patch(&format!("{PATH}/1")).cookie(&admin.cookie).header("if-match", tag);
        request.json(&body).send()
    };
    let reply = change(json!({ "name": "North" }), shown.header("etag")).await.expect(200);
    assert_eq!((&reply.json()["name"], reply.header("etag")), (&json!("North"), "\"2\""));
    assert_eq!(change(json!({ "name": "South" }), "\"1\"").await.expect(412).code(), "stale");
    for same in [json!({}), json!({ "name": "North" })] {
        assert_eq!(change(same, "\"2\"").await.expect(200).header("etag"), "\"2\"");
    }
    let refused = change(json!({ "name": "west" }), "*").await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "name_taken");
    change(json!({ "name": null }), "*").await.expect(422);
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let acts: Vec<&str> =
        rows.iter().filter(|row| row.target_kind == "gateway").map(|row| row.action.as_str()).collect();
    assert_eq!(acts, ["gateway.created", "gateway.created", "gateway.changed"]);
}

async fn another_brands_gateway_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    app.post(PATH).cookie(&ours.cookie).json(&json!({ "name": "East" })).send().await.expect(201);
    app.get(&format!("{PATH}/1")).cookie(&theirs.cookie).send().await.expect(404);
    app.patch(&format!("{PATH}/1"))
        .cookie(&theirs.cookie)
        .json(&json!({ "name": 7 }))
        .send()
        .await
        .expect(404);
    app.post(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    app.delete(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    app.post(PATH).cookie(&theirs.cookie).json(&json!({ "name": "East" })).send().await.expect(201);
}
