//! GET /api/v1/base_stations/{id}/zones, and how PATCH changes that history

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{field_errors, get, patch, register_stations};

on_both_engines!(
    what_the_zones_were_is_kept,
    what_is_set_for_a_moment_in_the_past_supersedes_what_came_after,
    times_out_of_reach_are_refused,
    the_history_is_read_page_by_page,
);

/// Returns each row of the history as `antenna warning-danger from..to`, with times as minutes of the hour of noon.
async fn history(app: &TestApp, admin: &Account) -> Vec<String> {
    let body = get(app, admin, "/1/zones").await.expect(200).json();
    let minute = |at: &Value| at.as_str().map_or(String::new(), |at| at[11..16].to_owned());
    let rows = body["data"].as_array().unwrap().iter();
    rows.map(|row| {
        let (from, to) = (minute(&row["from"]), minute(&row["to"]));
        format!("{} {}-{} {from}..{to}", row["antenna"].as_str().unwrap(), row["warning_m"], row["danger_m"])
    })
    .collect()
}

/// Sets zones `(antenna, warning, danger)` as of a time of day, or now.
async fn set_zones(app: &TestApp, admin: &Account, zones: &[(&str, f64, f64)], at: Option<&str>) -> Value {
    let zones: Vec<Value> = zones
        .iter()
        .map(|(antenna, warning, danger)| {
            json!({ "antenna": antenna, "warning_m": warning, "danger_m": danger })
        })
        .collect();
    let mut body = json!({ "zones": zones });
    if let Some(at) = at {
        body["effective_from"] = json!(format!("2026-03-01T{at}:00Z"));
    }
    patch(app, admin, 1, &body).await.expect(200).json()
}

async fn what_the_zones_were_is_kept(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    set_zones(&app, &admin, &[("a", 4.0, 2.0), ("b", 6.0, 3.0)], None).await;
    app.clock.advance(Span::minutes(10));
    // One zone is unchanged, one is resized, one is new.
    let now = set_zones(&app, &admin, &[("c", 5.0, 5.0), ("b", 6.5, 3.0), ("a", 4.0, 2.0)], None).await;
    let antennas: Vec<&Value> = now["zones"].as_array().unwrap().iter().map(|row| &row["antenna"]).collect();
    assert_eq!(antennas, ["a", "b", "c"]);
    assert_eq!(now["zones"][0]["from"], "2026-03-01T12:00:30Z");
    app.clock.advance(Span::minutes(10));
    // Zones that are left out end.
    set_zones(&app, &admin, &[("b", 6.5, 3.0)], None).await;
    assert_eq!(
        history(&app, &admin).await,
        ["b 6.5-3.0 12:10..", "c 5.0-5.0 12:10..12:20", "b 6.0-3.0 12:00..12:10", "a 4.0-2.0 12:00..12:20"]
    );
    let body = get(&app, &admin, "/1/zones").await.expect(200).json();
    let times = |row: usize| [&body["data"][row]["created_at"], &body["data"][row]["updated_at"]];
    assert_eq!(times(0), ["2026-03-01T12:10:30Z", "2026-03-01T12:10:30Z"]);
    assert_eq!(times(3), ["2026-03-01T12:00:30Z", "2026-03-01T12:20:30Z"]);
    app.clock.advance(Span::minutes(10));
    let none = set_zones(&app, &admin, &[], None).await;
    assert_eq!(none["zones"], json!([]));
    assert_eq!(history(&app, &admin).await[0], "b 6.5-3.0 12:10..12:30");
}

async fn what_is_set_for_a_moment_in_the_past_supersedes_what_came_after(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    set_zones(&app, &admin, &[("a", 4.0, 2.0), ("b", 4.0, 2.0)], Some("11:00")).await;
    set_zones(&app, &admin, &[("a", 5.0, 2.0), ("b", 4.0, 2.0)], Some("11:20")).await;
    set_zones(&app, &admin, &[("a", 6.0, 2.0)], Some("11:40")).await;
    assert_eq!(
        history(&app, &admin).await,
        ["a 6.0-2.0 11:40..", "a 5.0-2.0 11:20..11:40", "b 4.0-2.0 11:00..11:40", "a 4.0-2.0 11:00..11:20"]
    );
    // Current entries are cut, later ones are removed, equal ones continue.
    set_zones(&app, &admin, &[("a", 7.0, 2.0), ("b", 4.0, 2.0)], Some("11:20")).await;
    assert_eq!(
        history(&app, &admin).await,
        ["a 7.0-2.0 11:20..", "b 4.0-2.0 11:00..", "a 4.0-2.0 11:00..11:20"]
    );
    // Before all of them, as if it had always applied.
    set_zones(&app, &admin, &[("a", 7.0, 2.0)], Some("10:00")).await;
    assert_eq!(history(&app, &admin).await, ["a 7.0-2.0 10:00.."]);
}

async fn times_out_of_reach_are_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let zones = json!([{ "antenna": "a", "warning_m": 4, "danger_m": 2 }]);
    for (at, is_fine) in [
        ("2026-03-01T12:00:30.000001Z", false),
        ("2021-02-27T00:00:00Z", false),
        ("9999-12-30T00:00:00Z", false),
        ("0001-01-01T00:00:00Z", false),
        ("2021-03-02T00:00:00Z", true),
        ("2026-03-01T12:00:30Z", true),
    ] {
        let reply = patch(&app, &admin, 1, &json!({ "zones": zones, "effective_from": at })).await;
        if is_fine {
            reply.expect(200);
        } else {
            assert_eq!(field_errors(&reply.expect(422).json()), ["effective_from: bad_time"], "{at}");
        }
    }
}

async fn the_history_is_read_page_by_page(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1", "BS-2"]).await;
    for n in 1..=5 {
        set_zones(&app, &admin, &[("a", f64::from(n), 0.5)], None).await;
        app.clock.advance(Span::minutes(1));
    }
    let (mut reaches, mut query) = (Vec::new(), "?limit=2&include_total=true".to_owned());
    loop {
        let body = get(&app, &admin, &format!("/1/zones{query}")).await.expect(200).json();
        assert_eq!(body["page"]["total"], 5);
        reaches.extend(body["data"].as_array().unwrap().iter().map(|row| row["warning_m"].as_f64().unwrap()));
        match body["page"]["next"].as_str() {
            Some(next) => query = format!("?limit=2&include_total=true&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(reaches, [5.0, 4.0, 3.0, 2.0, 1.0]);
    // A cursor is valid for its own list only.
    let body = get(&app, &admin, "/1/zones?limit=2").await.expect(200).json();
    let next = body["page"]["next"].as_str().unwrap();
    get(&app, &admin, &format!("/2/zones?cursor={next}")).await.expect(400);
    let body = get(&app, &admin, "/2/zones").await.expect(200).json();
    assert_eq!((&body["data"], &body["page"]["next"]), (&json!([]), &Value::Null));
}
