//! Later information appears in the next answer: acknowledgements, machines, people, time zones.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::ingest::events::BerlinYard;

on_both_engines!(
    an_acknowledgement_that_comes_late_counts_at_once,
    a_corrected_link_moves_the_numbers_to_another_machine_and_person,
    a_site_that_changes_its_clock_has_other_days,
);

/// Starts at 23:30 in London, which is 0:30 of the next day in Berlin.
fn incursion() -> Value {
    json!({ "uid": "1", "kind": "incursion", "tag": "TAG-1", "started_at": "2026-02-10T23:30:00Z", "duration_ms": 5000,
        "zone": "warning", "lat": 52.5, "lon": 13.4 })
}

async fn yard(app: TestApp) -> BerlinYard {
    let yard = BerlinYard::set_up(app).await;
    yard.send_accepted(json!([incursion()])).await;
    yard
}

/// Returns each dimension value with its number of incursions.
async fn incursions_by_part(yard: &BerlinYard, by: &str) -> Vec<(String, f64)> {
    let answer = yard.get(&format!("insights/breakdown?by={by}&metric=incursions")).await;
    let part = |row: &Value| {
        let count = row["metrics"]["incursions"]["value"].as_f64().unwrap();
        (row["part"]["label"].as_str().unwrap().to_owned(), count)
    };
    answer["rows"].as_array().unwrap().iter().map(part).collect()
}

async fn an_acknowledgement_that_comes_late_counts_at_once(app: TestApp) {
    let yard = yard(app).await;
    let rate = async || yard.get("insights/totals").await["metrics"]["acknowledgement_rate"]["value"].clone();
    assert_eq!(rate().await, 0.0);
    let mut again = incursion();
    again["acknowledged_at"] = json!("2026-02-10T23:30:03Z");
    assert_eq!(yard.send_accepted(json!([again])).await, (1, 0));
    assert_eq!(rate().await, 1.0);
}

async fn a_corrected_link_moves_the_numbers_to_another_machine_and_person(app: TestApp) {
    let yard = yard(app).await;
    assert_eq!(incursions_by_part(&yard, "machine").await, [("Digger".to_owned(), 1.0)]);
    assert_eq!(incursions_by_part(&yard, "pedestrian").await, [("Ada".to_owned(), 1.0)]);
    yard.post("machines", json!({ "name": "Loader", "kind": "loader" })).await;
    let moved = json!({ "machine_id": 2, "effective_from": "2026-02-01T00:00:00Z" });
    yard.put("base_stations/1/installation", moved).await;
    yard.patch("tag_assignments/1", json!({ "ended_at": "2026-02-01T00:00:00Z" })).await;
    let worn = json!({ "tag_serial": "TAG-1", "person_id": 2, "assigned_at": "2026-02-02T00:00:00Z" });
    yard.post("tag_assignments", worn).await;
    yard.app.run_jobs().await;
    assert_eq!(incursions_by_part(&yard, "machine").await, [("Loader".to_owned(), 1.0)]);
    assert_eq!(incursions_by_part(&yard, "machine_kind").await, [("Loader".to_owned(), 1.0)]);
    assert_eq!(incursions_by_part(&yard, "pedestrian").await, [("Ben".to_owned(), 1.0)]);
}

async fn a_site_that_changes_its_clock_has_other_days(app: TestApp) {
    let yard = yard(app).await;
    let days = async || {
        let answer =
            yard.get("insights/trends?interval=day&metric=incursions&from=2026-02-10&to=2026-02-12").await;
        let points = answer["series"][0]["points"].as_array().unwrap();
        let counts: Vec<Value> = points.iter().map(|point| json!([point["at"], point["value"]])).collect();
        (counts, answer["time_zones"].clone(), answer)
    };
    let (counts, zones, answer) = days().await;
    assert_eq!(zones, json!(["Europe/Berlin"]));
    assert_eq!(counts, [json!(["2026-02-10", 0]), json!(["2026-02-11", 1])], "{answer}");
    let change = json!({ "time_zone": "Europe/London", "effective_from": "2026-02-01T00:00:00Z" });
    yard.patch("worksites/1", change).await;
    yard.app.run_jobs().await;
    let (counts, zones, _) = days().await;
    assert_eq!(zones, json!(["Europe/London"]));
    assert_eq!(counts, [json!(["2026-02-10", 1]), json!(["2026-02-11", 0])]);
    assert_eq!(incursions_by_part(&yard, "hour_of_day").await, [("23:00".to_owned(), 1.0)]);
}
