//! Retention of facts.

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::events::{BerlinYard, incursion, with};

on_both_engines!(
    ends_that_never_came_are_given_up_after_a_day,
    facts_are_kept_as_long_as_the_brand_says,
    nothing_is_taken_away_unasked,
);

const DAY: Span = Span::minutes(24 * 60);

async fn ends_that_never_came_are_given_up_after_a_day(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let many: Vec<Value> = (0..300).map(|n| incursion(&format!("open {n}"))).collect();
    yard.send_accepted(json!(many)).await;
    yard.send_accepted(json!([with(incursion("ended"), json!({ "duration_ms": 1_000 }))])).await;
    yard.app.clock.advance(Span::minutes(19 * 60));
    assert_eq!(yard.app.app.close_overdue_incursions().await.unwrap(), 0);
    yard.app.clock.advance(Span::minutes(60));
    assert_eq!(yard.app.app.close_overdue_incursions().await.unwrap(), 300);
    assert_eq!(yard.app.app.close_overdue_incursions().await.unwrap(), 0);
    let row = yard.stored_incursion("open 7").await.unwrap().row;
    assert_eq!((row.closed_at, row.ended_at), (Some(yard.app.clock.now()), None));
    assert!(yard.stored_incursion("ended").await.unwrap().row.closed_at.is_none());
    // Facts that arrive late expire when they arrive, and those of the next day are found too.
    let late = with(incursion("late"), json!({ "started_at": "2026-03-01T07:00:00Z" }));
    let next = with(incursion("next"), json!({ "started_at": "2026-03-02T07:00:00Z" }));
    yard.send_accepted(json!([late, next])).await;
    assert!(yard.stored_incursion("late").await.unwrap().row.closed_at.is_some());
    yard.app.clock.advance(DAY);
    assert_eq!(yard.app.app.close_overdue_incursions().await.unwrap(), 1);
    assert_eq!(testkit::count_rows(yard.app.database()).await["incursion_history"], 301);
}

/// Sends one fact of each kind, on 10 February.
async fn send_one_of_each_kind(yard: &BerlinYard) {
    let at = "2026-02-10T08:00:00Z";
    let until = "2026-02-10T08:30:00Z";
    yard.send_accepted(json!([
        with(incursion("1"), json!({ "started_at": at })),
        with(incursion("1"), json!({ "started_at": at, "zone": "danger" })),
        { "uid": "r", "kind": "runtime", "started_at": at, "ended_at": until },
        { "uid": "g", "kind": "gps", "fixes": [[at, 52.5, 13.4]] },
        { "uid": "a", "kind": "alarm", "at": at, "code": "E7", "severity": "error", "text": "Hot" },
        { "uid": "t", "kind": "tag_test", "at": at, "tag": "TAG-1", "passed": true },
        { "uid": "u", "kind": "tag_test", "at": until, "tag": "TAG-1", "passed": true },
    ]))
    .await;
    yard.send_accepted(json!([with(incursion("1"), json!({ "started_at": at, "duration_ms": 5 }))])).await;
}

const TABLES: [&str; 7] = [
    "incursions",
    "incursion_history",
    "runtime_pieces",
    "runtime_reports",
    "gps_chunks",
    "device_events",
    "tag_tests",
];

async fn count_facts(yard: &BerlinYard) -> Vec<i64> {
    let rows = testkit::count_rows(yard.app.database()).await;
    TABLES.iter().map(|table| rows[*table]).collect()
}

async fn facts_are_kept_as_long_as_the_brand_says(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    send_one_of_each_kind(&yard).await;
    let days = json!({ "keep_incursions_days": 30, "keep_runtime_days": 30, "keep_tracks_days": 30, "keep_events_days": 30,
        "keep_tests_days": 30 });
    yard.patch("admin/brand", days).await;
    assert_eq!(count_facts(&yard).await, [1, 1, 1, 1, 1, 3, 2]);
    // Not expired yet.
    yard.app.clock.advance(Span::minutes(10 * 24 * 60));
    yard.app.app.delete_expired_facts().await.unwrap();
    assert_eq!(count_facts(&yard).await, [1, 1, 1, 1, 1, 3, 2]);
    yard.app.clock.advance(Span::minutes(2 * 24 * 60));
    yard.app.app.delete_expired_facts().await.unwrap();
    // The last test of a tag is never deleted.
    assert_eq!(count_facts(&yard).await, [0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(testkit::count_rows(yard.app.database()).await["fact_marks"], 2);
}

async fn nothing_is_taken_away_unasked(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    send_one_of_each_kind(&yard).await;
    for (field, value, status) in [
        ("keep_video_days", json!(0), 422),
        ("keep_tests_days", json!("x"), 422),
        ("keep_video_days", json!(null), 200),
    ] {
        let change = json!({ field: value });
        yard.app
            .patch("/api/v1/admin/brand")
            .cookie(&yard.admin.cookie)
            .json(&change)
            .send()
            .await
            .expect(status);
    }
    yard.app.clock.advance(Span::minutes(370 * 24 * 60));
    yard.app.app.delete_expired_facts().await.unwrap();
    assert_eq!(count_facts(&yard).await, [1, 1, 1, 1, 1, 3, 2]);
}
