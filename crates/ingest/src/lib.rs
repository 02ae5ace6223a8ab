//! /ingest/v1: the API of base stations and gateways, which authenticate with device tokens.
//!
//! The modules follow the paths of the URLs, as in `api_v1`.

// What only the documents name is unused without them; with them, the compiler says what nobody uses.
#![cfg_attr(not(feature = "openapi"), allow(dead_code, unused_imports))]

mod batch;
mod commands;
mod content_coding;
mod csv_events;
mod digest;
mod event_reader;
mod event_splitter;
mod events;
mod fields;
mod json;
#[cfg(feature = "openapi")]
mod openapi_document;
mod parser_permits;
mod schema;
mod video_clips;

use std::sync::Arc;

use axum::routing::any;
use axum::{Extension, Router, middleware};
pub use batch::read_line;
pub use csv_events::CsvHeader;
use domain::DeviceKind;
pub use event_reader::EventRejection;
use http::Method;
use parser_permits::ParserPermits;
#[cfg(feature = "openapi")]
use utoipa::openapi::OpenApi;
use web::{
    AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, OperationRouter, RateLimitClass,
    unknown_path_handler,
};

/// Returns the routes of /ingest/v1.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::Problem,
        credential: CredentialKind::Device(&[DeviceKind::Station, DeviceKind::Gateway]),
        class: rate_limit_class,
    };
    let devices = device_routes().into_router();
    let places = Arc::new(ParserPermits::new(&edge.config.limits));
    devices
        .layer(Extension(places))
        .route("/ingest", any(unknown_path_handler))
        .route("/ingest/{*rest}", any(unknown_path_handler))
        .layer(middleware::from_fn_with_state(gate, AuthLayer::handle))
}

/// Returns the OpenAPI document of /ingest/v1.
#[cfg(feature = "openapi")]
pub fn openapi() -> OpenApi {
    let mut document = openapi_document::base();
    document.merge(device_routes().into_openapi());
    web::complete_document(&mut document, ErrorFormat::Problem);
    document
}

fn device_routes() -> OperationRouter {
    OperationRouter::new().merge(events::routes()).merge(commands::routes()).merge(video_clips::routes())
}

/// All operations share one quota.
fn rate_limit_class(_: &Method, _: Option<&str>, _: Option<&str>) -> RateLimitClass {
    RateLimitClass::Ingest
}
