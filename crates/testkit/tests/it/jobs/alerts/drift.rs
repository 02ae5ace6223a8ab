//! Drift: the rate per runtime hour has climbed back from where it had fallen to.

use domain::{
    BaseStationId, Day, IncursionRow, MachineId, ProjectId, Span, TagId, TimeZone, Timestamp, WorksiteId,
};
use http::Method;
use serde_json::{Value, json};
use store::RuntimePiece;
use testkit::{Engine, TestApp, on_both_engines};

use super::each_fact_metric::{CHANGES, hours_over_changes, move_to};
use super::world::AlertWorld;

on_both_engines!(
    a_rate_that_climbs_back_fires_and_clears,
    with_too_little_data_it_says_so,
    without_a_fall_there_is_nothing_to_climb_back,
    an_installation_that_is_no_longer_known_is_no_baseline,
    it_is_judged_every_six_hours,
    it_cools_down,
    it_respects_hours_over_changes_of_clocks,
    late_facts_count_in_their_own_weeks,
    a_month_is_replayed_as_it_was_evaluated,
);

/// The Monday of the week in which tests begin, which has not ended.
const THIS_MONDAY: &str = "2026-02-23";

/// Adds a week of the digger in the yard, so many weeks ago: incursions in some hours of Monday.
async fn add_week(world: &AlertWorld, weeks_ago: i64, incursions: usize, hours: i64) {
    let facts = world.app.facts("Acme").await;
    let monday = Day::from_number(Day::parse(THIS_MONDAY).unwrap().number() - 7 * weeks_ago);
    let zone = TimeZone::parse("Europe/Berlin").unwrap();
    let at = |minutes: i64| monday.start_in(&zone) + Span::minutes(minutes);
    let row = |number: usize| {
        let started_at: Timestamp = at(60 + i64::try_from(number).unwrap());
        let mut row: IncursionRow = facts.incursion(BaseStationId(1), TagId(1), started_at);
        row.attribution.machine = Some(MachineId(1));
        row.attribution.worksite = Some(WorksiteId(1));
        row.attribution.project = Some(ProjectId(1));
        row.attribution.local_day = monday.number();
        row.attribution.local_minute = zone.local(started_at).minute_of_week();
        row
    };
    let rows: Vec<IncursionRow> = (0..incursions).map(row).collect();
    if !rows.is_empty() {
        facts.add_incursions(rows).await;
    }
    let piece = |hour: i64| RuntimePiece {
        base_station: BaseStationId(1),
        started_at: at(hour * 60),
        ended_at: at(hour * 60 + 60),
        operator_tag: None,
        machine: Some(MachineId(1)),
        operator: None,
        worksite: Some(WorksiteId(1)),
        project: Some(ProjectId(1)),
        local_day: monday.number(),
        local_hour: hour,
    };
    let pieces: Vec<RuntimePiece> = (0..hours).map(piece).collect();
    facts.put_runtime(&pieces).await;
}

/// Four weeks with ten incursions per hour, then eight with two, then four with this many altogether, in ten hours each.
async fn add_history(world: &AlertWorld, of_last_weeks: [usize; 4]) {
    add_history_until(world, 0, of_last_weeks).await;
}

/// The same until so many weeks after the one in which tests begin.
async fn add_history_until(world: &AlertWorld, weeks_ahead: i64, of_last_weeks: [usize; 4]) {
    for weeks_ago in 13..=16 {
        add_week(world, weeks_ago - weeks_ahead, 100, 10).await;
    }
    for weeks_ago in 5..=12 {
        add_week(world, weeks_ago - weeks_ahead, 20, 10).await;
    }
    for (weeks_ago, count) in (1..=4).zip(of_last_weeks) {
        add_week(world, weeks_ago - weeks_ahead, count, 10).await;
    }
}

/// Changes a rule in a way that does not matter, so that it is judged now.
async fn judge_again(world: &AlertWorld, rule: i64, name: &str) {
    world.patch(&format!("alerts/{rule}"), &json!({ "name": name })).await;
}

async fn a_rate_that_climbs_back_fires_and_clears(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 30 })).await;
    // 190 in 40 hours are 4.75 per hour, of which 4.1 are certain: 19 per cent of the way to 10 from 2.7, the most that 2 could be.
    add_history(&world, [48, 48, 47, 47]).await;
    assert_eq!(world.evaluate().await.fired, 0);
    assert_eq!(world.get(&format!("/api/v1/alerts/{rule}")).await["status"], "ok");
    // 242 are 5.3 for certain: 35 per cent.
    for weeks_ago in 1..=4 {
        add_week(&world, weeks_ago, 13, 10).await;
    }
    judge_again(&world, rule, "Second").await;
    assert_eq!(world.evaluate().await.fired, 1);
    let firing = world.firings(rule).await[0].clone();
    let value = firing["value"].as_f64().unwrap();
    assert!((34.0..36.0).contains(&value), "{firing}");
    assert_eq!((&firing["worksite"]["id"], &firing["machine"]), (&json!(1), &Value::Null));
    assert_eq!(firing["window"]["from"], "2026-01-25T23:00:00Z");
    assert_eq!(firing["window"]["to"], "2026-02-22T23:00:00Z");
    let details = &firing["details"];
    assert_eq!((&details["baseline"], &details["lowest"]), (&json!(10.0), &json!(2.0)));
    assert_eq!((&details["now"], &details["now_from"]), (&json!(6.05), &json!("2026-01-26")));
    let high = details["lowest_high"].as_f64().unwrap();
    assert!((2.6..2.8).contains(&high), "{details}");
    // In 50 hours, which are more at one time and less at another, the same number is less than 27 per cent.
    add_week(&world, 2, 0, 20).await;
    judge_again(&world, rule, "Third").await;
    assert_eq!(world.evaluate().await.cleared, 1);
    let cleared = world.firings(rule).await[0].clone();
    assert!(cleared["cleared_value"]["value"].as_f64().unwrap() < 27.0, "{cleared}");
    let mails = world.mails().await;
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    let what = " % of the improvement in incursions per runtime hour lost at Yard (threshold 30 %)";
    assert!(mail.subject.starts_with("Warning: 3") && mail.subject.ends_with(what), "{}", mail.subject);
    // What the value was computed from.
    for part in [
        "    Incursions per runtime hour at the beginning: 10\n",
        "    Lowest in four weeks since: 2, from ",
        "    In the last four weeks: 6.05 (at least 5.",
        "    Computed: how much of the way",
    ] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
}

async fn with_too_little_data_it_says_so(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let members = json!({ "metric": "drift", "threshold": 10, "split_by": "none" });
    let rule = world.rule(&members).await;
    world.evaluate().await;
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!((&shown["status"], &shown["status_reason"]), (&json!("no_data"), &json!("no_runtime")));
    for weeks_ago in 1..=3 {
        add_week(&world, weeks_ago, 10, 20).await;
    }
    judge_again(&world, rule, "Again").await;
    world.evaluate().await;
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!((&shown["status"], &shown["status_reason"]), (&json!("no_data"), &json!("no_baseline")));
}

async fn without_a_fall_there_is_nothing_to_climb_back(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 1, "split_by": "none" })).await;
    // Ten, nine and eleven incursions per hour: chance.
    for weeks_ago in 1..=16 {
        let incursions = [110, 90, 90, 100][(weeks_ago - 1) / 4];
        add_week(&world, i64::try_from(weeks_ago).unwrap(), incursions, 10).await;
    }
    assert_eq!(world.evaluate().await.fired, 0);
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!((&shown["status"], &shown["status_reason"]), (&json!("no_data"), &json!("no_fall")));
}

async fn an_installation_that_is_no_longer_known_is_no_baseline(app: TestApp) {
    let world = AlertWorld::new(app).await;
    add_history(&world, [90; 4]).await;
    // What is older than 16 weeks may have been deleted, and the first runtime is 16 weeks ago.
    world.patch("admin/brand", &json!({ "keep_incursions_days": 16 * 7 })).await;
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 30, "split_by": "none" })).await;
    assert_eq!(world.evaluate().await.fired, 0);
    let shown = world.get(&format!("/api/v1/alerts/{rule}")).await;
    assert_eq!((&shown["status"], &shown["status_reason"]), (&json!("no_data"), &json!("no_baseline")));
}

async fn it_is_judged_every_six_hours(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "metric": "drift", "threshold": 10 })).await;
    assert_eq!(world.evaluate().await.questions, 1);
    for _ in 0..3 {
        world.advance_minutes(119);
        world.incursions(1, 1).await;
        assert_eq!(world.evaluate().await.questions, 0);
    }
    world.advance_minutes(3);
    assert_eq!(world.evaluate().await.questions, 1);
}

async fn it_cools_down(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 30, "cool_down_minutes": 480 })).await;
    add_history(&world, [61, 61, 60, 60]).await;
    assert_eq!(world.evaluate().await.fired, 1);
    // As many in more hours.
    add_week(&world, 2, 0, 20).await;
    judge_again(&world, rule, "Second").await;
    assert_eq!(world.evaluate().await.cleared, 1);
    // As many per hour as before.
    add_week(&world, 2, 61, 20).await;
    world.advance_minutes(479);
    judge_again(&world, rule, "Third").await;
    assert_eq!(world.evaluate().await.fired, 0);
    world.advance_minutes(1);
    judge_again(&world, rule, "Fourth").await;
    assert_eq!(world.evaluate().await.fired, 1);
    assert_eq!(world.firings(rule).await.len(), 2);
    world.app.run_jobs().await;
}

async fn it_respects_hours_over_changes_of_clocks(engine: Engine) {
    // Clocks change so many weeks after the one in which tests begin.
    for ((before, just_before, begin), weeks_ahead) in CHANGES.into_iter().zip([4, 34]) {
        let world = AlertWorld::new(TestApp::start(engine).await).await;
        move_to(&world, before);
        add_history_until(&world, weeks_ahead, [90; 4]).await;
        let members = json!({ "metric": "drift", "threshold": 30, "active_hours": hours_over_changes() });
        let rule = world.rule(&members).await;
        assert_eq!(world.evaluate().await.fired, 1, "{before}");
        let firing = world.firings(rule).await[0].clone();
        assert_eq!((&firing["state"], &firing["held_until"]), (&json!("held"), &json!(begin)));
        move_to(&world, just_before);
        assert!(world.mails().await.is_empty(), "{just_before}");
        move_to(&world, begin);
        assert_eq!(world.mails().await.len(), 1, "{begin}");
        assert_eq!(world.firings(rule).await[0]["state"], "fired", "{begin}");
        // Half past two does not come again.
        world.advance_minutes(90);
        assert!(world.mails().await.is_empty(), "{begin}");
    }
}

async fn late_facts_count_in_their_own_weeks(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 30 })).await;
    add_history(&world, [48, 48, 47, 47]).await;
    assert_eq!(world.evaluate().await.fired, 0);
    // The week that has not ended is none of the last four.
    add_week(&world, 0, 200, 10).await;
    judge_again(&world, rule, "Second").await;
    assert_eq!(world.evaluate().await.fired, 0);
    for weeks_ago in 1..=4 {
        add_week(&world, weeks_ago, 13, 10).await;
    }
    judge_again(&world, rule, "Third").await;
    assert_eq!(world.evaluate().await.fired, 1);
    assert_eq!(world.firings(rule).await[0]["details"]["now"], json!(6.05));
    world.app.run_jobs().await;
}

/// When alarms fired and cleared.
fn times(alarms: &[Value]) -> Vec<(Value, Value)> {
    alarms.iter().map(|alarm| (alarm["fired_at"].clone(), alarm["cleared_at"].clone())).collect()
}

async fn a_month_is_replayed_as_it_was_evaluated(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // What comes in the next weeks counts when they have come.
    add_history(&world, [20; 4]).await;
    for (weeks_ahead, incursions, hours) in [(0, 90, 10), (1, 90, 10), (2, 90, 10), (3, 90, 10), (4, 5, 20)] {
        add_week(&world, -weeks_ahead, incursions, hours).await;
    }
    let rule = world.rule(&json!({ "metric": "drift", "threshold": 30 })).await;
    assert_eq!(world.evaluate().await.fired, 0);
    // The beginnings of weeks in Berlin, where clocks change on 29 March, a day later, and the end of the 30 days.
    let mondays = [1, 8, 15, 22].map(|day| format!("2026-03-{day:02}T23:00:00Z"));
    let mondays = mondays.into_iter().chain(["2026-03-29T22:00:00Z".to_owned()]);
    let mondays = mondays.map(|text| Timestamp::parse(&text).unwrap());
    let looks = mondays.flat_map(|monday| [monday, monday + Span::minutes(1_440)]);
    for at in looks.chain([world.app.clock.now() + Span::minutes(30 * 1_440)]) {
        world.app.clock.advance(at - world.app.clock.now());
        world.evaluate().await;
    }
    let found = times(&world.firings(rule).await);
    assert!(!found.is_empty(), "nothing to compare");
    let body = json!({ "name": "Trial", "metric": "drift", "threshold": 30,
        "recipients": [{ "email": "ada@example.com" }] });
    let reply = world.send(&world.member, Method::POST, "/api/v1/alerts/dry_run", Some(&body)).await;
    let run = reply.expect(200).json();
    assert_eq!((&run["splits"][0]["label"], &run["from"]), (&json!("Yard"), &json!("2026-03-01T12:00:30Z")));
    assert_eq!(times(run["splits"][0]["firings"].as_array().unwrap()), found);
    world.app.run_jobs().await;
}
