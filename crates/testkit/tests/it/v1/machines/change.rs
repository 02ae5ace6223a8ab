//! PATCH /api/v1/machines/{id}

use domain::{EmailAddress, ProjectId, Role};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{create_site, get, patch, post};

on_both_engines!(
    what_is_named_changes_and_the_rest_stays,
    a_stale_change_is_refused,
    the_site_changes_with_it,
    fifty_at_once_leave_one_open_assignment,
    what_cannot_be_is_refused_by_name,
    a_restricted_member_moves_machines_among_their_own_sites,
    every_change_is_written_down_with_before_and_after,
);

async fn set_up(app: &TestApp) -> Account {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for name in ["East", "West"] {
        create_site(app, &ada, name, None).await;
    }
    let new = json!({ "name": "Crane", "kind": "crane", "serial_number": "C-1", "year": 2010 });
    post(app, &ada, &new).await.expect(201);
    ada
}

async fn what_is_named_changes_and_the_rest_stays(app: TestApp) {
    let ada = set_up(&app).await;
    let reply = patch(&app, &ada, 1, &json!({ "name": "Crane 1", "year": null })).await.expect(200);
    let body = reply.json();
    assert_eq!(
        (&body["name"], &body["year"], &body["serial_number"]),
        (&json!("Crane 1"), &json!(null), &json!("C-1"))
    );
    assert_eq!(reply.header("etag"), "\"2\"");
    // A PATCH without effect changes nothing, and a serial number does not conflict with itself.
    for same in [json!({}), json!({ "name": "Crane 1" }), json!({ "worksite_id": null })] {
        assert_eq!(patch(&app, &ada, 1, &same).await.expect(200).header("etag"), "\"2\"", "{same}");
    }
    patch(&app, &ada, 1, &json!({ "serial_number": "c-1" })).await.expect(200);
}

async fn a_stale_change_is_refused(app: TestApp) {
    let ada = set_up(&app).await;
    let change = |tag: &str, body: Value| {
        app.patch("/api/v1/machines/1").cookie(&ada.cookie).header("if-match", tag).json(&body).send()
    };
    change("\"1\"", json!({ "worksite_id": 1 })).await.expect(200);
    // A move changes the version.
    assert_eq!(change("\"1\"", json!({ "name": "x" })).await.expect(412).code(), "stale");
    change("\"2\"", json!({ "name": "x" })).await.expect(200);
}

async fn the_site_changes_with_it(app: TestApp) {
    let ada = set_up(&app).await;
    let reply = patch(&app, &ada, 1, &json!({ "worksite_id": 1 })).await.expect(200);
    assert_eq!((&reply.json()["worksite"]["name"], reply.header("etag")), (&json!("East"), "\"2\""));
    let reply = patch(&app, &ada, 1, &json!({ "worksite_id": 1 })).await.expect(200);
    assert_eq!(reply.header("etag"), "\"2\"", "it was there already");
    let reply = patch(&app, &ada, 1, &json!({ "worksite_id": 2 })).await.expect(200);
    assert_eq!((&reply.json()["worksite"]["name"], reply.header("etag")), (&json!("West"), "\"3\""));
    let reply = patch(&app, &ada, 1, &json!({ "worksite_id": null })).await.expect(200);
    assert!(reply.json()["worksite"].is_null() && reply.json()["worksite_id"].is_null());
    assert_eq!(get(&app, &ada, 1).await.expect(200).json(), reply.json());
}

async fn fifty_at_once_leave_one_open_assignment(app: TestApp) {
    let ada = set_up(&app).await;
    let other = app.second_instance().await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let place = if n % 2 == 0 { &app } else { &other };
        let body = json!({ "worksite_id": n % 3 % 2 + 1 });
        work.spawn(place.patch("/api/v1/machines/1").cookie(&ada.cookie).json(&body).send());
    }
    for reply in work.join_all().await {
        reply.expect(200);
    }
    assert!(get(&app, &ada, 1).await.expect(200).json()["worksite_id"].is_number());
}

async fn what_cannot_be_is_refused_by_name(app: TestApp) {
    let ada = set_up(&app).await;
    post(&app, &ada, &json!({ "name": "Crane 2", "kind": "crane", "serial_number": "C-2" }))
        .await
        .expect(201);
    for (change, field, code) in [
        (json!({ "name": null }), "name", "required"),
        (json!({ "kind": null }), "kind", "required"),
        (json!({ "kind": "tank" }), "kind", "invalid_kind"),
        (json!({ "serial_number": "c-2" }), "serial_number", "serial_taken"),
        (json!({ "year": 2028 }), "year", "out_of_range"),
        (json!({ "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (json!({ "worksite_id": 1, "effective_from": "2026-03-02T00:00:00Z" }), "effective_from", "bad_time"),
        (json!({ "archived": true }), "archived", "unknown_field"),
    ] {
        let errors = patch(&app, &ada, 1, &change).await.expect(422).json()["errors"].clone();
        assert_eq!((&errors[0]["field"], &errors[0]["code"]), (&json!(field), &json!(code)), "{change}");
    }
    assert_eq!(get(&app, &ada, 1).await.header("etag"), "\"1\"");
    patch(&app, &ada, 99, &json!({ "name": 7 })).await.expect(404);
}

async fn a_restricted_member_moves_machines_among_their_own_sites(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (index, name) in ["North", "South"].into_iter().enumerate() {
        let new = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
        let project = i64::try_from(index).unwrap() + 1;
        create_site(&app, &ada, &format!("{name} 1"), Some(project)).await;
        create_site(&app, &ada, &format!("{name} 2"), Some(project)).await;
    }
    let email = EmailAddress::parse(&bob.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    let new = json!({ "name": "Crane", "kind": "crane", "worksite_id": 3, "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new).await.expect(201);
    patch(&app, &bob, 1, &json!({ "worksite_id": 1 })).await.expect(404);
    let to = json!({ "worksite_id": 1, "effective_from": "2026-02-01T00:00:00Z" });
    patch(&app, &ada, 1, &to).await.expect(200);

    patch(&app, &bob, 1, &json!({ "worksite_id": 2 })).await.expect(200);
    let refused = patch(&app, &bob, 1, &json!({ "worksite_id": 4 })).await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "unknown_worksite");
    // In January the machine was at a worksite that they cannot see.
    let back = json!({ "worksite_id": 1, "effective_from": "2026-01-15T00:00:00Z" });
    assert_eq!(patch(&app, &bob, 1, &back).await.expect(403).code(), "restricted");
    let back = json!({ "worksite_id": 1, "effective_from": "2026-02-15T00:00:00Z" });
    patch(&app, &bob, 1, &back).await.expect(200);
    // Without a worksite they would no longer see it.
    let refused = patch(&app, &bob, 1, &json!({ "worksite_id": null })).await.expect(403);
    assert_eq!(refused.code(), "restricted");
    let end = app.delete("/api/v1/worksites/1/assignments/machines/1").cookie(&bob.cookie).send().await;
    assert_eq!(end.expect(403).code(), "restricted");
    let machine = json!({ "type": "machines", "id": "1", "relationships": { "worksite": { "data": null } } });
    for (method, path, data) in [
        (Method::PATCH, "machines/1", machine),
        (Method::PATCH, "worksites/1/relationships/machines", json!([])),
        (Method::DELETE, "worksites/1/relationships/machines", json!([{ "type": "machines", "id": "1" }])),
    ] {
        let call = app.request(method.clone(), &format!("/api/v2/{path}")).bearer(&bob.jwt);
        let call = call.bytes("application/vnd.api+json", json!({ "data": data }).to_string());
        assert_eq!(call.send().await.expect(403).code(), "restricted", "{method} {path}");
    }
    let shown = get(&app, &bob, 1).await.expect(200).json();
    assert_eq!(shown["worksite_id"], 1);
    patch(&app, &bob, 1, &shown).await.expect(200);
    patch(&app, &ada, 1, &json!({ "worksite_id": null })).await.expect(200);
    get(&app, &bob, 1).await.expect(404);
}

async fn every_change_is_written_down_with_before_and_after(app: TestApp) {
    let ada = set_up(&app).await;
    patch(&app, &ada, 1, &json!({ "name": "Tower crane", "worksite_id": 1 })).await.expect(200);
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let details = |action: &str| -> Value {
        let row = rows.iter().find(|row| row.action == action).unwrap_or_else(|| panic!("no {action}"));
        assert_eq!(row.target_id, Some(1));
        serde_json::from_str(&row.details).unwrap()
    };
    let changed = details("machine.changed");
    assert_eq!(
        (&changed["before"]["name"], &changed["after"]["name"]),
        (&json!("Crane"), &json!("Tower crane"))
    );
    let moved = details("machine.assigned");
    let after = json!([{ "worksite_id": 1, "from": "2026-03-01T12:00:30Z", "to": null }]);
    assert_eq!((&moved["before"], &moved["after"]), (&json!([]), &after));
}
