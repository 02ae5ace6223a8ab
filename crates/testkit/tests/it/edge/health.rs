//! Health checks, metrics, API documents and headers.

use std::io::Read as _;

use domain::Role;
use flate2::read::GzDecoder;
use testkit::{Database, Engine, TestApp, on_both_engines};

on_both_engines!(
    health_and_metrics_tell_how_it_stands,
    ready_means_migrated,
    a_proxys_request_id_is_kept_and_a_strangers_is_not
);

async fn health_and_metrics_tell_how_it_stands(app: TestApp) {
    assert_eq!(app.get("/health/live").send().await.expect(200).json()["status"], "live");
    assert_eq!(app.get("/health/ready").send().await.expect(200).json()["status"], "ready");
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    app.get("/api/v1/tester/people_assets/17").send().await.expect(401);
    let metrics = app.get("/metrics").send().await.expect(200);
    assert!(metrics.header("content-type").starts_with("text/plain"));
    let text = String::from_utf8(metrics.body).unwrap();
    for line in [
        "keepclear_http_requests_total{method=\"GET\",path=\"/api/v1/session\",status=\"200\"} 1",
        "keepclear_http_requests_total{method=\"GET\",path=\"/api/v1/tester/people_assets/{id}\",status=\"401\"} 1",
        "keepclear_http_request_seconds_count{path=\"/health/live\"} 1",
        "keepclear_store_connections_open ",
        "keepclear_jobs{state=\"waiting\"} 0",
        "keepclear_jobs{state=\"failed\"} 0",
        "keepclear_limited_requests_total{class=\"login\"} 0",
        "keepclear_password_hashes_total 3",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    // For all other addresses the path does not exist.
    app.get("/metrics").with_address("192.0.2.1").send().await.expect(404);
}

async fn ready_means_migrated(engine: Engine) {
    // Started over a migrated database, then connected to one that is not.
    let app = TestApp::start(engine).await;
    app.get("/health/ready").send().await.expect(200);
    let behind = Database::empty(engine);
    let (store, _) = behind.open().await;
    assert!(matches!(store.schema().await, Ok(store::SchemaState::Behind(_))));
    let ready = web::check_readiness(&store).await.unwrap_err();
    assert_eq!((ready.0.kind, ready.0.code), (app::ErrorKind::Unavailable, "migrations_missing"));
}

async fn a_proxys_request_id_is_kept_and_a_strangers_is_not(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.server.trusted_proxies = vec!["10.0.0.1/32".parse().unwrap()];
    })
    .await;
    let ask = |from, id| app.get("/health/live").with_address(from).header("x-request-id", id).send();
    assert_eq!(ask("10.0.0.1", "trace-42").await.header("x-request-id"), "trace-42");
    assert_ne!(ask("192.0.2.1", "trace-42").await.header("x-request-id"), "trace-42");
    assert_ne!(ask("10.0.0.1", "a b").await.header("x-request-id"), "a b");
    assert_ne!(ask("10.0.0.1", &"x".repeat(65)).await.header("x-request-id").len(), 65);
}

#[test]
fn docs_are_served_from_here_alone() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let page = app.get("/docs/").send().await.expect(200);
        let html = String::from_utf8(page.body.clone()).unwrap();
        assert!(html.contains("swagger-ui") && !html.contains("https://"), "{html}");
        assert!(page.header("content-security-policy").contains("script-src 'self'"));
        let bundle = "/docs/swagger-ui-bundle.js";
        let plain = app.get(bundle).send().await.expect(200);
        let packed = app.get(bundle).header("accept-encoding", "gzip").send().await.expect(200);
        assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
        assert!(packed.body.len() * 2 < plain.body.len());
        assert_eq!(app.get("/docs").send().await.expect(303).header("location"), "/docs/");
        app.get("/docs/package.json").send().await.expect(404);
        // Without a list of documents, Swagger UI would show one of its own.
        let settings = app.get("/docs/swagger-initializer.js").send().await.expect(200).text();
        for (path, title) in [
            ("/openapi/v1.json", "Keepclear V1"),
            ("/openapi/v2.json", "Keepclear V2"),
            ("/openapi/ingest.json", "Keepclear for devices"),
        ] {
            let plain = app.get(path).send().await.expect(200);
            assert_eq!(plain.json()["info"]["title"], title);
            let committed = format!("{}/../..{path}", env!("CARGO_MANIFEST_DIR"));
            assert!(plain.body == std::fs::read(committed).unwrap(), "{path} is not the committed document");
            let packed = app.get(path).header("accept-encoding", "gzip").send().await.expect(200);
            assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
            assert_eq!(packed.header("vary"), "accept-encoding");
            let mut unpacked = Vec::new();
            GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == plain.body, "{path} differs if it is packed");
            assert!(settings.contains(path), "{path} is not in {settings}");
        }
        assert_eq!(app.get("/").send().await.expect(200).json()["docs"], "/docs/");
    });
}

#[test]
fn long_answers_are_compressed_for_those_who_ask() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let plain = app.get("/metrics").send().await.expect(200);
        let packed = app.get("/metrics").header("accept-encoding", "gzip").send().await.expect(200);
        assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
        assert!(packed.body.len() * 2 < plain.body.len());
        let short = app.get("/health/live").header("accept-encoding", "gzip").send().await.expect(200);
        assert_eq!(short.header("content-encoding"), "");
    });
}
