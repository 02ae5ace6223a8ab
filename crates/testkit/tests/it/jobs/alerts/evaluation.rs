//! Which rules are looked at, and what that costs.

use std::time::Duration;

use domain::{
    AlertComparison, AlertLevel, AlertMetric, AlertScope, AlertSeverity, AlertSplit, AlertTerms, AlertWindow,
    BrandId, Name, OutsideHours, Span, UserId,
};
use http::Method;
use serde_json::{Value, json};
use store::{NewRule, Projects};
use testkit::{TestApp, on_both_engines};

use super::world::AlertWorld;

on_both_engines!(
    a_thousand_rules_with_five_windows_are_five_questions,
    nothing_is_read_while_nothing_changes,
    a_quiet_rule_is_asked_again_only_if_time_matters,
    a_rule_says_that_it_was_looked_at,
    an_archived_machine_stops_its_rule,
    an_archived_worksite_stops_its_rule,
    a_disabled_rule_is_not_judged,
    a_changed_rule_is_judged_anew,
    a_rule_that_cools_down_is_judged_when_that_ends,
    facts_wake_the_evaluation,
    metrics_tell_what_was_done,
    old_firings_are_deleted,
    viewers_see_what_fired,
);

pub async fn status(world: &AlertWorld, rule: i64) -> (Value, Value) {
    let found = world.get(&format!("/api/v1/alerts/{rule}")).await;
    (found["status"].clone(), found["status_reason"].clone())
}

/// Adds rules as the member, more than anybody could.
async fn add_rules(world: &AlertWorld, count: usize) {
    let (store, platform) = world.app.database().open().await;
    let scope = platform.scope(BrandId(1), Projects::All);
    let splits = [AlertSplit::None, AlertSplit::Machine, AlertSplit::Worksite, AlertSplit::Person];
    let mut tx = store.begin().await.unwrap();
    for number in 0..count {
        let machine_ids = if number % 3 == 0 { vec![1, 2] } else { Vec::new() };
        let new = NewRule {
            name: Name::parse(&format!("Rule {number}")).unwrap(),
            terms: AlertTerms {
                metric: AlertMetric::Incursions,
                comparison: AlertComparison::Above,
                threshold: AlertLevel::whole(1_000),
                window: Some(AlertWindow::Rolling { minutes: [15, 60, 240, 1_440, 10_080][number % 5] }),
                minimum_count: None,
                scope: AlertScope { machine_ids, ..AlertScope::default() },
                split_by: splits[number % 4],
            },
            active_hours: None,
            outside_hours: OutsideHours::Hold,
            cool_down_minutes: 60,
            severity: AlertSeverity::Warning,
            notify_on_clear: false,
            enabled: true,
            recipients: Vec::new(),
        };
        let now = world.app.clock.now();
        tx.alert_rules(&scope).add(UserId(2), &new, &Projects::All, now).await.unwrap();
    }
    tx.commit().await.unwrap();
    store.close().await;
}

async fn a_thousand_rules_with_five_windows_are_five_questions(app: TestApp) {
    let world = AlertWorld::new(app).await;
    add_rules(&world, 1_000).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.questions, 5);
    // As a worker would half a second later.
    world.incursions(2, 3).await;
    let before = world.app.app.store.statement_count();
    let done = world.evaluate().await;
    assert_eq!((done.brands, done.questions, done.fired), (1, 5, 0));
    let statements = world.app.app.store.statement_count() - before;
    assert!(statements < 40, "{statements} statements");
    // Also when everything is read again.
    world.advance_minutes(1);
    world.incursions(2, 3).await;
    let before = world.app.app.store.statement_count();
    assert_eq!(world.evaluate().await.questions, 5);
    let statements = world.app.app.store.statement_count() - before;
    assert!(statements < 80, "{statements} statements");
}

async fn nothing_is_read_while_nothing_changes(app: TestApp) {
    let world = AlertWorld::new(app).await;
    assert_eq!(world.evaluate().await, app::EvaluationSummary::default());
    world.rule(&json!({})).await;
    assert_eq!(world.evaluate().await.brands, 1);
    let before = world.app.app.store.statement_count();
    assert_eq!(world.evaluate().await, app::EvaluationSummary::default());
    assert_eq!(world.app.app.store.statement_count() - before, 1);
}

async fn a_quiet_rule_is_asked_again_only_if_time_matters(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "threshold": 100 })).await;
    assert_eq!(world.evaluate().await.questions, 1);
    world.advance_minutes(1);
    let done = world.evaluate().await;
    assert_eq!((done.brands, done.questions), (1, 0));
    world.rule(&json!({ "threshold": 0, "comparison": "below" })).await;
    world.evaluate().await;
    world.advance_minutes(1);
    assert_eq!(world.evaluate().await.questions, 1);
    world.app.run_jobs().await;
}

async fn a_rule_says_that_it_was_looked_at(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({})).await;
    let path = format!("/api/v1/alerts/{rule}");
    assert_eq!(world.get(&path).await["judged_at"], Value::Null);
    let first = world.app.clock.now();
    world.evaluate().await;
    world.advance_minutes(5);
    world.evaluate().await;
    let found = world.get(&path).await;
    assert_eq!((&found["status"], &found["judged_at"]), (&json!("ok"), &json!(first)));
}

async fn an_archived_machine_stops_its_rule(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "scope": { "machine_ids": [1] } })).await;
    let both = world.rule(&json!({ "scope": { "machine_ids": [1, 2] } })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 2);
    let call = async |what: &str| {
        // Later than its incursions, which stay its own.
        world.advance_minutes(1);
        let path = format!("/api/v1/machines/1/{what}");
        world.send(&world.admin, Method::POST, &path, None).await.expect(200);
        world.app.run_jobs().await;
        world.advance_minutes(1);
    };
    call("archive").await;
    assert_eq!(world.evaluate().await.cleared, 1);
    assert_eq!(status(&world, rule).await, (json!("stopped"), json!("scope_archived")));
    assert_eq!(status(&world, both).await.0, "firing");
    assert_eq!(world.firings(rule).await[0]["clear_reason"], "scope_archived");
    // It stays silent, and goes on when the machine is back.
    world.advance_minutes(60);
    assert_eq!(world.evaluate().await.fired, 0);
    call("restore").await;
    world.evaluate().await;
    assert_eq!(status(&world, rule).await, (json!("ok"), Value::Null));
}

async fn an_archived_worksite_stops_its_rule(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "scope": { "worksite_ids": [1] } })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.advance_minutes(1);
    world.patch("worksites/1", &json!({ "archived": true })).await;
    world.app.run_jobs().await;
    world.advance_minutes(1);
    assert_eq!(world.evaluate().await.cleared, 1);
    assert_eq!(status(&world, rule).await, (json!("stopped"), json!("scope_archived")));
    assert_eq!(world.firings(rule).await[0]["clear_reason"], "scope_archived");
}

async fn a_disabled_rule_is_not_judged(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "enabled": false })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 0);
    assert_eq!(status(&world, rule).await.0, "disabled");
    world.patch(&format!("alerts/{rule}"), &json!({ "enabled": true })).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

async fn a_changed_rule_is_judged_anew(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({})).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.patch(&format!("alerts/{rule}"), &json!({ "threshold": 4 })).await;
    assert_eq!(world.evaluate().await.fired, 0);
    world.incursions(1, 1).await;
    // The cool-down is that of a rule that was another one.
    assert_eq!(world.evaluate().await.fired, 1);
    let firings = world.firings(rule).await;
    assert_eq!(firings[0]["clear_reason"], "rule_changed");
    assert_eq!((&firings[1]["threshold"], &firings[1]["value"]), (&json!(4), &json!(4)));
    world.app.run_jobs().await;
}

async fn a_rule_that_cools_down_is_judged_when_that_ends(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "threshold": 2, "window_minutes": 5, "cool_down_minutes": 2 })).await;
    world.incursions(1, 2).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.clock.advance(Span::seconds(320));
    assert_eq!(world.evaluate().await.cleared, 1);
    // It is 50 seconds past a minute, and so will it be when the cool-down ends.
    world.app.clock.advance(Span::seconds(70));
    world.incursions(1, 2).await;
    assert_eq!(world.evaluate().await.fired, 0);
    world.app.clock.advance(Span::seconds(49));
    assert_eq!(world.evaluate().await.fired, 0);
    world.app.clock.advance(Span::seconds(1));
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

async fn facts_wake_the_evaluation(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 1).await;
    tokio::time::timeout(Duration::from_secs(10), world.app.app.alerts_hint()).await.unwrap();
    let again = tokio::time::timeout(Duration::from_millis(20), world.app.app.alerts_hint()).await;
    assert!(again.is_err(), "one hint for what is one commit");
}

async fn metrics_tell_what_was_done(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({})).await;
    world.incursions(1, 3).await;
    world.evaluate().await;
    let text = world.app.get("/metrics").send().await.expect(200).text();
    for line in [
        "keepclear_alert_evaluations_total 1",
        "keepclear_alert_questions_total 1",
        "keepclear_alert_firings_total 1",
        "keepclear_alert_clears_total 0",
        "keepclear_alert_mails_total{outcome=\"sent\"} 0",
        "keepclear_alert_rules 1",
        "keepclear_alert_firings_open 1",
        "keepclear_alert_deliveries_waiting 1",
        "keepclear_alert_evaluations_failed_total{reason=\"error\"} 0",
        "keepclear_alert_evaluations_failed_total{reason=\"busy\"} 0",
        "keepclear_alert_evaluations_failed_total{reason=\"lost\"} 0",
        "keepclear_alert_lag_seconds 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing in {text}");
    }
    world.app.run_jobs().await;
    // Another worker takes the brand over, and nobody looks at it.
    let moved = "update alert_cursors set fence = fence + 2";
    testkit::execute_raw_sql(world.app.database(), moved).await.unwrap();
    world.app.clock.advance(Span::seconds(6));
    world.incursions(1, 1).await;
    assert_eq!(world.evaluate().await.lost, 1);
    world.advance_minutes(3);
    let text = world.app.get("/metrics").send().await.expect(200).text();
    assert!(text.contains("keepclear_alert_evaluations_failed_total{reason=\"lost\"} 1\n"), "{text}");
    let lag = text.lines().find_map(|line| line.strip_prefix("keepclear_alert_lag_seconds ")).unwrap();
    assert!((120..=190).contains(&lag.parse::<i64>().unwrap()), "{lag}");
    assert!(text.contains("keepclear_alert_mails_total{outcome=\"sent\"} 1\n"), "{text}");
    assert!(text.contains("keepclear_alert_deliveries_waiting 0\n"), "{text}");
}

async fn old_firings_are_deleted(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "window_minutes": 5 })).await;
    world.incursions(1, 3).await;
    world.evaluate().await;
    world.app.run_jobs().await;
    // An open firing is kept, however old it is.
    world.advance_minutes(400 * 24 * 60);
    assert_eq!(world.app.app.delete_old_alerts().await.unwrap(), 0);
    world.evaluate().await;
    assert_eq!(world.firings(rule).await[0]["state"], "cleared");
    world.advance_minutes(364 * 24 * 60);
    assert_eq!(world.app.app.delete_old_alerts().await.unwrap(), 0);
    world.advance_minutes(2 * 24 * 60);
    assert_eq!(world.app.app.delete_old_alerts().await.unwrap(), 1);
    let rows = testkit::count_rows(world.app.database()).await;
    for table in ["alert_firings", "alert_messages", "alert_message_events", "alert_deliveries"] {
        assert_eq!(rows[table], 0, "{table}");
    }
}

async fn viewers_see_what_fired(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({})).await;
    world.incursions(1, 3).await;
    world.evaluate().await;
    let path = format!("/api/v1/alerts/{rule}/firings");
    let seen = world.send(&world.viewer, Method::GET, &path, None).await.expect(200).json();
    assert_eq!(seen["data"][0]["value"], 3.0);
    world.app.run_jobs().await;
}
