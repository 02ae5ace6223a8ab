//! Every field of every event kind: an invalid value rejects only its event.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, with};

on_both_engines!(wrong_fields_are_named_and_the_rest_is_kept, every_kind_is_taken);

const NOW: &str = "2026-03-01T12:00:00Z";

/// Returns a valid event of each kind.
fn event_of_each_kind() -> Vec<Value> {
    let full = json!({ "at": NOW, "operator_tag": "TAG-2", "ended_at": "2026-03-01T08:00:05Z", "duration_ms": 5_000,
        "acknowledged_at": "2026-03-01T08:00:02Z", "closest_cm": 0, "lat": -90, "lon": 180.0, "base_station": "st-1" });
    vec![
        with(incursion("k"), full),
        json!({ "uid": "k", "kind": "runtime", "started_at": "2026-03-01T08:00:00Z", "ended_at": NOW, "operator_tag": "TAG-2" }),
        json!({ "uid": "k", "kind": "gps", "fixes": [[NOW, 52.5, 13.4], ["2026-03-01T12:00:01Z", 52.5, 13.4, 7.5, 360, null]] }),
        json!({ "uid": "k", "kind": "status", "at": NOW, "firmware": "4.2.0", "battery": 80, "faults": ["camera dark"],
            "zones": [{ "antenna": "front", "warning_m": 8, "danger_m": 3.5 }] }),
        json!({ "uid": "k", "kind": "alarm", "at": NOW, "code": "E7", "severity": "critical", "text": "Too hot" }),
        json!({ "uid": "k", "kind": "log", "at": NOW, "code": "boot", "severity": "info", "text": "Started" }),
        json!({ "uid": "k", "kind": "tag_battery", "at": NOW, "tag": "TAG-1", "percent": 55 }),
        json!({ "uid": "k", "kind": "tag_test", "at": NOW, "tag": "TAG-1", "passed": true }),
        json!({ "uid": "k", "kind": "receipt", "at": NOW, "message_id": 1, "state": "displayed" }),
    ]
}

async fn every_kind_is_taken(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    assert_eq!(yard.send_accepted(json!(event_of_each_kind())).await, (9, 0));
    assert_eq!(yard.send_accepted(json!(event_of_each_kind())).await, (0, 9));
}

async fn wrong_fields_are_named_and_the_rest_is_kept(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let kinds = event_of_each_kind();
    let kind = |name: &str| kinds.iter().find(|event| event["kind"] == name).unwrap().clone();
    let ahead = "2026-03-01T12:05:31Z";
    let old = "2024-10-17T12:00:00Z";
    let mut cases: Vec<(Value, &str, &str)> = vec![
        (json!([]), "wrong_type", "JSON object"),
        (json!("x"), "wrong_type", "JSON object"),
        (with(incursion("b"), json!({ "uid": "" })), "invalid_uid", "uid:"),
        (with(incursion("b"), json!({ "uid": "x".repeat(65) })), "invalid_uid", "uid:"),
        (with(incursion("b"), json!({ "uid": 7 })), "wrong_type", "uid:"),
        (with(incursion("b"), json!({ "uid": null })), "required", "uid:"),
        (with(incursion("b"), json!({ "kind": "party" })), "unknown_kind", "kind:"),
        (with(incursion("b"), json!({ "kind": null })), "required", "kind:"),
        (with(incursion("b"), json!({ "base_station": "a b" })), "invalid_serial", "base_station:"),
        (with(incursion("b"), json!({ "colour": "red" })), "unknown_field", "colour:"),
    ];
    let long = with(kind("runtime"), json!({ "started_at": "2026-02-01T08:00:00Z" }));
    cases.push((long, "out_of_range", "ended_at:"));
    let mut refused = |name: &str, field: &str, value: Value, code: &'static str| {
        // The uid names the case, so that a failure shows which one it is.
        let event =
            with(with(kind(name), json!({ field: value })), json!({ "uid": format!("{name} {field}") }));
        cases.push((event, code, Box::leak(format!("{field}:").into_boxed_str())));
    };
    for (name, field) in [
        ("incursion", "started_at"),
        ("incursion", "ended_at"),
        ("incursion", "acknowledged_at"),
        ("incursion", "at"),
        ("runtime", "started_at"),
        ("runtime", "ended_at"),
        ("gps", "at"),
        ("status", "at"),
        ("alarm", "at"),
        ("log", "at"),
        ("tag_battery", "at"),
        ("tag_test", "at"),
        ("receipt", "at"),
    ] {
        refused(name, field, json!(ahead), "bad_time");
        refused(name, field, json!(old), "bad_time");
        refused(name, field, json!("2026-03-01T08:00:00"), "invalid_time");
        refused(name, field, json!(1_772_366_430), "wrong_type");
    }
    for name in ["incursion", "tag_battery", "tag_test"] {
        refused(name, "tag", json!(""), "required");
        refused(name, "tag", json!("é"), "invalid_serial");
        refused(name, "tag", json!(null), "required");
        refused(name, "tag", json!(1), "wrong_type");
    }
    for name in ["incursion", "runtime"] {
        refused(name, "operator_tag", json!("x".repeat(65)), "too_long");
        refused(
            name,
            "ended_at",
            json!("2026-03-01T07:59:59Z"),
            if name == "incursion" { "contradiction" } else { "bad_order" },
        );
    }
    refused("runtime", "ended_at", json!("2026-03-01T08:00:00Z"), "bad_order");
    refused("status", "faults", json!(null), "required");
    for value in [json!(-1), json!(7 * 86_400_000 + 1)] {
        refused("incursion", "duration_ms", value, "out_of_range");
    }
    refused("incursion", "duration_ms", json!(1.5), "wrong_type");
    refused("incursion", "duration_ms", json!(6_000), "contradiction");
    refused("incursion", "acknowledged_at", json!("2026-03-01T07:59:59Z"), "bad_order");
    refused("incursion", "zone", json!("red"), "invalid_zone");
    refused("incursion", "zone", json!(null), "required");
    refused("incursion", "closest_cm", json!(100_001), "out_of_range");
    refused("incursion", "closest_cm", json!("3"), "wrong_type");
    refused("incursion", "lat", json!(90.1), "out_of_range");
    refused("incursion", "lat", json!(null), "required");
    refused("incursion", "lon", json!(-180.1), "out_of_range");
    refused("incursion", "lon", json!("13"), "wrong_type");
    refused("gps", "fixes", json!([]), "required");
    refused("gps", "fixes", json!({}), "wrong_type");
    refused("gps", "fixes", json!([[NOW, 52.5, 13.4], [NOW, 52.5]]), "wrong_type");
    refused("gps", "fixes", json!([[NOW, 91, 13.4]]), "out_of_range");
    refused("gps", "fixes", json!([[ahead, 52.5, 13.4]]), "bad_time");
    refused("gps", "fixes", json!([[NOW, 52.5, 13.4, -1]]), "out_of_range");
    refused("gps", "fixes", json!([[NOW, 52.5, 13.4, 1, 361]]), "out_of_range");
    refused("gps", "fixes", json!([[NOW, 52.5, 13.4, 1, 1, 10_001]]), "out_of_range");
    refused("gps", "fixes", json!(vec![json!([NOW, 52.5, 13.4]); 3_601]), "too_many");
    refused("status", "firmware", json!("x".repeat(65)), "too_long");
    refused("status", "battery", json!(101), "out_of_range");
    refused("status", "faults", json!([1]), "wrong_type");
    refused("status", "faults", json!(vec!["x"; 33]), "too_many");
    refused("status", "zones", json!([{ "antenna": "a", "warning_m": 3, "danger_m": 4 }]), "out_of_range");
    refused("status", "zones", json!([{ "antenna": "a", "warning_m": 3 }]), "required");
    refused(
        "status",
        "zones",
        json!([{ "antenna": "a", "warning_m": 3, "danger_m": 2, "x": 1 }]),
        "unknown_field",
    );
    refused("alarm", "code", json!(" "), "required");
    refused("alarm", "severity", json!("loud"), "invalid_severity");
    refused("log", "text", json!("x".repeat(1_001)), "too_long");
    refused("log", "text", json!("a\u{0}b"), "control_character");
    refused("tag_battery", "percent", json!(-1), "out_of_range");
    refused("tag_test", "passed", json!("yes"), "wrong_type");
    refused("receipt", "message_id", json!(0), "out_of_range");
    refused("receipt", "state", json!("read"), "invalid_state");
    let mut batch: Vec<Value> = cases.iter().map(|(event, _, _)| event.clone()).collect();
    batch.push(incursion("good"));
    let answer = yard.send(json!(batch)).await.expect(200).json();
    let rejected = answer["rejected"].as_array().unwrap();
    assert_eq!(answer["accepted"], 1, "{answer}");
    for (index, (event, code, field)) in cases.iter().enumerate() {
        let one = &rejected[index];
        assert_eq!(one["index"], index, "{event}");
        assert_eq!(one["code"], *code, "{event}: {one}");
        assert!(one["detail"].as_str().unwrap().contains(field), "{event}: {one}");
    }
    assert_eq!(rejected.len(), cases.len());
    assert!(yard.stored_incursion("good").await.is_some());
    // All faults of an event are reported.
    let worst = json!({ "uid": "w", "kind": "incursion", "zone": "red", "lat": 99, "lon": 1 });
    let answer = yard.send(json!([worst])).await.expect(200).json();
    let detail = answer["rejected"][0]["detail"].as_str().unwrap();
    for field in ["tag:", "started_at:", "zone:", "lat:"] {
        assert!(detail.contains(field), "{detail}");
    }
    assert_eq!(answer["rejected"][0]["uid"], "w");
    // A duplicate field is rejected, because either value could be meant.
    let twice = r#"[{"uid":"t","uid":"u","kind":"incursion","tag":"T","started_at":"2026-03-01T08:00:00Z","zone":"danger"}]"#;
    let reply =
        yard.app.post(super::PATH).bearer(&yard.station).bytes("application/json", twice).send().await;
    assert_eq!(reply.expect(200).json()["rejected"][0]["code"], "duplicate_field");
}
