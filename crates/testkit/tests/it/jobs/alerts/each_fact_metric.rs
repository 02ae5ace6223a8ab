//! What holds for each metric of facts alike: cool-downs, active hours over changes of clocks, and facts that come late.

use domain::{Span, Timestamp};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    each_cools_down,
    each_respects_hours_over_changes_of_clocks,
    each_judges_late_facts_by_their_own_time,
);

/// Metrics with thresholds that [`cross`] reaches and [`calm`] is on the good side of.
fn metrics() -> [Value; 6] {
    [
        json!({ "metric": "incursions", "threshold": 2 }),
        json!({ "metric": "unacknowledged_incursions", "threshold": 2 }),
        json!({ "metric": "acknowledgement_rate", "threshold": 0.5, "minimum_count": 1 }),
        json!({ "metric": "incursions_per_runtime_hour", "threshold": 2, "minimum_count": 1 }),
        json!({ "metric": "long_incursion", "threshold": 30 }),
        json!({ "metric": "repeat_pair", "threshold": 2 }),
    ]
}

/// A rule for each metric over an hour, with these members.
async fn add_rules(world: &AlertWorld, more: &Value) -> Vec<(Value, i64)> {
    let mut rules = Vec::new();
    for mut members in metrics() {
        let metric = members["metric"].clone();
        let object = members.as_object_mut().unwrap();
        object.extend(json!({ "name": metric, "window_minutes": 60 }).as_object().unwrap().clone());
        object.extend(more.as_object().unwrap().clone());
        rules.push((metric, world.rule(&members).await));
    }
    rules
}

/// An hour of runtime that ended some minutes ago.
async fn run(world: &AlertWorld, minutes_ago: i64) {
    let ended_at = world.app.clock.now() - Span::minutes(minutes_ago);
    let runtime = json!({
        "uid": world.next_uid(), "kind": "runtime", "started_at": ended_at - Span::minutes(60),
        "ended_at": ended_at,
    });
    world.events(1, &[runtime]).await;
}

/// Runtime and two incursions of 40 seconds, of which nobody took notice, that ended some minutes ago.
async fn cross(world: &AlertWorld, minutes_ago: i64) {
    run(world, minutes_ago).await;
    let ended_at = world.app.clock.now() - Span::minutes(minutes_ago);
    for _ in 0..2 {
        let times = json!({ "started_at": ended_at - Span::seconds(40), "ended_at": ended_at });
        world.incursion(1, &times).await;
    }
}

/// Runtime, and a short incursion that was acknowledged at once.
async fn calm(world: &AlertWorld) {
    run(world, 0).await;
    let now = world.app.clock.now();
    let times = json!({ "started_at": now - Span::seconds(1), "ended_at": now, "acknowledged_at": now });
    world.incursion(1, &times).await;
}

/// Evaluates, and asserts how many firings each rule has had, and the state of the last one.
pub async fn expect(world: &AlertWorld, rules: &[(Value, i64)], count: usize, state: Option<&str>) {
    world.evaluate().await;
    for (metric, rule) in rules {
        let firings = world.firings(*rule).await;
        let last = firings.last().map(|firing| firing["state"].as_str().unwrap());
        assert_eq!((firings.len(), last), (count, state), "{metric} {}", world.app.clock.now());
    }
}

async fn each_cools_down(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let rules = add_rules(&world, &json!({ "cool_down_minutes": 180 })).await;
    cross(&world, 0).await;
    // What is to be acknowledged is judged after two minutes.
    world.advance_minutes(3);
    expect(&world, &rules, 1, Some("fired")).await;
    world.advance_minutes(62);
    calm(&world).await;
    world.advance_minutes(3);
    expect(&world, &rules, 1, Some("cleared")).await;
    // The cool-down ends 180 minutes later.
    world.advance_minutes(70);
    cross(&world, 0).await;
    world.advance_minutes(3);
    expect(&world, &rules, 1, Some("cleared")).await;
    world.advance_minutes(100);
    cross(&world, 0).await;
    world.advance_minutes(6);
    expect(&world, &rules, 1, Some("cleared")).await;
    world.advance_minutes(1);
    expect(&world, &rules, 2, Some("fired")).await;
}

/// Moves the clock to a time.
pub fn move_to(world: &AlertWorld, at: &str) {
    world.app.clock.advance(Timestamp::parse(at).unwrap() - world.app.clock.now());
}

/// Active hours that begin at half past two, which clocks in Berlin skip in spring and show twice in autumn.
pub fn hours_over_changes() -> Value {
    json!({ "days": [1, 2, 3, 4, 5, 6, 7], "from": "02:30", "to": "20:00", "time_zone": "Europe/Berlin" })
}

/// The changes of clocks in spring and in autumn: a time before these hours, their last second before, and when they begin.
pub const CHANGES: [(&str, &str, &str); 2] = [
    ("2026-03-29T00:50:00Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"),
    ("2026-10-25T00:10:00Z", "2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z"),
];

async fn each_respects_hours_over_changes_of_clocks(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "active_hours": hours_over_changes(), "cool_down_minutes": 0 });
    let rules = add_rules(&world, &members).await;
    for (number, (before, just_before, begin)) in CHANGES.into_iter().enumerate() {
        move_to(&world, before);
        cross(&world, 0).await;
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
        world.advance_minutes(63);
        calm(&world).await;
        world.advance_minutes(3);
        expect(&world, &rules, number + 1, Some("cleared")).await;
        // Half past two does not come again.
        assert!(world.mails().await.is_empty(), "{begin}");
    }
}

async fn each_judges_late_facts_by_their_own_time(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let rules = add_rules(&world, &json!({ "cool_down_minutes": 0 })).await;
    // Longer ago than the window.
    cross(&world, 90).await;
    expect(&world, &rules, 0, None).await;
    cross(&world, 20).await;
    expect(&world, &rules, 1, Some("fired")).await;
    // They leave an hour after they began, not after they came.
    world.advance_minutes(38);
    expect(&world, &rules, 1, Some("fired")).await;
    world.advance_minutes(2);
    calm(&world).await;
    world.advance_minutes(5);
    expect(&world, &rules, 1, Some("cleared")).await;
}
