//! A dry run agrees with a worker that looks every minute, in times, values and messages. All that happens is complete on a whole minute, so
//! that both look at the same instants.

use std::collections::BTreeMap;

use domain::{Span, Timestamp};
use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::agreement::Numbers;
use super::dry_run;
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(a_night_is_replayed_as_it_was_evaluated_every_minute);

/// 20:00 UTC is 21:00 in the yard, whose day ends within the time.
const BEGIN: &str = "2026-03-01T20:00:00Z";
const MINUTES: i64 = 8 * 60;

const MACHINE: &[&str] = &["machine"];
const WORKSITE: &[&str] = &["worksite"];
const PAIR: &[&str] = &["machine", "person"];
const TAG: &[&str] = &["tag"];
const NOTHING: &[&str] = &[];

/// Visits of the yard: the minutes of the check-in, of the expected end, and of the check-out.
const VISITS: [(i64, i64, Option<i64>); 2] = [(30, 60, Some(150)), (200, 220, None)];

/// What happens at each minute: machines and events.
type Script = BTreeMap<i64, Vec<(i64, Value)>>;

/// Bursts of incursions with pauses between them; those at machine 3 arrive when they have ended. Batteries run low and are changed, and
/// a tag is tested an hour after that is due.
fn script(world: &AlertWorld, begin: Timestamp) -> Script {
    let mut numbers = Numbers(23);
    let mut script = Script::new();
    for burst in 0..9 {
        let start = 3 + burst * 52 + numbers.below(10);
        for _ in 0..5 + numbers.below(4) {
            let minute = start + numbers.below(16);
            let at = begin + Span::minutes(minute);
            let machine = 1 + numbers.below(3);
            let (started_at, ended_at) = match machine {
                3 => (at - Span::seconds(30 + numbers.below(200)), at),
                _ => (at, at + Span::seconds(30 + numbers.below(200))),
            };
            let mut event = json!({
                "uid": world.next_uid(), "kind": "incursion", "zone": "danger",
                "tag": format!("TAG-{}", 1 + numbers.below(2)), "started_at": started_at, "ended_at": ended_at,
            });
            if numbers.below(3) == 0 {
                event["acknowledged_at"] = json!(started_at + Span::seconds(9));
            }
            script.entry(minute).or_default().push((machine, event));
        }
    }
    for (minute, percent) in [(20, 50), (70, 19), (90, 21), (130, 95), (200, 12), (201, 80), (400, 3)] {
        let event = json!({ "uid": world.next_uid(), "kind": "tag_battery", "tag": "TAG-2",
            "percent": percent, "at": begin + Span::minutes(minute) });
        script.entry(minute).or_default().push((1, event));
    }
    let test = json!({ "uid": world.next_uid(), "kind": "tag_test", "tag": "TAG-1", "passed": true,
        "at": begin + Span::minutes(300) });
    script.entry(300).or_default().push((1, test));
    script
}

/// Checks in and out who comes and leaves at this minute.
async fn receive_visitors(world: &AlertWorld, begin: Timestamp, minute: i64) {
    for (id, (from, until, to)) in (1..).zip(VISITS) {
        if minute == from {
            let until = begin + Span::minutes(until);
            let visit =
                json!({ "name": "Grace", "tag_serial": "T-9", "worksite_id": 1, "expected_until": until });
            world.post("visitor_sessions", &visit).await;
        }
        if to == Some(minute) {
            world.post(&format!("visitor_sessions/{id}/check_out"), &json!({})).await;
        }
    }
}

/// Rules, and by what each of their alarms is distinguished.
fn rules() -> Vec<(Value, &'static [&'static str])> {
    let in_yard = json!({ "machine_ids": [1, 2] });
    let evening = json!({ "days": [1, 2, 3, 4, 5, 6, 7], "from": "23:30", "to": "02:00", "time_zone": null });
    vec![
        (
            json!({ "threshold": 2, "window_minutes": 20, "cool_down_minutes": 15, "split_by": "machine",
                "notify_on_clear": true, "scope": in_yard }),
            MACHINE,
        ),
        // More messages than an hour may have.
        (
            json!({ "threshold": 1, "window_minutes": 5, "cool_down_minutes": 0, "split_by": "machine",
                "notify_on_clear": true, "scope": in_yard }),
            MACHINE,
        ),
        (
            json!({ "threshold": 1, "window_minutes": 60, "cool_down_minutes": 0, "split_by": "machine",
                "active_hours": evening, "scope": in_yard }),
            MACHINE,
        ),
        (
            json!({ "threshold": 1, "window_minutes": 5, "cool_down_minutes": 0, "split_by": "machine",
                "active_hours": evening, "outside_hours": "drop", "scope": in_yard }),
            MACHINE,
        ),
        (
            json!({ "threshold": 4, "window": "day", "cool_down_minutes": 0, "split_by": "worksite",
                "scope": { "worksite_ids": [1] } }),
            WORKSITE,
        ),
        (
            json!({ "comparison": "below", "threshold": 0, "window_minutes": 20, "cool_down_minutes": 0,
                "split_by": "worksite", "scope": { "worksite_ids": [1] } }),
            WORKSITE,
        ),
        (
            json!({ "metric": "unacknowledged_incursions", "threshold": 2, "window_minutes": 20,
                "cool_down_minutes": 0, "scope": in_yard }),
            NOTHING,
        ),
        (
            json!({ "metric": "acknowledgement_rate", "threshold": 0.34, "minimum_count": 2,
                "window_minutes": 30, "cool_down_minutes": 0, "scope": in_yard }),
            NOTHING,
        ),
        (
            json!({ "metric": "repeat_pair", "threshold": 2, "window_minutes": 30, "cool_down_minutes": 0,
                "scope": in_yard }),
            PAIR,
        ),
        (
            json!({ "metric": "long_incursion", "threshold": 60, "window_minutes": 30, "cool_down_minutes": 0,
                "split_by": "machine", "scope": { "machine_ids": [3] } }),
            MACHINE,
        ),
        (
            json!({ "metric": "tag_battery_low", "threshold": 20, "cool_down_minutes": 0,
                "scope": { "tag_ids": [2] } }),
            TAG,
        ),
        // It has been worn for 60 days at midnight.
        (
            json!({ "metric": "tag_test_overdue", "threshold": 60, "cool_down_minutes": 0,
                "scope": { "tag_ids": [1] } }),
            TAG,
        ),
        (
            json!({ "metric": "visitor_overstay", "threshold": 30, "cool_down_minutes": 0,
                "split_by": "worksite" }),
            WORKSITE,
        ),
    ]
}

/// The split of an alarm, when it fired and cleared, and its value.
type Alarm = (Vec<i64>, String, Option<String>, String);

fn alarm(split: Vec<i64>, of: &Value) -> Alarm {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let value = of["value"].as_f64().unwrap().to_string();
    (split, text(&of["fired_at"]).unwrap(), text(&of["cleared_at"]), value)
}

/// What was beyond from the beginning fired with the first look of either, which was not the same one.
fn since_begin(mut alarms: Vec<Alarm>) -> Vec<Alarm> {
    alarms.retain(|(_, fired_at, _, _)| fired_at.as_str() > BEGIN);
    alarms.sort();
    alarms
}

async fn a_night_is_replayed_as_it_was_evaluated_every_minute(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.max_messages_per_hour = 3).await;
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let begin = Timestamp::parse(BEGIN).unwrap();
    world.app.clock.advance(begin - world.app.clock.now());
    let rules = rules();
    let mut ids = Vec::new();
    for (number, (members, _)) in rules.iter().enumerate() {
        let mut members = members.clone();
        members["name"] = json!(format!("Rule {number}"));
        ids.push(world.rule_of(&world.admin, &members).await);
    }
    let mut script = script(&world, begin);
    for minute in 0..=MINUTES {
        world.app.clock.advance(begin + Span::minutes(minute) - world.app.clock.now());
        for (machine, event) in script.remove(&minute).unwrap_or_default() {
            world.events(machine, &[event]).await;
        }
        receive_visitors(&world, begin, minute).await;
        world.evaluate().await;
    }
    assert!(script.is_empty(), "all of it has happened");
    for ((members, by), rule) in rules.iter().zip(ids) {
        let mut evaluated = Vec::new();
        for firing in &world.firings(rule).await {
            let split = by.iter().map(|part| firing[*part]["id"].as_i64().unwrap()).collect();
            evaluated.push(alarm(split, firing));
        }
        let run = dry_run(&world, members).await;
        let mut replayed = Vec::new();
        for split in run["splits"].as_array().unwrap() {
            let ids: Vec<i64> =
                split["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
            replayed.extend(split["firings"].as_array().unwrap().iter().map(|one| alarm(ids.clone(), one)));
        }
        let evaluated = since_begin(evaluated);
        assert!(!evaluated.is_empty(), "nothing to compare: {members}");
        assert_eq!(since_begin(replayed), evaluated, "{members}");
        let sent = format!(
            "select cast(count(*) as text) from alert_messages where rule_id = {rule} and state = 'released'"
        );
        let sent = testkit::query_raw_sql(world.app.database(), &sent).await;
        assert_eq!(run["messages"].to_string(), sent[0], "messages of {members}");
    }
}
