//! GET /api/v1/video_clips

use domain::{DeviceKind, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::video::{get_clip, mp4, register_station, request_clip, upload_clip};

on_both_engines!(clips_are_found_by_station_and_state, those_who_do_not_see_names_do_not_see_who_asked);

async fn clips_are_found_by_station_and_state(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (one, two) =
        (register_station(&app, &admin, "BS-1").await, register_station(&app, &admin, "BS-2").await);
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    for id in [one, two, one] {
        request_clip(&app, &admin, id).await;
    }
    upload_clip(&app, &gateway, 3, &mp4(2_000)).await.expect(200);
    for (query, expected) in [
        ("", vec![3, 2, 1]),
        ("?base_station_id=1", vec![3, 1]),
        ("?base_station_id=9", vec![]),
        ("?state=requested", vec![2, 1]),
        ("?state=available&base_station_id=1", vec![3]),
        ("?state=failed", vec![]),
        ("?incursion_id=1", vec![]),
    ] {
        let list = app.get(&format!("/api/v1/video_clips{query}")).cookie(&admin.cookie).send().await;
        let list = list.expect(200).json();
        let ids: Vec<i64> =
            list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
    }
    for query in ["?state=gone", "?base_station_id=x", "?from=1"] {
        app.get(&format!("/api/v1/video_clips{query}")).cookie(&admin.cookie).send().await.expect(400);
    }
}

async fn those_who_do_not_see_names_do_not_see_who_asked(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let made = request_clip(&app, &admin, id).await;
    assert_eq!(get_clip(&app, &viewer, made).await["requested_by"]["name"], json!(null));
}
