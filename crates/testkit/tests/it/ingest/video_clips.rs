//! PUT /ingest/v1/video_clips/{id}/content, POST /ingest/v1/video_clips/{id}/failed

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use blobs::Backend;
use domain::{DeviceKind, Role, Span};
use http::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use testkit::{Account, Engine, Reply, Request, TestApp, objects_config, on_both_engines};
use tokio::sync::mpsc;

use crate::video::{count_files, get_clip, mp4, register_station, request_clip, sha256, upload_clip, webm};

on_both_engines!(
    a_clip_that_was_sent_can_be_watched,
    video_is_told_by_its_content,
    what_does_not_fit_its_hash_is_refused,
    after_a_cut_off_upload_it_is_sent_again,
    a_repeat_changes_nothing_and_other_bytes_are_refused,
    of_two_uploads_at_once_one_wins,
    two_uploads_of_the_same_bytes_both_succeed,
    only_its_own_station_or_gateway_sends_it,
    a_station_may_have_no_such_video,
    headers_are_checked_first,
    only_so_many_uploads_at_once,
    a_clip_has_one_upload_at_a_time,
    a_silent_upload_gives_way_to_a_newer_one,
    a_greedy_brand_leaves_uploads_to_others,
    it_works_on_s3,
);

/// Sets up Acme with an admin, a station's token and a requested clip.
async fn request_clip_of_new_station(app: &TestApp) -> (Account, String, i64) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let clip = request_clip(app, &admin, id).await;
    (admin, token, clip)
}

fn upload_request(app: &TestApp, token: &str, clip: i64) -> Request {
    app.request(Method::PUT, &format!("/ingest/v1/video_clips/{clip}/content")).bearer(token)
}

async fn download(app: &TestApp, user: &Account, clip: i64) -> Reply {
    app.get(&format!("/api/v1/video_clips/{clip}/content")).cookie(&user.cookie).send().await
}

/// Returns a body whose pieces the test sends.
fn channel_body() -> (mpsc::UnboundedSender<Result<Vec<u8>, std::io::Error>>, Body) {
    let (hand, receiver) = mpsc::unbounded_channel();
    let pieces = futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    (hand, Body::from_stream(pieces))
}

async fn a_clip_that_was_sent_can_be_watched(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    assert_eq!(download(&app, &admin, id).await.expect(409).code(), "not_ready");
    let bytes = mp4(2_000_000);
    let sent = upload_clip(&app, &token, id, &bytes).await.expect(200).json();
    assert_eq!(sent["state"], "available");
    let shown = get_clip(&app, &admin, id).await;
    for (field, value) in [
        ("state", json!("available")),
        ("content_type", json!("video/mp4")),
        ("size_bytes", json!(2_000_000)),
        ("sha256", json!(sha256(&bytes))),
        ("available_at", json!("2026-03-01T12:00:30Z")),
        // The brand's retention of video is 90 days.
        ("expires_at", json!("2026-05-30T12:00:30Z")),
        ("content", json!(format!("/api/v1/video_clips/{id}/content"))),
    ] {
        assert_eq!(shown[field], value, "{field}");
    }
    let watched = download(&app, &admin, id).await.expect(200);
    assert_eq!(watched.header("content-type"), "video/mp4");
    assert!(watched.body == bytes);
    assert_eq!(count_files(&app), 1);
}

async fn video_is_told_by_its_content(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    for junk in [&b""[..], b"x", b"<html>", &[0; 100_000], &mp4(24)[..10]] {
        let refused = upload_clip(&app, &token, id, junk).await.expect(422);
        assert_eq!(refused.code(), "unsupported_video", "{} bytes", junk.len());
        assert_eq!(get_clip(&app, &admin, id).await["state"], "requested");
    }
    assert_eq!(count_files(&app), 0);
    // It claims to be MP4 but is WebM.
    upload_clip(&app, &token, id, &webm(5_000)).await.expect(200);
    assert_eq!(get_clip(&app, &admin, id).await["content_type"], "video/webm");
    assert_eq!(download(&app, &admin, id).await.expect(200).header("content-type"), "video/webm");
}

async fn what_does_not_fit_its_hash_is_refused(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let (bytes, other) = (mp4(700_000), sha256(b"other"));
    let call =
        upload_request(&app, &token, id).header("x-content-sha256", &other).bytes("video/mp4", bytes.clone());
    assert_eq!(call.send().await.expect(422).code(), "wrong_checksum");
    assert_eq!(get_clip(&app, &admin, id).await["state"], "requested");
    assert_eq!(count_files(&app), 0);
    // The standard header works as well.
    let digest = format!("sha-256=:{}:", BASE64_STANDARD.encode(Sha256::digest(&bytes)));
    upload_request(&app, &token, id)
        .header("content-digest", &digest)
        .bytes("video/mp4", bytes)
        .send()
        .await
        .expect(200);
}

async fn after_a_cut_off_upload_it_is_sent_again(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let bytes = mp4(3_000_000);
    let (hand, body) = channel_body();
    let call = upload_request(&app, &token, id).header("x-content-sha256", &sha256(&bytes)).body(body);
    let call = tokio::spawn(call.send());
    hand.send(Ok(bytes[..2_000_000].to_vec())).unwrap();
    // During the upload its state is `uploading`.
    while get_clip(&app, &admin, id).await["state"] != "uploading" {
        tokio::task::yield_now().await;
    }
    assert_eq!(download(&app, &admin, id).await.expect(409).code(), "not_ready");
    hand.send(Err(std::io::ErrorKind::ConnectionReset.into())).unwrap();
    assert_eq!(call.await.unwrap().expect(400).code(), "body_incomplete");
    assert_eq!(get_clip(&app, &admin, id).await["state"], "requested");
    assert_eq!(count_files(&app), 0);
    upload_clip(&app, &token, id, &bytes).await.expect(200);
    assert!(download(&app, &admin, id).await.expect(200).body == bytes);
}

async fn a_repeat_changes_nothing_and_other_bytes_are_refused(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let bytes = mp4(5_000);
    let first = upload_clip(&app, &token, id, &bytes).await.expect(200).json();
    let before = get_clip(&app, &admin, id).await;
    app.clock.advance(Span::seconds(60));
    assert_eq!(upload_clip(&app, &token, id, &bytes).await.expect(200).json(), first);
    assert_eq!(upload_clip(&app, &token, id, &mp4(5_001)).await.expect(409).code(), "clip_has_video");
    assert_eq!(get_clip(&app, &admin, id).await, before);
    assert_eq!(count_files(&app), 1);
    assert!(download(&app, &admin, id).await.body == bytes);
}

/// Two uploads to two processes; both have begun before either ends, and the first one sends its last piece first.
async fn race_uploads(app: &TestApp, token: &str, clip: i64, uploads: [&[u8]; 2]) -> [Reply; 2] {
    let other = app.second_instance().await;
    let mut calls = Vec::new();
    for (app, bytes) in [app, &other].into_iter().zip(uploads) {
        let (hand, body) = channel_body();
        let call = upload_request(app, token, clip).header("x-content-sha256", &sha256(bytes)).body(body);
        hand.send(Ok(bytes[..700_000].to_vec())).unwrap();
        calls.push((hand, bytes, tokio::spawn(call.send())));
    }
    // Both have written a part.
    while count_files(app) < 2 {
        tokio::task::yield_now().await;
    }
    let mut replies = Vec::new();
    for (hand, bytes, call) in calls {
        hand.send(Ok(bytes[700_000..].to_vec())).unwrap();
        drop(hand);
        replies.push(call.await.unwrap());
    }
    replies.try_into().unwrap()
}

async fn of_two_uploads_at_once_one_wins(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let (one, two) = (mp4(900_000), mp4(900_001));
    let [first, second] = race_uploads(&app, &token, id, [&one, &two]).await;
    first.expect(200);
    assert_eq!(second.expect(409).code(), "clip_has_video");
    assert!(download(&app, &admin, id).await.expect(200).body == one);
    assert_eq!(count_files(&app), 1, "the loser's bytes are gone");
}

async fn two_uploads_of_the_same_bytes_both_succeed(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let bytes = mp4(900_000);
    let [first, second] = race_uploads(&app, &token, id, [&bytes, &bytes]).await;
    assert_eq!(first.expect(200).json(), second.expect(200).json());
    assert!(download(&app, &admin, id).await.expect(200).body == bytes);
    assert_eq!(count_files(&app), 1);
}

async fn only_its_own_station_or_gateway_sends_it(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    register_station(&app, &admin, "BS-2").await;
    let other = app.issue_token("Acme", DeviceKind::Station, "BS-2").await;
    let theirs = app.issue_token("Other", DeviceKind::Gateway, "Yard").await;
    let failed = json!({ "reason": "x" });
    for token in [&other, &theirs] {
        upload_clip(&app, token, id, &mp4(2_000)).await.expect(404);
        let path = format!("/ingest/v1/video_clips/{id}/failed");
        app.post(&path).bearer(token).json(&failed).send().await.expect(404);
    }
    upload_clip(&app, &token, 987, &mp4(2_000)).await.expect(404);
    upload_request(&app, "kcs_x", id).send().await.expect(401);
    app.request(Method::PUT, &format!("/ingest/v1/video_clips/{id}/content"))
        .cookie(&admin.cookie)
        .send()
        .await
        .expect(401);
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    upload_clip(&app, &gateway, id, &mp4(2_000)).await.expect(200);
}

async fn a_station_may_have_no_such_video(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let path = format!("/ingest/v1/video_clips/{id}/failed");
    let fail = |body| app.post(&path).bearer(&token).json(&body).send();
    fail(json!({})).await.expect(422);
    assert_eq!(fail(json!({ "reason": "no_recording" })).await.expect(200).json()["state"], "failed");
    fail(json!({ "reason": "said_again" })).await.expect(200);
    let shown = get_clip(&app, &admin, id).await;
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("failed"), &json!("no_recording")));
    assert_eq!(download(&app, &admin, id).await.expect(404).code(), "clip_failed");
    assert_eq!(upload_clip(&app, &token, id, &mp4(2_000)).await.expect(409).code(), "clip_ended");
    assert_eq!(count_files(&app), 0);
    let other = request_clip(&app, &admin, 1).await;
    upload_clip(&app, &token, other, &mp4(2_000)).await.expect(200);
    let path = format!("/ingest/v1/video_clips/{other}/failed");
    let late = app.post(&path).bearer(&token).json(&json!({ "reason": "x" })).send().await;
    assert_eq!(late.expect(409).code(), "clip_has_video");
}

async fn headers_are_checked_first(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let hash = sha256(&mp4(2_000));
    let call = || upload_request(&app, &token, id).bytes("video/mp4", mp4(2_000));
    assert_eq!(call().send().await.expect(400).code(), "invalid_header");
    assert_eq!(call().header("x-content-sha256", "abc").send().await.expect(400).code(), "invalid_header");
    let packed = call().header("x-content-sha256", &hash).header("content-encoding", "gzip");
    packed.send().await.expect(415);
    let large = call().header("x-content-sha256", &hash).header("content-length", "268435457");
    assert_eq!(large.send().await.expect(413).code(), "body_too_large");
    assert_eq!(get_clip(&app, &admin, id).await["state"], "requested");
}

async fn only_so_many_uploads_at_once(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.blobs.max_concurrent_uploads = 1).await;
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let bytes = mp4(2_000);
    let (hand, body) = channel_body();
    let call = upload_request(&app, &token, id).header("x-content-sha256", &sha256(&bytes)).body(body);
    let call = tokio::spawn(call.send());
    while get_clip(&app, &admin, id).await["state"] != "uploading" {
        tokio::task::yield_now().await;
    }
    let other = request_clip(&app, &admin, 1).await;
    let busy = upload_clip(&app, &token, other, &bytes).await.expect(503);
    assert_eq!((busy.code().as_str(), busy.header("retry-after")), ("uploads_busy", "10"));
    hand.send(Ok(bytes.clone())).unwrap();
    drop(hand);
    call.await.unwrap().expect(200);
    upload_clip(&app, &token, id, &bytes).await.expect(200);
}

/// Begins an upload that waits for its bytes.
async fn begin_upload(
    app: &TestApp,
    user: &Account,
    token: &str,
    id: i64,
    bytes: &[u8],
) -> (mpsc::UnboundedSender<Result<Vec<u8>, std::io::Error>>, tokio::task::JoinHandle<Reply>) {
    let (hand, body) = channel_body();
    let call = tokio::spawn(
        upload_request(app, token, id).header("x-content-sha256", &sha256(bytes)).body(body).send(),
    );
    while get_clip(app, user, id).await["state"] != "uploading" {
        tokio::task::yield_now().await;
    }
    (hand, call)
}

async fn a_clip_has_one_upload_at_a_time(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let bytes = mp4(2_000);
    let (hand, first) = begin_upload(&app, &admin, &token, id, &bytes).await;
    app.clock.advance(Span::seconds(4));
    let refused = upload_clip(&app, &token, id, &bytes).await.expect(409);
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("upload_under_way", "6"));
    // A gateway is refused as well.
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    upload_clip(&app, &gateway, id, &bytes).await.expect(409);
    hand.send(Ok(bytes.clone())).unwrap();
    drop(hand);
    first.await.unwrap().expect(200);
    // The clip is complete now, and sending it again changes nothing.
    upload_clip(&app, &token, id, &bytes).await.expect(200);
    assert_eq!(count_files(&app), 1);
}

async fn a_silent_upload_gives_way_to_a_newer_one(app: TestApp) {
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    let (old, new) = (mp4(900_000), mp4(900_001));
    let (hand, first) = begin_upload(&app, &admin, &token, id, &old).await;
    app.clock.advance(Span::seconds(9));
    hand.send(Ok(old[..700_000].to_vec())).unwrap();
    while count_files(&app) == 0 {
        tokio::task::yield_now().await;
    }
    // The upload does not count as stalled yet: its last bytes arrived a moment ago.
    app.clock.advance(Span::seconds(9));
    assert_eq!(upload_clip(&app, &token, id, &new).await.expect(409).header("retry-after"), "1");
    app.clock.advance(Span::seconds(1));
    upload_clip(&app, &token, id, &new).await.expect(200);
    assert_eq!(first.await.unwrap().expect(409).code(), "upload_replaced");
    assert!(download(&app, &admin, id).await.expect(200).body == new);
    assert_eq!(count_files(&app), 1, "nothing of the older one is left");
    drop(hand);
}

async fn a_greedy_brand_leaves_uploads_to_others(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.blobs.max_concurrent_uploads = 4;
        config.blobs.max_concurrent_uploads_per_brand = 3;
        config.blobs.max_concurrent_uploads_per_token = 2;
    })
    .await;
    let (admin, station, first) = request_clip_of_new_station(&app).await;
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Yard").await;
    let bytes = mp4(2_000);
    let mut clips = vec![first];
    for _ in 0..4 {
        clips.push(request_clip(&app, &admin, 1).await);
    }
    let mut held = Vec::new();
    for id in &clips[..2] {
        held.push(begin_upload(&app, &admin, &station, *id, &bytes).await);
    }
    // The station has used its two slots although the brand has a third; with the gateway's upload, the brand has used all three.
    assert_eq!(upload_clip(&app, &station, clips[3], &bytes).await.expect(503).code(), "uploads_busy");
    held.push(begin_upload(&app, &admin, &gateway, clips[2], &bytes).await);
    assert_eq!(upload_clip(&app, &gateway, clips[4], &bytes).await.expect(503).code(), "uploads_busy");
    // Another brand is never refused.
    let modest = app.sign_in_new_user_in_brand("Modest", "mo@example.com", Role::Admin).await;
    let id = register_station(&app, &modest, "BS-9").await;
    let token = app.issue_token("Modest", DeviceKind::Station, "BS-9").await;
    for _ in 0..5 {
        let clip = request_clip(&app, &modest, id).await;
        upload_clip(&app, &token, clip, &bytes).await.expect(200);
    }
    for (hand, call) in held {
        hand.send(Ok(bytes.clone())).unwrap();
        drop(hand);
        call.await.unwrap().expect(200);
    }
    upload_clip(&app, &station, clips[3], &bytes).await.expect(200);
}

async fn it_works_on_s3(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.blobs = objects_config(Backend::S3)).await;
    let (admin, token, id) = request_clip_of_new_station(&app).await;
    // Large enough for a multipart upload.
    let bytes = mp4(12_000_000);
    upload_clip(&app, &token, id, &bytes).await.expect(200);
    assert!(download(&app, &admin, id).await.expect(200).body == bytes);
    let path = format!("/api/v1/video_clips/{id}/content");
    let part = app.get(&path).cookie(&admin.cookie).header("range", "bytes=5242870-5242889").send().await;
    assert!(part.expect(206).body == bytes[5_242_870..5_242_890]);
}
