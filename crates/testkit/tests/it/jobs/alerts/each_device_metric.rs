//! What holds for each metric of tags, stations and visits alike: cool-downs, active hours over changes of clocks, and reports that come
//! late.

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::each_fact_metric::{CHANGES, expect, hours_over_changes, move_to};
use super::world::AlertWorld;

on_both_engines!(
    each_cools_down,
    each_respects_hours_over_changes_of_clocks,
    each_judges_late_reports_by_their_own_time,
);

/// Metrics with thresholds that [`cross`] reaches and [`calm`] is on the good side of.
fn metrics() -> [Value; 4] {
    [
        json!({ "metric": "tag_test_overdue", "threshold": 1, "scope": { "tag_ids": [1] } }),
        json!({ "metric": "tag_battery_low", "threshold": 20, "scope": { "tag_ids": [1] } }),
        json!({ "metric": "base_station_silent", "threshold": 60, "scope": { "base_station_ids": [1] } }),
        json!({ "metric": "visitor_overstay", "threshold": 1, "split_by": "worksite" }),
    ]
}

/// A rule for each metric, with these members.
async fn add_rules(world: &AlertWorld, more: &Value) -> Vec<(Value, i64)> {
    let mut rules = Vec::new();
    for mut members in metrics() {
        let metric = members["metric"].clone();
        members["name"] = metric.clone();
        members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rules.push((metric, world.rule(&members).await));
    }
    rules
}

/// Sends what the station of a machine reports of some minutes ago.
async fn report(world: &AlertWorld, machine: i64, minutes_ago: i64, mut event: Value) {
    event["uid"] = json!(world.next_uid());
    event["at"] = json!(world.app.clock.now() - Span::minutes(minutes_ago));
    world.events(machine, &[event]).await;
}

/// A contact of station 1.
async fn be_heard(world: &AlertWorld, minutes_ago: i64) {
    report(world, 1, minutes_ago, json!({ "kind": "status", "faults": [] })).await;
}

/// A test that tag 1 passed. Another station reports it, so that station 1 stays silent.
async fn pass_test(world: &AlertWorld, minutes_ago: i64) {
    report(world, 2, minutes_ago, json!({ "kind": "tag_test", "tag": "TAG-1", "passed": true })).await;
}

/// The battery of tag 1, which another station reports, too.
async fn set_battery(world: &AlertWorld, minutes_ago: i64, percent: i64) {
    report(world, 2, minutes_ago, json!({ "kind": "tag_battery", "tag": "TAG-1", "percent": percent })).await;
}

/// A battery that is low, and a visit that is to end in a minute, whose id is returned. The tag has not been tested for days, and the
/// station has not been heard for hours.
async fn cross(world: &AlertWorld) -> Value {
    set_battery(world, 0, 10).await;
    let until = world.app.clock.now() + Span::minutes(1);
    let visit = json!({ "name": "Grace", "tag_serial": "T-9", "worksite_id": 1, "expected_until": until });
    world.post("visitor_sessions", &visit).await["id"].clone()
}

/// A passed test, a charged battery, a contact, and the end of the visit.
async fn calm(world: &AlertWorld, visit: &Value) {
    pass_test(world, 0).await;
    set_battery(world, 0, 90).await;
    be_heard(world, 0).await;
    world.post(&format!("visitor_sessions/{visit}/check_out"), &json!({})).await;
}

async fn each_cools_down(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let rules = add_rules(&world, &json!({ "cool_down_minutes": 3 * 1_440 })).await;
    let visit = cross(&world).await;
    world.advance_minutes(3);
    expect(&world, &rules, 1, Some("fired")).await;
    calm(&world, &visit).await;
    world.advance_minutes(1);
    expect(&world, &rules, 1, Some("cleared")).await;
    // The cool-down ends ten minutes later.
    world.advance_minutes(3 * 1_440 - 10);
    cross(&world).await;
    world.advance_minutes(9);
    expect(&world, &rules, 1, Some("cleared")).await;
    world.advance_minutes(1);
    expect(&world, &rules, 2, Some("fired")).await;
}

async fn each_respects_hours_over_changes_of_clocks(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "active_hours": hours_over_changes(), "cool_down_minutes": 0 });
    let rules = add_rules(&world, &members).await;
    for (number, (before, just_before, begin)) in CHANGES.into_iter().enumerate() {
        move_to(&world, before);
        let visit = cross(&world).await;
        world.advance_minutes(3);
        expect(&world, &rules, number + 1, Some("held")).await;
        for (metric, rule) in &rules {
            assert_eq!(world.firings(*rule).await[number]["held_until"], begin, "{metric}");
        }
        move_to(&world, just_before);
        assert!(world.mails().await.is_empty(), "{just_before}");
        move_to(&world, begin);
        assert_eq!(world.mails().await.len(), rules.len(), "{begin}");
        expect(&world, &rules, number + 1, Some("fired")).await;
        calm(&world, &visit).await;
        world.advance_minutes(1);
        expect(&world, &rules, number + 1, Some("cleared")).await;
        assert!(world.mails().await.is_empty(), "{begin}");
    }
}

/// Visits are not reported by devices.
async fn each_judges_late_reports_by_their_own_time(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let rules = add_rules(&world, &json!({ "cool_down_minutes": 0 })).await;
    let [(_, tests), (_, batteries), (_, silence), _] = rules.as_slice() else { panic!("{rules:?}") };
    let firings = async |rule: i64| -> Vec<Value> {
        let found = world.firings(rule).await;
        found.iter().map(|one| json!([one["value"], one["state"]])).collect()
    };
    pass_test(&world, 3 * 1_440).await;
    be_heard(&world, 90).await;
    // A charge that is older than the one that is known.
    set_battery(&world, 60, 90).await;
    set_battery(&world, 120, 10).await;
    world.evaluate().await;
    assert_eq!(firings(*tests).await, [json!([3, "fired"])]);
    assert_eq!(firings(*silence).await, [json!([90, "fired"])]);
    assert!(firings(*batteries).await.is_empty());

    pass_test(&world, 60).await;
    be_heard(&world, 20).await;
    set_battery(&world, 20, 10).await;
    world.advance_minutes(1);
    world.evaluate().await;
    assert_eq!(firings(*tests).await, [json!([3, "cleared"])]);
    assert_eq!(firings(*silence).await, [json!([90, "cleared"])]);
    assert_eq!(firings(*batteries).await, [json!([10, "fired"])]);
}
