//! Errors in the format of each API version.

use axum::routing::get;
use axum::{Router, middleware};
use domain::Role;
use http::Method;
use serde_json::json;
use testkit::{Engine, TestApp};
use tower::ServiceExt;
use web::{AuthLayer, CredentialKind, EdgeState, ErrorFormat, RateLimitClass};

#[test]
fn paths_and_methods_that_are_not_there_say_so_in_the_faces_format() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        for (method, path, status, media_type) in [
            (Method::GET, "/api/v1/nowhere", 404, "application/problem+json"),
            (Method::POST, "/api/v1", 404, "application/problem+json"),
            (Method::GET, "/api/v1/tester/nowhere", 404, "application/problem+json"),
            (Method::PUT, "/api/v1/session", 405, "application/problem+json"),
            (Method::PATCH, "/api/v1/tester/people_assets", 405, "application/problem+json"),
            (Method::GET, "/api/v2/nowhere/at/all", 404, "application/vnd.api+json"),
            (Method::GET, "/api/v2/", 404, "application/vnd.api+json"),
            (Method::GET, "/api/v1/tester/", 404, "application/problem+json"),
            (Method::GET, "/api/v2/login", 405, "application/vnd.api+json"),
            (Method::from_bytes(b"BREW").unwrap(), "/api/v2/session", 405, "application/vnd.api+json"),
            (Method::GET, "/api/v3/session", 404, "application/problem+json"),
            (Method::GET, "/nowhere", 404, "application/problem+json"),
            (Method::POST, "/health/live", 405, "application/problem+json"),
            (Method::GET, "/docs/../../etc/passwd", 404, "application/problem+json"),
        ] {
            let reply = app.request(method.clone(), path).send().await;
            assert_eq!(reply.status.as_u16(), status, "{method} {path}");
            assert_eq!(reply.header("content-type"), media_type, "{method} {path}");
            assert_eq!(!reply.header("allow").is_empty(), status == 405, "{method} {path}");
            for name in ["x-request-id", "ratelimit", "ratelimit-policy", "content-security-policy"] {
                assert_ne!(reply.header(name), "", "{method} {path}: {name}");
            }
            for directive in
                ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]
            {
                assert!(
                    reply.header("content-security-policy").contains(directive),
                    "{method} {path}: {directive}"
                );
            }
            assert_eq!(reply.header("x-content-type-options"), "nosniff");
            assert_eq!(reply.header("cache-control"), "no-store");
        }
        // Unknown paths answer anonymous callers and users alike; a HEAD response has no body.
        let head = app.request(Method::HEAD, "/api/v1/session").send().await.expect(401);
        assert_eq!(head.header("content-type"), "application/problem+json");
    });
}

#[test]
fn a_query_that_is_not_utf8_is_refused() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
        let v1 = app.get("/api/v1/people?q=%ff").cookie(&ada.cookie).send().await.expect(400);
        let error = v1.json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!("q"), &json!("invalid_encoding")));
        for path in ["people", "tags", "machines", "worksites"] {
            let path = format!("/api/v2/{path}?filter[q]=a%c3(");
            let v2 = app.get(&path).bearer(&ada.jwt).send().await.expect(400);
            assert_eq!(v2.code(), "invalid_encoding", "{path}");
            assert_eq!(v2.json()["errors"][0]["source"], json!({ "parameter": "filter[q]" }), "{path}");
        }
    });
}

#[test]
fn the_two_formats_are_these() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let without_id = |mut body: serde_json::Value, id: &str| {
            let text = body.to_string().replace(id, "REQUEST-ID");
            body = serde_json::from_str(&text).unwrap();
            serde_json::to_string_pretty(&body).unwrap()
        };
        let v1 = app.post("/api/v1/session").json(&json!({ "email": "a@b.c" })).send().await.expect(422);
        insta::assert_snapshot!(without_id(v1.json(), v1.header("x-request-id")), @r#"
        {
          "code": "invalid_body",
          "detail": "password: must be given",
          "errors": [
            {
              "code": "required",
              "field": "password",
              "message": "must be given"
            }
          ],
          "instance": "/api/v1/session",
          "request_id": "REQUEST-ID",
          "status": 422,
          "title": "Unprocessable Entity",
          "type": "about:blank"
        }
        "#);
        let v2 = app.post("/api/v2/login").json(&json!({ "email": "a@b.c" })).send().await.expect(422);
        insta::assert_snapshot!(without_id(v2.json(), v2.header("x-request-id")), @r#"
        {
          "errors": [
            {
              "code": "required",
              "detail": "password: must be given",
              "id": "REQUEST-ID",
              "source": {
                "pointer": "/password"
              },
              "status": "422",
              "title": "Unprocessable Entity"
            }
          ],
          "jsonapi": {
            "version": "1.1"
          },
          "meta": {
            "request_id": "REQUEST-ID"
          }
        }
        "#);
    });
}

#[test]
fn a_panic_is_a_500_with_the_request_id_and_nothing_more() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let edge = std::sync::Arc::clone(app.edge());
        let router = |error_format| {
            let gate = AuthLayer {
                edge: edge.clone(),
                error_format,
                credential: CredentialKind::None,
                class: |_, _, _| RateLimitClass::Read,
            };
            let state = EdgeState(edge.clone());
            Router::new()
                .route("/boom", get(boom))
                .layer(middleware::from_fn_with_state(gate, AuthLayer::handle))
                .layer(middleware::from_fn_with_state(state.clone(), web::request_context_layer))
                .with_state(state)
        };
        for (error_format, media_type) in [
            (ErrorFormat::Problem, "application/problem+json"),
            (ErrorFormat::JsonApi, "application/vnd.api+json"),
            // Without the console's own layer around it, the outermost layer renders what is left.
            (ErrorFormat::Page, "application/problem+json"),
        ] {
            let request = http::Request::get("/boom").body(axum::body::Body::empty()).unwrap();
            let response = router(error_format).oneshot(request).await.unwrap();
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers()["content-type"], media_type);
            let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
            let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(body.contains(&id) && body.contains("internal_error"), "{body}");
            assert!(!body.contains("secret plum"), "{body}");
        }
        let metrics = app.get("/metrics").send().await.expect(200);
        assert!(String::from_utf8(metrics.body).unwrap().contains("keepclear_panics_total 3"));
    });
}

async fn boom() -> &'static str {
    panic!("a secret plum")
}

#[test]
fn a_store_that_is_away_is_503() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
        app.app.store.close().await;
        app.clock.advance(domain::Span::minutes(2));
        for (reply, media_type) in [
            (app.get("/api/v1/session").cookie(&ada.cookie).send().await, "application/problem+json"),
            (app.get("/api/v2/session").bearer(&ada.jwt).send().await, "application/vnd.api+json"),
            (app.log_in_v1("ada@example.com", "x").await, "application/problem+json"),
            (app.get("/health/ready").send().await, "application/problem+json"),
        ] {
            let reply = reply.expect(503);
            assert_eq!(reply.code(), "store_unavailable");
            assert_eq!((reply.header("retry-after"), reply.header("content-type")), ("5", media_type));
        }
        app.get("/health/live").send().await.expect(200);
    });
}
