//! /docs: the OpenAPI documents, for people (Swagger UI) and for programs.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use axum::{Router, middleware};
use http::{HeaderValue, StatusCode, header};
use utoipa_swagger_ui::{Config, SwaggerUi, Url};
use web::{AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, RateLimitClass, unknown_path_handler};

/// Only our own resources are allowed. Swagger UI needs inline styles and images from data URLs.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; font-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Returns the routes of /docs and /openapi.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::Problem,
        credential: CredentialKind::None,
        class: |_, _, _| RateLimitClass::Read,
    };
    let swagger: Router<EdgeState> = SwaggerUi::new("/docs")
        .url(Url::new("V1", "/openapi/v1.json"), api_v1::openapi())
        .url(Url::new("V2", "/openapi/v2.json"), api_v2::openapi())
        .url(Url::new("Devices", "/openapi/ingest.json"), ingest::openapi())
        .config(Config::default().persist_authorization(false).try_it_out_enabled(true))
        .into();
    swagger
        .layer(middleware::map_response(with_policy))
        .layer(middleware::from_fn_with_state(gate, AuthLayer::handle))
}

/// Adds the policy, and turns unknown files of Swagger UI into 404.
async fn with_policy(mut response: Response) -> Response {
    if response.status() == StatusCode::NOT_FOUND {
        return unknown_path_handler().await.into_response();
    }
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    response
}
