//! Protection of the session cookie against pages of other origins.

use app::{Error, ErrorKind};
use axum::response::{IntoResponse, Response};
use tower_http::csrf::{CsrfLayer, ProtectionError};

use crate::config::Server;
use crate::response::error::Failure;

/// Refuses writes that a page of another origin makes with our cookie: by `Sec-Fetch-Site`, else by `Origin`.
pub fn csrf(server: &Server) -> CsrfLayer<impl Fn(ProtectionError) -> Response + Clone + use<>> {
    let layer = CsrfLayer::new();
    let layer = match layer.clone().add_trusted_origin(server.base_url()) {
        Ok(trusting) => trusting,
        Err(_) => layer,
    };
    layer.with_rejection_response(|_| {
        let detail = "This request was made by a page of another origin.";
        Failure::from(Error::new(ErrorKind::Forbidden, "cross_site_request", detail)).into_response()
    })
}
