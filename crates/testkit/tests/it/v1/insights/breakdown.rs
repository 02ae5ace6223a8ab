//! GET /api/v1/insights/breakdown

use domain::{MachineId, PersonId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, acknowledged, get, incursion, runtime};

on_both_engines!(
    parts_come_in_the_order_that_was_asked_for,
    machines_that_ran_without_anyone_near_are_told_too,
    everything_can_be_broken_down_by_every_part,
);

fn metric_by_part(answer: &Value, metric: &str) -> Vec<Value> {
    let rows = answer["rows"].as_array().unwrap().iter();
    rows.map(|row| json!([row["part"]["id"], row["metrics"][metric]["value"]])).collect()
}

async fn parts_come_in_the_order_that_was_asked_for(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows = vec![
        acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2),
        incursion(&yard, "2026-02-24T11:00:00Z", 10),
    ];
    let mut other = acknowledged(incursion(&yard, "2026-02-24T12:00:00Z", 90), 2);
    other.attribution.machine = Some(MachineId(2));
    let mut none = incursion(&yard, "2026-02-24T13:00:00Z", 1);
    none.attribution.machine = None;
    rows.extend([other, none]);
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, &yard.admin, "/breakdown?by=machine").await;
    assert_eq!(metric_by_part(&answer, "incursions"), [json!([1, 2]), json!([2, 1]), json!([null, 1])]);
    assert_eq!(answer["rows"][2]["part"]["label"], "No machine");
    assert_eq!(answer["totals"]["incursions"]["value"], json!(4));
    let answer = get(&yard, &yard.admin, "/breakdown?by=machine&sort=acknowledgement_rate").await;
    assert_eq!(
        metric_by_part(&answer, "acknowledgement_rate"),
        [json!([null, 0]), json!([1, 0.5]), json!([2, 1])]
    );
    // Sorted by a metric that is not requested otherwise.
    let answer =
        get(&yard, &yard.admin, "/breakdown?by=machine&metric=incursions&sort=-p95_duration&limit=1").await;
    assert_eq!(metric_by_part(&answer, "p95_duration"), [json!([2, 90])]);
    assert_eq!(answer["more"], json!(2));
}

async fn machines_that_ran_without_anyone_near_are_told_too(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    let answer = get(&yard, &yard.admin, "/breakdown?by=machine").await;
    assert_eq!(metric_by_part(&answer, "incursions_per_runtime_hour"), [json!([1, 0])]);
    assert_eq!(metric_by_part(&answer, "acknowledgement_rate"), [json!([1, null])]);
    // Without a runtime metric, machines that ran without incursions are not listed.
    let answer = get(&yard, &yard.admin, "/breakdown?by=machine&metric=incursions").await;
    assert_eq!(answer["rows"], json!([]));
}

async fn everything_can_be_broken_down_by_every_part(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut row = incursion(&yard, "2026-02-24T10:00:00Z", 10);
    row.attribution.operator = Some(PersonId(4));
    yard.facts.add_incursions(vec![row]).await;
    for (by, id, label) in [
        ("project", json!(1), "Project 1"),
        ("worksite", json!(1), "Site 1"),
        ("machine", json!(1), "Crane 1"),
        ("machine_kind", json!("crane"), "Crane"),
        ("pedestrian", json!(1), "Ada"),
        ("operator", json!(4), "Dan"),
        ("zone", json!("warning"), "Warning"),
        ("hour_of_day", json!(10), "10:00"),
        ("day_of_week", json!(2), "Tuesday"),
    ] {
        let answer = get(&yard, &yard.admin, &format!("/breakdown?by={by}&metric=incursions")).await;
        assert_eq!(answer["rows"][0]["part"], json!({ "id": id, "label": label }), "{by}");
    }
}
