//! GET /api/v2/base_stations/{id}/gps_tracks

use domain::{Role, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::get;
use crate::ingest::events::BerlinYard;

on_both_engines!(
    what_was_sent_comes_back_in_order,
    lines_end_at_gaps_and_at_the_bounds,
    simpler_lines_stay_near,
    what_is_asked_for_wrongly_is_refused,
    a_station_that_is_not_seen_has_no_tracks,
);

/// Returns a position some seconds after eight o'clock, on a curved track.
fn fix(second: i64) -> (Timestamp, f64, f64) {
    let at = Timestamp::parse("2026-03-01T08:00:00Z").unwrap() + Span::seconds(second);
    let angle = second as f64 / 200.0;
    (at, 52.5 + 0.002 * angle.sin(), 13.4 + 0.003 * angle.cos())
}

/// Sends the positions of these seconds, some with a speed, the last ones first.
async fn send_fixes(yard: &BerlinYard, seconds: impl Iterator<Item = i64>) {
    let fixes: Vec<Value> = seconds
        .map(|second| {
            let (at, lat, lon) = fix(second);
            let speed = (second % 3 != 0).then_some(7.4);
            json!([at, lat, lon, speed])
        })
        .collect();
    for (number, part) in fixes.chunks(700).enumerate().collect::<Vec<_>>().into_iter().rev() {
        let uid = format!("g-{}-{number}", part[0][0]);
        let uid: String = uid.chars().filter(char::is_ascii_alphanumeric).collect();
        yard.send_accepted(json!([{ "uid": uid, "kind": "gps", "fixes": part }])).await;
    }
}

async fn tracks(yard: &BerlinYard, query: &str) -> Vec<Value> {
    let reply = get(yard, &yard.admin, &format!("/1/gps_tracks{query}")).await.expect(200);
    assert_eq!(reply.header("content-type"), "application/geo+json");
    let body = reply.json();
    assert_eq!(body["type"], "FeatureCollection");
    body["features"].as_array().unwrap().clone()
}

/// Returns time, latitude and longitude of each vertex.
fn vertices(feature: &Value) -> Vec<(Timestamp, f64, f64)> {
    assert_eq!((&feature["type"], &feature["geometry"]["type"]), (&json!("Feature"), &json!("LineString")));
    let positions = feature["geometry"]["coordinates"].as_array().unwrap();
    let times = feature["properties"]["times"].as_array().unwrap();
    assert_eq!(positions.len(), times.len());
    assert_eq!(feature["properties"]["speeds_kmh"].as_array().unwrap().len(), times.len());
    let vertex = |(position, time): (&Value, &Value)| {
        let at = Timestamp::parse(time.as_str().unwrap()).unwrap();
        (at, position[1].as_f64().unwrap(), position[0].as_f64().unwrap())
    };
    positions.iter().zip(times).map(vertex).collect()
}

async fn what_was_sent_comes_back_in_order(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // Longer than three quarters of an hour.
    send_fixes(&yard, 0..2_500).await;
    let features = tracks(&yard, "").await;
    assert_eq!(features.len(), 1);
    let found = vertices(&features[0]);
    assert_eq!(found.len(), 2_500);
    for (second, (at, lat, lon)) in (0..).zip(found) {
        let sent = fix(second);
        assert_eq!(at, sent.0);
        // Rounded to seven decimal places when read and to six when stored: six centimetres.
        let off = (lat - sent.1).abs().max((lon - sent.2).abs());
        assert!(off < 5.51e-7, "{off} degrees off at {second} s");
    }
    let speeds = features[0]["properties"]["speeds_kmh"].as_array().unwrap();
    assert_eq!(&speeds[..3], [json!(null), json!(7.5), json!(7.5)]);
}

async fn lines_end_at_gaps_and_at_the_bounds(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    // A gap of five minutes is bridged, one more second is not; one position is isolated.
    send_fixes(&yard, [0, 1, 301, 602, 1_000, 1_001].into_iter()).await;
    let lines = |features: Vec<Value>| -> Vec<Vec<i64>> {
        let start = fix(0).0;
        let seconds = |feature| {
            let vertices = vertices(feature).into_iter();
            vertices.map(|(at, ..)| (at - start).whole_seconds()).collect::<Vec<_>>()
        };
        features.iter().map(seconds).collect()
    };
    let whole = vec![vec![0, 1, 301], vec![602, 602], vec![1_000, 1_001]];
    assert_eq!(lines(tracks(&yard, "").await), whole);
    assert_eq!(
        lines(tracks(&yard, "?simplify_m=100").await),
        [vec![0, 301], vec![602, 602], vec![1_000, 1_001]]
    );
    let within = "?from=2026-03-01T08:00:01Z&to=2026-03-01T08:16:41Z";
    assert_eq!(lines(tracks(&yard, within).await), [vec![1, 301], vec![602, 602], vec![1_000, 1_000]]);
    assert!(tracks(&yard, "?to=2026-03-01T08:00:00Z").await.is_empty());
    // The local day of the worksite.
    assert_eq!(lines(tracks(&yard, "?from=2026-03-01&to=2026-03-02").await), whole);
    assert!(tracks(&yard, "?to=2026-03-01").await.is_empty());
    // One day by default.
    yard.app.clock.advance(Span::minutes(24 * 60));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Viewer).await;
    let body = get(&yard, &later, "/1/gps_tracks").await.expect(200).json();
    assert_eq!(body, json!({ "type": "FeatureCollection", "features": [] }));
    let body = get(&yard, &later, "/1/gps_tracks?from=2026-02-01T08:00:00Z&to=2026-03-02T00:00:00Z").await;
    assert_eq!(body.expect(200).json()["features"].as_array().unwrap().len(), 3);
}

async fn simpler_lines_stay_near(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    send_fixes(&yard, 0..2_500).await;
    // Metres east and north of a corner, exact enough over a few hundred metres.
    let metres = |(_, lat, lon): (Timestamp, f64, f64)| {
        ((lon - 13.4) * 111_320.0 * 52.5_f64.to_radians().cos(), (lat - 52.5) * 111_320.0)
    };
    let mut fewest = 2_500;
    for tolerance in [0.5, 2.0, 10.0] {
        let features = tracks(&yard, &format!("?simplify_m={tolerance}")).await;
        assert_eq!(features.len(), 1);
        let line = vertices(&features[0]);
        assert_eq!((line[0].0, line[line.len() - 1].0), (fix(0).0, fix(2_499).0));
        assert!(line.len() < fewest, "{} vertices within {tolerance} m", line.len());
        fewest = line.len();
        let mut second = 0;
        for ends in line.windows(2) {
            let ((x0, y0), (x1, y1)) = (metres(ends[0]), metres(ends[1]));
            while second < 2_500 && fix(second).0 <= ends[1].0 {
                let (x, y) = metres(fix(second));
                let length = (x1 - x0).powi(2) + (y1 - y0).powi(2);
                let along = (((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length).clamp(0.0, 1.0);
                let off = (x - x0 - along * (x1 - x0)).hypot(y - y0 - along * (y1 - y0));
                assert!(off <= tolerance * 1.02 + 0.2, "{off} m off at {second} s, within {tolerance} m");
                second += 1;
            }
        }
        assert_eq!(second, 2_500);
    }
}

async fn what_is_asked_for_wrongly_is_refused(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    for (query, name, code) in [
        ("simplify_m=-1", "simplify_m", "out_of_range"),
        ("simplify_m=100.1", "simplify_m", "out_of_range"),
        ("simplify_m=NaN", "simplify_m", "out_of_range"),
        ("simplify_m=", "simplify_m", "out_of_range"),
        ("from=2026-03", "from", "invalid_time"),
        ("from=2026-01-01T00:00:00Z", "from", "out_of_range"),
        ("from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z", "to", "out_of_range"),
        ("surprise=1", "surprise", "unknown_parameter"),
    ] {
        let refused = get(&yard, &yard.admin, &format!("/1/gps_tracks?{query}")).await.expect(400).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["source"]["parameter"], &error["code"]), (&json!(name), &json!(code)), "{query}");
    }
}

async fn a_station_that_is_not_seen_has_no_tracks(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    send_fixes(&yard, 0..10).await;
    let nobody = yard.restricted("nobody@example.com", Role::Admin, &[]).await;
    get(&yard, &nobody, "/1/gps_tracks").await.expect(404);
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    assert_eq!(
        get(&yard, &ours, "/1/gps_tracks").await.expect(200).json()["features"].as_array().unwrap().len(),
        1
    );
}
