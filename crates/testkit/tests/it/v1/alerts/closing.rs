//! What becomes of open alarms when their alert is changed, disabled or deleted.

use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::PATH;
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    what_is_judged_otherwise_closes_alarms,
    what_is_told_otherwise_leaves_them_open,
    disabling_and_deleting_close_them,
    changes_do_not_make_the_same_alarm_again_and_again,
);

/// A world in which an alert has fired, and its id.
async fn fired(app: TestApp) -> (AlertWorld, i64) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({ "notify_on_clear": true })).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 1);
    let shown = world.get(&format!("{PATH}/{id}")).await;
    assert_eq!((&shown["status"], &shown["open_firings"]), (&json!("firing"), &json!(1)));
    (world, id)
}

/// Returns the state and the reason of the only firing.
async fn only_firing(world: &AlertWorld, id: i64) -> (Value, Value) {
    let firings = world.firings(id).await;
    assert_eq!(firings.len(), 1, "{firings:?}");
    (firings[0]["state"].clone(), firings[0]["clear_reason"].clone())
}

async fn change(world: &AlertWorld, id: i64, body: &Value) -> Value {
    let reply = world.send(&world.member, Method::PATCH, &format!("{PATH}/{id}"), Some(body)).await;
    reply.expect(200).json()
}

async fn what_is_judged_otherwise_closes_alarms(app: TestApp) {
    let (world, id) = fired(app).await;
    let changed = change(&world, id, &json!({ "threshold": 2 })).await;
    assert_eq!((&changed["status"], &changed["open_firings"]), (&json!("ok"), &json!(0)));
    assert_eq!(only_firing(&world, id).await, (json!("cleared"), json!("rule_changed")));
    // Nobody is notified of that. The changed alert is judged at once: no cool-down keeps back what was asked for just now.
    let mails = world.mails().await;
    assert_eq!(mails.len(), 1);
    let states: Vec<(Value, Value)> =
        world.firings(id).await.iter().map(|one| (one["state"].clone(), one["threshold"].clone())).collect();
    assert_eq!(states, [(json!("cleared"), json!(3)), (json!("fired"), json!(2))]);
}

async fn what_is_told_otherwise_leaves_them_open(app: TestApp) {
    let (world, id) = fired(app).await;
    let hours = json!({ "days": [1], "from": "07:00", "to": "18:00" });
    for body in [
        json!({ "name": "Gate" }),
        json!({ "severity": "critical", "cool_down_minutes": 0 }),
        json!({ "recipients": [{ "email": "bob@example.com" }] }),
        json!({ "active_hours": hours }),
        json!({ "enabled": true, "threshold": 3.0 }),
    ] {
        let changed = change(&world, id, &body).await;
        assert_eq!(changed["open_firings"], 1, "{body}");
        assert_eq!(only_firing(&world, id).await, (json!("fired"), Value::Null), "{body}");
    }
    assert_eq!(world.mails().await.len(), 0);
    assert_eq!(world.get(&format!("{PATH}/{id}")).await["status"], "firing");
}

async fn disabling_and_deleting_close_them(app: TestApp) {
    let (world, id) = fired(app).await;
    change(&world, id, &json!({ "enabled": false })).await;
    assert_eq!(only_firing(&world, id).await, (json!("cleared"), json!("rule_disabled")));
    // What is disabled does not fire.
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 0);
    assert_eq!(world.get(&format!("{PATH}/{id}")).await["status"], "disabled");

    let other = world.rule(&json!({})).await;
    assert_eq!(world.mails().await.len(), 1);
    let firing = world.firings(other).await[0].clone();
    let path = format!("{PATH}/{other}");
    world.send(&world.member, Method::DELETE, &path, None).await.expect(200);
    assert_eq!(world.mails().await.len(), 0);
    // Links to it still work, as long as it is stored.
    let shown = world.get(&format!("{path}/firings/{}", firing["id"])).await;
    assert_eq!((&shown["state"], &shown["clear_reason"]), (&json!("cleared"), &json!("rule_deleted")));
    assert_eq!(shown["alert"], json!({ "id": other, "name": "Too many" }));
    let all = world.get(&format!("/api/v1/alert_firings?alert_id={other}")).await;
    assert_eq!(all["data"][0]["id"], firing["id"]);
}

async fn changes_do_not_make_the_same_alarm_again_and_again(app: TestApp) {
    let (world, id) = fired(app).await;
    let count = async || world.firings(id).await.len();
    for (threshold, firings) in [(2, 2), (3, 3), (2, 3), (3, 3)] {
        change(&world, id, &json!({ "threshold": threshold })).await;
        world.evaluate().await;
        assert_eq!(count().await, firings);
    }
    // A split that had no alarm is not held back by the changes.
    let by_machine = world.rule(&json!({ "split_by": "machine", "cool_down_minutes": 0 })).await;
    for threshold in [2, 3, 2] {
        world.evaluate().await;
        change(&world, by_machine, &json!({ "threshold": threshold })).await;
    }
    world.incursions(2, 3).await;
    world.evaluate().await;
    let firings = world.firings(by_machine).await;
    let last = firings.last().unwrap();
    assert_eq!((firings.len(), &last["machine"]["id"], &last["state"]), (4, &json!(2), &json!("fired")));
    // An hour after the first change it fires again, if it still has to.
    world.advance_minutes(59);
    world.incursions(1, 3).await;
    world.evaluate().await;
    assert_eq!(count().await, 3);
    world.advance_minutes(1);
    world.evaluate().await;
    assert_eq!(count().await, 4);
    world.app.run_jobs().await;
}
