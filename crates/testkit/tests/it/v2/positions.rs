//! GET /api/v2/positions

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use crate::ingest::events::BerlinYard;

on_both_engines!(
    the_last_position_of_every_machine_is_a_point,
    a_machine_is_not_shown_where_another_one_was,
    positions_are_those_that_one_sees,
);

async fn positions(yard: &BerlinYard, user: &Account) -> Value {
    let reply = yard.app.get("/api/v2/positions").bearer(&user.jwt).send().await.expect(200);
    assert_eq!(reply.header("content-type"), "application/geo+json");
    reply.json()
}

async fn the_last_position_of_every_machine_is_a_point(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // A machine without a station has no position.
    yard.post("machines", json!({ "name": "Crane", "kind": "crane" })).await;
    assert_eq!(positions(&yard, &yard.admin).await, json!({ "type": "FeatureCollection", "features": [] }));
    let fixes = json!([["2026-03-01T08:00:00Z", 52.5, 13.4], ["2026-03-01T08:00:10Z", 52.25, 13.5]]);
    yard.send_accepted(json!([{ "uid": "g", "kind": "gps", "fixes": fixes }])).await;
    let found = positions(&yard, &yard.admin).await;
    let feature = json!({
        "type": "Feature", "id": 1,
        "geometry": { "type": "Point", "coordinates": [13.5, 52.25] },
        "properties": {
            "name": "Digger", "machine_kind": "excavator", "base_station_id": 1, "worksite_id": 1,
            "at": "2026-03-01T08:00:10Z",
        },
    });
    assert_eq!(found["features"], json!([feature]));
    let refused = yard.app.get("/api/v2/positions?limit=1").bearer(&yard.admin.jwt).send().await;
    refused.expect(400);
}

/// Returns the machines that are shown, each with the time of its position.
async fn shown(yard: &BerlinYard) -> Value {
    let found = positions(yard, &yard.admin).await;
    let one = |feature: &Value| json!([feature["id"], feature["properties"]["at"]]);
    found["features"].as_array().unwrap().iter().map(one).collect()
}

/// Returns the times of all fixes in the tracks of a machine.
async fn track_times(yard: &BerlinYard, machine: i64) -> Vec<Value> {
    let path = format!("/api/v2/machines/{machine}/tracks");
    let tracks = yard.app.get(&path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    let lines = tracks["features"].as_array().unwrap();
    // A single fix is a line from and to itself.
    lines.iter().map(|line| line["properties"]["times"][0].clone()).collect()
}

async fn a_machine_is_not_shown_where_another_one_was(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let fix = |uid: &str, at: &str| json!([{ "uid": uid, "kind": "gps", "fixes": [[at, 52.5, 13.4]] }]);
    let (before, from) = ("2026-03-01T09:50:00Z", "2026-03-01T10:00:00Z");
    yard.send_accepted(fix("a", before)).await;
    assert_eq!(shown(&yard).await, json!([[1, before]]));
    yard.post("machines", json!({ "name": "Truck", "kind": "truck" })).await;
    yard.put("base_stations/1/installation", json!({ "machine_id": 2, "effective_from": from })).await;
    // The digger stood there, not the truck; and the digger has no station any more.
    assert_eq!(shown(&yard).await, json!([]));
    assert_eq!((track_times(&yard, 1).await, track_times(&yard, 2).await), (vec![json!(before)], vec![]));
    let map = yard.get("worksites/1/geo").await;
    let features = map["features"].as_array().unwrap();
    assert!(features.iter().all(|feature| feature["properties"]["feature"] != "machine"), "{map}");
    // A report at the very time of the move is the truck's.
    yard.send_accepted(fix("b", from)).await;
    assert_eq!(shown(&yard).await, json!([[2, from]]));
    assert_eq!(track_times(&yard, 2).await, [json!(from)]);
}

async fn positions_are_those_that_one_sees(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    yard.send_accepted(
        json!([{ "uid": "a", "kind": "gps", "fixes": [["2026-03-01T08:00:00Z", 52.5, 13.4]] }]),
    )
    .await;
    yard.post("projects", json!({ "name": "South" })).await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    let theirs = yard.restricted("theirs@example.com", Role::Viewer, &[2]).await;
    let count = |found: Value| found["features"].as_array().unwrap().len();
    assert_eq!(count(positions(&yard, &ours).await), 1);
    assert_eq!(count(positions(&yard, &theirs).await), 0);
    // The machine moves to the other project; where it was before is not visible there.
    let site =
        json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2 });
    yard.post("worksites", site).await;
    yard.put("worksites/2/assignments/machines/1", json!({})).await;
    yard.app.clock.advance(Span::minutes(1));
    assert_eq!(count(positions(&yard, &ours).await), 0);
    assert_eq!(count(positions(&yard, &theirs).await), 0);
    let now = yard.app.clock.now();
    yard.send_accepted(json!([{ "uid": "b", "kind": "gps", "fixes": [[now, 52.5, 13.4]] }])).await;
    assert_eq!(count(positions(&yard, &theirs).await), 1);
}
