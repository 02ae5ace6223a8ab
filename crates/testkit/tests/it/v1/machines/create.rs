//! POST /api/v1/machines

use domain::{EmailAddress, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

use super::{create_site, get, post};

on_both_engines!(
    a_machine_is_made_and_found_again,
    a_machine_is_made_at_a_site,
    every_wrong_field_is_named_at_once,
    what_cannot_be_is_refused_by_name,
    a_serial_number_is_taken_whatever_its_case,
    a_restricted_member_adds_machines_at_their_own_sites_only,
    a_repeat_under_a_key_makes_nothing,
);

/// Returns the only invalid field with its code.
fn field_error(reply: &Reply) -> (String, String) {
    let errors = reply.json()["errors"].clone();
    assert_eq!(errors.as_array().map(Vec::len), Some(1), "{errors}");
    let text = |name: &str| errors[0][name].as_str().unwrap().to_owned();
    (text("field"), text("code"))
}

async fn a_machine_is_made_and_found_again(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({
        "name": " Excavator 4 ", "kind": "excavator", "serial_number": "CAT 0320", "manufacturer": "Caterpillar",
        "model": "320", "year": 2027, "number_plate": "B-KC 320",
    });
    let made = post(&app, &ada, &new).await.expect(201);
    let expected = json!({
        "id": 1, "name": "Excavator 4", "kind": "excavator", "serial_number": "CAT 0320",
        "manufacturer": "Caterpillar", "model": "320", "year": 2027, "number_plate": "B-KC 320",
        "worksite_id": null, "worksite": null, "base_station": null,
        "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z", "archived_at": null,
    });
    assert_eq!(made.json(), expected);
    assert_eq!(made.header("location"), "/api/v1/machines/1");
    let found = get(&app, &ada, 1).await.expect(200);
    assert_eq!((found.json(), found.header("etag")), (expected, "\"1\""));
    let least = post(&app, &ada, &json!({ "name": "Crane", "kind": "crane" })).await.expect(201).json();
    assert!(least["serial_number"].is_null() && least["year"].is_null());
}

async fn a_machine_is_made_at_a_site(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    let new = json!({ "name": "Crane", "kind": "crane", "worksite_id": 1, "effective_from": "2026-02-01T00:00:00Z" });
    let made = post(&app, &ada, &new).await.expect(201).json();
    assert_eq!((&made["worksite_id"], &made["worksite"]), (&json!(1), &json!({ "id": 1, "name": "East" })));
}

async fn every_wrong_field_is_named_at_once(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({
        "name": "", "kind": "tank", "serial_number": 7, "manufacturer": "a\u{7}", "model": "x".repeat(101),
        "year": 1899, "number_plate": "", "worksite_id": "1", "effective_from": "yesterday", "id": 9,
    });
    let body = post(&app, &ada, &new).await.expect(422).json();
    let named: Vec<String> = body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    let expected = [
        "name: required",
        "kind: invalid_kind",
        "serial_number: wrong_type",
        "manufacturer: control_character",
        "model: too_long",
        "year: out_of_range",
        "number_plate: required",
        "worksite_id: wrong_type",
        "effective_from: invalid_time",
        "id: unknown_field",
    ];
    assert_eq!(named, expected);
}

async fn what_cannot_be_is_refused_by_name(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    create_site(&app, &ada, "Old", None).await;
    create_site(&app, &ada, "Foreign", None).await;
    let sql =
        "update worksites set archived_at = 5 where id = 2; update worksites set brand_id = 2 where id = 3";
    testkit::execute_raw_sql(app.database(), sql).await.unwrap();
    let with = |more: Value| {
        let mut new = json!({ "name": "Crane", "kind": "crane" });
        new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        new
    };
    for (more, field, code) in [
        (json!({ "year": 2028 }), "year", "out_of_range"),
        (json!({ "year": 2019.5 }), "year", "wrong_type"),
        (json!({ "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (json!({ "worksite_id": 3 }), "worksite_id", "unknown_worksite"),
        (json!({ "worksite_id": 2 }), "worksite_id", "worksite_archived"),
        (
            json!({ "worksite_id": 1, "effective_from": "2026-03-01T12:00:30.000001Z" }),
            "effective_from",
            "bad_time",
        ),
        (json!({ "worksite_id": 1, "effective_from": "2021-02-01T00:00:00Z" }), "effective_from", "bad_time"),
    ] {
        let reply = post(&app, &ada, &with(more.clone())).await.expect(422);
        assert_eq!(field_error(&reply), (field.to_owned(), code.to_owned()), "{more}");
    }
    let total = app.get("/api/v1/machines?include_total=true").cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(total.json()["page"]["total"], 0, "a refused call creates nothing");
}

async fn a_serial_number_is_taken_whatever_its_case(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    let new = |serial: Option<&str>| json!({ "name": "Crane", "kind": "crane", "serial_number": serial });
    post(&app, &ada, &new(Some("Abc-1"))).await.expect(201);
    let reply = post(&app, &ada, &new(Some("aBC-1"))).await.expect(422);
    assert_eq!(field_error(&reply), ("serial_number".to_owned(), "serial_taken".to_owned()));
    post(&app, &eve, &new(Some("abc-1"))).await.expect(201);
    // Several machines may have none.
    post(&app, &ada, &new(None)).await.expect(201);
    post(&app, &ada, &new(None)).await.expect(201);
}

async fn a_restricted_member_adds_machines_at_their_own_sites_only(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for name in ["North", "South"] {
        let new = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
    }
    create_site(&app, &ada, "East", Some(1)).await;
    create_site(&app, &ada, "West", Some(2)).await;
    let email = EmailAddress::parse(&ada.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    let new = |site: Option<i64>| json!({ "name": "Crane", "kind": "crane", "worksite_id": site });
    for (site, code) in [(None, "required"), (Some(2), "unknown_worksite")] {
        let reply = post(&app, &ada, &new(site)).await.expect(422);
        assert_eq!(field_error(&reply), ("worksite_id".to_owned(), code.to_owned()));
    }
    post(&app, &ada, &new(Some(1))).await.expect(201);
}

async fn a_repeat_under_a_key_makes_nothing(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({ "name": "Crane", "kind": "crane", "serial_number": "C-1" });
    let send = || {
        app.post("/api/v1/machines").cookie(&ada.cookie).header("idempotency-key", "k-1").json(&new).send()
    };
    let first = send().await.expect(201);
    assert_eq!(send().await.expect(201).json(), first.json());
}
