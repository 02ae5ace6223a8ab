//! /ingest/v1: what base stations and gateways send and fetch, with their own tokens.
//!
//! The tree is the URL, as in `api_v1`.

mod batch;
mod cells;
mod commands;
mod digest;
mod document;
mod events;
mod expand;
mod fields;
mod json;
mod pieces;
mod read;
mod reading;
mod schema;
mod video_clips;

use std::sync::Arc;

use axum::routing::any;
use axum::{Extension, Router, middleware};
pub use batch::read_line;
pub use cells::Head;
use domain::DeviceKind;
use http::Method;
pub use read::Refused;
use reading::ReadingPlaces;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use web::{Class, CredentialKind, Edge, EdgeState, Face, Gate, nothing_here};

/// Everything under /ingest/v1.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = Gate {
        edge: Arc::clone(edge),
        face: Face::Problem,
        credential: CredentialKind::Device(&[DeviceKind::Station, DeviceKind::Gateway]),
        class,
    };
    let devices = devices().split_for_parts().0;
    let places = Arc::new(ReadingPlaces::new(&edge.config.limits));
    devices
        .layer(Extension(places))
        .route("/ingest", any(nothing_here))
        .route("/ingest/{*rest}", any(nothing_here))
        .layer(middleware::from_fn_with_state(gate, Gate::pass))
}

/// The OpenAPI document of /ingest/v1.
pub fn openapi() -> OpenApi {
    let mut document = document::base();
    document.merge(devices().into_openapi());
    document
}

fn devices() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().merge(events::routes()).merge(commands::routes()).merge(video_clips::routes())
}

/// All of it is one quota: a device that may send may also ask.
fn class(_: &Method, _: Option<&str>) -> Class {
    Class::Ingest
}
