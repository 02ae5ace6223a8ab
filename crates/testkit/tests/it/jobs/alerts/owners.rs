//! For whom rules are evaluated: they count what their owners see.

use domain::{EmailAddress, Role};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::evaluation::status;
use super::world::AlertWorld;

on_both_engines!(
    a_rule_counts_what_its_owner_sees,
    an_owner_who_is_restricted_later_sees_less,
    a_restriction_counts_with_the_next_evaluation,
    an_owner_who_sees_nothing_of_it_stops_a_rule,
    a_rule_keeps_its_projects_when_its_owner_leaves,
);

async fn a_rule_counts_what_its_owner_sees(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule_of(&world.restricted, &json!({ "threshold": 3 })).await;
    world.incursions(3, 5).await;
    world.incursions(1, 2).await;
    assert_eq!(world.evaluate().await.fired, 0);
    world.incursions(2, 1).await;
    assert_eq!(world.evaluate().await.fired, 1);
    let firing = world.firings(rule).await[0].clone();
    assert_eq!(firing["value"], 3.0);
    assert_eq!(firing["incursion_ids"], json!([8, 7, 6]));
    world.app.run_jobs().await;
}

async fn an_owner_who_is_restricted_later_sees_less(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 4 })).await;
    world.incursions(1, 2).await;
    world.incursions(3, 2).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.restrict(&world.member, Some(&[2])).await;
    world.advance_minutes(1);
    assert_eq!(world.evaluate().await.cleared, 1);
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!(shown["project_ids"], json!([2]));
    world.restrict(&world.member, None).await;
    world.advance_minutes(60);
    world.incursions(1, 4).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

async fn a_restriction_counts_with_the_next_evaluation(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "threshold": 4 })).await;
    world.incursions(1, 2).await;
    assert_eq!(world.evaluate().await.fired, 0);
    // No time passes: what was read of the rules is not old.
    world.restrict(&world.member, Some(&[2])).await;
    world.incursions(1, 2).await;
    let done = world.evaluate().await;
    assert_eq!((done.brands, done.fired), (1, 0));
    world.restrict(&world.member, None).await;
    world.incursions(3, 1).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

async fn an_owner_who_sees_nothing_of_it_stops_a_rule(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "threshold": 1, "scope": { "project_ids": [1] } })).await;
    world.incursions(1, 1).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.restrict(&world.member, Some(&[2])).await;
    world.advance_minutes(1);
    assert_eq!(world.evaluate().await.cleared, 1);
    assert_eq!(status(&world, rule).await, (json!("stopped"), json!("scope_empty")));
    world.app.run_jobs().await;
}

async fn a_rule_keeps_its_projects_when_its_owner_leaves(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule_of(&world.restricted, &json!({ "threshold": 3 })).await;
    world.evaluate().await;
    let email = EmailAddress::parse(&world.restricted.email).unwrap();
    world.app.app.set_access(&email, Some(Role::Viewer), None).await.unwrap();
    world.advance_minutes(1);
    world.incursions(3, 5).await;
    world.incursions(1, 2).await;
    assert_eq!(world.evaluate().await.fired, 0);
    world.incursions(1, 1).await;
    assert_eq!(world.evaluate().await.fired, 1);
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!((&shown["owner"], &shown["project_ids"]), (&Value::Null, &json!([1])));
    world.app.run_jobs().await;
}
