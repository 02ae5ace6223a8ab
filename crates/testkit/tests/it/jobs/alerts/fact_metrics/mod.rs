//! The metrics of facts: each fires at its threshold and not before, and clears on the good side of a part of it.

mod sight;
mod windows;

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    incursions_fire_at_the_threshold_and_clear_below_a_part_of_it,
    a_crossing_within_the_cool_down_fires_at_its_end,
    unacknowledged_incursions_are_judged_after_a_while,
    the_acknowledgement_rate_fires_below,
    a_rate_per_runtime_hour_needs_runtime,
    zones_narrow_a_rate_but_not_its_runtime,
    the_longest_incursion_counts,
    a_pair_that_meets_again_and_again,
    a_split_has_a_firing_of_its_own,
    below_a_count_fires_for_what_had_nothing,
);

/// Asserts how many fired and cleared now.
async fn expect(world: &AlertWorld, fired: u64, cleared: u64) {
    let done = world.evaluate().await;
    assert_eq!((done.fired, done.cleared), (fired, cleared), "{}", world.app.clock.now());
}

/// Returns the firing of a rule that has fired once.
async fn only_firing(world: &AlertWorld, rule: i64) -> Value {
    let mut firings = world.firings(rule).await;
    assert_eq!(firings.len(), 1, "{firings:?}");
    firings.remove(0)
}

async fn status(world: &AlertWorld, rule: i64) -> (Value, Value) {
    let found = world.get(&format!("/api/v1/alerts/{rule}")).await;
    (found["status"].clone(), found["status_reason"].clone())
}

async fn incursions_fire_at_the_threshold_and_clear_below_a_part_of_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 10, "window_minutes": 60 })).await;
    let first = world.app.clock.now();
    world.incursions(1, 1).await;
    world.advance_minutes(1);
    world.incursions(2, 1).await;
    world.advance_minutes(1);
    world.incursions(1, 7).await;
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("ok"), Value::Null));
    world.incursions(3, 1).await;
    expect(&world, 1, 0).await;
    assert_eq!(status(&world, rule).await, (json!("firing"), Value::Null));
    // One more is no other firing, but a higher peak.
    world.incursion(3, &json!({ "started_at": first })).await;
    expect(&world, 0, 0).await;
    // Two have left the window. Nine are 90 per cent.
    world.advance_minutes(59);
    expect(&world, 0, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["numerator"]), (&json!(10), &json!(10)));
    assert_eq!((&firing["peak"]["value"], &firing["state"]), (&json!(11), &json!("fired")));
    assert_eq!(firing["window"]["from"], "2026-03-01T11:02:30Z");
    assert_eq!(firing["window"]["to"], "2026-03-01T12:02:30Z");
    world.advance_minutes(1);
    expect(&world, 0, 1).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["state"], &firing["clear_reason"]), (&json!("cleared"), &json!("recovered")));
    assert_eq!(firing["cleared_at"], "2026-03-01T13:02:30Z");
    assert_eq!(status(&world, rule).await, (json!("ok"), Value::Null));
    assert_eq!(world.mails().await.len(), 1);
}

async fn a_crossing_within_the_cool_down_fires_at_its_end(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 3, "window_minutes": 30, "cool_down_minutes": 60 })).await;
    world.incursions(1, 3).await;
    expect(&world, 1, 0).await;
    world.advance_minutes(31);
    expect(&world, 0, 1).await;
    world.advance_minutes(40);
    world.incursions(1, 3).await;
    expect(&world, 0, 0).await;
    // It cleared after 31 minutes, so that it can fire again after 91.
    world.advance_minutes(19);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 1, 0).await;
    assert_eq!(world.firings(rule).await.len(), 2);
    // What is over before the cool-down ends does not fire.
    world.advance_minutes(31);
    expect(&world, 0, 1).await;
    world.incursions(1, 3).await;
    world.advance_minutes(61);
    expect(&world, 0, 0).await;
    world.app.run_jobs().await;
}

async fn unacknowledged_incursions_are_judged_after_a_while(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let metric = json!({ "metric": "unacknowledged_incursions", "threshold": 2, "window_minutes": 60 });
    let rule = world.rule(&metric).await;
    world.incursion(1, &json!({ "uid": "first" })).await;
    world.incursion(1, &json!({})).await;
    world.incursion(1, &json!({ "acknowledged_at": world.app.clock.now() })).await;
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["incursion_ids"]), (&json!(2), &json!([2, 1])));
    // The station tells late that the driver had acknowledged.
    let start = world.app.clock.now() - Span::minutes(2);
    let again = json!({ "uid": "first", "kind": "incursion", "tag": "TAG-1", "zone": "warning",
        "started_at": start, "acknowledged_at": start + Span::seconds(3) });
    world.events(1, &[again]).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn the_acknowledgement_rate_fires_below(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule =
        world.rule(&json!({ "metric": "acknowledgement_rate", "threshold": 0.5, "minimum_count": 4 })).await;
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("no_data"), json!("no_incursions")));
    let add = async |count: usize, is_acknowledged: bool| {
        for _ in 0..count {
            let at = is_acknowledged.then(|| world.app.clock.now());
            world.incursion(1, &json!({ "acknowledged_at": at })).await;
        }
        world.advance_minutes(2);
    };
    add(3, false).await;
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("no_data"), json!("too_few")));
    add(5, true).await;
    expect(&world, 0, 0).await;
    // Five of ten are on the threshold.
    add(2, false).await;
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["denominator"]), (&json!(0.5), &json!(10)));
    // Ten of eighteen are exactly the threshold divided by 0.9; eleven of nineteen are more.
    add(5, true).await;
    add(3, false).await;
    expect(&world, 0, 0).await;
    add(1, true).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_rate_per_runtime_hour_needs_runtime(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world
        .rule(&json!({
            "metric": "incursions_per_runtime_hour", "threshold": 2, "minimum_count": 4,
            "window_minutes": 240,
        }))
        .await;
    world.incursions(1, 3).await;
    world.runtime(1, 29).await;
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("no_data"), json!("no_runtime")));
    world.runtime(1, 90).await;
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("no_data"), json!("too_few")));
    world.runtime(1, 120).await;
    world.incursions(1, 1).await;
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["numerator"]), (&json!(2), &json!(4)));
    // In two hours and 12 minutes they are 1.82 per hour, in two hours and 18 minutes 1.74. It clears below 1.8.
    world.advance_minutes(12);
    world.runtime(1, 12).await;
    expect(&world, 0, 0).await;
    world.advance_minutes(6);
    world.runtime(1, 6).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn zones_narrow_a_rate_but_not_its_runtime(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world
        .rule(&json!({
            "metric": "incursions_per_runtime_hour", "threshold": 1, "window_minutes": 60, "minimum_count": 0,
            "scope": { "zones": ["danger"] }, "split_by": "machine",
        }))
        .await;
    world.runtime(1, 60).await;
    world.incursions(1, 5).await;
    expect(&world, 0, 0).await;
    world.incursion(1, &json!({ "zone": "danger" })).await;
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["machine"]["id"]), (&json!(1), &json!(1)));
    assert_eq!(firing["incursion_ids"], json!([6]));
    world.app.run_jobs().await;
}

/// An incursion that ended now after this many milliseconds.
async fn ended(world: &AlertWorld, duration_ms: i64) {
    let now = world.app.clock.now();
    let more = json!({ "started_at": now - Span::millis(duration_ms), "ended_at": now });
    world.incursion(1, &more).await;
}

async fn the_longest_incursion_counts(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let metric = json!({ "metric": "long_incursion", "threshold": 30, "window_minutes": 60 });
    let rule = world.rule(&metric).await;
    // One that has not ended has no duration.
    world.incursions(1, 1).await;
    ended(&world, 29_999).await;
    expect(&world, 0, 0).await;
    ended(&world, 30_000).await;
    expect(&world, 1, 0).await;
    world.advance_minutes(30);
    ended(&world, 27_000).await;
    expect(&world, 0, 0).await;
    // Of those that are left, 27 seconds are too long to clear.
    world.advance_minutes(32);
    expect(&world, 0, 0).await;
    world.advance_minutes(30);
    expect(&world, 0, 1).await;
    world.advance_minutes(60);
    ended(&world, 31_000).await;
    ended(&world, 45_500).await;
    ended(&world, 33_000).await;
    expect(&world, 1, 0).await;
    let firings = world.firings(rule).await;
    assert_eq!(firings.len(), 2);
    assert_eq!((&firings[0]["value"], &firings[1]["value"]), (&json!(30), &json!(45.5)));
    assert_eq!(firings[1]["incursion_ids"].as_array().unwrap().len(), 3);
    world.app.run_jobs().await;
}

async fn a_pair_that_meets_again_and_again(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "repeat_pair", "threshold": 3 })).await;
    world.incursions(1, 2).await;
    world.incursions(2, 2).await;
    world.incursion(1, &json!({ "tag": "TAG-2" })).await;
    // A tag that nobody wears makes no pair.
    for _ in 0..3 {
        world.incursion(1, &json!({ "tag": "TAG-9" })).await;
    }
    expect(&world, 0, 0).await;
    world.incursions(2, 1).await;
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["machine"]["id"], &firing["person"]["id"]), (&json!(2), &json!(1)));
    assert_eq!(firing["worksite"]["id"], 1);
    world.advance_minutes(24 * 60 + 1);
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_split_has_a_firing_of_its_own(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "split_by": "machine" })).await;
    world.incursions(1, 3).await;
    world.incursions(2, 2).await;
    world.incursions(3, 4).await;
    expect(&world, 2, 0).await;
    world.incursions(2, 1).await;
    expect(&world, 1, 0).await;
    let firings = world.firings(rule).await;
    let machines: Vec<&Value> = firings.iter().map(|firing| &firing["machine"]["id"]).collect();
    assert_eq!(machines, [&json!(1), &json!(3), &json!(2)]);
    // By the clock of the site where the machine is.
    assert_eq!(firings[1]["time_zone"], "America/New_York");
    assert_eq!(world.mails().await.len(), 3);
}

async fn below_a_count_fires_for_what_had_nothing(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let quiet = json!({ "comparison": "below", "threshold": 0, "window_minutes": 60 });
    let all = world.rule(&quiet).await;
    let mut by_site = quiet.clone();
    by_site["split_by"] = json!("worksite");
    let by_site = world.rule(&by_site).await;
    world.incursions(1, 1).await;
    // The depot had none.
    expect(&world, 1, 0).await;
    world.advance_minutes(61);
    expect(&world, 2, 0).await;
    assert_eq!((world.firings(all).await.len(), world.firings(by_site).await.len()), (1, 2));
    world.incursions(3, 1).await;
    // All together, and the depot.
    expect(&world, 0, 2).await;
    world.app.run_jobs().await;
}
