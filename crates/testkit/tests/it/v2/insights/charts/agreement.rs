//! Charts agree with the insights of V1.

use domain::insights::Measure;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, busy_yard, chart, refill_quota};

on_both_engines!(
    every_metric_over_time_is_that_of_v1,
    parts_are_those_of_v1,
    lengths_and_places_are_those_of_v1,
    hours_of_the_week_add_up_to_those_of_v1,
);

const FILTERS: [&str; 5] = [
    "from=2026-02-23&to=2026-02-28",
    "from=2026-02-24T10:30:00Z&to=2026-02-26T10:05:00Z",
    "from=2026-02-23&to=2026-02-28&zone=danger",
    "from=2026-02-23&to=2026-02-28&machine_id=1&acknowledged=false",
    "from=2026-02-23&to=2026-02-28&person_id=1",
];

async fn get_v1(yard: &Yard, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json()
}

fn point_values(points: &Value) -> Vec<Value> {
    let names = ["at", "value", "numerator", "denominator", "reason"];
    points.as_array().unwrap().iter().map(|point| json!(names.map(|name| &point[name]))).collect()
}

async fn every_metric_over_time_is_that_of_v1(app: TestApp) {
    let yard = busy_yard(app).await;
    for filter in FILTERS {
        for interval in ["hour", "day", "week", "month"] {
            refill_quota(&yard);
            let same = async |ours: &str, place: usize, metric: &str| {
                let ours = chart(&yard, &format!("/{ours}&interval={interval}&{filter}")).await;
                let theirs =
                    get_v1(&yard, &format!("/trends?metric={metric}&interval={interval}&{filter}")).await;
                assert_eq!(
                    point_values(&ours["series"][place]["points"]),
                    point_values(&theirs["series"][0]["points"]),
                    "{metric} {filter}"
                );
                for name in ["from", "to", "time_zones", "seq", "interval"] {
                    assert_eq!(ours[name], theirs[name], "{name}");
                }
            };
            for metric in Measure::ALL.map(Measure::as_str) {
                same(&format!("trends?metric={metric}"), 0, metric).await;
            }
            for (place, metric) in
                ["acknowledged", "unacknowledged", "acknowledgement_rate"].into_iter().enumerate()
            {
                same("acknowledged_incursions?", place, metric).await;
            }
            same("acknowledgement_score?", 0, "acknowledgement_rate").await;
            same("incursion_rate?", 0, "incursions_per_runtime_hour").await;
        }
        let ours = chart(&yard, &format!("/machine_runtime?{filter}")).await;
        let theirs = get_v1(&yard, &format!("/trends?metric=runtime_hours&split_by=machine&{filter}")).await;
        for series in ours["series"].as_array().unwrap() {
            let other = theirs["series"].as_array().unwrap().iter();
            let mut other = other.filter(|other| other["part"]["label"] == series["label"]);
            assert_eq!(
                point_values(&series["points"]),
                point_values(&other.next().unwrap()["points"]),
                "{filter}"
            );
        }
        assert_eq!(ours["series"].as_array().unwrap().len(), theirs["series"].as_array().unwrap().len());
    }
}

async fn parts_are_those_of_v1(app: TestApp) {
    let yard = busy_yard(app).await;
    for filter in FILTERS {
        refill_quota(&yard);
        for by in ["zone", "project", "worksite", "machine", "pedestrian", "operator"] {
            let ours = chart(&yard, &format!("/zone_time?by={by}&{filter}")).await;
            let path = format!("/breakdown?by={by}&metric=exposure&sort=-exposure&{filter}");
            let theirs = get_v1(&yard, &path).await;
            let rows = theirs["rows"].as_array().unwrap();
            for (place, row) in rows.iter().enumerate() {
                let mut sum = 0.0;
                for series in ours["series"].as_array().unwrap() {
                    let point = &series["points"][place];
                    assert_eq!((&point["key"], &point["label"]), (&row["part"]["id"], &row["part"]["label"]));
                    sum += point["value"].as_f64().unwrap();
                }
                assert!(
                    (sum - row["metrics"]["exposure"]["value"].as_f64().unwrap()).abs() < 1e-9,
                    "{by} {filter}"
                );
            }
        }
    }
}

async fn lengths_and_places_are_those_of_v1(app: TestApp) {
    let yard = busy_yard(app).await;
    for filter in FILTERS {
        let (ours, theirs) = (
            chart(&yard, &format!("/durations?{filter}")).await,
            get_v1(&yard, &format!("/durations?{filter}")).await,
        );
        let values = |list: &Value, name: &str| -> Vec<f64> {
            list.as_array().unwrap().iter().map(|one| one[name].as_f64().unwrap()).collect()
        };
        assert_eq!(values(&ours["series"][0]["points"], "value"), values(&theirs["steps"], "incursions"));
        assert_eq!((&ours["metrics"], &ours["without_end"]), (&theirs["metrics"], &theirs["without_end"]));
        for resolution in [9, 13] {
            let rest = format!("/heatmap?resolution={resolution}&{filter}");
            let (ours, theirs) = (chart(&yard, &rest).await, get_v1(&yard, &rest).await);
            for name in ["type", "features", "resolution", "more", "without_position", "from", "to", "seq"] {
                assert_eq!(ours[name], theirs[name], "{name}");
            }
        }
    }
}

async fn hours_of_the_week_add_up_to_those_of_v1(app: TestApp) {
    let yard = busy_yard(app).await;
    for filter in FILTERS {
        let ours = chart(&yard, &format!("/hours_of_week?{filter}")).await;
        let theirs = get_v1(&yard, &format!("/breakdown?by=hour_of_day&metric=incursions&{filter}")).await;
        for row in theirs["rows"].as_array().unwrap() {
            let hour = usize::try_from(row["part"]["id"].as_i64().unwrap()).unwrap();
            // An hour that the period does not have has no value.
            let of = |day: &Value| day["points"][hour]["value"].as_f64().unwrap_or_default();
            let sum: f64 = ours["series"].as_array().unwrap().iter().map(of).sum();
            assert!((sum - row["metrics"]["incursions"]["value"].as_f64().unwrap()).abs() < 1e-9, "{filter}");
        }
    }
}
