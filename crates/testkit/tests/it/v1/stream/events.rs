//! What a stream tells.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{EventReader, TestApp, on_both_engines};

use super::{begin, open, sum_incursions};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_stream_begins_with_the_current_state,
    facts_are_counted_by_worksite,
    what_another_process_stored_arrives,
    a_restricted_reader_gets_what_they_see,
    alarms_are_told_as_they_fire_and_clear,
    progress_is_told_to_whom_it_belongs,
    devices_are_told_as_they_fail_and_fall_silent,
    many_streams_look_once,
);

async fn a_stream_begins_with_the_current_state(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.admin).await;
    for (name, value) in
        [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")]
    {
        assert_eq!(stream.headers[name], value);
    }
    let events = stream.begin().await;
    let names: Vec<(&str, bool)> =
        events.iter().map(|event| (event.name.as_str(), event.id.is_some())).collect();
    assert_eq!(names, [("alerts", false), ("progress", false), ("devices", false), ("facts", true)]);
    assert_eq!(events[0].data, json!({ "open": [], "more": false }));
    assert_eq!(events[1].data, json!({ "work": [] }));
    let devices = json!({
        "online": 0, "faulty": 0, "silent": 0, "never_seen": 3, "base_stations": [], "more": false,
    });
    assert_eq!(events[2].data, devices);
    let facts = &events[3].data;
    assert_eq!((&facts["since"], &facts["worksites"]), (&facts["seq"], &json!([])));
    assert_eq!(events[3].id.as_deref(), Some(facts["seq"].to_string().as_str()));
}

async fn facts_are_counted_by_worksite(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.viewer).await;
    let (first, _) = begin(&mut stream).await;
    world.incursions(1, 2).await;
    let facts = stream.next_of("facts").await;
    assert_eq!((&facts["since"], &facts["worksites"][0]["worksite_id"]), (&first["seq"], &json!(1)));
    assert_eq!(sum_incursions(&mut stream, Some(&facts), 2).await, BTreeMap::from([(1, 2)]));
    world.incursions(3, 1).await;
    let id = world.incursion(2, &json!({})).await;
    assert_eq!(sum_incursions(&mut stream, None, 2).await, BTreeMap::from([(1, 1), (2, 1)]));
    world.post(&format!("incursions/{id}/review"), &json!({ "state": "confirmed" })).await;
    let changed = stream.next_of("facts").await;
    let site = json!({
        "worksite_id": 1, "incursions_added": 0, "incursions_changed": 1, "runtime_changed": 0,
    });
    assert_eq!(changed["worksites"], json!([site]));
    world.runtime(3, 20).await;
    let ran = stream.next_of("facts").await;
    assert_eq!((&ran["since"], &ran["worksites"][0]["worksite_id"]), (&changed["seq"], &json!(2)));
    assert!(ran["worksites"][0]["runtime_changed"].as_i64().unwrap() > 0, "{ran}");
}

async fn what_another_process_stored_arrives(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let other = world.app.second_instance().await;
    let mut stream = open(&other, &world.admin).await;
    begin(&mut stream).await;
    world.incursions(1, 3).await;
    assert_eq!(sum_incursions(&mut stream, None, 3).await, BTreeMap::from([(1, 3)]));
}

async fn a_restricted_reader_gets_what_they_see(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut all = open(&world.app, &world.admin).await;
    let mut some = open(&world.app, &world.restricted).await;
    begin(&mut all).await;
    let mut events = some.begin().await;
    let first = events.pop().unwrap().data;
    assert_eq!(events[2].data["never_seen"], 2);
    world.incursions(3, 2).await;
    assert_eq!(sum_incursions(&mut all, None, 2).await, BTreeMap::from([(2, 2)]));
    world.incursions(1, 1).await;
    // The first facts that are reported to them.
    let facts = some.next_of("facts").await;
    let site = json!({
        "worksite_id": 1, "incursions_added": 1, "incursions_changed": 0, "runtime_changed": 0,
    });
    assert_eq!((&facts["since"], &facts["worksites"]), (&first["seq"], &json!([site])));
}

/// Waits until so many alarms are open.
async fn wait_for_alarms(stream: &mut EventReader, count: usize) -> Value {
    let is_as_many = |data: &Value| data["open"].as_array().unwrap().len() == count;
    stream.wait_for("alerts", is_as_many).await["open"].clone()
}

async fn alarms_are_told_as_they_fire_and_clear(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "name": "Yard", "split_by": "machine", "threshold": 2 })).await;
    let mut all = open(&world.app, &world.admin).await;
    let mut some = open(&world.app, &world.restricted).await;
    for machine in [1, 3] {
        world.incursions(machine, 2).await;
    }
    world.advance_minutes(1);
    world.mails().await;
    assert_eq!(wait_for_alarms(&mut all, 2).await.as_array().unwrap().len(), 2);
    let visible = wait_for_alarms(&mut some, 1).await;
    let firing = world.firings(rule).await.into_iter().find(|one| one["machine"]["id"] == 1).unwrap();
    for (field, value) in [
        ("id", &firing["id"]),
        ("alert_id", &json!(rule)),
        ("name", &json!("Yard")),
        ("metric", &json!("incursions")),
        ("fired_at", &firing["fired_at"]),
    ] {
        assert_eq!(&visible[0][field], value, "{field}");
    }
    world.advance_minutes(70);
    world.mails().await;
    wait_for_alarms(&mut all, 0).await;
    wait_for_alarms(&mut some, 0).await;
}

async fn progress_is_told_to_whom_it_belongs(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let order = async |cookie: &str| {
        let body = json!({ "kind": "incursions", "format": "csv" });
        let call = world.app.post("/api/v1/reports").cookie(cookie).json(&body);
        call.send().await.expect(201).json()["id"].clone()
    };
    let mut own = open(&world.app, &world.admin).await;
    let mut other = open(&world.app, &world.member).await;
    begin(&mut own).await;
    let report = order(&world.admin.cookie).await;
    let work = own.next_of("progress").await["work"].clone();
    assert_eq!(work, json!([{ "type": "report", "id": report, "state": "queued", "percent": 0 }]));
    world.app.run_jobs().await;
    let is_ready = |data: &Value| data["work"][0]["state"] == "ready";
    let ready = own.wait_for("progress", is_ready).await;
    assert_eq!(ready["work"][0]["percent"], 100);
    // To others only their own are reported.
    let export = json!({ "kind": "incursions", "format": "csv" });
    let call = world.app.post("/api/v2/advanced_insights/exports").bearer(&world.member.jwt).json(&export);
    let export = call.send().await.expect(201).json()["id"].clone();
    world.app.run_jobs().await;
    let is_done = |data: &Value| data["work"][0]["state"] == "done";
    let done = other.wait_for("progress", is_done).await;
    assert_eq!(done["work"], json!([{ "type": "export", "id": export, "state": "done", "percent": 100 }]));
    // What has been finished for a while is no longer reported.
    world.advance_minutes(11);
    own.wait_for("progress", |data| data["work"] == json!([])).await;
}

async fn devices_are_told_as_they_fail_and_fall_silent(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.patch("admin/brand", &json!({ "silence_limit_hours": 1 })).await;
    let mut stream = open(&world.app, &world.viewer).await;
    begin(&mut stream).await;
    let now = world.app.clock.now();
    let status = json!({ "uid": world.next_uid(), "kind": "status", "at": now, "faults": ["camera dark"] });
    world.events(1, &[status]).await;
    world.incursions(2, 1).await;
    let failed = stream.wait_for("devices", |data| data["faulty"] == 1 && data["online"] == 1).await;
    let station = json!({ "id": 1, "serial": "ST-1", "machine_id": 1, "status": "faulty", "since": now });
    assert_eq!((&failed["never_seen"], &failed["base_stations"]), (&json!(1), &json!([station])));
    world.advance_minutes(61);
    let silent = stream.wait_for("devices", |data| data["silent"] == 1).await;
    assert_eq!((&silent["online"], &silent["faulty"]), (&json!(0), &json!(1)));
    assert_eq!(silent["base_stations"][1]["status"], "silent");
}

/// Ten tabs of one session: the facts are reported to each, and the database is asked as often as for one.
async fn many_streams_look_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut tabs = Vec::new();
    for _ in 0..10 {
        let mut tab = open(&world.app, &world.admin).await;
        begin(&mut tab).await;
        tabs.push(tab);
    }
    let app = &world.app.app;
    assert_eq!((app.live_stats().open, app.live_stats().hubs), (10, 1));
    let (polls, statements) = (app.live_stats().polls, app.store.statement_count());
    while app.live_stats().polls < polls + 3 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (polls, statements) = (app.live_stats().polls - polls, app.store.statement_count() - statements);
    // One that was under way counts, too.
    assert!(statements <= (polls + 1) * 15, "{statements} statements of {polls} polls");
    world.incursions(1, 2).await;
    for tab in &mut tabs {
        assert_eq!(sum_incursions(tab, None, 2).await, BTreeMap::from([(1, 2)]));
    }
    let metrics = world.app.get("/metrics").send().await.expect(200).text();
    for line in ["keepclear_streams_open 10", "keepclear_stream_brands 1"] {
        assert!(metrics.lines().any(|known| known == line), "{metrics}");
    }
    drop(tabs);
    assert_eq!(app.live_stats().open, 0);
}
