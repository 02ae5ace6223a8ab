//! What waits: digests and active hours, changes of the hours, and more than fits into one message.

use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::subjects;
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_digest_waits_for_active_hours,
    no_more_than_allowed_are_sent_within_an_hour,
    without_hours_what_was_held_is_told,
    with_other_hours_what_was_held_waits_for_them,
    what_was_held_is_dropped_if_the_alert_says_so_from_now_on,
    more_than_fits_into_one_message_follows_in_the_next,
);

/// Every day, by the clock of the yard, where tests begin at 13:00:30.
fn hours(from: &str, to: &str) -> Value {
    json!({ "days": [1, 2, 3, 4, 5, 6, 7], "from": from, "to": to, "time_zone": "Europe/Berlin" })
}

/// One alarm for each machine, which stays for two days.
fn each_machine(more: &Value) -> Value {
    let mut members = json!({ "threshold": 1, "split_by": "machine", "window_minutes": 2_880 });
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

/// The states of the firings of a rule, with until when they are held.
async fn states(world: &AlertWorld, rule: i64) -> Vec<Value> {
    let firings = world.firings(rule).await;
    firings.iter().map(|firing| json!([firing["state"], firing["held_until"]])).collect()
}

async fn a_digest_waits_for_active_hours(engine: Engine) {
    for outside in ["hold", "drop"] {
        let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 1).await;
        let world = AlertWorld::new(app).await;
        let hours = hours("07:00", "13:30");
        let rule =
            world.rule(&each_machine(&json!({ "active_hours": hours, "outside_hours": outside }))).await;
        world.incursions(1, 1).await;
        world.incursions(2, 1).await;
        assert_eq!(world.mails().await.len(), 1, "{outside}");
        // It would be sent at 14:00:30.
        world.advance_minutes(61);
        assert!(world.mails().await.is_empty(), "{outside}");
        let fired = json!(["fired", null]);
        assert_eq!(states(&world, rule).await, [fired.clone(), fired], "it is not held: it happened inside");
        world.advance_minutes(16 * 60 + 58);
        assert!(world.mails().await.is_empty(), "06:59");
        world.advance_minutes(1);
        let mails = world.mails().await;
        let [digest] = mails.as_slice() else { panic!("{outside}: {:?}", subjects(&mails)) };
        assert!(digest.subject.ends_with("at Loader, Yard (threshold 1)"), "{}", digest.subject);
        world.advance_minutes(1_440);
        assert!(world.mails().await.is_empty(), "it is sent once");
    }
}

async fn no_more_than_allowed_are_sent_within_an_hour(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 2).await;
    let world = AlertWorld::new(app).await;
    let often = json!({ "threshold": 1, "split_by": "machine", "window_minutes": 5, "cool_down_minutes": 0 });
    world.rule(&often).await;
    let mut sent: Vec<i64> = Vec::new();
    for step in 0..36 {
        world.incursions(1 + step % 3, 1).await;
        let now = i64::try_from(world.mails().await.len()).unwrap();
        sent.extend((0..now).map(|_| step * 7));
        world.advance_minutes(7);
    }
    assert!(sent.len() >= 6, "{sent:?}");
    for mails in sent.windows(3) {
        assert!(mails[2] - mails[0] >= 60, "three within an hour: {sent:?}");
    }
}

async fn without_hours_what_was_held_is_told(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&each_machine(&json!({ "active_hours": hours("07:00", "12:00") }))).await;
    world.incursions(1, 1).await;
    assert!(world.mails().await.is_empty());
    assert_eq!(states(&world, rule).await, [json!(["held", "2026-03-02T06:00:00Z"])]);
    world.patch(&format!("alerts/{rule}"), &json!({ "active_hours": null })).await;
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 1);
    assert_eq!(states(&world, rule).await, [json!(["fired", null])]);
    world.advance_minutes(1_440);
    assert!(world.mails().await.is_empty());
}

async fn with_other_hours_what_was_held_waits_for_them(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&each_machine(&json!({ "active_hours": hours("07:00", "12:00") }))).await;
    world.incursions(1, 1).await;
    assert!(world.mails().await.is_empty());
    world.patch(&format!("alerts/{rule}"), &json!({ "active_hours": hours("15:00", "16:00") })).await;
    world.advance_minutes(1);
    assert!(world.mails().await.is_empty());
    assert_eq!(states(&world, rule).await, [json!(["held", "2026-03-01T14:00:00Z"])]);
    world.advance_minutes(118);
    assert!(world.mails().await.is_empty(), "14:59");
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 1);
}

async fn what_was_held_is_dropped_if_the_alert_says_so_from_now_on(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "active_hours": hours("07:00", "12:00"), "notify_on_clear": true });
    let rule = world.rule(&each_machine(&members)).await;
    world.incursions(1, 1).await;
    assert!(world.mails().await.is_empty());
    world.patch(&format!("alerts/{rule}"), &json!({ "outside_hours": "drop" })).await;
    world.advance_minutes(1);
    assert!(world.mails().await.is_empty());
    assert_eq!(states(&world, rule).await, [json!(["fired", null])]);
    // Neither when the hours begin nor when it clears.
    world.advance_minutes(20 * 60);
    assert!(world.mails().await.is_empty());
    world.advance_minutes(2 * 1_440);
    assert!(world.mails().await.is_empty());
    assert_eq!(world.firings(rule).await[0]["state"], "cleared");
}

async fn more_than_fits_into_one_message_follows_in_the_next(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 1).await;
    let world = AlertWorld::new(app).await;
    world.rule(&each_machine(&json!({}))).await;
    world.incursions(1, 1).await;
    world.evaluate().await;
    world.incursions(2, 1).await;
    world.evaluate().await;
    // 500 more that have cleared already, as if there were so many machines.
    let copies = "insert into alert_firings (brand_id, rule_id, metric, comparison, threshold, severity, split_key, numerator,
             denominator, peak_numerator, peak_denominator, window_from, window_to, time_zone, seq, incursions, details,
             all_projects, fired_at, is_told, cleared_at, clear_reason, version, created_at, updated_at)
         with recursive numbers(n) as (select 1001 union all select n + 1 from numbers where n < 1500)
         select brand_id, rule_id, metric, comparison, threshold, severity, cast(n as text), numerator,
             denominator, peak_numerator, peak_denominator, window_from, window_to, time_zone, seq, incursions, details,
             all_projects, fired_at, is_told, fired_at, 'recovered', version, created_at, updated_at
         from alert_firings cross join numbers where id = (select max(id) from alert_firings)";
    testkit::execute_raw_sql(world.app.database(), copies).await.unwrap();
    let events = "insert into alert_message_events (brand_id, message_id, firing_id, event)
         select f.brand_id, m.id, f.id, 'fired' from alert_firings f cross join alert_messages m
         where f.cleared_at is not null and m.state = 'waiting'";
    testkit::execute_raw_sql(world.app.database(), events).await.unwrap();
    let by_state = "select m.state || ' ' || cast(count(*) as text) from alert_messages m
         join alert_message_events e on e.brand_id = m.brand_id and e.message_id = m.id group by m.id, m.state order by m.id";
    let events = async || testkit::query_raw_sql(world.app.database(), by_state).await;
    assert_eq!(events().await, ["released 1", "waiting 501"]);
    world.advance_minutes(60);
    world.evaluate().await;
    assert_eq!(events().await, ["released 1", "waiting 1", "released 500"]);
    // Within the hour there is no other one.
    world.advance_minutes(59);
    world.evaluate().await;
    assert_eq!(events().await, ["released 1", "waiting 1", "released 500"]);
    world.advance_minutes(1);
    world.evaluate().await;
    assert_eq!(events().await, ["released 1", "released 1", "released 500"]);
    assert_eq!(world.mails().await.len(), 3);
}
