//! GET /api/v1/worksites/{id}/geo

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{create_site, get, new_site, patch, post, square};

on_both_engines!(a_polygon_is_a_feature, a_circle_is_drawn_with_corners, a_boundary_of_the_past_is_shown);

async fn a_polygon_is_a_feature(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &new_site("East", &json!({ "boundary": square(13.0, 52.0, 0.01) }))).await.expect(201);
    let reply = get(&app, &ada, "/1/geo").await.expect(200);
    assert_eq!(reply.header("content-type"), "application/geo+json");
    let body = reply.json();
    assert_eq!(
        (&body["type"], &body["bbox"]),
        (&json!("FeatureCollection"), &json!([13.0, 52.0, 13.01, 52.01]))
    );
    let feature = &body["features"][0];
    assert_eq!((&feature["type"], &feature["geometry"]), (&json!("Feature"), &square(13.0, 52.0, 0.01)));
    let properties = json!({
        "feature": "boundary", "id": 1, "name": "East", "colour": "#ff8800", "kind": "other", "area_m2": 764_078,
    });
    assert_eq!(feature["properties"], properties);
    // Without a boundary, there is no feature and no bounding box.
    create_site(&app, &ada, "West", None).await;
    assert_eq!(
        get(&app, &ada, "/2/geo").await.json(),
        json!({ "type": "FeatureCollection", "features": [] })
    );
}

async fn a_circle_is_drawn_with_corners(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let circle = json!({ "type": "Circle", "center": [13.405, 52.52], "radius_m": 250 });
    post(&app, &ada, &new_site("Round", &json!({ "boundary": circle }))).await.expect(201);
    let body = get(&app, &ada, "/1/geo").await.expect(200).json();
    let feature = &body["features"][0];
    assert_eq!(feature["geometry"]["type"], "Polygon");
    assert_eq!(feature["geometry"]["coordinates"][0].as_array().unwrap().len(), 65);
    assert_eq!(feature["properties"]["center"], json!([13.405, 52.52]));
    assert_eq!(feature["properties"]["radius_m"], 250.0);
    let [west, _, east, _] = [0, 1, 2, 3].map(|n| body["bbox"][n].as_f64().unwrap());
    assert!(west < 13.405 && 13.405 < east);
}

async fn a_boundary_of_the_past_is_shown(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let more = json!({ "boundary": square(13.0, 52.0, 0.01), "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new_site("East", &more)).await.expect(201);
    patch(&app, &ada, 1, &json!({ "boundary": square(14.0, 52.0, 0.01) })).await.expect(200);
    let west = |query: &'static str| {
        let request = app.get(&format!("/api/v1/worksites/1/geo{query}")).cookie(&ada.cookie).send();
        async move { request.await.expect(200).json()["bbox"][0].clone() }
    };
    assert_eq!(west("").await, 14.0);
    assert_eq!(west("?at=2026-02-01T00:00:00Z").await, 13.0);
    assert_eq!(west("?at=2026-03-01T12:00:30Z").await, 14.0);
    assert_eq!(west("?at=2030-01-01T00:00:00Z").await, 14.0);
    assert_eq!(west("?at=2025-12-31T00:00:00Z").await, Value::Null);
    for bad in ["?at=yesterday", "?at=", "?at=2026-02-01", "?x=1"] {
        get(&app, &ada, &format!("/1/geo{bad}")).await.expect(400);
    }
}
