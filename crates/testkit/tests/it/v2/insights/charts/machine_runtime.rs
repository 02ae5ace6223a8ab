//! GET /api/v2/insights/charts/machine_runtime

use domain::{BaseStationId, MachineId, PersonId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, chart, send_get, series};
use crate::v1::insights::runtime;

on_both_engines!(
    hours_are_told_by_machine_and_day,
    who_drove_is_told_in_one_stretch,
    a_stretch_is_cut_where_the_period_is,
    operators_are_told_for_a_month_at_most,
    those_who_ran_the_longest_come_first,
    the_hours_of_a_picture_are_those_of_the_data,
);

fn spans(chart: &Value, machine: usize) -> Vec<Value> {
    let all = chart["operators"][machine]["spans"].as_array().unwrap();
    all.iter()
        .map(|span| json!([span["from"], span["to"], span["operator"]["label"], span["hours"]]))
        .collect()
}

async fn hours_are_told_by_machine_and_day(app: TestApp) {
    let yard = super::busy_yard(app).await;
    let answer = chart(&yard, "/machine_runtime?from=2026-02-24&to=2026-02-27").await;
    assert_eq!(
        series(&answer),
        [
            json!(["1", "Crane 1", [["2026-02-24", 0.5], ["2026-02-25", 0], ["2026-02-26", 0]]]),
            json!(["2", "Crane 2", [["2026-02-24", 0], ["2026-02-25", 0], ["2026-02-26", 0.25]]]),
        ]
    );
    assert_eq!((&answer["unit"], &answer["operators"]), (&json!("hours"), &json!(null)));
}

async fn who_drove_is_told_in_one_stretch(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut unknown = runtime("2026-02-24T12:20:00Z", 10);
    unknown.operator = None;
    let mut other = runtime("2026-02-24T12:30:00Z", 15);
    other.operator = Some(PersonId(1));
    let pieces = [
        runtime("2026-02-24T10:30:00Z", 30),
        runtime("2026-02-24T11:00:00Z", 60),
        runtime("2026-02-24T12:00:00Z", 20),
        unknown,
        other,
        runtime("2026-02-24T14:00:00Z", 5),
    ];
    yard.facts.put_runtime(&pieces).await;
    let answer = chart(&yard, "/machine_runtime?operators=true&from=2026-02-24&to=2026-02-25").await;
    assert_eq!(answer["operators"][0]["label"], "Crane 1");
    let hours = |minutes: f64| minutes / 60.0;
    assert_eq!(
        spans(&answer, 0),
        [
            json!(["2026-02-24T10:30:00Z", "2026-02-24T12:20:00Z", "Dan", hours(110.0)]),
            json!(["2026-02-24T12:20:00Z", "2026-02-24T12:30:00Z", null, hours(10.0)]),
            json!(["2026-02-24T12:30:00Z", "2026-02-24T12:45:00Z", "Ada", hours(15.0)]),
            json!(["2026-02-24T14:00:00Z", "2026-02-24T14:05:00Z", "Dan", hours(5.0)]),
        ]
    );
    assert_eq!(series(&answer)[0][2], json!([["2026-02-24", hours(140.0)]]));
    // The filters of the hours apply to operators too.
    let answer = chart(&yard, "/machine_runtime?operators=true&operator_id=1").await;
    assert_eq!(spans(&answer, 0).len(), 1);
}

async fn a_stretch_is_cut_where_the_period_is(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 60), runtime("2026-02-24T11:00:00Z", 60)]).await;
    let query = "from=2026-02-24T10:15:00Z&to=2026-02-24T11:45:00Z";
    let answer = chart(&yard, &format!("/machine_runtime?operators=true&{query}")).await;
    assert_eq!(spans(&answer, 0), [json!(["2026-02-24T10:15:00Z", "2026-02-24T11:45:00Z", "Dan", 1.5])]);
    assert_eq!(series(&answer)[0][2], json!([["2026-02-24", 1.5]]));
}

async fn operators_are_told_for_a_month_at_most(app: TestApp) {
    let yard = super::busy_yard(app).await;
    send_get(&yard, &yard.admin, "/machine_runtime?operators=true&from=2026-01-25&to=2026-02-25")
        .await
        .expect(200);
    let path = "/machine_runtime?operators=true&from=2026-01-24&to=2026-02-25";
    let refused = send_get(&yard, &yard.admin, path).await.expect(400).json();
    assert_eq!(refused["errors"][0]["source"]["parameter"], "from");
    assert!(refused["errors"][0]["detail"].as_str().unwrap().contains("31 days"), "{refused}");
    send_get(&yard, &yard.admin, "/machine_runtime?from=2026-01-24&to=2026-02-25").await.expect(200);
}

async fn those_who_ran_the_longest_come_first(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut pieces = Vec::new();
    for id in 1..=23_i64 {
        let mut piece = runtime("2026-02-24T10:00:00Z", id);
        piece.base_station = BaseStationId(id);
        piece.machine = Some(MachineId(id));
        pieces.push(piece);
    }
    yard.facts.put_runtime(&pieces).await;
    let keys = |answer: &Value| -> Vec<String> {
        let series = answer["series"].as_array().unwrap().iter();
        series.map(|series| series["key"].as_str().unwrap().to_owned()).collect()
    };
    let answer = chart(&yard, "/machine_runtime?operators=true").await;
    let shown = keys(&answer);
    assert_eq!((shown.len(), &*shown[0], &*shown[9], &answer["more"]), (10, "23", "14", &json!(13)));
    assert_eq!(answer["operators"].as_array().unwrap().len(), 10);
    let answer = chart(&yard, "/machine_runtime?limit=20&from=2026-02-24&to=2026-02-25").await;
    assert_eq!((keys(&answer).len(), &answer["more"]), (20, &json!(3)));
    // The total is that of all machines, whatever the limit.
    for limit in [1, 20, 100] {
        let rest = format!("/machine_runtime?limit={limit}&from=2026-02-24&to=2026-02-25");
        let total = chart(&yard, &rest).await["total"].clone();
        assert_eq!((&total["key"], &total["label"]), (&json!("total"), &json!("All machines")));
        let hours = total["points"][0]["value"].as_f64().unwrap();
        assert!((hours - 276.0 / 60.0).abs() < 1e-9, "{limit}: {hours}");
    }
    // In the picture the others are one bar, so that the bars add up to the total.
    let rest = "/machine_runtime?from=2026-02-24&to=2026-02-25&format=svg";
    let svg = send_get(&yard, &yard.admin, rest).await.expect(200);
    let svg = String::from_utf8(svg.body).unwrap();
    assert!(svg.contains(">All machines</text>") && svg.contains(">13 others</text>"), "{svg}");
    assert!(!svg.contains("are not shown"), "{svg}");
    // A picture shows ten machines, however many the data have, and describes the others.
    for limit in [10, 20] {
        let rest = format!("/machine_runtime?from=2026-02-24&to=2026-02-25&limit={limit}&format=svg");
        let svg = send_get(&yard, &yard.admin, &rest).await.expect(200);
        let svg = String::from_utf8(svg.body).unwrap();
        assert!(svg.contains(">13 others</text>") && !svg.contains(" more."), "{limit}: {svg}");
        // The shortest 13 ran 1 to 13 minutes.
        assert!(svg.contains("13 others: 1.52 in all"), "{limit}: {svg}");
    }
    for bad in ["0", "101", "many"] {
        let refused =
            send_get(&yard, &yard.admin, &format!("/machine_runtime?limit={bad}")).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["source"]["parameter"], "limit", "{bad}");
    }
}

async fn the_hours_of_a_picture_are_those_of_the_data(app: TestApp) {
    let yard = Yard::new(app).await;
    // On two days: an hour, a break of an hour, and another hour.
    let starts = ["2026-02-20T08", "2026-02-20T10", "2026-02-27T08", "2026-02-27T10"];
    let pieces = starts.map(|start| runtime(&format!("{start}:00:00Z"), 60));
    yard.facts.put_runtime(&pieces).await;
    // Breaks are not drawn in a picture of more than a week.
    for days in ["from=2026-02-20&to=2026-02-28", "from=2026-02-25&to=2026-02-28"] {
        let answer = chart(&yard, &format!("/machine_runtime?operators=true&{days}")).await;
        let hours: f64 = spans(&answer, 0).iter().map(|span| span[3].as_f64().unwrap()).sum();
        for width in [360, 960] {
            let rest = format!("/machine_runtime?operators=true&{days}&format=svg&width={width}");
            let svg = send_get(&yard, &yard.admin, &rest).await.expect(200);
            let svg = String::from_utf8(svg.body).unwrap();
            assert!(svg.contains(&format!("Crane 1: Dan {hours} h.")), "{hours} in {width}: {svg}");
        }
    }
}
