//! Dry runs of the metrics of tags, stations and visits.

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::super::{too_many, with};
use super::{dry_run, send as post};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    overdue_tests_are_replayed,
    batteries_are_replayed,
    silent_stations_are_replayed_roughly,
    a_station_whose_runtime_grows_is_not_silent,
    a_station_that_is_silent_now_is_so_in_its_dry_run,
    visits_are_replayed,
    a_restricted_member_replays_people_in_scope_only,
);

/// Sends an event that happens now at the station of machine 1.
async fn send(world: &AlertWorld, mut event: Value) {
    event["uid"] = json!(world.next_uid());
    event["at"] = json!(world.app.clock.now());
    world.events(1, &[event]).await;
}

/// The times at which a split fired and cleared.
fn times(split: &Value) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let firings = split["firings"].as_array().unwrap().iter();
    firings.map(|one| (text(&one["fired_at"]).unwrap(), text(&one["cleared_at"]))).collect()
}

fn time(fired_at: &str, cleared_at: Option<&str>) -> (String, Option<String>) {
    (fired_at.to_owned(), cleared_at.map(str::to_owned))
}

fn split(run: &Value, id: i64) -> &Value {
    let splits = run["splits"].as_array().unwrap();
    splits.iter().find(|split| split["ids"] == json!([id])).unwrap_or_else(|| panic!("no {id} in {run}"))
}

async fn overdue_tests_are_replayed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // Tags are worn since 1 January; this one is tested on 1 March, 59 days later.
    send(&world, json!({ "kind": "tag_test", "tag": "TAG-1", "passed": true })).await;
    world.advance_minutes(1_440);
    send(&world, json!({ "kind": "tag_test", "tag": "TAG-1", "passed": false })).await;
    let run = dry_run(&world, &json!({ "metric": "tag_test_overdue", "threshold": 50 })).await;
    assert_eq!(run["splits"].as_array().unwrap().len(), 4, "{run}");
    assert_eq!(times(split(&run, 1)), [time("2026-02-20T00:00:00Z", Some("2026-03-01T12:01:00Z"))]);
    assert_eq!(times(split(&run, 2)), [time("2026-02-20T00:00:00Z", None)]);
    assert_eq!((&split(&run, 1)["peak"], &split(&run, 2)["peak"]), (&json!(59), &json!(60)));
    assert_eq!((&run["approximate"], &run["messages"]), (&json!(false), &json!(4)));
    let together = json!({ "metric": "tag_test_overdue", "threshold": 50, "split_by": "none" });
    let run = dry_run(&world, &together).await;
    assert_eq!(times(&run["splits"][0]), [time("2026-02-20T00:00:00Z", None)]);
}

async fn batteries_are_replayed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for percent in [60, 19, 21, 90] {
        send(&world, json!({ "kind": "tag_battery", "tag": "TAG-2", "percent": percent })).await;
        world.advance_minutes(10);
    }
    let run = dry_run(&world, &json!({ "metric": "tag_battery_low", "threshold": 20 })).await;
    // 21 is more than 20, but not more than 20 divided by 0.9.
    assert_eq!(times(split(&run, 2)), [time("2026-03-01T12:11:00Z", Some("2026-03-01T12:31:00Z"))]);
    assert_eq!((&split(&run, 2)["peak"], &run["firings"]), (&json!(19), &json!(1)));
}

async fn silent_stations_are_replayed_roughly(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 1).await;
    world.advance_minutes(100);
    world.incursions(1, 1).await;
    world.advance_minutes(10);
    let silent = json!({ "metric": "base_station_silent", "threshold": 60, "scope": { "machine_ids": [1] } });
    let run = dry_run(&world, &silent).await;
    assert_eq!(run["approximate"], true);
    let found = times(split(&run, 1));
    // It was installed on 1 January and not heard until 1 March. Facts are known by the minute.
    assert_eq!(found[0], time(run["from"].as_str().unwrap(), Some("2026-03-01T12:00:00Z")));
    assert_eq!(found[1..], [time("2026-03-01T13:00:00Z", Some("2026-03-01T13:40:00Z"))]);
}

async fn a_station_whose_runtime_grows_is_not_silent(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let started_at = world.app.clock.now();
    for _ in 0..6 {
        world.advance_minutes(20);
        let ended_at = world.app.clock.now();
        let report = json!({ "kind": "runtime", "started_at": started_at, "ended_at": ended_at });
        world.events(1, &[with(json!({ "uid": world.next_uid() }), &report)]).await;
    }
    world.advance_minutes(10);
    let silent = json!({ "metric": "base_station_silent", "threshold": 60, "scope": { "machine_ids": [1] } });
    let run = dry_run(&world, &silent).await;
    assert_eq!(times(split(&run, 1)), [time(run["from"].as_str().unwrap(), Some("2026-03-01T12:20:00Z"))]);
}

async fn a_station_that_is_silent_now_is_so_in_its_dry_run(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 1).await;
    world.advance_minutes(600);
    // What it tells of five hours ago, it did not tell now because it is there.
    let ago = world.app.clock.now() - Span::minutes(300);
    world.incursion(1, &json!({ "started_at": ago })).await;
    let silent =
        json!({ "metric": "base_station_silent", "threshold": 200, "scope": { "machine_ids": [1] } });
    let rule = world.rule_of(&world.admin, &silent).await;
    assert_eq!(world.evaluate().await.fired, 1);
    assert_eq!(world.firings(rule).await[0]["value"], 300);
    let run = dry_run(&world, &silent).await;
    let found = times(split(&run, 1));
    assert_eq!(found.last(), Some(&time("2026-03-01T20:21:00Z", None)), "{run}");
    world.app.run_jobs().await;
}

async fn visits_are_replayed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let until = world.app.clock.now() + Span::minutes(60);
    let visit = json!({ "name": "Grace", "tag_serial": "T-9", "worksite_id": 1, "expected_until": until });
    let id = world.post("visitor_sessions", &visit).await["id"].clone();
    world.advance_minutes(120);
    let overstay = json!({ "metric": "visitor_overstay", "threshold": 30, "split_by": "worksite" });
    let run = dry_run(&world, &overstay).await;
    assert_eq!(times(split(&run, 1)), [time("2026-03-01T13:31:00Z", None)]);
    world.post(&format!("visitor_sessions/{id}/check_out"), &json!({})).await;
    world.advance_minutes(60);
    let run = dry_run(&world, &overstay).await;
    assert_eq!(times(split(&run, 1)), [time("2026-03-01T13:31:00Z", Some("2026-03-01T14:01:00Z"))]);
    assert_eq!(split(&run, 1)["label"], "Yard");
}

async fn a_restricted_member_replays_people_in_scope_only(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // Cem has only been in the depot, which the restricted member does not see.
    world.incursion(3, &json!({ "tag": "TAG-3" })).await;
    for tag in ["TAG-2", "TAG-3"] {
        send(&world, json!({ "kind": "tag_battery", "tag": tag, "percent": 5 })).await;
    }
    world.advance_minutes(5);
    let members = json!({ "metric": "tag_battery_low", "threshold": 20 });
    let body = with(too_many("Trial"), &members);
    let run = post(&world, &world.restricted, &body).await.expect(200).json();
    let ids: Vec<&Value> = run["splits"].as_array().unwrap().iter().map(|split| &split["ids"][0]).collect();
    assert_eq!(ids, [&json!(2)], "{run}");
}
