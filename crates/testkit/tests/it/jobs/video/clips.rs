//! Expiry of video clips.

use std::time::{Duration, SystemTime};

use blobs::{Blobs, Key, Upload};
use domain::{BrandId, ClipId, DeviceKind, Random, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use crate::video::{count_files, get_clip, mp4, register_station, request_clip, upload_clip};

on_both_engines!(
    video_goes_when_its_brand_has_kept_it_long_enough,
    what_never_came_is_given_up_after_a_week,
    an_upload_that_was_never_ended_waits_again,
    objects_that_belong_to_nothing_go_after_a_day,
);

const DAY: Span = Span::minutes(24 * 60);

async fn advance_days(app: &TestApp, days: i64) {
    app.clock.advance(Span::from_micros(DAY.micros() * days));
    app.runner().reconcile().await.unwrap();
}

async fn video_goes_when_its_brand_has_kept_it_long_enough(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let (first, second) = (request_clip(&app, &admin, id).await, request_clip(&app, &admin, id).await);
    upload_clip(&app, &token, first, &mp4(2_000)).await.expect(200);
    app.clock.advance(Span::seconds(3_600));
    upload_clip(&app, &token, second, &mp4(2_000)).await.expect(200);
    testkit::execute_raw_sql(app.database(), "update brands set keep_video_days = 5").await.unwrap();
    advance_days(&app, 4).await;
    assert_eq!(count_files(&app), 2);
    app.clock.advance(Span::seconds(23 * 3_600));
    app.runner().reconcile().await.unwrap();
    assert_eq!(count_files(&app), 1);
    let admin = app.log_in_v1("ada@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let get = async |path: String| app.get(&path).cookie(&admin).send().await;
    let shown = get(format!("/api/v1/video_clips/{first}")).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["content"]), (&json!("expired"), &Value::Null));
    let gone = get(format!("/api/v1/video_clips/{first}/content")).await.expect(404);
    assert_eq!(gone.code(), "clip_expired");
    get(format!("/api/v1/video_clips/{second}/content")).await.expect(200);
    assert_eq!(upload_clip(&app, &token, first, &mp4(2_000)).await.expect(409).code(), "clip_ended");
    // Unlimited retention.
    testkit::execute_raw_sql(app.database(), "update brands set keep_video_days = null").await.unwrap();
    advance_days(&app, 1_000).await;
    assert_eq!(count_files(&app), 1);
}

async fn what_never_came_is_given_up_after_a_week(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let made = request_clip(&app, &admin, id).await;
    advance_days(&app, 6).await;
    let state = async || {
        let admin = app.log_in_v1("ada@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
        let shown = app.get(&format!("/api/v1/video_clips/{made}")).cookie(&admin).send().await.json();
        (shown["state"].clone(), shown["reason"].clone())
    };
    assert_eq!(state().await, (json!("requested"), Value::Null));
    advance_days(&app, 1).await;
    assert_eq!(state().await, (json!("failed"), json!("never_uploaded")));
}

async fn an_upload_that_was_never_ended_waits_again(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let made = request_clip(&app, &admin, id).await;
    // As if its process had been killed.
    testkit::execute_raw_sql(app.database(), "update video_clips set state = 'uploading'").await.unwrap();
    app.clock.advance(Span::minutes(60));
    app.runner().reconcile().await.unwrap();
    assert_eq!(get_clip(&app, &admin, made).await["state"], "uploading");
    app.clock.advance(Span::minutes(5));
    app.runner().reconcile().await.unwrap();
    assert_eq!(get_clip(&app, &admin, made).await["state"], "requested");
}

async fn objects_that_belong_to_nothing_go_after_a_day(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(&app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let made = request_clip(&app, &admin, id).await;
    upload_clip(&app, &token, made, &mp4(2_000)).await.expect(200);
    // Leftovers: another upload of the same clip, one of a clip that never existed, and one killed halfway.
    let blobs = Blobs::new(&app.config.blobs, &app.config.data).unwrap();
    for clip in [made, 987] {
        let upload = Upload::begin(app.clock.now(), &Random::System);
        let mut writer = blobs.writer(&Key::Clip(BrandId(1), ClipId(clip), upload));
        writer.write(b"x").await.unwrap();
        writer.finish().await.unwrap();
    }
    let half = std::fs::File::create(app.config.data.join("blobs/clips/1/x#1")).unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(app.clock.now().seconds().unsigned_abs());
    half.set_modified(now).unwrap();
    assert_eq!(count_files(&app), 4);
    app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_files(&app), 4, "they may belong to an upload in progress");
    advance_days(&app, 2).await;
    assert_eq!(count_files(&app), 1);
    app.clock.advance(Span::seconds(1));
    let admin = app.log_in_v1("ada@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let path = format!("/api/v1/video_clips/{made}/content");
    app.get(&path).cookie(&admin).send().await.expect(200);
}
