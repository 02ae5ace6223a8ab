//! Active hours around the changes of clocks.

use domain::Timestamp;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    hours_that_begin_in_a_skipped_hour_begin_after_it,
    hours_that_begin_in_a_repeated_hour_begin_once,
    hours_of_another_clock_are_those_of_that_clock,
    what_fires_outside_can_be_dropped,
    what_clears_before_the_hours_begin_is_not_told,
);

/// From half past two, which clocks in Berlin skip in spring and show twice in autumn.
fn hours(more: &Value) -> Value {
    let mut rule = json!({
        "threshold": 3, "window_minutes": 240, "split_by": "worksite",
        "active_hours": { "days": [1, 2, 3, 4, 5, 6, 7], "from": "02:30", "to": "20:00", "time_zone": null },
    });
    rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rule
}

/// Moves the clock to a time.
fn move_to(world: &AlertWorld, at: &str) {
    world.app.clock.advance(Timestamp::parse(at).unwrap() - world.app.clock.now());
}

async fn hours_that_begin_in_a_skipped_hour_begin_after_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&hours(&json!({}))).await;
    // 01:50 in Berlin; in ten minutes it is three o'clock.
    move_to(&world, "2026-03-29T00:50:00Z");
    world.incursions(1, 3).await;
    assert!(world.mails().await.is_empty());
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["state"], &firing["held_until"]), (&json!("held"), &json!("2026-03-29T01:00:00Z")));
    assert_eq!(firing["not_notified_reason"], Value::Null);
    move_to(&world, "2026-03-29T00:59:59Z");
    assert!(world.mails().await.is_empty());
    move_to(&world, "2026-03-29T01:00:00Z");
    assert_eq!(world.mails().await.len(), 1);
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["state"], &firing["held_until"]), (&json!("fired"), &Value::Null));
    // Half past two does not come again.
    move_to(&world, "2026-03-29T02:00:00Z");
    assert!(world.mails().await.is_empty());
}

async fn hours_that_begin_in_a_repeated_hour_begin_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&hours(&json!({}))).await;
    // 02:10 in Berlin, for the first time.
    move_to(&world, "2026-10-25T00:10:00Z");
    world.incursions(1, 3).await;
    assert!(world.mails().await.is_empty());
    assert_eq!(world.firings(rule).await[0]["held_until"], "2026-10-25T00:30:00Z");
    move_to(&world, "2026-10-25T00:30:00Z");
    assert_eq!(world.mails().await.len(), 1);
    // 02:10 and 02:30 once more.
    for at in ["2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"] {
        move_to(&world, at);
        assert!(world.mails().await.is_empty(), "{at}");
    }
    assert_eq!(world.firings(rule).await.len(), 1);
}

async fn hours_of_another_clock_are_those_of_that_clock(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let hours = json!({ "days": [7], "from": "13:00", "to": "13:30", "time_zone": "Europe/Berlin" });
    world.rule(&json!({ "threshold": 1, "split_by": "machine", "active_hours": hours })).await;
    // 13:00 on a Sunday in Berlin, and seven in the morning where the truck is.
    world.incursions(3, 1).await;
    assert_eq!(world.mails().await.len(), 1);
    world.advance_minutes(30);
    world.incursions(1, 1).await;
    assert!(world.mails().await.is_empty());
    // They begin again after a week. The value has been gone for long.
    move_to(&world, "2026-03-08T12:00:00Z");
    assert!(world.mails().await.is_empty());
}

async fn what_fires_outside_can_be_dropped(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&hours(&json!({ "outside_hours": "drop", "notify_on_clear": true }))).await;
    move_to(&world, "2026-03-29T00:50:00Z");
    world.incursions(1, 3).await;
    assert!(world.mails().await.is_empty());
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["state"], &firing["held_until"]), (&json!("fired"), &Value::Null));
    assert_eq!(firing["not_notified_reason"], "outside_hours");
    move_to(&world, "2026-03-29T01:00:00Z");
    assert!(world.mails().await.is_empty());
    // Nobody was notified, so that nobody is notified that it is over.
    move_to(&world, "2026-03-29T06:00:00Z");
    assert!(world.mails().await.is_empty());
    assert_eq!(world.firings(rule).await[0]["state"], "cleared");
}

async fn what_clears_before_the_hours_begin_is_not_told(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&hours(&json!({ "window_minutes": 5, "notify_on_clear": true }))).await;
    move_to(&world, "2026-10-25T00:10:00Z");
    world.incursions(1, 3).await;
    assert!(world.mails().await.is_empty());
    move_to(&world, "2026-10-25T00:16:00Z");
    assert!(world.mails().await.is_empty());
    let firing = world.firings(rule).await[0].clone();
    assert_eq!(
        (&firing["state"], &firing["not_notified_reason"]),
        (&json!("cleared"), &json!("cleared_while_held"))
    );
    move_to(&world, "2026-10-25T00:31:00Z");
    assert!(world.mails().await.is_empty());
}
