//! Request bodies that cannot be read.

use std::time::Duration;

use serde_json::Value;
use testkit::{Engine, TestApp};

#[test]
fn broken_bodies_get_a_clear_answer_in_the_faces_format() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let deep = format!("{{\"email\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        let large = format!("{{\"email\":\"{}\"}}", "x".repeat(10_000_000));
        let cases: Vec<(&str, &str, Vec<u8>, u16)> = vec![
            ("truncated", "application/json", b"{\"email\": \"a".to_vec(), 400),
            ("empty", "application/json", Vec::new(), 400),
            ("trailing bytes", "application/json", b"{} {}".to_vec(), 400),
            ("duplicate keys", "application/json", b"{\"email\": \"a\", \"email\": \"b\"}".to_vec(), 400),
            ("a bare NUL", "application/json", b"{\"email\": \"\x00\"}".to_vec(), 400),
            (
                "an escaped NUL",
                "application/json",
                b"{\"email\": \"\\u0000\", \"password\": \"x\"}".to_vec(),
                422,
            ),
            ("invalid UTF-8", "application/json", b"{\"email\": \"\xff\"}".to_vec(), 400),
            ("half a surrogate", "application/json", b"{\"email\": \"\\ud800\"}".to_vec(), 400),
            ("depth of 10,000", "application/json", deep.into_bytes(), 400),
            ("10 MB", "application/json", large.into_bytes(), 413),
            ("an array", "application/json", b"[]".to_vec(), 422),
            ("null", "application/json", b"null".to_vec(), 422),
            ("a wrong type", "application/json", b"{\"email\": {}, \"password\": []}".to_vec(), 422),
            ("a number out of range", "application/json", b"{\"email\": 1e999}".to_vec(), 400),
            ("plain text", "text/plain", b"{}".to_vec(), 415),
            ("XML", "application/xml", b"<a/>".to_vec(), 415),
            ("another charset", "application/json; charset=utf-16", b"{}".to_vec(), 415),
            ("a broken form", "application/x-www-form-urlencoded", b"%ff%00=1".to_vec(), 422),
        ];
        for (what, media_type, bytes, status) in cases {
            for path in ["/api/v1/session", "/api/v2/login"] {
                let reply = app.post(path).bytes(media_type, bytes.clone()).send().await;
                assert_eq!(reply.status.as_u16(), status, "{what} at {path}");
                let format =
                    if path.contains("v1") { "application/problem+json" } else { "application/vnd.api+json" };
                assert_eq!(reply.header("content-type"), format, "{what}");
                assert!(reply.body.len() < 4_000, "{what}: the response does not echo the request");
                let body: Value = reply.json();
                assert!(body["errors"].is_array() && !reply.header("x-request-id").is_empty(), "{what}");
            }
        }
        let untyped = app.post("/api/v1/session").send().await.expect(415);
        assert_eq!(untyped.code(), "unsupported_media_type");
    });
}

#[test]
fn a_body_that_dribbles_is_given_up() {
    // Paused timers need a single-threaded runtime.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let app = TestApp::start(Engine::Sqlite).await;
        tokio::time::pause();
        let started = tokio::time::Instant::now();
        let reply =
            app.post("/api/v1/session").endless_body("application/json", Duration::from_secs(3)).send().await;
        assert_eq!(reply.expect(400).code(), "body_too_slow");
        assert!(started.elapsed() < Duration::from_secs(20));
    });
}
