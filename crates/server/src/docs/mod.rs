//! /docs: the OpenAPI documents, for people (Swagger UI) and for programs.

mod archive;
mod content_coding;
mod documents;
mod swagger_ui;

use std::sync::Arc;

use axum::response::Response;
use axum::routing::get;
use axum::{Router, middleware};
use http::{HeaderMap, HeaderValue, header};
use web::{AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, RateLimitClass};

use content_coding::{accepts_gzip, respond};
use documents::{DOCUMENTS, Document};
#[cfg(not(feature = "openapi"))]
pub use documents::{INGEST, V1, V2};

/// Only our own resources are allowed. Swagger UI needs inline styles and images from data URLs.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; font-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

async fn serve_document(document: &'static Document, headers: HeaderMap) -> web::Result {
    let gzip = accepts_gzip(&headers).then_some(document.gzip);
    respond("application/json", gzip, || document.text())
}

/// Returns the routes of /docs and /openapi.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::Problem,
        credential: CredentialKind::None,
        class: |_, _, _| RateLimitClass::Read,
    };
    let documents: Vec<_> = DOCUMENTS.iter().map(|document| (document.name, document.path)).collect();
    DOCUMENTS
        .iter()
        .fold(swagger_ui::routes(&documents), |router, document| {
            router.route(document.path, get(move |headers: HeaderMap| serve_document(document, headers)))
        })
        .layer(middleware::map_response(with_policy))
        .layer(middleware::from_fn_with_state(gate, AuthLayer::handle))
}

async fn with_policy(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    response
}
