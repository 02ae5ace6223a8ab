//! The metrics of tags, stations and visits, which depend on time more than on facts.

use domain::Span;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    an_overdue_test_fires_and_a_passed_one_clears,
    a_low_battery_fires_below,
    a_silent_station_fires_until_it_is_heard,
    a_station_that_was_never_heard_is_silent_since_it_was_installed,
    a_visit_that_lasts_too_long_fires_until_its_end,
    a_visit_can_fire_as_soon_as_it_is_overdue,
    the_worst_of_a_split_stands_for_it,
    tags_that_nobody_wears_are_not_measured,
    a_restricted_owner_is_told_about_people_in_scope_only,
);

/// Asserts how many fired and cleared after a minute.
async fn expect(world: &AlertWorld, fired: u64, cleared: u64) {
    world.advance_minutes(1);
    let done = world.evaluate().await;
    assert_eq!((done.fired, done.cleared), (fired, cleared), "{}", world.app.clock.now());
}

/// Sends an event that happens now at station 1.
async fn send(world: &AlertWorld, mut event: Value) {
    event["uid"] = json!(world.next_uid());
    event["at"] = json!(world.app.clock.now());
    world.events(1, &[event]).await;
}

async fn set_battery(world: &AlertWorld, tag: &str, percent: i64) {
    send(world, json!({ "kind": "tag_battery", "tag": tag, "percent": percent })).await;
}

async fn an_overdue_test_fires_and_a_passed_one_clears(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world
        .rule(&json!({ "metric": "tag_test_overdue", "threshold": 60, "scope": { "tag_ids": [1] } }))
        .await;
    // The tag is worn since 1 January and has never been tested; it is 1 March, 12:00:30.
    expect(&world, 0, 0).await;
    world.advance_minutes(12 * 60 - 3);
    expect(&world, 0, 0).await;
    expect(&world, 1, 0).await;
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["value"], &firing["tag"]["id"]), (&json!(60), &json!(1)));
    assert_eq!((&firing["person"]["id"], &firing["window"]), (&json!(1), &Value::Null));
    let since = "2026-01-01T00:00:00Z";
    assert_eq!(
        firing["details"],
        json!({ "since": since, "last_test_at": null, "worn_since": since }),
        "it has never passed a test"
    );
    send(&world, json!({ "kind": "tag_test", "tag": "TAG-1", "passed": false })).await;
    expect(&world, 0, 0).await;
    send(&world, json!({ "kind": "tag_test", "tag": "TAG-1", "passed": true })).await;
    expect(&world, 0, 1).await;
    assert_eq!(world.mails().await.len(), 1);
}

async fn a_low_battery_fires_below(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "tag_battery_low", "threshold": 20 })).await;
    set_battery(&world, "TAG-2", 21).await;
    expect(&world, 0, 0).await;
    set_battery(&world, "TAG-2", 20).await;
    expect(&world, 1, 0).await;
    set_battery(&world, "TAG-2", 12).await;
    expect(&world, 0, 0).await;
    // 20 divided by 0.9 is 22.2.
    set_battery(&world, "TAG-2", 22).await;
    expect(&world, 0, 0).await;
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["value"], &firing["peak"]["value"]), (&json!(20), &json!(12)));
    assert_eq!((&firing["tag"]["id"], &firing["person"]["id"]), (&json!(2), &json!(2)));
    set_battery(&world, "TAG-2", 23).await;
    expect(&world, 0, 1).await;
    let cleared = world.firings(rule).await[0].clone();
    assert_eq!((&cleared["value"], &cleared["cleared_value"]["value"]), (&json!(20), &json!(23)));
    assert!(cleared["details"]["reported_at"].is_string(), "{cleared}");
    world.app.run_jobs().await;
}

async fn a_silent_station_fires_until_it_is_heard(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world
        .rule(&json!({
            "metric": "base_station_silent", "threshold": 30, "scope": { "base_station_ids": [1] },
        }))
        .await;
    send(&world, json!({ "kind": "status", "faults": [] })).await;
    world.advance_minutes(28);
    expect(&world, 0, 0).await;
    expect(&world, 1, 0).await;
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["value"], &firing["base_station"]["id"]), (&json!(30), &json!(1)));
    assert_eq!((&firing["machine"]["id"], &firing["worksite"]["id"]), (&json!(1), &json!(1)));
    assert_eq!(firing["time_zone"], "Europe/Berlin");
    assert_eq!(firing["details"]["last_contact_at"], firing["details"]["since"]);
    expect(&world, 0, 0).await;
    send(&world, json!({ "kind": "status", "faults": [] })).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn a_station_that_was_never_heard_is_silent_since_it_was_installed(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "base_station_silent", "threshold": 43_200, "split_by": "worksite" });
    let rule = world.rule(&members).await;
    assert_eq!(world.evaluate().await.fired, 2);
    let firings = world.firings(rule).await;
    let sites: Vec<&Value> = firings.iter().map(|firing| &firing["worksite"]["id"]).collect();
    assert_eq!(sites, [&json!(1), &json!(2)]);
    // 59 days, 12 hours and half a minute.
    assert_eq!(firings[0]["value"], json!(85_680));
    assert_eq!(firings[0]["details"]["last_contact_at"], Value::Null);
    world.app.run_jobs().await;
}

/// Checks a visitor in at the yard who is expected to leave after an hour.
async fn check_in(world: &AlertWorld) {
    let until = world.app.clock.now() + Span::minutes(60);
    let visit = json!({ "name": "Grace", "tag_serial": "T-9", "worksite_id": 1, "expected_until": until });
    world.post("visitor_sessions", &visit).await;
}

async fn check_out(world: &AlertWorld) {
    let path = "/api/v1/visitor_sessions/1/check_out";
    world.send(&world.admin, Method::POST, path, None).await.expect(200);
}

async fn a_visit_that_lasts_too_long_fires_until_its_end(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "visitor_overstay", "threshold": 15 })).await;
    check_in(&world).await;
    world.advance_minutes(60 + 13);
    expect(&world, 0, 0).await;
    expect(&world, 1, 0).await;
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["value"], &firing["visitor_session_id"]), (&json!(15), &json!(1)));
    assert_eq!((&firing["person"]["id"], &firing["worksite"]["id"]), (&json!(5), &json!(1)));
    assert_eq!(firing["details"]["checked_in_at"], "2026-03-01T12:00:30Z");
    expect(&world, 0, 0).await;
    check_out(&world).await;
    expect(&world, 0, 1).await;
    let cleared = world.firings(rule).await[0].clone();
    assert_eq!((&cleared["clear_reason"], &cleared["cleared_value"]), (&json!("recovered"), &Value::Null));
    world.app.run_jobs().await;
}

async fn a_visit_can_fire_as_soon_as_it_is_overdue(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "visitor_overstay", "threshold": 0, "split_by": "none" });
    world.rule(&members).await;
    check_in(&world).await;
    world.advance_minutes(58);
    expect(&world, 0, 0).await;
    expect(&world, 1, 0).await;
    check_out(&world).await;
    expect(&world, 0, 1).await;
    world.app.run_jobs().await;
}

async fn the_worst_of_a_split_stands_for_it(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "tag_battery_low", "threshold": 50, "split_by": "none" });
    let rule = world.rule(&members).await;
    for (tag, percent) in [("TAG-1", 40), ("TAG-2", 30), ("TAG-3", 60)] {
        set_battery(&world, tag, percent).await;
    }
    expect(&world, 1, 0).await;
    let firing = world.firings(rule).await[0].clone();
    assert_eq!((&firing["value"], &firing["tag"]["id"]), (&json!(30), &json!(2)));
    world.app.run_jobs().await;
}

async fn tags_that_nobody_wears_are_not_measured(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "metric": "tag_battery_low", "threshold": 50 })).await;
    set_battery(&world, "TAG-9", 5).await;
    set_battery(&world, "TAG-3", 5).await;
    expect(&world, 1, 0).await;
    // Who gives it back is no longer warned.
    world.patch("tag_assignments/3", &json!({ "ended_at": world.app.clock.now() })).await;
    world.app.run_jobs().await;
    expect(&world, 0, 1).await;
}

async fn a_restricted_owner_is_told_about_people_in_scope_only(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "tag_battery_low", "threshold": 50 });
    let rule = world.rule_of(&world.restricted, &members).await;
    // Bob was only in the depot, which is of another project. Nothing is known of Cem.
    world.incursion(1, &json!({ "tag": "TAG-1" })).await;
    world.incursion(3, &json!({ "tag": "TAG-2" })).await;
    for tag in ["TAG-1", "TAG-2", "TAG-3"] {
        set_battery(&world, tag, 10).await;
    }
    expect(&world, 2, 0).await;
    let path = format!("/api/v1/alerts/{rule}/firings");
    let seen = world.send(&world.restricted, Method::GET, &path, None).await.expect(200).json();
    let mut tags: Vec<i64> =
        seen["data"].as_array().unwrap().iter().map(|row| row["tag"]["id"].as_i64().unwrap()).collect();
    tags.sort_unstable();
    assert_eq!(tags, [1, 3]);
    world.app.run_jobs().await;
}
