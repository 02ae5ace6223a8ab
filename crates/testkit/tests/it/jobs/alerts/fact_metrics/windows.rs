//! What is in the window and the scope of a rule, and what a firing says about it.

use domain::{Span, Timestamp};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{ended, expect, only_firing, status};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_scope_counts_what_it_names,
    days_are_those_of_each_site,
    a_day_over_several_clocks_is_one_window_that_can_be_checked,
    a_late_fact_counts_if_it_is_in_the_window,
    a_fact_of_a_clock_that_is_ahead_counts_at_once,
    long_incursions_share_a_question_and_move_their_peaks,
    what_was_archived_is_not_missed,
    a_flapping_value_fires_once,
    a_review_that_dismisses_an_incursion_clears_at_once,
    a_firing_names_its_incursions_and_its_place,
    without_data_a_firing_ends_after_a_day,
);

async fn a_scope_counts_what_it_names(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let scopes = [
        (json!({ "project_ids": [2] }), 1),
        (json!({ "worksite_ids": [1] }), 3),
        (json!({ "machine_ids": [1, 3] }), 3),
        (json!({ "base_station_ids": [2] }), 1),
        (json!({ "tag_ids": [2] }), 1),
        // On foot or driving.
        (json!({ "person_ids": [4] }), 2),
        (json!({ "person_ids": [2], "worksite_ids": [2] }), 0),
        (json!({ "zones": ["danger"] }), 1),
    ];
    let mut rules = Vec::new();
    for (scope, _) in &scopes {
        rules.push(world.rule(&json!({ "threshold": 1, "scope": scope })).await);
    }
    world.incursion(1, &json!({})).await;
    world.incursion(1, &json!({ "tag": "TAG-2", "zone": "danger" })).await;
    world.incursion(2, &json!({ "operator_tag": "TAG-4" })).await;
    world.incursion(3, &json!({ "tag": "TAG-4" })).await;
    world.evaluate().await;
    for ((scope, expected), rule) in scopes.iter().zip(rules) {
        let firings = world.firings(rule).await;
        let found = firings.first().map_or(json!(0), |firing| firing["numerator"].clone());
        assert_eq!(found, json!(expected), "{scope}");
    }
    world.app.run_jobs().await;
}

async fn days_are_those_of_each_site(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let daily = json!({ "window": "day", "split_by": "worksite" });
    let rule = world.rule(&daily).await;
    world.incursions(1, 2).await;
    world.incursions(3, 2).await;
    // At half past midnight in Berlin it is still the same day in New York.
    world.advance_minutes(11 * 60 + 30);
    world.incursions(1, 2).await;
    world.incursions(3, 1).await;
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["worksite"]["id"], &firing["value"]), (&json!(2), &json!(3)));
    assert_eq!(firing["window"]["from"], "2026-03-01T05:00:00Z");
    assert_eq!(firing["time_zone"], "America/New_York");
    // With the next day it is over.
    world.advance_minutes(5 * 60 + 29);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_day_over_several_clocks_is_one_window_that_can_be_checked(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.patch("admin/brand", &json!({ "time_zone": "Asia/Tokyo" })).await;
    let together = world.rule_of(&world.admin, &json!({ "window": "day" })).await;
    let by_person = json!({ "window": "day", "split_by": "person" });
    let by_person = world.rule_of(&world.admin, &by_person).await;
    let by_project = json!({ "window": "day", "split_by": "project", "threshold": 1 });
    let by_project = world.rule_of(&world.admin, &by_project).await;
    // The day of Tokyo began at 15:00, before the days of Berlin (23:00) and of New York (05:00).
    let ago = |minutes: i64| json!({ "started_at": world.app.clock.now() - Span::minutes(minutes) });
    world.incursion(1, &ago(22 * 60)).await;
    world.incursion(1, &ago(20 * 60)).await;
    world.incursion(3, &ago(8 * 60)).await;
    world.incursion(3, &ago(1)).await;
    expect(&world, 3, 0).await;
    for rule in [together, by_person] {
        let firing = only_firing(&world, rule).await;
        let shown = [&firing["value"], &firing["window"]["from"], &firing["time_zone"]];
        assert_eq!(json!(shown), json!([3, "2026-02-28T15:00:00Z", "Asia/Tokyo"]));
        let (from, to) =
            (firing["window"]["from"].as_str().unwrap(), firing["window"]["to"].as_str().unwrap());
        let totals = world.get(&format!("/api/v1/insights/totals?from={from}&to={to}")).await;
        assert_eq!(totals["metrics"]["incursions"]["value"], firing["value"], "{totals}");
        assert_eq!(firing["incursion_ids"], json!([4, 3, 2]));
    }
    // All sites of a project share a clock.
    let firing = only_firing(&world, by_project).await;
    let shown = [&firing["project"]["id"], &firing["value"], &firing["window"]["from"]];
    assert_eq!(json!(shown), json!([2, 1, "2026-03-01T05:00:00Z"]));
    assert_eq!(firing["time_zone"], "America/New_York");
    // With the next day of Tokyo, all of it is over.
    world.advance_minutes(2 * 60 + 59);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 0, 2).await;
    world.app.run_jobs().await;
}

async fn a_late_fact_counts_if_it_is_in_the_window(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 1, "window_minutes": 60 })).await;
    let ago = |minutes: i64| json!({ "started_at": world.app.clock.now() - Span::minutes(minutes) });
    world.incursion(1, &ago(61)).await;
    world.incursion(1, &ago(24 * 60)).await;
    expect(&world, 0, 0).await;
    world.incursion(1, &ago(59)).await;
    expect(&world, 1, 0).await;
    assert_eq!(world.firings(rule).await[0]["value"], 1.0);
    // It counts from its own time.
    world.advance_minutes(2);
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_fact_of_a_clock_that_is_ahead_counts_at_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 1, "window_minutes": 60 })).await;
    let later = world.rule(&json!({ "metric": "unacknowledged_incursions", "threshold": 1 })).await;
    let ahead = world.app.clock.now() + Span::seconds(40);
    world.incursion(1, &json!({ "started_at": ahead })).await;
    // Nothing else happens at this site that would have it looked at again.
    expect(&world, 1, 0).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["value"], &firing["incursion_ids"]), (&json!(1), &json!([1])));
    // The window is the time that was counted.
    assert!(Timestamp::parse(firing["window"]["to"].as_str().unwrap()).unwrap() > ahead, "{firing}");
    // It may still be acknowledged until two minutes after its own time.
    world.advance_minutes(2);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 1, 0).await;
    assert_eq!(only_firing(&world, later).await["value"], 1);
    world.app.run_jobs().await;
}

async fn long_incursions_share_a_question_and_move_their_peaks(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut rules = Vec::new();
    for seconds in [20, 30, 40] {
        let metric = json!({ "metric": "long_incursion", "threshold": seconds, "window_minutes": 60 });
        rules.push(world.rule(&metric).await);
    }
    ended(&world, 35_000).await;
    let done = world.evaluate().await;
    assert_eq!((done.questions, done.fired), (1, 2));
    ended(&world, 38_500).await;
    let done = world.evaluate().await;
    assert_eq!((done.questions, done.fired), (1, 0));
    world.advance_minutes(1);
    expect(&world, 0, 0).await;
    for rule in &rules[..2] {
        let firing = only_firing(&world, *rule).await;
        assert_eq!((&firing["value"], &firing["peak"]["value"]), (&json!(35), &json!(38.5)));
    }
    assert_eq!(world.firings(rules[2]).await.len(), 0);
    world.app.run_jobs().await;
}

async fn what_was_archived_is_not_missed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let archive = async |machine: i64| {
        world.advance_minutes(1);
        let path = format!("/api/v1/machines/{machine}/archive");
        world.send(&world.admin, Method::POST, &path, None).await.expect(200);
        world.app.run_jobs().await;
        world.advance_minutes(1);
    };
    let rule = world
        .rule(&json!({
            "comparison": "below", "threshold": 0, "split_by": "machine", "notify_on_clear": true,
            "scope": { "machine_ids": [1, 2, 3] },
        }))
        .await;
    archive(3).await;
    let machines = async || -> Vec<(Value, Value)> {
        let firings = world.firings(rule).await;
        firings.iter().map(|one| (one["machine"]["id"].clone(), one["clear_reason"].clone())).collect()
    };
    expect(&world, 2, 0).await;
    assert_eq!(machines().await, [(json!(1), Value::Null), (json!(2), Value::Null)]);
    assert_eq!(world.mails().await.len(), 2);
    // What is archived while it fires has not recovered, and nobody is notified.
    archive(2).await;
    expect(&world, 0, 1).await;
    assert_eq!(machines().await, [(json!(1), Value::Null), (json!(2), json!("scope_changed"))]);
    assert_eq!(world.mails().await.len(), 0);
}

async fn a_flapping_value_fires_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 21, "window_minutes": 20, "cool_down_minutes": 0 })).await;
    // One a minute; now and then one is missing, and then there are two: 20 to 22 in the window.
    for minute in 0..60 {
        let count = match minute % 4 {
            0 => 0,
            2 => 2,
            _ => 1,
        };
        if count > 0 {
            world.incursions(1, count).await;
        }
        world.evaluate().await;
        world.advance_minutes(1);
    }
    assert_eq!(world.firings(rule).await.len(), 1);
    assert_eq!(world.mails().await.len(), 1);
}

async fn a_review_that_dismisses_an_incursion_clears_at_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "threshold": 1 })).await;
    let id = world.incursion(1, &json!({})).await;
    expect(&world, 1, 0).await;
    world.post(&format!("incursions/{id}/review"), &json!({ "state": "false_detection" })).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_firing_names_its_incursions_and_its_place(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 25 })).await;
    let near = world.rule(&json!({ "threshold": 4 })).await;
    world.incursions(1, 2).await;
    world.incursions(2, 2).await;
    expect(&world, 1, 0).await;
    let firing = world.firings(near).await[0].clone();
    assert_eq!((&firing["incursion_ids"], &firing["machine"]), (&json!([4, 3, 2, 1]), &Value::Null));
    assert_eq!((&firing["worksite"]["id"], &firing["project"]["id"]), (&json!(1), &json!(1)));
    let last_seq = "select cast(last_seq as text) from brand_counters";
    let last_seq = testkit::query_raw_sql(world.app.database(), last_seq).await;
    assert_eq!(firing["seq"].to_string(), last_seq[0]);
    world.incursions(3, 21).await;
    expect(&world, 1, 0).await;
    let firing = world.firings(rule).await[0].clone();
    let newest: Vec<i64> = (6..=25).rev().collect();
    assert_eq!((&firing["incursion_ids"], &firing["worksite"]), (&json!(newest), &Value::Null));
    world.app.run_jobs().await;
}

async fn without_data_a_firing_ends_after_a_day(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world
        .rule(&json!({
            "metric": "incursions_per_runtime_hour", "threshold": 1, "window_minutes": 60, "minimum_count": 1,
        }))
        .await;
    world.runtime(1, 60).await;
    world.incursions(1, 2).await;
    expect(&world, 1, 0).await;
    world.advance_minutes(61);
    expect(&world, 0, 0).await;
    assert_eq!(status(&world, rule).await, (json!("firing"), Value::Null));
    world.advance_minutes(24 * 60 - 1);
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 0, 1).await;
    assert_eq!(world.firings(rule).await[0]["clear_reason"], "no_data");
    assert_eq!(status(&world, rule).await, (json!("no_data"), json!("no_runtime")));
    world.app.run_jobs().await;
}
