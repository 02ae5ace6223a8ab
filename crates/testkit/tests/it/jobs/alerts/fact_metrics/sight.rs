//! What firings say to those who see only a part, and what becomes of them when the owner sees less.

use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{expect, only_firing};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_peak_counts_only_what_its_readers_see,
    a_clearing_counts_only_what_its_readers_see,
    what_the_owner_no_longer_sees_has_not_recovered,
);

async fn a_peak_counts_only_what_its_readers_see(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule_of(&world.admin, &json!({ "split_by": "tag" })).await;
    world.incursions(1, 4).await;
    expect(&world, 1, 0).await;
    world.incursions(2, 1).await;
    expect(&world, 0, 0).await;
    // The same tag in the other project, before and after everything is read again.
    for _ in 0..2 {
        world.incursions(3, 5).await;
        expect(&world, 0, 0).await;
        world.advance_minutes(1);
        expect(&world, 0, 0).await;
    }
    let seen = world.send(&world.restricted, Method::GET, "/api/v1/alert_firings", None).await.expect(200);
    let seen = seen.json();
    assert_eq!(seen["data"].as_array().unwrap().len(), 1, "{seen}");
    let firing = &seen["data"][0];
    assert_eq!((&firing["value"], &firing["peak"]["value"]), (&json!(4), &json!(5)));
    // One that both projects went into from the beginning is not for them, and counts on.
    let both = world.rule_of(&world.admin, &json!({ "split_by": "tag" })).await;
    expect(&world, 1, 0).await;
    world.incursions(1, 1).await;
    expect(&world, 0, 0).await;
    world.advance_minutes(1);
    expect(&world, 0, 0).await;
    let firing = only_firing(&world, both).await;
    assert_eq!((&firing["value"], &firing["peak"]["value"]), (&json!(15), &json!(16)));
    let seen = world.send(&world.restricted, Method::GET, "/api/v1/alert_firings", None).await.expect(200);
    let seen = seen.json();
    assert_eq!((seen["data"].as_array().unwrap().len(), &seen["data"][0]["alert"]["id"]), (1, &json!(rule)));
    world.app.run_jobs().await;
}

async fn a_clearing_counts_only_what_its_readers_see(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule_of(&world.admin, &json!({ "split_by": "tag" })).await;
    world.incursions(1, 4).await;
    expect(&world, 1, 0).await;
    world.advance_minutes(30);
    // Of the same tag, one in the other project and none in the first are left when it clears.
    world.incursions(3, 1).await;
    expect(&world, 0, 0).await;
    world.advance_minutes(31);
    expect(&world, 0, 1).await;
    let firing = only_firing(&world, rule).await;
    assert_eq!((&firing["clear_reason"], &firing["cleared_value"]), (&json!("recovered"), &Value::Null));
    world.app.run_jobs().await;
}

async fn what_the_owner_no_longer_sees_has_not_recovered(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let terms = json!({ "split_by": "project", "notify_on_clear": true, "cool_down_minutes": 0 });
    let rule = world.rule(&terms).await;
    world.incursions(1, 3).await;
    world.incursions(3, 3).await;
    expect(&world, 2, 0).await;
    assert_eq!(world.mails().await.len(), 2);
    world.restrict(&world.member, Some(&[1])).await;
    world.advance_minutes(1);
    expect(&world, 0, 1).await;
    let firings = world.firings(rule).await;
    let shown: Vec<(&Value, &Value)> =
        firings.iter().map(|one| (&one["project"]["id"], &one["clear_reason"])).collect();
    assert_eq!(shown, [(&json!(1), &Value::Null), (&json!(2), &json!("scope_changed"))]);
    assert_eq!(world.mails().await.len(), 0);
    // Whoever sees nothing of it at all has not made it recover either.
    world.restrict(&world.member, Some(&[2])).await;
    world.patch(&format!("alerts/{rule}"), &json!({ "scope": { "project_ids": [2] } })).await;
    world.incursions(3, 3).await;
    world.advance_minutes(1);
    world.evaluate().await;
    world.mails().await;
    world.restrict(&world.member, Some(&[1])).await;
    world.advance_minutes(1);
    expect(&world, 0, 1).await;
    let firings = world.firings(rule).await;
    assert_eq!(firings.last().unwrap()["clear_reason"], "scope_changed");
    assert_eq!(world.mails().await.len(), 0);
}
