//! The alerts of a brand distinguish together only so much.

use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::evaluation::status;
use super::world::AlertWorld;

on_both_engines!(younger_alerts_say_that_older_ones_have_all_splits_of_a_brand);

async fn younger_alerts_say_that_older_ones_have_all_splits_of_a_brand(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_splits_per_brand = 1_000).await;
    let world = AlertWorld::new(app).await;
    let by_tag = |threshold: i64| json!({ "split_by": "tag", "threshold": threshold });
    let mut rules = Vec::new();
    for threshold in [3, 3, 3, 100] {
        rules.push(world.rule(&by_tag(threshold)).await);
    }
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 3);
    let at = world.app.clock.now();
    let of_tag = |number: i64| {
        json!({ "uid": format!("many-{number}"), "kind": "incursion", "tag": format!("MANY-{number}"),
            "zone": "warning", "started_at": at })
    };
    let many: Vec<Value> = (0..600).map(of_tag).collect();
    world.events(2, &many).await;
    let statuses = async || {
        let mut found = Vec::new();
        for rule in &rules {
            found.push(status(&world, *rule).await);
        }
        found
    };
    let (firing, left_out) = ((json!("firing"), Value::Null), json!("too_many_of_brand"));
    let expected = [
        firing.clone(),
        firing.clone(),
        (json!("firing"), left_out.clone()),
        (json!("no_data"), left_out.clone()),
    ];
    // Also when it is known before how many splits the rules have, and when all is read again.
    for minutes in [0, 0, 1] {
        world.advance_minutes(minutes);
        world.incursions(2, 1).await;
        assert_eq!(world.evaluate().await.fired, 0);
        assert_eq!(statuses().await, expected);
    }
    // The alarm of the third is neither cleared nor followed, until an older one splits less.
    world.patch(&format!("alerts/{}", rules[1]), &json!({ "split_by": "machine" })).await;
    assert_eq!(world.evaluate().await.fired, 2);
    world.incursions(2, 1).await;
    world.evaluate().await;
    let expected = [firing.clone(), firing.clone(), firing, (json!("no_data"), left_out)];
    assert_eq!(statuses().await, expected);
    assert_eq!(world.firings(rules[2]).await.len(), 1);
    world.app.run_jobs().await;
}
