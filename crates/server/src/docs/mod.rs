//! /docs: the OpenAPI documents, for people (Swagger UI) and for programs.

mod archive;
mod swagger_ui;

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use http::{HeaderValue, header};
use tokio::task::spawn_blocking;
use web::{AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, RateLimitClass};

/// Only our own resources are allowed. Swagger UI needs inline styles and images from data URLs.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; font-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// An OpenAPI document. The structures that it is made of take tens of megabytes, so that it is made when it is first requested, and
/// only its text is kept.
struct Document {
    /// The name in Swagger UI.
    name: &'static str,
    path: &'static str,
    make: fn() -> serde_json::Result<String>,
    /// Or why it could not be written.
    text: OnceLock<Result<Bytes, String>>,
}

impl Document {
    const fn new(name: &'static str, path: &'static str, make: fn() -> serde_json::Result<String>) -> Self {
        Self { name, path, make, text: OnceLock::new() }
    }

    /// Returns the text. Whoever asks first begins the work, which goes on if that request breaks off; the others wait for it.
    async fn text(&'static self) -> Result<Bytes, app::Error> {
        let text = match self.text.get() {
            Some(text) => text,
            None => spawn_blocking(move || self.text.get_or_init(|| self.make_text()))
                .await
                .map_err(app::Error::internal)?,
        };
        text.clone().map_err(app::Error::internal)
    }

    fn make_text(&self) -> Result<Bytes, String> {
        (self.make)().map(Bytes::from).map_err(|error| error.to_string())
    }
}

static DOCUMENTS: [Document; 3] = [
    Document::new("V1", "/openapi/v1.json", || api_v1::openapi().to_json()),
    Document::new("V2", "/openapi/v2.json", || api_v2::openapi().to_json()),
    Document::new("Devices", "/openapi/ingest.json", || ingest::openapi().to_json()),
];

async fn serve_document(document: &'static Document) -> web::Result {
    let text = document.text().await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
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
            router.route(document.path, get(move || serve_document(document)))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static MADE: AtomicUsize = AtomicUsize::new(0);
    static DOCUMENT: Document = Document::new("Test", "/openapi/test.json", || {
        MADE.fetch_add(1, Ordering::SeqCst);
        Ok("{}".to_owned())
    });

    #[tokio::test]
    async fn a_request_that_breaks_off_leaves_its_document_to_the_next() {
        tokio::select! {
            biased;
            _ = DOCUMENT.text() => {}
            () = std::future::ready(()) => {}
        }
        for _ in 0..2 {
            assert_eq!(DOCUMENT.text().await.unwrap(), "{}");
        }
        assert_eq!(MADE.load(Ordering::SeqCst), 1);
    }
}
