//! The committed OpenAPI documents, packed by the build script.

use std::io::{self, Read};

use flate2::read::GzDecoder;

/// An OpenAPI document.
pub struct Document {
    /// The name in Swagger UI.
    pub name: &'static str,
    pub path: &'static str,
    /// The text as a gzip stream.
    pub gzip: &'static [u8],
}

macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".json.gz"))
    };
}

pub static V1: Document = Document { name: "V1", path: "/openapi/v1.json", gzip: packed!("v1") };
pub static V2: Document = Document { name: "V2", path: "/openapi/v2.json", gzip: packed!("v2") };
pub static INGEST: Document =
    Document { name: "Devices", path: "/openapi/ingest.json", gzip: packed!("ingest") };

/// All documents, in the order of Swagger UI.
pub static DOCUMENTS: [&Document; 3] = [&V1, &V2, &INGEST];

impl Document {
    pub fn text(&self) -> io::Result<String> {
        let mut text = String::new();
        GzDecoder::new(self.gzip).read_to_string(&mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::Router;
    use axum::body::{Body, to_bytes};
    use domain::{Clock, Random, Timestamp};
    use http::{Method, Request, StatusCode};
    use serde_json::Value;
    use tower::ServiceExt as _;

    use super::*;
    use crate::application::Application;
    use crate::config::{Config, Layers};

    #[test]
    fn each_document_is_the_committed_one() {
        for document in DOCUMENTS {
            let committed = format!("{}/../..{}", env!("CARGO_MANIFEST_DIR"), document.path);
            let committed = std::fs::read_to_string(committed).unwrap();
            assert!(document.text().unwrap() == committed, "{} differs", document.path);
        }
    }

    /// Calls a path without credentials, each time from another address. Returns the status, and whether the path is unknown.
    async fn call(router: &Router, method: &Method, path: &str, caller: u16) -> (StatusCode, bool) {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .body(Body::empty())
            .unwrap();
        let [high, low] = caller.to_be_bytes();
        request.extensions_mut().insert(web::Peer(SocketAddr::from(([10, 0, high, low], 40_000))));
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let is_unknown =
            status == StatusCode::NOT_FOUND && String::from_utf8_lossy(&body).contains("no_such_path");
        (status, is_unknown)
    }

    /// The routes are those of this build, which may have nothing else that knows the documents.
    #[tokio::test(flavor = "multi_thread")]
    async fn whatever_is_documented_is_routed() {
        let folder = testbed::temporary_folder();
        let layers = Layers { data: Some(folder.path().to_owned()), ..Layers::default() };
        let config = Config::load(&layers).unwrap();
        let clock = Clock::manual_at(Timestamp::from_seconds(1_772_366_430));
        let application = Application::build(&config, clock, Random::System).await.unwrap();
        let router = &application.router;

        let mut calls = 0;
        for document in DOCUMENTS {
            let document: Value = serde_json::from_str(&document.text().unwrap()).unwrap();
            for (path, operations) in document["paths"].as_object().unwrap() {
                let parts = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
                let place = parts.collect::<Vec<_>>().join("/");
                for method in operations.as_object().unwrap().keys() {
                    let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                    calls += 1;
                    let (status, is_unknown) = call(router, &method, &place, calls).await;
                    let is_routed = !is_unknown && status != StatusCode::METHOD_NOT_ALLOWED;
                    assert!(
                        is_routed && status != StatusCode::TOO_MANY_REQUESTS,
                        "{method} {path}: {status}"
                    );
                }
            }
        }
        assert!(calls > 250, "only {calls} operations");

        // What the test would see of a route that is missing.
        for path in ["/api/v1/nothing", "/api/v2/nothing", "/ingest/v1/nothing"] {
            assert!(call(router, &Method::GET, path, 0).await.1, "{path}");
        }
        assert_eq!(call(router, &Method::PUT, "/api/v1/tags", 0).await.0, StatusCode::METHOD_NOT_ALLOWED);
    }
}
