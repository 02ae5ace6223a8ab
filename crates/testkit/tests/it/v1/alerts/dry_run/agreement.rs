//! A dry run agrees with evaluating the same facts one after the other, as they happen.

use std::collections::BTreeMap;

use domain::{Span, Timestamp};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::dry_run;
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_month_is_replayed_as_it_was_evaluated,
    a_rate_per_runtime_hour_is_replayed_as_it_was_evaluated,
);

const MINUTE: Span = Span::minutes(1);
/// Unacknowledged incursions are judged after that.
const LAG: Span = Span::seconds(120);
const DAY: Span = Span::minutes(24 * 60);

/// Numbers without an obvious order, but always the same.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u32) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::from(u32::try_from(self.0 >> 33).unwrap() % limit)
    }
}

/// A fact that arrives when it is complete.
struct Fact {
    arrives_at: Timestamp,
    started_at: Timestamp,
    machine: i64,
    event: Value,
}

fn minute_after(at: Timestamp) -> Timestamp {
    at.truncate_to_minute() + MINUTE
}

fn minute_from(at: Timestamp) -> Timestamp {
    if at == at.truncate_to_minute() { at } else { minute_after(at) }
}

/// Returns a few incursions in less than an hour, again and again. Those at machines 1 and 2 are known when they begin; those at machine 3
/// when they end.
fn incursions(world: &AlertWorld, times: i64, machines: u32, numbers: &mut Numbers) -> Vec<Fact> {
    let start = world.app.clock.now() + Span::minutes(5);
    let mut facts = Vec::new();
    for time in 0..times {
        let begin = start + Span::minutes(time * 1_440 + numbers.below(600));
        for _ in 0..2 + numbers.below(5) {
            let at = begin + Span::millis(numbers.below(50 * 60_000));
            let machine = 1 + numbers.below(machines);
            let (started_at, ended_at) = match machine {
                3 => (at - Span::millis(10_000 + numbers.below(300_000)), at),
                _ => (at, at + Span::millis(30_000 + numbers.below(200_000))),
            };
            let is_acknowledged = numbers.below(3) == 0;
            let mut event = json!({
                "uid": world.next_uid(), "kind": "incursion", "zone": "danger",
                "tag": format!("TAG-{}", 1 + numbers.below(3)),
                "started_at": started_at, "ended_at": ended_at,
            });
            if is_acknowledged {
                event["acknowledged_at"] = json!(started_at + Span::seconds(9));
            }
            facts.push(Fact { arrives_at: at, started_at, machine, event });
        }
    }
    facts
}

/// Lets facts arrive, and evaluates with each of them and at minutes in between until the end. `then` is called before each look.
async fn live_through(
    world: &AlertWorld,
    facts: &[Fact],
    minutes: impl IntoIterator<Item = Timestamp>,
    end: Timestamp,
    then: impl AsyncFn(&AlertWorld),
) {
    let mut moments: BTreeMap<Timestamp, Vec<&Fact>> = BTreeMap::new();
    for minute in minutes {
        moments.entry(minute).or_default();
    }
    for fact in facts {
        moments.entry(fact.arrives_at).or_default().push(fact);
    }
    moments.entry(end).or_default();
    for (at, facts) in moments.into_iter().take_while(|(at, _)| *at <= end) {
        world.app.clock.advance(at - world.app.clock.now());
        for fact in facts {
            world.events(fact.machine, std::slice::from_ref(&fact.event)).await;
        }
        then(world).await;
        world.evaluate().await;
    }
}

/// An alarm: its split, and the minutes by which it had fired and cleared.
type Alarm = (Vec<i64>, Timestamp, Option<Timestamp>);

fn alarm(split: Vec<i64>, of: &Value) -> Alarm {
    let minute = |text: &Value| text.as_str().map(|text| minute_from(Timestamp::parse(text).unwrap()));
    (split, minute(&of["fired_at"]).unwrap(), minute(&of["cleared_at"]))
}

async fn evaluated(world: &AlertWorld, rule: i64, by: &[&str]) -> Vec<Alarm> {
    let firings = world.firings(rule).await;
    let mut alarms: Vec<Alarm> = Vec::new();
    for firing in &firings {
        let ids = by.iter().map(|part| firing[*part]["id"].as_i64().unwrap());
        alarms.push(alarm(ids.collect(), firing));
    }
    alarms.sort();
    alarms
}

async fn replayed(world: &AlertWorld, members: &Value) -> Vec<Alarm> {
    let run = dry_run(world, members).await;
    let mut alarms = Vec::new();
    for split in run["splits"].as_array().unwrap() {
        let ids: Vec<i64> = split["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        alarms.extend(split["firings"].as_array().unwrap().iter().map(|one| alarm(ids.clone(), one)));
    }
    alarms.sort();
    assert_eq!(run["firings"], json!(alarms.len()));
    alarms
}

async fn a_month_is_replayed_as_it_was_evaluated(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // Alarms wait to be mailed: drawing so many charts is not what this is about.
    world.app.allow_leftover_jobs();
    let begin = world.app.clock.now();
    let in_yard = json!({ "machine_ids": [1, 2] });
    let rules = [
        (json!({ "cool_down_minutes": 45, "split_by": "machine", "scope": in_yard }), &["machine"][..]),
        (
            json!({ "metric": "unacknowledged_incursions", "threshold": 2, "cool_down_minutes": 0,
                "scope": in_yard }),
            &[],
        ),
        (
            json!({ "metric": "acknowledgement_rate", "threshold": 0.3, "minimum_count": 3,
                "cool_down_minutes": 0, "scope": in_yard }),
            &[],
        ),
        (
            json!({ "metric": "repeat_pair", "threshold": 2, "cool_down_minutes": 0, "scope": in_yard }),
            &["machine", "person"],
        ),
        (
            json!({ "metric": "long_incursion", "threshold": 120, "cool_down_minutes": 0,
                "split_by": "machine", "scope": { "machine_ids": [3] } }),
            &["machine"],
        ),
    ];
    let mut ids = Vec::new();
    for (members, _) in &rules {
        ids.push(world.rule_of(&world.admin, members).await);
    }
    let facts = incursions(&world, 26, 3, &mut Numbers(17));
    assert!(facts.len() > 80, "{}", facts.len());
    let hour = Span::minutes(60);
    // When facts are judged late, leave the windows of an hour and of a day, and when cool-downs and times without data end.
    let minutes = facts.iter().flat_map(|fact| {
        let at = fact.started_at;
        [
            minute_from(at + LAG),
            minute_after(at + hour),
            minute_after(at + hour) + Span::minutes(45),
            minute_after(at + hour + LAG),
            minute_after(at + DAY),
            minute_after(at + DAY + LAG),
            minute_after(at + DAY + LAG) + DAY,
        ]
    });
    let end = begin + Span::minutes(29 * 1_440);
    live_through(&world, &facts, minutes, end, async |_| {}).await;
    for ((members, by), rule) in rules.iter().zip(ids) {
        let found = evaluated(&world, rule, by).await;
        assert!(found.len() >= 3, "too few to compare: {members} {found:?}");
        assert_eq!(replayed(&world, members).await, found, "{members}");
    }
}

async fn a_rate_per_runtime_hour_is_replayed_as_it_was_evaluated(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.allow_leftover_jobs();
    let begin = world.app.clock.now();
    let rate = json!({
        "metric": "incursions_per_runtime_hour", "threshold": 1.5, "window_minutes": 120,
        "minimum_count": 2, "cool_down_minutes": 0, "split_by": "machine",
    });
    let rule = world.rule_of(&world.admin, &rate).await;
    let facts = incursions(&world, 5, 1, &mut Numbers(7));
    let window = Span::minutes(120);
    let minutes: Vec<Timestamp> = facts.iter().map(|fact| minute_after(fact.started_at + window)).collect();
    // The machine runs all the time, and says so before each look. Reports of a few days each grow.
    let keep_running = async |world: &AlertWorld| {
        let now = world.app.clock.now();
        let days = (now - begin).micros() / (3 * DAY.micros());
        let report = json!({
            "uid": world.next_uid(), "kind": "runtime", "ended_at": now,
            "started_at": begin - Span::minutes(180) + Span::minutes(days * 3 * 1_440),
        });
        world.events(1, &[report]).await;
    };
    let end = begin + Span::minutes(6 * 1_440);
    live_through(&world, &facts, minutes, end, keep_running).await;
    let found = evaluated(&world, rule, &["machine"]).await;
    assert!(found.len() >= 2, "too few to compare: {found:?}");
    assert_eq!(replayed(&world, &rate).await, found);
}
