//! PATCH /api/v1/worksites/{id}

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{
    assign, create_machine, create_project, create_site, field_errors, get, new_site, patch, post, square,
};

on_both_engines!(
    what_is_named_changes_and_the_rest_stays,
    a_stale_change_is_refused,
    archiving_hides_and_sends_machines_away,
    fifty_changes_at_once_lose_none,
    what_cannot_be_is_refused_by_name,
    every_change_is_written_down_with_before_and_after,
);

async fn what_is_named_changes_and_the_rest_stays(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    let more = json!({ "boundary": square(13.0, 52.0, 0.01), "technical_contact": "Ada", "project_id": 1 });
    let before = post(&app, &ada, &new_site("East", &more)).await.expect(201).json();
    let change =
        json!({ "name": "West", "colour": "#00FF00", "kind": "forestry", "technical_contact": null });
    let reply = patch(&app, &ada, 1, &change).await.expect(200);
    let body = reply.json();
    assert_eq!(reply.header("etag"), "\"2\"");
    assert_eq!(
        (&body["name"], &body["colour"], &body["kind"]),
        (&json!("West"), &json!("#00ff00"), &json!("forestry"))
    );
    assert!(body["technical_contact"].is_null());
    for kept in ["boundary", "area_m2", "time_zone", "project_id", "created_at"] {
        assert_eq!(body[kept], before[kept], "{kept}");
    }
    let dated = json!({ "time_zone": "UTC", "boundary": null, "project_id": null });
    let body = patch(&app, &ada, 1, &dated).await.expect(200).json();
    assert_eq!(body["time_zone"], "UTC");
    assert!(body["boundary"].is_null() && body["area_m2"].is_null() && body["project_id"].is_null());
    assert_eq!(get(&app, &ada, "/1").await.json(), body);
    // A PATCH without effect does not change the version.
    let without = json!({ "effective_from": "2026-01-01T00:00:00Z" });
    for same in [json!({}), json!({ "name": "West" }), dated, without, json!({ "archived": false })] {
        assert_eq!(patch(&app, &ada, 1, &same).await.expect(200).header("etag"), "\"3\"", "{same}");
    }
}

async fn a_stale_change_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    let change = |tag: &str, body: Value| {
        app.patch("/api/v1/worksites/1").cookie(&ada.cookie).header("if-match", tag).json(&body).send()
    };
    change("\"1\"", json!({ "boundary": square(13.0, 52.0, 0.01) })).await.expect(200);
    assert_eq!(change("\"1\"", json!({ "name": "West" })).await.expect(412).code(), "stale");
    change("\"2\"", json!({ "name": "West" })).await.expect(200);
}

async fn archiving_hides_and_sends_machines_away(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    for name in ["Crane 1", "Crane 2"] {
        create_machine(&app, &ada, name).await;
    }
    for id in [1, 2] {
        assign(&app, &ada, Method::PUT, (1, id), "2026-02-01T00:00:00Z").await.expect(200);
    }
    let reply = patch(&app, &ada, 1, &json!({ "archived": true })).await.expect(200);
    assert_eq!(reply.json()["archived_at"], "2026-03-01T12:00:30Z");
    app.clock.advance(Span::minutes(1));
    let reply = patch(&app, &ada, 1, &json!({ "archived": true })).await.expect(200);
    assert_eq!(reply.json()["archived_at"], "2026-03-01T12:00:30Z");
    let ended = get(&app, &ada, "/1/assignments?open=false").await.expect(200).json();
    assert_eq!(ended["data"].as_array().unwrap().len(), 2);
    assert_eq!(ended["data"][0]["to"], "2026-03-01T12:00:30Z");
    let crane = app.get("/api/v1/machines/1").cookie(&ada.cookie).send().await.expect(200);
    assert!(crane.json()["worksite"].is_null());
    assert_eq!(crane.header("etag"), "\"3\"");
    assert_eq!(assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(409).code(), "worksite_archived");
    assert_eq!(get(&app, &ada, "").await.json()["data"], json!([]));
    patch(&app, &ada, 1, &json!({ "archived": false })).await.expect(200);
    assert_eq!(get(&app, &ada, "").await.json()["data"].as_array().unwrap().len(), 1);
}

async fn fifty_changes_at_once_lose_none(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    let other = app.second_instance().await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let place = if n % 2 == 0 { &app } else { &other };
        let body = json!({ "boundary": square(13.0, 52.0, 0.01 + f64::from(n) / 1e4) });
        work.spawn(place.patch("/api/v1/worksites/1").cookie(&ada.cookie).json(&body).send());
    }
    let mut tags: Vec<i64> = work
        .join_all()
        .await
        .into_iter()
        .map(|reply| reply.expect(200).header("etag").trim_matches('"').parse().unwrap())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (2..=51).collect::<Vec<i64>>());
}

async fn what_cannot_be_is_refused_by_name(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "Old").await;
    create_site(&app, &ada, "East", Some(1)).await;
    create_site(&app, &ada, "West", None).await;
    let archived = json!({ "archived": true });
    app.patch("/api/v1/projects/1").cookie(&ada.cookie).json(&archived).send().await.expect(200);
    for (change, expected) in [
        (json!({ "name": null }), "name: required"),
        (json!({ "colour": null }), "colour: required"),
        (json!({ "kind": "moon" }), "kind: invalid_kind"),
        (json!({ "time_zone": "" }), "time_zone: invalid_time_zone"),
        (json!({ "project_id": 1 }), "project_id: project_archived"),
        (json!({ "project_id": 9 }), "project_id: unknown_project"),
        (json!({ "archived": "yes" }), "archived: wrong_type"),
        (json!({ "time_zone": "UTC", "effective_from": "2026-03-01T13:00:00Z" }), "effective_from: bad_time"),
        (json!({ "time_zone": "UTC", "effective_from": "2020-01-01T00:00:00Z" }), "effective_from: bad_time"),
        (json!({ "id": 1 }), "id: read_only"),
        (json!({ "created_at": "2026-03-01T08:00:00Z" }), "created_at: read_only"),
        (json!({ "area": 7 }), "area: unknown_field"),
    ] {
        assert_eq!(field_errors(&patch(&app, &ada, 2, &change).await.expect(422)), [expected], "{change}");
    }
    // A worksite in an archived project may stay there.
    patch(&app, &ada, 1, &json!({ "project_id": 1, "name": "Eastern" })).await.expect(200);
}

async fn every_change_is_written_down_with_before_and_after(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    let change = json!({ "name": "West", "boundary": square(13.0, 52.0, 0.01), "effective_from": "2026-01-01T00:00:00Z" });
    patch(&app, &ada, 1, &change).await.expect(200);
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let row = rows.iter().find(|row| row.action == "worksite.changed").unwrap();
    let details: Value = serde_json::from_str(&row.details).unwrap();
    assert_eq!((&details["before"]["name"], &details["after"]["name"]), (&json!("East"), &json!("West")));
    assert!(details["before"]["boundary"].is_null() && details["after"]["boundary"]["sha256"].is_string());
    assert_eq!(details["terms"]["effective_from"], "2026-01-01T00:00:00Z");
    assert_eq!(details["terms"]["before"][0]["from"], "2026-03-01T12:00:30Z");
    assert_eq!(details["terms"]["after"][0]["from"], "2026-01-01T00:00:00Z");
    assert!(row.details.len() < 2_000, "a boundary is not written to the log");
}
