//! Device states, batteries and tag tests, and their effects.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::BerlinYard;

on_both_engines!(
    a_state_tells_firmware_faults_and_zones,
    a_state_that_comes_late_undoes_nothing,
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
    // The version changes only when people change the record.
    assert_eq!(seen["version"], yard.get("base_stations/1").await["version"]);
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
