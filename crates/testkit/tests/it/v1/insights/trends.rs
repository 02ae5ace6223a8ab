//! GET /api/v1/insights/trends

use domain::Zone;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, acknowledged, get, incursion, runtime};

on_both_engines!(
    every_step_is_there_and_a_gap_is_explained,
    hours_weeks_and_months_are_those_of_the_site,
    a_trend_is_split_into_the_parts_with_the_most,
    a_step_that_is_cut_or_not_over_says_so,
);

fn values(series: &Value) -> Vec<Value> {
    series["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| json!([point["at"], point["value"], point["reason"]]))
        .collect()
}

async fn every_step_is_there_and_a_gap_is_explained(app: TestApp) {
    let yard = Yard::new(app).await;
    let rows = vec![
        acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2),
        incursion(&yard, "2026-02-26T10:00:00Z", 10),
    ];
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30), runtime("2026-02-25T10:00:00Z", 30)]).await;
    let metrics = "metric=incursions&metric=acknowledgement_rate&metric=incursions_per_runtime_hour&metric=runtime_hours";
    let answer = get(&yard, &yard.admin, &format!("/trends?from=2026-02-23&to=2026-02-27&{metrics}")).await;
    assert_eq!((&answer["interval"], &answer["more"]), (&json!("day"), &json!(0)));
    let series = answer["series"].as_array().unwrap();
    let named = |name: &str| values(series.iter().find(|series| series["metric"] == name).unwrap());
    assert_eq!(
        named("incursions"),
        [
            json!(["2026-02-23", 0, null]),
            json!(["2026-02-24", 1, null]),
            json!(["2026-02-25", 0, null]),
            json!(["2026-02-26", 1, null]),
        ]
    );
    assert_eq!(
        named("acknowledgement_rate"),
        [
            json!(["2026-02-23", null, "no_incursions"]),
            json!(["2026-02-24", 1, null]),
            json!(["2026-02-25", null, "no_incursions"]),
            json!(["2026-02-26", 0, null]),
        ]
    );
    // A machine that ran without incursions differs from one that did not run.
    assert_eq!(
        named("incursions_per_runtime_hour"),
        [
            json!(["2026-02-23", null, "no_runtime"]),
            json!(["2026-02-24", 2, null]),
            json!(["2026-02-25", 0, null]),
            json!(["2026-02-26", null, "no_runtime"]),
        ]
    );
    assert_eq!(named("runtime_hours")[0], json!(["2026-02-23", 0, null]));
}

async fn hours_weeks_and_months_are_those_of_the_site(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts
        .add_incursions(vec![
            incursion(&yard, "2026-02-28T23:59:59Z", 10),
            incursion(&yard, "2026-02-23T00:00:00Z", 10),
        ])
        .await;
    let of =
        async |query: &str| values(&get(&yard, &yard.admin, &format!("/trends?{query}")).await["series"][0]);
    let hours = of("from=2026-02-28T22:00:00Z&to=2026-03-01T00:00:00Z&interval=hour").await;
    assert_eq!(hours, [json!(["2026-02-28T22:00", 0, null]), json!(["2026-02-28T23:00", 1, null])]);
    let weeks = of("from=2026-02-22&to=2026-03-01&interval=week").await;
    assert_eq!(weeks, [json!(["2026-02-16", 0, null]), json!(["2026-02-23", 2, null])]);
    let months = of("from=2026-01-15&to=2026-03-01&interval=month").await;
    assert_eq!(months, [json!(["2026-01-01", 0, null]), json!(["2026-02-01", 2, null])]);
}

async fn a_trend_is_split_into_the_parts_with_the_most(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows: Vec<_> =
        (1..=3).map(|hour| incursion(&yard, &format!("2026-02-24T0{hour}:00:00Z"), 10)).collect();
    rows[0].zone = Zone::Danger;
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, &yard.admin, "/trends?from=2026-02-24&to=2026-02-26&split_by=zone").await;
    let series = answer["series"].as_array().unwrap();
    assert_eq!(series[0]["part"], json!({ "id": "warning", "label": "Warning" }));
    assert_eq!(values(&series[0]), [json!(["2026-02-24", 2, null]), json!(["2026-02-25", 0, null])]);
    assert_eq!(series[1]["part"], json!({ "id": "danger", "label": "Danger" }));
    assert_eq!(values(&series[1]), [json!(["2026-02-24", 1, null]), json!(["2026-02-25", 0, null])]);
    // Where runtime cannot be split by the dimension, it is null, not zero.
    let answer = get(&yard, &yard.admin, "/trends?split_by=pedestrian&metric=runtime_hours").await;
    assert!(
        answer["series"][0]["points"].as_array().unwrap().iter().all(|point| point["reason"] == "no_runtime")
    );
    // More groups than are returned.
    let mut rows = Vec::new();
    for number in 0..30 {
        let mut row = incursion(&yard, "2026-02-24T05:00:00Z", 10);
        row.attribution.pedestrian = Some(domain::PersonId(100 + number));
        rows.push(row);
    }
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, &yard.admin, "/trends?split_by=pedestrian").await;
    assert_eq!((answer["series"].as_array().unwrap().len(), &answer["more"]), (20, &json!(11)));
}

async fn a_step_that_is_cut_or_not_over_says_so(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-24T10:00:00Z", 10)]).await;
    let partial = async |query: &str| -> Vec<String> {
        let answer = get(&yard, &yard.admin, &format!("/trends?{query}")).await;
        let points = answer["series"][0]["points"].as_array().unwrap().clone();
        assert!(points.iter().all(|point| point["partial"].is_boolean()), "{points:?}");
        let cut = points.iter().filter(|point| point["partial"] == true);
        cut.map(|point| point["at"].as_str().unwrap().to_owned()).collect()
    };
    // Today is not over.
    assert_eq!(partial("").await, ["2026-03-01"]);
    assert_eq!(partial("from=2026-02-23&to=2026-03-03").await, ["2026-03-01", "2026-03-02"]);
    assert!(partial("from=2026-02-23&to=2026-03-01").await.is_empty());
    assert_eq!(partial("interval=week").await, ["2026-02-23"]);
    assert_eq!(partial("interval=month").await, ["2026-02-01", "2026-03-01"]);
    assert_eq!(partial("interval=hour&from=2026-03-01").await, ["2026-03-01T12:00"]);
    // The period cuts them.
    assert_eq!(
        partial("from=2026-02-20T10:30:00Z&to=2026-02-22T10:30:00Z").await,
        ["2026-02-20", "2026-02-22"]
    );
    assert!(partial("from=2026-02-20T00:00:00Z&to=2026-02-22T00:00:00Z").await.is_empty());
    assert_eq!(partial("from=2026-02-24&to=2026-02-26&interval=week").await, ["2026-02-23"]);
}
