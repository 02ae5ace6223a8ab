//! POST and GET /api/v1/people[/{id}]

use domain::{DeviceKind, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_person_is_added_and_found_at_desk_and_kiosk,
    every_wrong_field_of_a_person_is_named,
    a_person_of_another_brand_does_not_exist,
    a_version_that_is_known_is_not_sent_again,
);

const PATH: &str = "/api/v1/people";

async fn a_person_is_added_and_found_at_desk_and_kiosk(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let body = json!({
        "kind": "staff", "name": " Ada Lovelace ", "employee_id": "E-1", "email": "Ada@example.com",
        "company": "Engines",
    });
    let made = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
    assert_eq!(made.header("location"), "/api/v1/people/1");
    let person = made.json();
    let expected = json!({
        "id": 1, "kind": "staff", "name": "Ada Lovelace", "employee_id": "E-1", "email": "Ada@example.com",
        "company": "Engines", "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
        "archived_at": null, "erased_at": null,
    });
    assert_eq!(person, expected);
    assert_eq!(app.get(&format!("{PATH}/1")).cookie(&member.cookie).send().await.expect(200).json(), person);
    let kiosk = app.get("/api/v1/tester/people_assets/1").bearer(&token).send().await.expect(200).json();
    assert_eq!(kiosk, person);
}

async fn every_wrong_field_of_a_person_is_named(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body =
        json!({ "kind": "boss", "name": " ", "email": "x", "company": 7, "employee_id": "a\u{7}", "age": 7 });
    let refused = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(422).json();
    let mut named: Vec<String> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    named.sort();
    let expected = [
        "age: unknown_field",
        "company: wrong_type",
        "email: invalid_email",
        "employee_id: control_character",
        "kind: invalid_kind",
        "name: required",
    ];
    assert_eq!(named, expected);
}

async fn a_person_of_another_brand_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("a@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Admin).await;
    let body = json!({ "kind": "staff", "name": "Ada" });
    app.post(PATH).cookie(&ours.cookie).json(&body).send().await.expect(201);
    app.get("/api/v1/people/1").cookie(&theirs.cookie).send().await.expect(404);
    app.patch("/api/v1/people/1").cookie(&theirs.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
    for act in ["archive", "restore", "erase"] {
        app.post(&format!("/api/v1/people/1/{act}")).cookie(&theirs.cookie).send().await.expect(404);
    }
    let list = app.get(PATH).cookie(&theirs.cookie).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]));
}

async fn a_version_that_is_known_is_not_sent_again(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body = json!({ "kind": "staff", "name": "Ada" });
    app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
    let get =
        |tag: &str| app.get("/api/v1/people/1").cookie(&member.cookie).header("if-none-match", tag).send();
    assert_eq!(get("\"0\"").await.expect(200).header("etag"), "\"1\"");
    get("\"1\"").await.expect(304);
}
