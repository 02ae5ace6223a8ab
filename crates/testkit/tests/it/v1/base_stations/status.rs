//! GET /api/v1/base_stations/{id}/status

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{get, record_contact, register_stations};

on_both_engines!(
    a_station_goes_from_never_seen_to_online_to_silent_and_back,
    faults_come_and_go,
    an_older_contact_never_overwrites_a_newer_one,
);

async fn a_station_goes_from_never_seen_to_online_to_silent_and_back(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let status = || async { get(&app, &admin, "/1/status").await.expect(200).json() };
    assert_eq!(
        status().await,
        json!({
            "status": "never_seen", "since": "2026-03-01T12:00:30Z",
            "reason": "There has been no contact since the station was registered.",
            "last_seen_at": null, "firmware": null, "faults": [], "silence_limit_hours": 24,
        })
    );
    testkit::execute_raw_sql(app.database(), "update brands set silence_limit_hours = 1").await.unwrap();
    app.clock.advance(Span::minutes(10));
    record_contact(&app, 1, app.clock.now(), Some("4.2.1"), Some(&[])).await;
    let body = status().await;
    assert_eq!((&body["status"], &body["since"]), (&json!("online"), &json!("2026-03-01T12:10:30Z")));
    assert_eq!((&body["firmware"], &body["silence_limit_hours"]), (&json!("4.2.1"), &json!(1)));

    app.clock.advance(Span::minutes(30));
    record_contact(&app, 1, app.clock.now(), None, None).await;
    app.clock.advance(Span::seconds(3599));
    assert_eq!(status().await["since"], "2026-03-01T12:10:30Z");
    app.clock.advance(Span::seconds(1));
    let body = status().await;
    assert_eq!((&body["status"], &body["since"]), (&json!("silent"), &json!("2026-03-01T13:40:30Z")));
    assert!(body["reason"].as_str().unwrap().contains("2026-03-01T12:40:30Z"), "{body}");
    assert_eq!(body["firmware"], "4.2.1");

    app.clock.advance(Span::minutes(5));
    record_contact(&app, 1, app.clock.now(), None, None).await;
    let body = status().await;
    assert_eq!((&body["status"], &body["since"]), (&json!("online"), &json!("2026-03-01T13:45:30Z")));
}

async fn faults_come_and_go(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let status = || async { get(&app, &admin, "/1/status").await.expect(200).json() };
    record_contact(&app, 1, app.clock.now(), None, Some(&["camera_dark"])).await;
    app.clock.advance(Span::minutes(1));
    // Contacts without fault information, and additional faults, do not change the start.
    record_contact(&app, 1, app.clock.now(), None, None).await;
    record_contact(&app, 1, app.clock.now(), None, Some(&["camera_dark", "antenna"])).await;
    let body = status().await;
    assert_eq!((&body["status"], &body["since"]), (&json!("faulty"), &json!("2026-03-01T12:00:30Z")));
    assert_eq!(body["reason"], "The station reported 2 faults: camera_dark, antenna.");
    assert_eq!(body["faults"], json!(["camera_dark", "antenna"]));
    record_contact(&app, 1, app.clock.now(), None, Some(&[])).await;
    let body = status().await;
    assert_eq!((&body["status"], &body["since"]), (&json!("online"), &json!("2026-03-01T12:01:30Z")));
}

async fn an_older_contact_never_overwrites_a_newer_one(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    let now = app.clock.now();
    record_contact(&app, 1, now, Some("2.0"), Some(&[])).await;
    record_contact(&app, 1, now - Span::minutes(5), Some("1.0"), Some(&["camera_dark"])).await;
    let body = get(&app, &admin, "/1/status").await.expect(200).json();
    assert_eq!((&body["firmware"], &body["status"]), (&json!("2.0"), &json!("online")));
    assert_eq!(body["last_seen_at"], "2026-03-01T12:00:30Z");
}
