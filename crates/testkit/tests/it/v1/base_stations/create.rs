//! POST /api/v1/base_stations

use domain::{DeviceKind, EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{PATH, audit_rows, field_errors, get, post};

on_both_engines!(
    a_station_is_registered_and_shown,
    a_serial_is_taken_once_whatever_its_case,
    every_wrong_field_is_named,
    a_repeat_gets_the_first_answer,
    who_sees_only_some_projects_registers_none,
);

async fn a_station_is_registered_and_shown(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let zones = json!([
        { "antenna": "rear", "warning_m": 8, "danger_m": 2.35 },
        { "antenna": "front", "warning_m": 6.5, "danger_m": 6.5 },
    ]);
    let new = json!({ "serial": " BS-1 ", "name": "Mast", "cameras": ["front", "rear"], "zones": zones });
    let made = post(&app, &admin, &new).await.expect(201);
    let body = made.json();
    assert_eq!(
        body,
        json!({
            "id": 1, "serial": "BS-1", "name": "Mast", "firmware": null, "cameras": ["front", "rear"],
            "zones": [
                { "antenna": "front", "warning_m": 6.5, "danger_m": 6.5, "from": "2026-03-01T12:00:30Z" },
                { "antenna": "rear", "warning_m": 8.0, "danger_m": 2.35, "from": "2026-03-01T12:00:30Z" },
            ],
            "machine": null, "installed_since": null, "status": "never_seen", "last_seen_at": null, "last_position": null,
            "incursions": { "last_30_days": 0, "last_at": null }, "open_alerts": [],
            "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
        })
    );
    assert_eq!(app.get(made.header("location")).cookie(&admin.cookie).send().await.expect(200).json(), body);
    let acts = audit_rows(&app).await;
    assert_eq!(acts.len(), 1);
    assert_eq!((acts[0].0.as_str(), &acts[0].1["after"]["name"]), ("base_station.created", &json!("Mast")));

    // Zones that applied before the station was registered.
    let new = json!({ "serial": "BS-2", "zones": zones, "effective_from": "2026-01-01T00:00:00+01:00" });
    let made = post(&app, &admin, &new).await.expect(201).json();
    assert_eq!(made["zones"][0]["from"], "2025-12-31T23:00:00Z");
}

async fn a_serial_is_taken_once_whatever_its_case(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    post(&app, &admin, &json!({ "serial": "BS-1" })).await.expect(201);
    app.issue_token("Acme", DeviceKind::Station, "BS-2").await;
    for taken in ["BS-1", "bs-1", "bs-2"] {
        let refused = post(&app, &admin, &json!({ "serial": taken })).await.expect(422).json();
        assert_eq!(field_errors(&refused), ["serial: serial_taken"], "{taken}");
    }
    // A station created by the command line is like any other.
    let made = get(&app, &admin, "/2").await.expect(200).json();
    assert_eq!((&made["serial"], &made["status"]), (&json!("BS-2"), &json!("never_seen")));
    // The serial is free in another brand; the command line refuses invalid serials.
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    post(&app, &theirs, &json!({ "serial": "BS-1" })).await.expect(201);
    let brand = app.ensure_brand("Acme").await;
    let name = domain::Name::parse("two words").unwrap();
    assert!(app.app.issue_token_by_name(&brand, DeviceKind::Station, &name).await.is_err());
}

async fn every_wrong_field_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let zone = |antenna: &str, warning: serde_json::Value, danger: serde_json::Value| json!({ "antenna": antenna, "warning_m": warning, "danger_m": danger });
    let fine = zone("a", json!(2), json!(1));
    let many: Vec<_> = (0..17).map(|n| zone(&format!("a{n}"), json!(2), json!(1))).collect();
    for (body, expected) in [
        (json!({}), vec!["serial: required"]),
        (json!({ "serial": null }), vec!["serial: required"]),
        (
            json!({ "serial": "a b", "name": 7, "firmware": "x" }),
            vec!["serial: invalid_serial", "name: wrong_type", "firmware: unknown_field"],
        ),
        (json!({ "serial": "a", "cameras": "front" }), vec!["cameras: wrong_type"]),
        (json!({ "serial": "a", "cameras": null }), vec!["cameras: required"]),
        (
            json!({ "serial": "a", "cameras": ["", "x", 7, "x".repeat(33), "a\u{0}"] }),
            vec![
                "cameras.0: required",
                "cameras.2: wrong_type",
                "cameras.3: too_long",
                "cameras.4: control_character",
            ],
        ),
        (json!({ "serial": "a", "cameras": ["Front", "rear", "front "] }), vec!["cameras.2: repeated"]),
        (json!({ "serial": "a", "cameras": [1, 2, 3, 4, 5, 6, 7, 8, 9] }), vec!["cameras: too_many"]),
        (json!({ "serial": "a", "zones": many }), vec!["zones: too_many"]),
        (json!({ "serial": "a", "zones": [7] }), vec!["zones.0: wrong_type"]),
        (
            json!({ "serial": "a", "zones": [{ "x": 1 }] }),
            vec![
                "zones.0.antenna: required",
                "zones.0.warning_m: required",
                "zones.0.danger_m: required",
                "zones.0.x: unknown_field",
            ],
        ),
        (
            json!({ "serial": "a", "zones": [zone("a", json!(0.49), json!("x")), zone("b", json!(50.01), json!(1.005))] }),
            vec![
                "zones.0.warning_m: out_of_range",
                "zones.0.danger_m: wrong_type",
                "zones.1.warning_m: out_of_range",
                "zones.1.danger_m: out_of_range",
            ],
        ),
        (
            json!({ "serial": "a", "zones": [zone("a", json!(2), json!(2.01))] }),
            vec!["zones.0.danger_m: out_of_range"],
        ),
        (json!({ "serial": "a", "zones": [fine, fine] }), vec!["zones.1.antenna: repeated"]),
        (json!({ "serial": "a", "effective_from": "2026-01-01T00:00:00Z" }), vec!["zones: required"]),
        (
            json!({ "serial": "a", "zones": [], "effective_from": "soon" }),
            vec!["effective_from: invalid_time"],
        ),
        (
            json!({ "serial": "a", "zones": [fine], "effective_from": "2026-03-01T12:00:31Z" }),
            vec!["effective_from: bad_time"],
        ),
    ] {
        let refused = post(&app, &admin, &body).await.expect(422).json();
        assert_eq!(field_errors(&refused), expected, "{body}");
    }
    // Values at the limits are valid.
    let most: Vec<_> = (0..16).map(|n| zone(&format!("a{n}"), json!(50), json!(0.5))).collect();
    let cameras: Vec<_> = (0..8).map(|n| format!("{n}{}", "é".repeat(31))).collect();
    post(&app, &admin, &json!({ "serial": "x".repeat(64), "zones": most, "cameras": cameras }))
        .await
        .expect(201);
}

async fn a_repeat_gets_the_first_answer(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let send = |serial: &str| {
        let request = app.post(PATH).cookie(&admin.cookie).header("idempotency-key", "k1");
        request.json(&json!({ "serial": serial })).send()
    };
    let first = send("BS-1").await.expect(201).json();
    assert_eq!(send("BS-1").await.expect(201).json(), first);
    assert_eq!(send("BS-2").await.expect(422).code(), "idempotency_key_reused");
}

async fn who_sees_only_some_projects_registers_none(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let email = EmailAddress::parse(&admin.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    assert_eq!(post(&app, &admin, &json!({ "serial": "BS-1" })).await.expect(403).code(), "restricted");
}
