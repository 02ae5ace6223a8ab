//! What an alert has that names only a metric and a threshold.

use std::collections::BTreeSet;

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{create, faults, post, too_many, with};

on_both_engines!(
    each_metric_has_defaults_of_its_own,
    each_metric_has_a_range_of_thresholds,
    each_metric_has_a_shortest_window,
);

/// Every metric with a threshold, and what follows: unit, comparison, minutes of the window, minimum count and split.
fn metrics() -> Vec<(&'static str, f64, Value)> {
    vec![
        ("incursions", 3.0, json!(["count", "above", 60, null, "none"])),
        ("unacknowledged_incursions", 3.0, json!(["count", "above", 60, null, "none"])),
        ("acknowledgement_rate", 0.8, json!(["ratio", "below", 1_440, 10, "none"])),
        ("incursions_per_runtime_hour", 2.5, json!(["per_hour", "above", 1_440, 5, "none"])),
        ("long_incursion", 30.0, json!(["seconds", "above", 60, null, "none"])),
        // Twice as long as what is looked for.
        ("long_incursion", 86_400.0, json!(["seconds", "above", 2_880, null, "none"])),
        ("repeat_pair", 3.0, json!(["count", "above", 1_440, null, "pair"])),
        ("tag_test_overdue", 30.0, json!(["days", "above", null, null, "tag"])),
        ("tag_battery_low", 20.0, json!(["percent", "below", null, null, "tag"])),
        ("base_station_silent", 60.0, json!(["minutes", "above", null, null, "base_station"])),
        ("visitor_overstay", 0.0, json!(["minutes", "above", null, null, "person"])),
        ("drift", 30.0, json!(["percent", "above", null, null, "worksite"])),
    ]
}

async fn each_metric_has_defaults_of_its_own(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let names: BTreeSet<&str> = metrics().into_iter().map(|(metric, ..)| metric).collect();
    assert_eq!(names.len(), domain::AlertMetric::ALL.len());
    for (metric, threshold, expected) in metrics() {
        let more = json!({ "metric": metric, "threshold": threshold });
        let made = create(&app, &bob, &with(too_many(metric), &more)).await;
        let members = ["unit", "comparison", "window_minutes", "minimum_count", "split_by"];
        let shown: Vec<&Value> = members.into_iter().map(|name| &made[name]).collect();
        assert_eq!(json!(shown), expected, "{metric}");
        assert_eq!(made["window"], Value::Null, "{metric}");
    }
    // Fewer incursions than usual are what it is about.
    let more = json!({ "metric": "incursions_per_runtime_hour", "threshold": 1, "comparison": "below" });
    assert_eq!(create(&app, &bob, &with(too_many("Rate"), &more)).await["minimum_count"], 0);
}

async fn each_metric_has_a_range_of_thresholds(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (metric, comparison, range, beyond) in [
        ("incursions", "above", [1.0, 1_000_000.0], [0.0, 1_000_001.0]),
        ("incursions", "below", [0.0, 1_000_000.0], [-1.0, 1_000_001.0]),
        ("unacknowledged_incursions", "above", [1.0, 1_000_000.0], [0.5, 1_000_001.0]),
        ("acknowledgement_rate", "below", [0.01, 0.99], [0.009, 1.0]),
        ("acknowledgement_rate", "above", [0.01, 1.0], [0.0, 1.01]),
        ("incursions_per_runtime_hour", "above", [0.001, 10_000.0], [0.0, 10_001.0]),
        ("long_incursion", "above", [1.0, 86_400.0], [0.9, 86_401.0]),
        ("repeat_pair", "above", [2.0, 10_000.0], [1.0, 10_001.0]),
        ("tag_test_overdue", "above", [1.0, 3_650.0], [0.0, 3_651.0]),
        ("tag_battery_low", "below", [1.0, 99.0], [0.0, 100.0]),
        ("base_station_silent", "above", [10.0, 43_200.0], [9.0, 43_201.0]),
        ("visitor_overstay", "above", [0.0, 10_080.0], [-1.0, 10_081.0]),
        ("drift", "above", [1.0, 1_000.0], [0.0, 1_001.0]),
    ] {
        let body = |threshold: f64| {
            let more = json!({ "metric": metric, "comparison": comparison, "threshold": threshold });
            with(too_many(metric), &more)
        };
        for threshold in range {
            create(&app, &bob, &body(threshold)).await;
        }
        for threshold in beyond {
            let refused = post(&app, &bob, &body(threshold)).await.expect(422);
            let expected = [("threshold".to_owned(), "out_of_range".to_owned())];
            assert_eq!(faults(&refused), expected, "{metric} {threshold}");
        }
    }
}

async fn each_metric_has_a_shortest_window(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (metric, threshold, least) in [
        ("incursions", 3.0, 5),
        ("unacknowledged_incursions", 3.0, 10),
        ("acknowledgement_rate", 0.8, 15),
        ("incursions_per_runtime_hour", 2.5, 60),
        ("long_incursion", 30.0, 5),
        ("long_incursion", 600.0, 12),
        ("repeat_pair", 3.0, 5),
    ] {
        let body = |more: Value| {
            with(with(too_many(metric), &json!({ "metric": metric, "threshold": threshold })), &more)
        };
        for minutes in [least, 43_200] {
            let made = create(&app, &bob, &body(json!({ "window_minutes": minutes }))).await;
            assert_eq!((&made["window_minutes"], &made["window"]), (&json!(minutes), &Value::Null));
        }
        for unit in ["day", "week"] {
            let made = create(&app, &bob, &body(json!({ "window": unit }))).await;
            assert_eq!((&made["window"], &made["window_minutes"]), (&json!(unit), &Value::Null));
        }
        let refused = post(&app, &bob, &body(json!({ "window_minutes": least - 1 }))).await.expect(422);
        assert_eq!(faults(&refused), [("window_minutes".to_owned(), "out_of_range".to_owned())], "{metric}");
    }
}
