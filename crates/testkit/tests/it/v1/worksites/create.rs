//! POST /api/v1/worksites

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{create_project, field_errors, get, new_site, patch, post, restrict, square, terms};

on_both_engines!(
    a_worksite_is_made_and_found_again,
    a_worksite_counts_from_when_it_is_said_to,
    every_wrong_field_is_named_at_once,
    what_cannot_be_is_refused_by_name,
    a_restricted_member_adds_sites_to_their_own_projects_only,
    a_repeat_under_a_key_makes_nothing,
);

async fn a_worksite_is_made_and_found_again(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    let new = json!({
        "name": " East bank ", "colour": "#FF8800", "kind": "rail_maintenance", "time_zone": "europe/berlin",
        "boundary": square(13.0, 52.0, 0.01), "technical_contact": "Ada, +49 30 1", "project_id": 1,
    });
    let made = post(&app, &ada, &new).await.expect(201);
    let expected = json!({
        "id": 1, "name": "East bank", "colour": "#ff8800", "kind": "rail_maintenance", "time_zone": "Europe/Berlin",
        "boundary": square(13.0, 52.0, 0.01), "area_m2": 764_078, "technical_contact": "Ada, +49 30 1", "project_id": 1,
        "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z", "archived_at": null,
    });
    assert_eq!(made.json(), expected);
    assert_eq!(made.header("location"), "/api/v1/worksites/1");
    let found = get(&app, &ada, "/1").await.expect(200);
    assert_eq!((found.json(), found.header("etag")), (made.json(), "\"1\""));
    let least = post(&app, &ada, &new_site("Least", &json!({}))).await.expect(201).json();
    assert!(least["boundary"].is_null() && least["area_m2"].is_null() && least["project_id"].is_null());
    // Without a colour, a palette gives one.
    let plain = json!({ "name": "Plain", "kind": "other", "time_zone": "UTC" });
    let plain = post(&app, &ada, &plain).await.expect(201).json();
    assert!(plain["colour"].as_str().is_some_and(|colour| colour.len() == 7 && colour.starts_with('#')));
}

async fn a_worksite_counts_from_when_it_is_said_to(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &new_site("Now", &json!({}))).await.expect(201);
    let from = json!({ "effective_from": "2025-01-01T01:00:00+01:00" });
    post(&app, &ada, &new_site("Before", &from)).await.expect(201);
    let zone = "Europe/Berlin".to_owned();
    let term = |from: &str| vec![(from.to_owned(), zone.clone(), Value::Null, Value::Null)];
    assert_eq!(terms(&app, &ada, 1).await, term("2026-03-01T12:00:30Z"));
    assert_eq!(terms(&app, &ada, 2).await, term("2025-01-01T00:00:00Z"));
}

async fn every_wrong_field_is_named_at_once(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({
        "name": "", "colour": "red", "kind": "moon", "time_zone": "Mars/Olympus", "boundary": 7,
        "technical_contact": "x".repeat(101), "project_id": "1", "effective_from": 5, "archived": true,
    });
    let expected = [
        "name: required",
        "colour: invalid_colour",
        "kind: invalid_kind",
        "time_zone: invalid_time_zone",
        "boundary: wrong_type",
        "technical_contact: too_long",
        "project_id: wrong_type",
        "effective_from: wrong_type",
        "archived: unknown_field",
    ];
    assert_eq!(field_errors(&post(&app, &ada, &new).await.expect(422)), expected);
    let missing = ["name: required", "kind: required", "time_zone: required"];
    assert_eq!(field_errors(&post(&app, &ada, &json!({})).await.expect(422)), missing);
}

async fn what_cannot_be_is_refused_by_name(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    create_project(&app, &ada, "Old").await;
    create_project(&app, &eve, "Foreign").await;
    let archived = json!({ "archived": true });
    app.patch("/api/v1/projects/1").cookie(&ada.cookie).json(&archived).send().await.expect(200);
    for (more, expected) in [
        (json!({ "project_id": 99 }), "project_id: unknown_project"),
        (json!({ "project_id": 2 }), "project_id: unknown_project"),
        (json!({ "project_id": 1 }), "project_id: project_archived"),
        (json!({ "effective_from": "2026-03-01T12:00:31Z" }), "effective_from: bad_time"),
        (json!({ "effective_from": "2021-02-27T00:00:00Z" }), "effective_from: bad_time"),
        (json!({ "boundary": square(13.0, 52.0, 0.00001) }), "boundary: invalid_polygon"),
    ] {
        let reply = post(&app, &ada, &new_site("Site", &more)).await.expect(422);
        assert_eq!(field_errors(&reply), [expected], "{more}");
    }
    assert_eq!(get(&app, &ada, "?include_total=true").await.json()["page"]["total"], 0);
}

async fn a_restricted_member_adds_sites_to_their_own_projects_only(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    create_project(&app, &ada, "South").await;
    restrict(&app, &ada, &[1]).await;
    for (project, expected) in [(None, "project_id: required"), (Some(2), "project_id: unknown_project")] {
        let reply = post(&app, &ada, &new_site("Site", &json!({ "project_id": project }))).await.expect(422);
        assert_eq!(field_errors(&reply), [expected]);
    }
    post(&app, &ada, &new_site("Site", &json!({ "project_id": 1 }))).await.expect(201);
    // They cannot move one out of their own projects either.
    for (project, expected) in [(None, "project_id: required"), (Some(2), "project_id: unknown_project")] {
        let reply = patch(&app, &ada, 1, &json!({ "project_id": project })).await.expect(422);
        assert_eq!(field_errors(&reply), [expected]);
    }
    patch(&app, &ada, 1, &json!({ "project_id": 1, "name": "Mine" })).await.expect(200);
}

async fn a_repeat_under_a_key_makes_nothing(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = new_site("Site", &json!({ "boundary": square(13.0, 52.0, 0.01) }));
    let send = || {
        app.post("/api/v1/worksites").cookie(&ada.cookie).header("idempotency-key", "k-1").json(&new).send()
    };
    let first = send().await.expect(201);
    assert_eq!(send().await.expect(201).json(), first.json());
    assert_eq!(get(&app, &ada, "?include_total=true").await.json()["page"]["total"], 1);
}
