//! /api/v1/admin/tester_devices

use domain::{EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

on_both_engines!(
    a_device_gets_a_token_that_is_shown_once,
    issuing_again_rotates_and_revoking_ends_it,
    names_are_taken_once_and_found_by_search,
    a_device_has_a_serial_and_stands_somewhere,
    a_device_at_a_hidden_worksite_is_not_named,
    a_stale_change_is_refused,
    another_brands_device_does_not_exist,
);

const PATH: &str = "/api/v1/admin/tester_devices";
const PROTECTED_PATH: &str = "/api/v1/tester/people_assets";

async fn a_device_gets_a_token_that_is_shown_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let made =
        app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    let device = made.header("location").to_owned();
    assert_eq!((&made.json()["name"], &made.json()["token"]), (&json!("Gate 1"), &json!(null)));
    let issued = app.post(&format!("{device}/token")).cookie(&admin.cookie).send().await.expect(201).json();
    let token = issued["token"].as_str().unwrap();
    assert!(token.starts_with("kct_") && token.len() == 47);
    assert_eq!(issued["device"]["token"]["begins"], token[..10]);
    app.get(PROTECTED_PATH).bearer(token).send().await.expect(200);
    let shown = app.get(&device).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json()["token"]["last_used_at"], "2026-03-01T12:00:30Z");
    assert!(!String::from_utf8_lossy(&shown.body).contains(token));
}

async fn issuing_again_rotates_and_revoking_ends_it(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    let path = format!("{PATH}/1/token");
    let issue = || app.post(&path).cookie(&admin.cookie).send();
    let first = issue().await.expect(201).json()["token"].as_str().unwrap().to_owned();
    let second = issue().await.expect(201).json()["token"].as_str().unwrap().to_owned();
    app.get(PROTECTED_PATH).bearer(&first).send().await.expect(401);
    app.get(PROTECTED_PATH).bearer(&second).send().await.expect(200);
    for _ in 0..2 {
        let revoked = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(revoked["token"], json!(null));
    }
    app.get(PROTECTED_PATH).bearer(&second).send().await.expect(401);

    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let acts: Vec<_> = rows.iter().filter(|row| row.target_kind == "token").collect();
    let actions: Vec<&str> = acts.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["token.issued", "token.rotated", "token.revoked"]);
    assert!(acts.iter().all(|row| row.actor_kind == "user" && !row.details.contains("kct_")));
}

async fn names_are_taken_once_and_found_by_search(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
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

/// Inserts two worksites, the second archived, in a project each.
async fn create_sites(app: &TestApp, cookie: &str) {
    for id in 1..=2 {
        let new = json!({ "name": format!("Project {id}") });
        app.post("/api/v1/projects").cookie(cookie).json(&new).send().await.expect(201);
    }
    let insert = "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version, created_at,
                      updated_at, archived_at)
                  values (1, 'East', 'east', '#ff8800', 'other', 'UTC', 1, 1, 1, 1, null),
                         (1, 'West', 'west', '#ff8800', 'other', 'UTC', 2, 1, 1, 1, 1)";
    testkit::execute_raw_sql(app.database(), insert).await.unwrap();
}

async fn a_device_has_a_serial_and_stands_somewhere(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_sites(&app, &admin.cookie).await;
    let new = json!({ "name": "Gate 1", "serial": "KT-1", "worksite_id": 1 });
    let made = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201).json();
    let east = json!({ "id": 1, "name": "East" });
    assert_eq!((&made["serial"], &made["worksite"]), (&json!("KT-1"), &east));
    app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 2" })).send().await.expect(201);
    let change =
        |body: serde_json::Value| app.patch(&format!("{PATH}/1")).cookie(&admin.cookie).json(&body).send();
    let reply = change(json!({ "name": "Gate A" })).await.expect(200);
    assert_eq!((&reply.json()["name"], &reply.json()["worksite"]), (&json!("Gate A"), &east));
    assert_eq!(reply.header("etag"), "\"2\"");
    for same in [json!({}), json!({ "name": "Gate A", "serial": "KT-1", "worksite_id": 1 })] {
        assert_eq!(change(same).await.expect(200).header("etag"), "\"2\"");
    }
    for (body, field, code) in [
        (json!({ "name": "gate 2" }), "name", "name_taken"),
        (json!({ "name": null }), "name", "required"),
        (json!({ "serial": "a b" }), "serial", "invalid_serial"),
        (json!({ "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (json!({ "worksite_id": 2 }), "worksite_id", "worksite_archived"),
        (json!({ "worksite_id": "1" }), "worksite_id", "wrong_type"),
        (json!({ "token_id": 1 }), "token_id", "unknown_field"),
    ] {
        let error = change(body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)));
    }
    let new = json!({ "name": "Gate 3", "worksite_id": 99 });
    let refused = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "unknown_worksite");

    // A tester device serves the whole brand, so restricted users cannot manage it.
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(2)])).await.unwrap();
    let renamed =
        app.patch(&format!("{PATH}/1")).cookie(&bob.cookie).json(&json!({ "name": "Gate B" })).send().await;
    assert_eq!(renamed.expect(403).code(), "restricted");
    let shown = app.get(&format!("{PATH}/1")).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!((&shown["worksite"], &shown["name"]), (&json!(null), &json!("Tester device 1")));
    let body = change(json!({ "name": "Gate B", "serial": null })).await.expect(200).json();
    assert_eq!((&body["name"], &body["serial"], &body["worksite"]), (&json!("Gate B"), &json!(null), &east));
    let body = change(json!({ "worksite_id": null })).await.expect(200).json();
    assert_eq!(body["worksite"], json!(null));
}

async fn a_device_at_a_hidden_worksite_is_not_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    create_sites(&app, &admin.cookie).await;
    for (name, site) in [("Gate of East", Some(1)), ("Yard", None), ("Gate of the office", None)] {
        let new = json!({ "name": name, "worksite_id": site });
        app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(2)])).await.unwrap();
    let names = async |account: &Account, query: &str| {
        let path = format!("{PATH}?include_total=true&{query}");
        let list = app.get(&path).cookie(&account.cookie).send().await.expect(200).json();
        let rows = list["data"].as_array().unwrap();
        assert_eq!(list["page"]["total"], rows.len(), "{query}");
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&admin, "limit=50").await, ["Gate of East", "Gate of the office", "Yard"]);
    assert_eq!(names(&bob, "limit=50").await, ["Gate of the office", "Tester device 1", "Yard"]);
    assert_eq!(names(&bob, "sort=-name").await, ["Yard", "Tester device 1", "Gate of the office"]);
    assert_eq!(names(&bob, "after_version=0").await, ["Tester device 1", "Yard", "Gate of the office"]);
    assert_eq!(names(&bob, "q=gate").await, ["Gate of the office"], "a search does not reveal the name");
    assert_eq!(names(&admin, "q=gate").await, ["Gate of East", "Gate of the office"]);
    // The position of a page does not contain the name.
    let next = |cursor: &str| app.get(&format!("{PATH}?limit=1&cursor={cursor}")).cookie(&bob.cookie).send();
    let mut page = app.get(&format!("{PATH}?limit=1")).cookie(&bob.cookie).send().await.expect(200).json();
    for name in ["Tester device 1", "Yard"] {
        page = next(page["page"]["next"].as_str().unwrap()).await.expect(200).json();
        assert_eq!(page["data"][0]["name"], name);
    }
}

async fn a_stale_change_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.post(PATH).cookie(&admin.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    let shown = app.get(&format!("{PATH}/1")).cookie(&admin.cookie).send().await.expect(200);
    let change = |name: &str| {
        let request = app.patch(&format!("{PATH}/1")).cookie(&admin.cookie);
        request.header("if-match", shown.header("etag")).json(&json!({ "name": name })).send()
    };
    change("Gate A").await.expect(200);
    assert_eq!(change("Gate B").await.expect(412).code(), "stale");
}

async fn another_brands_device_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    app.post(PATH).cookie(&ours.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
    app.get(&format!("{PATH}/1")).cookie(&theirs.cookie).send().await.expect(404);
    app.patch(&format!("{PATH}/1"))
        .cookie(&theirs.cookie)
        .json(&json!({ "name": 7 }))
        .send()
        .await
        .expect(404);
    app.post(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    app.delete(&format!("{PATH}/1/token")).cookie(&theirs.cookie).send().await.expect(404);
    // The same name is free in another brand.
    app.post(PATH).cookie(&theirs.cookie).json(&json!({ "name": "Gate 1" })).send().await.expect(201);
}
