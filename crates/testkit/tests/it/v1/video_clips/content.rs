//! GET and HEAD /api/v1/video_clips/{id}/content: ranges by RFC 9110, and the requests of a browser's video element.

use domain::{DeviceKind, Role};
use http::Method;
use testkit::{Account, Reply, TestApp, on_both_engines};

use crate::video::{mp4, register_station, request_clip, sha256, upload_clip};

on_both_engines!(
    a_part_is_answered_with_206_and_where_it_stands,
    what_is_behind_the_end_is_416_with_the_length,
    what_cannot_be_read_or_is_several_is_the_whole,
    a_part_of_another_version_is_the_whole,
    what_is_known_is_304,
    head_tells_what_get_would_send,
    video_is_never_compressed,
    a_video_element_plays_and_seeks,
);

const SIZE: usize = 1_234_567;

/// Sets up Acme with a clip of [`SIZE`] bytes and returns a viewer and the path of the clip.
async fn with_clip(app: &TestApp) -> (Account, String) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let id = register_station(app, &admin, "BS-1").await;
    let token = app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let clip = request_clip(app, &admin, id).await;
    upload_clip(app, &token, clip, &mp4(SIZE)).await.expect(200);
    let viewer = app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    (viewer, format!("/api/v1/video_clips/{clip}/content"))
}

async fn get(app: &TestApp, (user, path): &(Account, String), headers: &[(&str, &str)]) -> Reply {
    let call = app.get(path).cookie(&user.cookie);
    headers.iter().fold(call, |call, (name, value)| call.header(name, value)).send().await
}

#[track_caller]
fn assert_whole(reply: Reply) {
    let reply = reply.expect(200);
    assert_eq!(reply.header("content-length"), SIZE.to_string());
    assert_eq!(reply.header("accept-ranges"), "bytes");
    assert_eq!(reply.header("content-range"), "");
    assert!(reply.body == mp4(SIZE));
}

async fn a_part_is_answered_with_206_and_where_it_stands(app: TestApp) {
    let (clip, whole) = (with_clip(&app).await, mp4(SIZE));
    for (range, first, last) in [
        ("bytes=0-0", 0, 0),
        ("bytes=0-499", 0, 499),
        ("bytes=1000-", 1_000, SIZE - 1),
        ("bytes=-500", SIZE - 500, SIZE - 1),
        ("bytes=-99999999", 0, SIZE - 1),
        ("bytes=1234566-", SIZE - 1, SIZE - 1),
        ("bytes=600000-99999999", 600_000, SIZE - 1),
    ] {
        let reply = get(&app, &clip, &[("range", range)]).await.expect(206);
        assert_eq!(reply.header("content-range"), format!("bytes {first}-{last}/{SIZE}"), "{range}");
        assert_eq!(reply.header("content-length"), (last + 1 - first).to_string(), "{range}");
        assert_eq!(reply.header("content-type"), "video/mp4");
        assert_eq!(reply.header("etag"), format!("\"{}\"", sha256(&whole)));
        assert!(reply.body == whole[first..=last], "{range}");
    }
}

async fn what_is_behind_the_end_is_416_with_the_length(app: TestApp) {
    let clip = with_clip(&app).await;
    for range in ["bytes=1234567-", "bytes=1234567-1234568", "bytes=-0", "bytes=99999999999999999999-"] {
        let reply = get(&app, &clip, &[("range", range)]).await.expect(416);
        assert_eq!(reply.header("content-range"), format!("bytes */{SIZE}"), "{range}");
        assert_eq!(reply.code(), "range_not_satisfiable");
    }
}

async fn what_cannot_be_read_or_is_several_is_the_whole(app: TestApp) {
    let clip = with_clip(&app).await;
    assert_whole(get(&app, &clip, &[]).await);
    for range in ["bytes=5-4", "bytes=a-b", "bytes=", "lines=1-2", "bytes=0-1,5-6", "bytes=1234567-,0-1"] {
        assert_whole(get(&app, &clip, &[("range", range)]).await);
    }
}

async fn a_part_of_another_version_is_the_whole(app: TestApp) {
    let clip = with_clip(&app).await;
    let tag = get(&app, &clip, &[]).await.header("etag").to_owned();
    get(&app, &clip, &[("range", "bytes=0-1"), ("if-range", &tag)]).await.expect(206);
    let date = "Sun, 01 Mar 2026 12:00:00 GMT";
    for other in ["\"other\"", &format!("W/{tag}"), date] {
        assert_whole(get(&app, &clip, &[("range", "bytes=0-1"), ("if-range", other)]).await);
    }
}

async fn what_is_known_is_304(app: TestApp) {
    let clip = with_clip(&app).await;
    let tag = get(&app, &clip, &[]).await.header("etag").to_owned();
    for known in [tag.clone(), format!("W/{tag}"), "*".to_owned(), format!("\"x\", {tag}")] {
        let reply = get(&app, &clip, &[("if-none-match", &known), ("range", "bytes=0-1")]).await.expect(304);
        assert_eq!((reply.header("etag"), reply.body.len()), (tag.as_str(), 0));
    }
    assert_whole(get(&app, &clip, &[("if-none-match", "\"x\"")]).await);
    assert_eq!(get(&app, &clip, &[("if-match", "\"x\"")]).await.expect(412).code(), "stale");
}

async fn head_tells_what_get_would_send(app: TestApp) {
    let (user, path) = with_clip(&app).await;
    let call = || app.request(Method::HEAD, &path).cookie(&user.cookie);
    // Ranges apply to GET only.
    for call in [call(), call().header("range", "bytes=0-1"), call().header("range", "bytes=9999999-")] {
        let reply = call.send().await.expect(200);
        assert_eq!(reply.header("content-length"), SIZE.to_string());
        assert_eq!(reply.header("content-type"), "video/mp4");
        assert_eq!(reply.header("accept-ranges"), "bytes");
        assert_ne!(reply.header("etag"), "");
        assert!(reply.body.is_empty());
    }
    let known = call().send().await.header("etag").to_owned();
    call().header("if-none-match", &known).send().await.expect(304);
}

async fn video_is_never_compressed(app: TestApp) {
    let clip = with_clip(&app).await;
    let reply = get(&app, &clip, &[("accept-encoding", "gzip, deflate, br")]).await;
    assert_eq!(reply.header("content-encoding"), "");
    assert_whole(reply);
}

async fn a_video_element_plays_and_seeks(app: TestApp) {
    let (clip, whole) = (with_clip(&app).await, mp4(SIZE));
    let identity = ("accept-encoding", "identity;q=1, *;q=0");
    // The browser requests the whole file as a range, and reads the beginning.
    let first = get(&app, &clip, &[identity, ("range", "bytes=0-")]).await.expect(206);
    assert_eq!(first.header("content-range"), format!("bytes 0-{}/{SIZE}", SIZE - 1));
    let tag = first.header("etag").to_owned();
    // Then a range near the end, where the index may be, then one in the middle, all of the same version.
    for start in [SIZE - 30_000, 400_000] {
        let range = format!("bytes={start}-");
        let part = get(&app, &clip, &[identity, ("range", &range), ("if-range", &tag)]).await.expect(206);
        assert_eq!(part.header("content-range"), format!("bytes {start}-{}/{SIZE}", SIZE - 1));
        assert!(part.body == whole[start..]);
    }
}
