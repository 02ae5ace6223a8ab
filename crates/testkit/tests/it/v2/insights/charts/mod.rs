//! /api/v2/insights/charts

mod agreement;
mod images;
mod languages;
mod list;
mod machine_runtime;
mod numbers;
mod refusals;
mod trends;

use domain::{MachineId, PersonId, ProjectId, Span, WorksiteId, Zone};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

const PATH: &str = "/api/v2/insights/charts";

const CHARTS: [&str; 9] = [
    "machine_runtime",
    "acknowledged_incursions",
    "zone_time",
    "trends",
    "incursion_rate",
    "durations",
    "heatmap",
    "hours_of_week",
    "acknowledgement_score",
];

async fn send_get(yard: &Yard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("{PATH}{rest}")).bearer(&user.jwt).send().await
}

async fn chart(yard: &Yard, rest: &str) -> Value {
    send_get(yard, &yard.admin, rest).await.expect(200).json()
}

/// Advances the clock so that the rate limit allows more calls.
fn refill_quota(yard: &Yard) {
    yard.app.clock.advance(Span::seconds(25));
}

/// Machine 1 at worksite 1: two warnings, one of them acknowledged, and a danger, on 24 and 25 February. Machine 2 at worksite 2: a
/// danger on the 24th. Half an hour of machine 1 on the 24th and a quarter of machine 2 on the 26th, driven by person 4.
async fn busy_yard(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut danger = incursion(&yard, "2026-02-24T11:00:00Z", 30);
    danger.zone = Zone::Danger;
    let mut elsewhere = danger.clone();
    elsewhere.uid = "elsewhere".to_owned();
    elsewhere.attribution.machine = Some(MachineId(2));
    elsewhere.attribution.worksite = Some(WorksiteId(2));
    elsewhere.attribution.project = Some(ProjectId(2));
    elsewhere.attribution.operator = Some(PersonId(4));
    let mut first = acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2);
    let mut second = incursion(&yard, "2026-02-25T10:00:00Z", 20);
    for row in [&mut first, &mut second, &mut danger] {
        let cell = h3o::LatLng::new(52.52, 13.405).unwrap().to_cell(h3o::Resolution::Thirteen);
        row.attribution.cell = Some(i64::try_from(u64::from(cell)).unwrap());
    }
    yard.facts.add_incursions(vec![first, second, danger, elsewhere]).await;
    let mut other = runtime("2026-02-26T10:00:00Z", 15);
    other.base_station = domain::BaseStationId(2);
    other.machine = Some(MachineId(2));
    other.worksite = Some(WorksiteId(2));
    other.project = Some(ProjectId(2));
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30), other]).await;
    yard
}

/// Returns key, label and points of each series; a point has its key, value and reason.
fn series(chart: &Value) -> Vec<Value> {
    let point = |point: &Value| {
        let of = point.get("at").or(point.get("label")).unwrap();
        match &point["reason"] {
            Value::Null => json!([of, point["value"]]),
            reason => json!([of, reason]),
        }
    };
    let points =
        |series: &Value| -> Vec<Value> { series["points"].as_array().unwrap().iter().map(point).collect() };
    let all = chart["series"].as_array().unwrap().iter();
    all.map(|series| json!([series["key"], series["label"], points(series)])).collect()
}
