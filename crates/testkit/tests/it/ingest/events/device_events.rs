//! Device states, batteries and tag tests, and their effects.

use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

use super::BerlinYard;

on_both_engines!(
    a_state_tells_firmware_faults_and_zones,
    a_state_that_comes_late_undoes_nothing,
    zones_that_were_read_before_a_report_do_not_supersede_it,
    batteries_count_by_their_own_time,
    a_test_at_a_station_is_a_test,
);

fn status(uid: &str, at: &str, more: Value) -> Value {
    super::with(json!({ "uid": uid, "kind": "status", "at": at, "faults": [] }), more)
}

fn zones(warning_m: f64) -> Value {
    json!([{ "antenna": "front", "warning_m": warning_m, "danger_m": 2 }])
}

async fn a_state_tells_firmware_faults_and_zones(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let more = json!({ "firmware": "4.2.0", "faults": ["camera dark"], "zones": zones(8.0) });
    yard.send_accepted(json!([status("1", "2026-03-01T08:00:00Z", more)])).await;
    let seen = yard.get("base_stations/1").await;
    assert_eq!((&seen["firmware"], &seen["status"]), (&json!("4.2.0"), &json!("faulty")));
    assert_eq!(seen["zones"][0]["warning_m"], 8.0);
    yard.send_accepted(json!([status("2", "2026-03-01T09:00:00Z", json!({ "faults": [] }))])).await;
    assert_eq!(yard.get("base_stations/1").await["status"], "online");
}

async fn a_state_that_comes_late_undoes_nothing(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let sent = |uid, at, firmware: &str, warning| {
        status(uid, at, json!({ "firmware": firmware, "zones": zones(warning) }))
    };
    yard.send_accepted(json!([sent("3", "2026-03-01T10:00:00Z", "3", 6.0)])).await;
    yard.send_accepted(json!([sent("1", "2026-03-01T08:00:00Z", "1", 8.0)])).await;
    yard.send_accepted(json!([sent("2", "2026-03-01T09:00:00Z", "2", 7.0)])).await;
    yard.send_accepted(json!([sent("4", "2026-03-01T09:30:00Z", "2", 7.0)])).await;
    assert_eq!(yard.get("base_stations/1").await["firmware"], "3");
    let found = yard.get("base_stations/1/zones").await;
    let mut steps: Vec<(&str, f64, Option<&str>)> = found["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|zone| {
            (zone["from"].as_str().unwrap(), zone["warning_m"].as_f64().unwrap(), zone["to"].as_str())
        })
        .collect();
    steps.sort_by_key(|step| step.0);
    assert_eq!(
        steps,
        [
            ("2026-03-01T08:00:00Z", 8.0, Some("2026-03-01T09:00:00Z")),
            ("2026-03-01T09:00:00Z", 7.0, Some("2026-03-01T10:00:00Z")),
            ("2026-03-01T10:00:00Z", 6.0, None),
        ]
    );
}

/// Returns the record of the station and its version.
async fn station(yard: &BerlinYard) -> Reply {
    yard.app.get("/api/v1/base_stations/1").cookie(&yard.admin.cookie).send().await.expect(200)
}

async fn zones_that_were_read_before_a_report_do_not_supersede_it(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let report = |uid, at, warning| json!([status(uid, at, json!({ "zones": zones(warning) }))]);
    yard.send_accepted(report("1", "2026-03-01T08:00:00Z", 8.0)).await;
    let read = station(&yard).await;
    let synced = yard.get("base_stations?after_version=0").await["page"]["registry_version"].clone();
    // Neither the same zones, nor a report about the past, nor one without zones changes the current zones.
    yard.send_accepted(report("2", "2026-03-01T09:00:00Z", 8.0)).await;
    yard.send_accepted(report("3", "2026-03-01T07:00:00Z", 5.0)).await;
    yard.send_accepted(json!([status("4", "2026-03-01T09:10:00Z", json!({ "firmware": "5" }))])).await;
    assert_eq!(station(&yard).await.header("etag"), read.header("etag"));
    let changes = format!("base_stations?after_version={synced}");
    assert_eq!(yard.get(&changes).await["data"], json!([]));

    yard.send_accepted(report("5", "2026-03-01T10:00:00Z", 6.0)).await;
    assert_ne!(station(&yard).await.header("etag"), read.header("etag"));
    let send_back = |reply: &Reply| {
        let call = yard.app.patch("/api/v1/base_stations/1").cookie(&yard.admin.cookie);
        call.header("if-match", reply.header("etag")).json(&reply.json()).send()
    };
    send_back(&read).await.expect(412);
    let now = station(&yard).await;
    assert_eq!(now.json()["zones"][0]["warning_m"], 6.0);
    assert_eq!(send_back(&now).await.expect(200).json(), now.json());
    // A copy of the registry gets the new zones, too.
    assert_eq!(yard.get(&changes).await["data"], json!([now.json()]));
}

async fn batteries_count_by_their_own_time(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let sent = |uid, at, percent| json!({ "uid": uid, "kind": "tag_battery", "at": at, "tag": "TAG-1", "percent": percent });
    yard.send_accepted(json!([sent("1", "2026-03-01T10:00:00Z", 40), sent("2", "2026-03-01T09:00:00Z", 60)]))
        .await;
    assert_eq!(yard.get("tags/1").await["battery_percent"], 40);
    let version = yard.get("tags/1").await["version"].clone();
    yard.send_accepted(json!([sent("3", "2026-03-01T11:00:00Z", 39)])).await;
    assert_eq!(yard.get("tags/1").await["battery_percent"], 39);
    assert_eq!(yard.get("tags/1").await["version"], version);
}

async fn a_test_at_a_station_is_a_test(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let test = json!({ "uid": "1", "kind": "tag_test", "at": "2026-03-01T08:00:00Z", "tag": "TAG-1", "passed": true });
    yard.send_accepted(json!([test])).await;
    let found = yard.get("tags/1/tests").await["data"].clone();
    assert_eq!(found[0]["base_station"], json!({ "id": 1 }));
    assert_eq!((&found[0]["tester_device"], &found[0]["person"]["name"]), (&json!(null), &json!("Ada")));
    assert_eq!(found.as_array().unwrap().len(), 1);
}
