//! /api/v2/machines

use domain::{DeviceKind, Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{ids, send};
use crate::ingest::events::BerlinYard;

on_both_engines!(
    machines_are_created_changed_and_archived,
    a_change_is_made_as_a_whole_or_not_at_all,
    what_a_machine_is_linked_to_comes_along,
    filters_narrow,
    tracks_are_those_of_the_stations_on_the_machine,
    stations_that_take_turns_make_one_track,
    the_limit_of_positions_holds_for_all_stations_together,
    tracks_are_cut_to_what_one_sees,
);

async fn get(yard: &BerlinYard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v2/machines{rest}")).bearer(&user.jwt).send().await
}

fn machine(attributes: &Value) -> Value {
    json!({ "type": "machines", "attributes": attributes })
}

fn change(id: &str, attributes: &Value) -> Value {
    json!({ "type": "machines", "id": id, "attributes": attributes })
}

async fn machines_are_created_changed_and_archived(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let mut new = machine(&json!({ "name": "Crane", "kind": "crane", "year": 2019, "serial_number": "C-1" }));
    new["relationships"] = json!({ "worksite": { "data": { "type": "worksites", "id": "1" } } });
    let made = send(&yard.app, &yard.admin, Method::POST, "machines", &new).await.expect(201);
    assert_eq!(made.header("location"), "/api/v2/machines/2");
    assert_eq!(made.json()["data"]["relationships"]["worksite"]["data"]["id"], "1");
    // V1 has the same machine.
    assert_eq!(yard.get("machines/2").await["worksite_id"], 1);
    let renamed = change("2", &json!({ "name": "Tower crane", "year": null }));
    let renamed =
        send(&yard.app, &yard.admin, Method::PATCH, "machines/2", &renamed).await.expect(200).json();
    let attributes = &renamed["data"]["attributes"];
    assert_eq!((&attributes["name"], &attributes["year"]), (&json!("Tower crane"), &Value::Null));
    let archived = change("2", &json!({ "name": "Old crane", "archived": true }));
    let archived =
        send(&yard.app, &yard.admin, Method::PATCH, "machines/2", &archived).await.expect(200).json();
    assert_eq!(archived["data"]["attributes"]["archived"], true);
    assert_eq!(archived["data"]["relationships"]["worksite"]["data"], Value::Null);
    let names = |document: Value| document["data"][0]["attributes"]["name"].clone();
    assert_eq!(
        names(get(&yard, &yard.admin, "?filter[archived]=true").await.expect(200).json()),
        "Old crane"
    );
    let restored = change("2", &json!({ "archived": false }));
    let restored =
        send(&yard.app, &yard.admin, Method::PATCH, "machines/2", &restored).await.expect(200).json();
    assert_eq!(restored["data"]["attributes"]["archived_at"], Value::Null);
}

async fn a_change_is_made_as_a_whole_or_not_at_all(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    for serial in ["C-1", "C-2"] {
        yard.post("machines", json!({ "name": serial, "kind": "crane", "serial_number": serial })).await;
    }
    let archived = change("3", &json!({ "archived": true }));
    send(&yard.app, &yard.admin, Method::PATCH, "machines/3", &archived).await.expect(200);
    let before = get(&yard, &yard.admin, "/3").await.expect(200).json();
    // It would be restored, but its serial number is taken.
    let taken = change("3", &json!({ "archived": false, "serial_number": "C-1" }));
    let refused = send(&yard.app, &yard.admin, Method::PATCH, "machines/3", &taken).await.expect(422);
    assert_eq!(refused.json()["errors"][0]["source"]["pointer"], "/data/attributes/serial_number");
    // It cannot be at a worksite while it is archived.
    let mut moved = change("3", &json!({}));
    moved["relationships"] = json!({ "worksite": { "data": { "type": "worksites", "id": "1" } } });
    send(&yard.app, &yard.admin, Method::PATCH, "machines/3", &moved).await.expect(409);
    assert_eq!(get(&yard, &yard.admin, "/3").await.expect(200).json(), before);
    // Restored and moved at once, it can.
    moved["attributes"]["archived"] = json!(false);
    let moved = send(&yard.app, &yard.admin, Method::PATCH, "machines/3", &moved).await.expect(200).json();
    assert_eq!(moved["data"]["relationships"]["worksite"]["data"]["id"], "1");
}

async fn what_a_machine_is_linked_to_comes_along(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let path = "/1?include=worksite,base_station&fields[worksites]=name&fields[base_stations]=serial";
    let document = get(&yard, &yard.admin, path).await.expect(200).json();
    assert_eq!(document["data"]["links"]["self"], "/api/v2/machines/1");
    let included: Vec<&Value> =
        document["included"].as_array().unwrap().iter().map(|one| &one["attributes"]).collect();
    assert_eq!(included, [&json!({ "name": "Yard" }), &json!({ "serial": "ST-1" })]);
    let at_site = "/api/v2/worksites/1/machines?include=base_station";
    let at_site = yard.app.get(at_site).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(at_site["included"][0]["type"], "base_stations");
    let elsewhere = "/api/v2/worksites/1/machines?filter[worksite]=7";
    let elsewhere = yard.app.get(elsewhere).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(elsewhere["data"], json!([]));
}

async fn filters_narrow(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("machines", json!({ "name": "Crane", "kind": "crane" })).await;
    for (query, expected) in [
        ("", &["2", "1"][..]),
        ("sort=-name", &["1", "2"]),
        ("filter[kind]=crane", &["2"]),
        ("filter[kind]=crane,excavator", &["2", "1"]),
        ("filter[worksite]=1", &["1"]),
        ("filter[project]=1,7", &["1"]),
        ("filter[id]=2", &["2"]),
        ("filter[q]=DIG", &["1"]),
        ("filter[archived]=true", &[]),
    ] {
        let document = get(&yard, &yard.admin, &format!("?{query}")).await.expect(200).json();
        assert_eq!(ids(&document["data"]), expected, "{query}");
    }
    yard.post("projects", json!({ "name": "South" })).await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    assert_eq!(ids(&get(&yard, &ours, "").await.expect(200).json()["data"]), ["1"]);
    get(&yard, &ours, "/2").await.expect(404);
    get(&yard, &ours, "/2/tracks").await.expect(404);
}

async fn tracks_are_those_of_the_stations_on_the_machine(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let fixes = |uid: &str, at: &str| json!([{ "uid": uid, "kind": "gps", "fixes": [[at, 52.5, 13.4]] }]);
    yard.send_accepted(fixes("a", "2026-03-01T08:00:00Z")).await;
    yard.post("machines", json!({ "name": "Crane", "kind": "crane" })).await;
    // From ten o'clock on, the station is on the crane.
    let moved = json!({ "machine_id": 2, "effective_from": "2026-03-01T10:00:00Z" });
    yard.put("base_stations/1/installation", moved).await;
    yard.send_accepted(fixes("b", "2026-03-01T11:00:00Z")).await;
    for (machine, at) in [(1, "2026-03-01T08:00:00Z"), (2, "2026-03-01T11:00:00Z")] {
        let reply = get(&yard, &yard.admin, &format!("/{machine}/tracks")).await.expect(200);
        assert_eq!(reply.header("content-type"), "application/geo+json");
        let features = reply.json()["features"].as_array().unwrap().clone();
        let times: Vec<&Value> = features.iter().map(|line| &line["properties"]["times"][0]).collect();
        assert_eq!(times, [&json!(at)], "{machine}");
    }
    for (query, name) in [("from=x", "from"), ("simplify_m=-1", "simplify_m"), ("limit=1", "limit")] {
        let refused = get(&yard, &yard.admin, &format!("/1/tracks?{query}")).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["source"]["parameter"], name);
    }
    get(&yard, &yard.admin, "/7/tracks").await.expect(404);
}

/// Moves a station to the first machine.
async fn install(yard: &BerlinYard, station: i64, from: &str) {
    let path = format!("base_stations/{station}/installation");
    yard.put(&path, json!({ "machine_id": 1, "effective_from": from })).await;
}

fn gps(fixes: &Value) -> Value {
    json!([{ "uid": "fixes", "kind": "gps", "fixes": fixes }])
}

/// Adds the station ST-2, whose id is 2, and sends fixes as that station.
async fn add_second_station(yard: &BerlinYard, fixes: &Value) {
    let token = yard.app.issue_token("Acme", DeviceKind::Station, "ST-2").await;
    let send = yard.app.post("/ingest/v1/events").bearer(&token).json(&gps(fixes)).send();
    assert_eq!(send.await.expect(200).json()["accepted"], 1);
}

async fn stations_that_take_turns_make_one_track(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let at = |minute: i64| format!("2026-03-01T10:{minute:02}:00Z");
    let fixes = |minutes: &[i64]| -> Value {
        minutes.iter().map(|minute| json!([at(*minute), 52.5, 13.4])).collect()
    };
    yard.send_accepted(gps(&fixes(&[1, 3, 6, 11, 13]))).await;
    add_second_station(&yard, &fixes(&[2, 6, 8, 12])).await;
    let times = async || {
        let tracks = get(&yard, &yard.admin, "/1/tracks").await.expect(200).json();
        let lines = tracks["features"].as_array().unwrap().iter();
        lines.map(|line| line["properties"]["times"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(times().await.len(), 1);
    let store = &yard.app.edge().app.store;
    let before = store.statement_count();
    times().await;
    let with_one_station = store.statement_count() - before;
    // All within a quarter of an hour.
    install(&yard, 2, &at(5)).await;
    install(&yard, 1, &at(10)).await;
    let before = store.statement_count();
    let expected = [json!([at(1), at(3)]), json!([at(6), at(8)]), json!([at(11), at(13)])];
    assert_eq!(times().await, expected);
    assert_eq!(store.statement_count() - before, with_one_station, "the chunks are read together");
}

async fn the_limit_of_positions_holds_for_all_stations_together(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    yard.send_accepted(gps(&json!([["2026-03-01T09:00:00Z", 52.5, 13.4]]))).await;
    add_second_station(&yard, &json!([["2026-03-01T11:00:00Z", 52.5, 13.4]])).await;
    install(&yard, 2, "2026-03-01T10:00:00Z").await;
    // As if each station had reported two million positions.
    let many = "update gps_chunks set fixes = 2000000";
    testkit::execute_raw_sql(yard.app.database(), many).await.unwrap();
    let refused = get(&yard, &yard.admin, "/1/tracks").await.expect(400).json();
    assert_eq!(refused["errors"][0]["code"], "too_many_positions");
    assert_eq!(refused["errors"][0]["source"]["parameter"], "from");
    let one = get(&yard, &yard.admin, "/1/tracks?from=2026-03-01T10:00:00Z").await.expect(200).json();
    assert_eq!(one["features"].as_array().unwrap().len(), 1);
}

async fn tracks_are_cut_to_what_one_sees(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    yard.send_accepted(
        json!([{ "uid": "a", "kind": "gps", "fixes": [["2026-03-01T08:00:00Z", 52.5, 13.4]] }]),
    )
    .await;
    yard.post("projects", json!({ "name": "South" })).await;
    let site =
        json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2 });
    yard.post("worksites", site).await;
    yard.put("worksites/2/assignments/machines/1", json!({})).await;
    yard.app.clock.advance(Span::minutes(1));
    let theirs = yard.restricted("theirs@example.com", Role::Viewer, &[2]).await;
    let tracks = get(&yard, &theirs, "/1/tracks").await.expect(200).json();
    assert_eq!(tracks["features"], json!([]));
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    get(&yard, &ours, "/1/tracks").await.expect(404);
}
