//! GET /api/v1/insights/durations and /heatmap

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, acknowledged, get, incursion};

on_both_engines!(lengths_fall_into_their_steps, hexagons_hold_what_lies_in_them);

async fn lengths_fall_into_their_steps(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows: Vec<_> = [0, 4, 5, 14, 15, 59, 60, 299, 300, 4_000_000]
        .map(|seconds| incursion(&yard, "2026-02-24T10:00:00Z", seconds))
        .to_vec();
    rows[0].ended_at = None;
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, &yard.admin, "/durations").await;
    let steps: Vec<Value> = answer["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| json!([step["from_s"], step["to_s"], step["incursions"]]))
        .collect();
    assert_eq!(
        steps,
        [
            json!([0, 5, 1]),
            json!([5, 15, 2]),
            json!([15, 30, 1]),
            json!([30, 60, 1]),
            json!([60, 120, 1]),
            json!([120, 300, 1]),
            json!([300, null, 2]),
        ]
    );
    assert_eq!(answer["without_end"], json!(1));
    assert_eq!(answer["metrics"]["median_duration"]["value"], json!(59));
    assert_eq!(answer["metrics"]["p95_duration"]["value"], json!(4_000_000));
}

async fn hexagons_hold_what_lies_in_them(app: TestApp) {
    let yard = Yard::new(app).await;
    // Two adjacent cells of the finest resolution in Berlin, and one in London.
    let cell = |lat: f64, lon: f64| {
        let cell = h3o::LatLng::new(lat, lon).unwrap().to_cell(h3o::Resolution::Thirteen);
        i64::try_from(u64::from(cell)).unwrap()
    };
    let (berlin, beside, london) = (cell(52.52, 13.405), cell(52.5201, 13.405), cell(51.5, -0.12));
    assert_ne!(berlin, beside);
    let at = |cell: Option<i64>| {
        let mut row = incursion(&yard, "2026-02-24T10:00:00Z", 10);
        row.attribution.cell = cell;
        row
    };
    let rows = vec![
        acknowledged(at(Some(berlin)), 2),
        at(Some(beside)),
        at(Some(beside)),
        at(Some(london)),
        at(None),
    ];
    yard.facts.add_incursions(rows).await;
    let answer = get(&yard, &yard.admin, "/heatmap?resolution=13").await;
    assert_eq!(
        (&answer["type"], &answer["without_position"], &answer["more"]),
        (&json!("FeatureCollection"), &json!(1), &json!(0))
    );
    let counts = |answer: &Value| -> Vec<f64> {
        answer["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| feature["properties"]["incursions"]["value"].as_f64().unwrap())
            .collect()
    };
    assert_eq!(counts(&answer), [2.0, 1.0, 1.0]);
    let coarse = get(&yard, &yard.admin, "/heatmap?resolution=9").await;
    assert_eq!(counts(&coarse), [3.0, 1.0]);
    let first = &coarse["features"][0];
    assert_eq!(first["properties"]["acknowledgement_rate"]["value"], json!(1.0 / 3.0));
    let ring = first["geometry"]["coordinates"][0].as_array().unwrap();
    assert_eq!((ring.len(), &ring[0]), (7, &ring[6]));
    // About a hundred metres away, still in the same hexagon.
    let (lon, lat) = (ring[0][0].as_f64().unwrap(), ring[0][1].as_f64().unwrap());
    assert!((lon - 13.405).abs() < 0.01 && (lat - 52.52).abs() < 0.01, "{ring:?}");
}
