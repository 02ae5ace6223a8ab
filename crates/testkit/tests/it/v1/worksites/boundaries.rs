//! Valid boundaries, and the errors for invalid ones. The geometry itself is tested next to its code.

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{field_errors, get, new_site, patch, post, square};

on_both_engines!(
    bad_boundaries_are_refused_with_reason_and_place,
    good_boundaries_are_kept,
    ten_thousand_points_are_kept
);

fn polygon(rings: &Value) -> Value {
    json!({ "type": "Polygon", "coordinates": rings })
}

async fn bad_boundaries_are_refused_with_reason_and_place(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &new_site("Site", &json!({}))).await.expect(201);
    let nested: Value = serde_json::from_str(&format!("{}{}", "[".repeat(60), "]".repeat(60))).unwrap();
    for (boundary, message) in [
        (
            polygon(&json!([[[13.0, 52.0], [13.01, 52.01], [13.01, 52.0], [13.0, 52.01], [13.0, 52.0]]])),
            "ring 0 crosses or touches itself between points 0 and 2 near [13.005, 52.005]",
        ),
        (
            polygon(&json!([[[13.0, 52.0], [13.01, 52.0], [13.01, 52.01], [13.0, 52.01]]])),
            "ring 0 is not closed: it begins at [13, 52] and ends at [13, 52.01]",
        ),
        (
            polygon(&json!([[[13.0, 52.0], [13.01, 52.0], [13.0, 52.0]]])),
            "ring 0 has 3 points; a closed ring has at least 4",
        ),
        (
            polygon(&json!([[[13.0, 52.0], [13.01, 52.0], [13.01, 52.0], [13.0, 52.01], [13.0, 52.0]]])),
            "points 1 and 2 of ring 0 are the same, near [13.01, 52]",
        ),
        (
            polygon(&json!([[[13.0, 52.0], [13.01, 152.0], [13.01, 52.01], [13.0, 52.0]]])),
            "point 1 of ring 0 is not on the globe: [13.01, 152]; the longitude is from -180 to 180, the latitude from -90 to 90",
        ),
        (
            polygon(&json!([[[13.0, 52.0], [13.01, null], [13.01, 52.01], [13.0, 52.0]]])),
            "point 1 of ring 0 must be [longitude, latitude]",
        ),
        (
            polygon(&json!([
                square(13.0, 52.0, 0.01)["coordinates"][0],
                square(13.1, 52.0, 0.001)["coordinates"][0],
            ])),
            "ring 1 lies outside ring 0, near [13.1, 52]",
        ),
        (square(13.0, 52.0, 5.0), "the area is 180122 km²; it must be at most 10000 km²"),
        (
            json!({ "type": "Circle", "center": [13, 52], "radius_m": 1 }),
            "the area is 3.1 m²; it must be at least 10 m²",
        ),
        (
            json!({ "type": "Circle", "center": [13, 52], "radius_m": "1" }),
            "radius_m must be a number of metres above 0",
        ),
        (
            json!({ "type": "Point", "coordinates": [13, 52] }),
            "the type must be Polygon, Circle, or Feature with one of them",
        ),
        (polygon(&nested), "ring 0 has 1 points; a closed ring has at least 4"),
    ] {
        for reply in [
            post(&app, &ada, &new_site("Bad", &json!({ "boundary": boundary }))).await.expect(422),
            patch(&app, &ada, 1, &json!({ "boundary": boundary })).await.expect(422),
        ] {
            assert_eq!(field_errors(&reply), ["boundary: invalid_polygon"]);
            assert_eq!(reply.json()["errors"][0]["message"], message);
        }
    }
    assert_eq!(get(&app, &ada, "/1").await.header("etag"), "\"1\"");
}

async fn good_boundaries_are_kept(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let clockwise = json!([[[13, 52], [13, 52.01], [13.01, 52.01], [13.01, 52], [13, 52]]]);
    for (n, (given, kept)) in [
        (
            polygon(&clockwise),
            polygon(&json!([[[13.01, 52.0], [13.01, 52.01], [13.0, 52.01], [13.0, 52.0], [13.01, 52.0]]])),
        ),
        (
            json!({ "type": "Feature", "properties": null, "geometry": square(13.0, 52.0, 0.01) }),
            square(13.0, 52.0, 0.01),
        ),
        (
            json!({ "type": "Circle", "center": [13.4, 52.5, 30], "radius_m": 250 }),
            json!({ "type": "Circle", "center": [13.4, 52.5], "radius_m": 250.0 }),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let made =
            post(&app, &ada, &new_site("Site", &json!({ "boundary": given }))).await.expect(201).json();
        assert_eq!(made["boundary"], kept);
        // A returned boundary can be sent back and changes nothing.
        let id = i64::try_from(n).unwrap() + 1;
        let same = patch(&app, &ada, id, &json!({ "boundary": made["boundary"] })).await.expect(200);
        assert_eq!(same.header("etag"), "\"1\"");
    }
}

async fn ten_thousand_points_are_kept(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let ring = |count: u32| -> Value {
        let point = |n: u32| {
            let angle = f64::from(n % count) / f64::from(count) * std::f64::consts::TAU;
            json!([13.0 + 0.1 * angle.cos(), 52.0 + 0.1 * angle.sin()])
        };
        (0..=count).map(point).collect()
    };
    let new = |count| new_site("Site", &json!({ "boundary": polygon(&json!([ring(count)])) }));
    let made = post(&app, &ada, &new(10_000)).await.expect(201).json();
    assert_eq!(made["boundary"]["coordinates"][0].as_array().unwrap().len(), 10_001);
    let reply = post(&app, &ada, &new(10_001)).await.expect(422);
    assert_eq!(reply.json()["errors"][0]["message"], "there are more than 10000 points");
}
