//! Machines and people detected at a worksite: GET /api/v1/worksites/{id}/geo and …/assignments

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::get;
use crate::ingest::events::{BerlinYard, incursion, with};

on_both_engines!(
    machines_stand_where_they_were_last,
    machines_inside_are_shown_to_those_who_see_them,
    people_and_machines_are_seen,
    what_was_seen_is_of_the_projects_one_sees,
);

async fn send_position(yard: &BerlinYard, uid: &str, lat: f64, lon: f64) {
    let fixes = json!([["2026-03-01T08:00:00Z", lat, lon]]);
    yard.send_accepted(json!([{ "uid": uid, "kind": "gps", "fixes": fixes }])).await;
}

/// Creates another project with an adjacent worksite and no machine.
async fn create_neighbouring_site(yard: &BerlinYard) {
    yard.post("projects", json!({ "name": "South" })).await;
    let boundary = json!({ "type": "Circle", "center": [13.5, 52.5], "radius_m": 300 });
    let site = json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2,
        "boundary": boundary, "effective_from": "2026-01-01T00:00:00Z" });
    yard.post("worksites", site).await;
}

/// Returns the machines on a worksite's map.
async fn machines_on_map(yard: &BerlinYard, user: &Account, path: &str) -> Vec<Value> {
    let body = get(&yard.app, user, path).await.expect(200).json();
    let is_machine = |feature: &&Value| feature["properties"]["feature"] == "machine";
    body["features"].as_array().unwrap().iter().filter(is_machine).cloned().collect()
}

async fn machines_stand_where_they_were_last(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    assert!(machines_on_map(&yard, &yard.admin, "/1/geo").await.is_empty());
    send_position(&yard, "1", 52.5, 13.4).await;
    let found = machines_on_map(&yard, &yard.admin, "/1/geo").await;
    let expected = json!({
        "type": "Feature",
        "geometry": { "type": "Point", "coordinates": [13.4, 52.5] },
        "properties": {
            "feature": "machine", "id": 1, "name": "Digger", "kind": "excavator",
            "base_station": { "id": 1, "serial": "ST-1" }, "at": "2026-03-01T08:00:00Z", "assigned": true, "inside": true,
        },
    });
    assert_eq!(found, [expected]);
    // A map of the past shows no current positions.
    assert!(machines_on_map(&yard, &yard.admin, "/1/geo?at=2026-02-01T00:00:00Z").await.is_empty());
    // Even on its way elsewhere, the machine belongs to the worksite, and the bounding box includes it.
    let fixes = json!([["2026-03-01T09:00:00Z", 53.0, 14.0]]);
    yard.send_accepted(json!([{ "uid": "2", "kind": "gps", "fixes": fixes }])).await;
    let body = get(&yard.app, &yard.admin, "/1/geo").await.expect(200).json();
    let properties = &body["features"][1]["properties"];
    assert_eq!((&properties["assigned"], &properties["inside"]), (&json!(true), &json!(false)));
    assert_eq!((&body["bbox"][2], &body["bbox"][3]), (&json!(14.0), &json!(53.0)));
    assert_eq!(body["features"][0]["properties"]["feature"], "boundary");
    assert_ne!(body["features"][0]["bbox"], body["bbox"]);
}

async fn machines_inside_are_shown_to_those_who_see_them(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    create_neighbouring_site(&yard).await;
    send_position(&yard, "1", 52.5, 13.5).await;
    let found = machines_on_map(&yard, &yard.admin, "/2/geo").await;
    let of = |found: &[Value]| {
        let one = |feature: &Value| {
            (feature["properties"]["assigned"].clone(), feature["properties"]["inside"].clone())
        };
        found.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(of(&found), [(json!(false), json!(true))]);
    assert_eq!(of(&machines_on_map(&yard, &yard.admin, "/1/geo").await), [(json!(true), json!(false))]);
    // Callers who cannot see the other project cannot see its machine either.
    let theirs = yard.restricted("theirs@example.com", Role::Member, &[2]).await;
    assert!(machines_on_map(&yard, &theirs, "/2/geo").await.is_empty());
    let both = yard.restricted("both@example.com", Role::Member, &[1, 2]).await;
    assert_eq!(machines_on_map(&yard, &both, "/2/geo").await.len(), 1);
    // Next to the worksite, at the same latitude, it is not on the map.
    let fixes = json!([["2026-03-01T09:00:00Z", 52.5, 13.6]]);
    yard.send_accepted(json!([{ "uid": "2", "kind": "gps", "fixes": fixes }])).await;
    assert!(machines_on_map(&yard, &yard.admin, "/2/geo").await.is_empty());
}

async fn seen_entities(yard: &BerlinYard, user: &Account, site: i64) -> Value {
    get(&yard.app, user, &format!("/{site}/assignments")).await.expect(200).json()["seen"].clone()
}

async fn people_and_machines_are_seen(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let nothing = json!({ "since": "2026-01-30T12:00:30Z", "people": [], "machines": [], "more": false });
    assert_eq!(seen_entities(&yard, &yard.admin, 1).await, nothing);
    yard.send_accepted(json!([
        with(incursion("1"), json!({ "operator_tag": "TAG-2" })),
        with(incursion("2"), json!({ "started_at": "2026-03-01T09:00:00Z" })),
        with(incursion("3"), json!({ "started_at": "2026-03-01T10:00:00Z" })),
        with(incursion("4"), json!({ "started_at": "2026-01-10T10:00:00Z", "tag": "TAG-2" })),
    ]))
    .await;
    let review = json!({ "state": "dismissed" });
    let post = yard.app.post("/api/v1/incursions/3/review").cookie(&yard.admin.cookie).json(&review);
    post.send().await.expect(200);
    let found = seen_entities(&yard, &yard.admin, 1).await;
    let person = |id: i64, name: &str, incursions: i64, at: &str| json!({ "person": { "id": id, "name": name, "kind": "staff" }, "incursions": incursions, "last_seen_at": at });
    let (eight, nine) = ("2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z");
    assert_eq!(found["people"], json!([person(1, "Ada", 2, nine), person(2, "Ben", 1, eight)]));
    let digger = json!({ "machine": { "id": 1, "name": "Digger" }, "incursions": 2, "last_seen_at": nine });
    assert_eq!(found["machines"], json!([digger]));
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    assert_eq!(seen_entities(&yard, &viewer, 1).await["people"][0]["person"]["name"], "Person 1");
    // Only the first page includes it.
    yard.app.clock.advance(Span::seconds(1));
    yard.post("machines", json!({ "name": "Loader", "kind": "loader", "worksite_id": 1 })).await;
    let first = get(&yard.app, &yard.admin, "/1/assignments?limit=1").await.expect(200).json();
    assert_ne!(first["seen"], json!(null));
    let cursor = first["page"]["next"].as_str().unwrap();
    let second = get(&yard.app, &yard.admin, &format!("/1/assignments?limit=1&cursor={cursor}")).await;
    let second = second.expect(200).json();
    assert_eq!((&second["seen"], &second["open_alerts"]), (&json!(null), &json!(null)));
}

async fn what_was_seen_is_of_the_projects_one_sees(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    yard.send_accepted(json!([incursion("1")])).await;
    create_neighbouring_site(&yard).await;
    // The worksite moves to another project: earlier detections stay with the project of their time.
    yard.patch("worksites/1", json!({ "project_id": 2 })).await;
    yard.send_accepted(json!([with(
        incursion("2"),
        json!({ "tag": "TAG-2", "started_at": "2026-03-01T12:02:00Z" })
    )]))
    .await;
    let ours = yard.restricted("ours@example.com", Role::Member, &[1]).await;
    get(&yard.app, &ours, "/1/assignments").await.expect(404);
    let theirs = yard.restricted("theirs@example.com", Role::Member, &[2]).await;
    let names = |found: Value| -> Vec<Value> {
        found["people"].as_array().unwrap().iter().map(|seen| seen["person"]["name"].clone()).collect()
    };
    assert_eq!(names(seen_entities(&yard, &theirs, 1).await), ["Ben"]);
    assert_eq!(names(seen_entities(&yard, &yard.admin, 1).await), ["Ben", "Ada"]);
}
