//! Shared parts of video tests: stations with cameras, clip requests, and bytes that look like video.

use http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Account, Reply, TestApp};

/// Returns bytes that begin like an MP4 file; each byte depends on its position.
pub fn mp4(size: usize) -> Vec<u8> {
    let mut bytes = b"\0\0\0\x18ftypisom\0\0\x02\0isommp42\0\0\0\x08free".to_vec();
    bytes.extend((bytes.len()..size).map(|place| u8::try_from(place % 251).unwrap()));
    bytes
}

/// Returns bytes that begin like a WebM file.
pub fn webm(size: usize) -> Vec<u8> {
    let mut bytes = b"\x1A\x45\xDF\xA3\x87\x42\x82\x84webm".to_vec();
    bytes.resize(size, 7);
    bytes
}

/// Returns the SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Registers a station with two cameras and returns its id.
pub async fn register_station(app: &TestApp, admin: &Account, serial: &str) -> i64 {
    let new = json!({ "serial": serial, "cameras": ["front", "rear"] });
    let made = app.post("/api/v1/base_stations").cookie(&admin.cookie).json(&new).send().await;
    made.expect(201).json()["id"].as_i64().unwrap()
}

/// Requests a clip from a station.
pub async fn post_clip_request(app: &TestApp, user: &Account, station: i64, body: &Value) -> Reply {
    let path = format!("/api/v1/base_stations/{station}/video_clips");
    app.post(&path).cookie(&user.cookie).json(body).send().await
}

/// Requests half a minute of earlier video from a station and returns the clip's id.
pub async fn request_clip(app: &TestApp, user: &Account, station: i64) -> i64 {
    let body = json!({ "from": "2026-03-01T11:00:00Z", "to": "2026-03-01T11:00:30Z" });
    post_clip_request(app, user, station, &body).await.expect(201).json()["id"].as_i64().unwrap()
}

/// Uploads the bytes of a clip.
pub async fn upload_clip(app: &TestApp, token: &str, clip: i64, bytes: &[u8]) -> Reply {
    let call = app.request(Method::PUT, &format!("/ingest/v1/video_clips/{clip}/content")).bearer(token);
    call.header("x-content-sha256", &sha256(bytes)).bytes("video/mp4", bytes).send().await
}

/// Returns a clip as V1 shows it.
pub async fn get_clip(app: &TestApp, user: &Account, id: i64) -> Value {
    app.get(&format!("/api/v1/video_clips/{id}")).cookie(&user.cookie).send().await.expect(200).json()
}

/// Counts stored objects and incomplete files.
pub fn count_files(app: &TestApp) -> usize {
    fn count(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        // Parts of columns are saved whenever questions are answered, and belong to no upload.
        let entries = entries.filter(|path| !path.ends_with("blobs/columns-3"));
        entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
    }
    count(&app.config.data.join("blobs"))
}
