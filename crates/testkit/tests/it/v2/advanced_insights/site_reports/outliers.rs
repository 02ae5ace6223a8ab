//! Facts about machines and people that differ from their peers.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{fact, sentences, write};
use crate::v2::advanced_insights::outliers::yard_with_cranes;

on_both_engines!(a_machine_far_above_its_kind_comes_first);

async fn a_machine_far_above_its_kind_comes_first(app: TestApp) {
    let yard = yard_with_cranes(app).await;
    let report = write(&yard, &yard.admin, "en").await;
    let outlier = fact(&report, "outlier_machine");
    assert_eq!(outlier["subjects"], json!([{ "kind": "machine", "id": 5, "name": "Crane 5" }]));
    assert_eq!((&outlier["value"], &outlier["unit"]), (&json!(60), &json!("count")));
    assert_eq!(outlier["denominator"].as_f64(), Some(10.0), "hours of runtime");
    let comparison = &outlier["comparison"];
    assert_eq!((&comparison["with"], &comparison["direction"]), (&json!("peers"), &json!("up")));
    assert!((10.0..11.5).contains(&comparison["value"].as_f64().unwrap()), "{outlier}");
    assert!(outlier["interval"]["high"].as_f64().unwrap() < 30.0, "{outlier}");
    assert_eq!(outlier["certainty"], "high");
    let facts = report["facts"].as_array().unwrap().iter();
    assert_eq!(facts.filter(|fact| fact["kind"] == "outlier_machine").count(), 1, "the others are usual");
    let first = sentences(&report, "finding")[0];
    assert!(first.starts_with("Crane 5 had 60 incursions in 10"), "{first}");
    let advice = sentences(&report, "recommendation");
    assert_eq!(advice[0], "Check the working area and the zone sizes of Crane 5.");
}
