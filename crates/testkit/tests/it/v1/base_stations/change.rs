//! PATCH /api/v1/base_stations/{id}

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, audit_rows, field_errors, get, patch, post, record_contact};

on_both_engines!(
    what_is_named_changes_and_the_rest_stays,
    a_stale_change_is_refused,
    fifty_changes_at_once_lose_none,
    every_change_is_written_down_with_before_and_after,
);

async fn set_up(app: &TestApp) -> Account {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let zones = json!([{ "antenna": "mast", "warning_m": 4, "danger_m": 2 }]);
    let new = json!({ "serial": "BS-1", "name": "Mast", "cameras": ["front"], "zones": zones });
    post(app, &admin, &new).await.expect(201);
    admin
}

async fn what_is_named_changes_and_the_rest_stays(app: TestApp) {
    let admin = set_up(&app).await;
    post(&app, &admin, &json!({ "serial": "BS-2" })).await.expect(201);
    let reply = patch(&app, &admin, 1, &json!({ "name": "Boom" })).await.expect(200);
    let body = reply.json();
    assert_eq!(
        (&body["name"], &body["serial"], &body["cameras"]),
        (&json!("Boom"), &json!("BS-1"), &json!(["front"]))
    );
    assert_eq!((&body["zones"][0]["antenna"], reply.header("etag")), (&json!("mast"), "\"2\""));
    // A PATCH without effect changes nothing, and a serial number does not conflict with itself.
    let zones = json!([{ "antenna": "mast", "warning_m": 4.0, "danger_m": 2 }]);
    for same in [
        json!({}),
        json!({ "name": "Boom", "serial": "BS-1", "cameras": ["front"], "zones": zones }),
        json!({ "zones": zones, "effective_from": "2026-03-01T12:00:30Z" }),
    ] {
        assert_eq!(patch(&app, &admin, 1, &same).await.expect(200).header("etag"), "\"2\"", "{same}");
    }
    // Contacts of the station do not change the version, so no edit is lost.
    record_contact(&app, 1, app.clock.now(), Some("4.2.1"), Some(&[])).await;
    let reply = get(&app, &admin, "/1").await.expect(200);
    assert_eq!((&reply.json()["firmware"], reply.header("etag")), (&json!("4.2.1"), "\"2\""));
    let reply =
        patch(&app, &admin, 1, &json!({ "name": null, "cameras": [], "serial": "bs-1" })).await.expect(200);
    let body = reply.json();
    assert_eq!(
        (&body["name"], &body["serial"], &body["cameras"]),
        (&json!(null), &json!("bs-1"), &json!([]))
    );
    assert_eq!((&body["firmware"], &body["status"]), (&json!("4.2.1"), &json!("online")));
    for (change, expected) in [
        (json!({ "serial": "bs-2" }), "serial: serial_taken"),
        (json!({ "serial": null }), "serial: required"),
        (json!({ "cameras": null }), "cameras: required"),
        (json!({ "zones": null }), "zones: required"),
        (json!({ "effective_from": "2026-01-01T00:00:00Z" }), "zones: required"),
        (json!({ "machine_id": 1 }), "machine_id: unknown_field"),
    ] {
        let refused = patch(&app, &admin, 1, &change).await.expect(422).json();
        assert_eq!(field_errors(&refused), [expected], "{change}");
    }
}

async fn a_stale_change_is_refused(app: TestApp) {
    let admin = set_up(&app).await;
    let change = |tag: &str, body: Value| {
        app.patch(&format!("{PATH}/1")).cookie(&admin.cookie).header("if-match", tag).json(&body).send()
    };
    // A change of zones changes the version.
    assert_eq!(change("\"1\"", json!({ "zones": [] })).await.expect(200).header("etag"), "\"2\"");
    assert_eq!(change("\"1\"", json!({ "name": "x" })).await.expect(412).code(), "stale");
    change("\"2\"", json!({ "name": "x" })).await.expect(200);
}

async fn fifty_changes_at_once_lose_none(app: TestApp) {
    let admin = set_up(&app).await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let zones = json!([{ "antenna": "mast", "warning_m": 10 + n % 7, "danger_m": 1 }]);
        let body = json!({ "name": format!("Name {n}"), "zones": zones });
        work.spawn(app.patch(&format!("{PATH}/1")).cookie(&admin.cookie).json(&body).send());
    }
    let mut tags: Vec<i64> = work
        .join_all()
        .await
        .into_iter()
        .map(|reply| reply.expect(200).header("etag").trim_matches('"').parse().unwrap())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (2..=51).collect::<Vec<i64>>());
    // One entry is current; the others follow one another without gaps.
    let list = get(&app, &admin, "/1/zones?limit=500").await.expect(200).json();
    let rows = list["data"].as_array().unwrap();
    assert!(rows[0]["to"].is_null());
    assert!(rows.windows(2).all(|pair| pair[1]["to"] == pair[0]["from"]), "{rows:?}");
}

async fn every_change_is_written_down_with_before_and_after(app: TestApp) {
    let admin = set_up(&app).await;
    let zones = json!([{ "antenna": "mast", "warning_m": 5, "danger_m": 2 }]);
    patch(&app, &admin, 1, &json!({ "name": "Boom", "zones": zones })).await.expect(200);
    patch(&app, &admin, 1, &json!({})).await.expect(200);
    let acts = audit_rows(&app).await;
    assert_eq!(
        acts.iter().map(|act| act.0.as_str()).collect::<Vec<_>>(),
        ["base_station.created", "base_station.changed"]
    );
    let details = &acts[1].1;
    assert_eq!((&details["before"]["name"], &details["after"]["name"]), (&json!("Mast"), &json!("Boom")));
    assert_eq!(details["before"]["zones"][0]["warning_m"], 4.0);
    assert_eq!(details["after"]["zones"][0]["warning_m"], 5.0);
    assert!(details["effective_from"].is_string());
}
