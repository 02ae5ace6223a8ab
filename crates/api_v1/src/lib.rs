//! /api/v1: cookie sessions for people, bearer tokens for tester devices, plain JSON.
//!
//! The tree is the URL: `GET /api/v1/admin/users` is `admin/users/list.rs`.

mod account;
mod admin;
mod base_stations;
mod brand;
mod document;
mod entities;
pub mod imports;
mod incursions;
mod insights;
mod machines;
mod notes;
mod people;
mod projects;
mod references;
mod session;
mod sessions;
mod tag_assignments;
mod tags;
mod tester;
mod video_clips;
mod visitor_sessions;
mod worksites;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Router, middleware};
use domain::DeviceKind;
use http::Method;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use web::{Class, CredentialKind, Edge, EdgeState, Face, Failure, Gate, nothing_here};

/// Everything under /api/v1.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = |credential, class| Gate { edge: Arc::clone(edge), face: Face::Problem, credential, class };

    let people = people().split_for_parts().0;
    let people = people
        .route("/api/v1", any(nothing_here))
        .route("/api/v1/", any(nothing_here))
        .route("/api/v1/{*rest}", any(nothing_here))
        .layer(csrf(&edge.config.server))
        .layer(middleware::from_fn_with_state(gate(CredentialKind::Cookie, class), Gate::pass));

    let testers = testers().split_for_parts().0;
    let testers = testers
        .route("/api/v1/tester", any(nothing_here))
        .route("/api/v1/tester/", any(nothing_here))
        .route("/api/v1/tester/{*rest}", any(nothing_here))
        .layer(middleware::from_fn_with_state(
            gate(CredentialKind::Device(&[DeviceKind::Tester]), class),
            Gate::pass,
        ));

    let strangers = strangers().split_for_parts().0;
    let strangers = strangers
        .route("/account", any(nothing_here))
        .route("/account/{*rest}", any(nothing_here))
        .layer(middleware::from_fn_with_state(gate(CredentialKind::Nothing, class_of_strangers), Gate::pass));
    people.merge(testers).merge(strangers)
}

/// The OpenAPI document of V1.
pub fn openapi() -> OpenApi {
    let mut document = document::base();
    document.merge(people().into_openapi());
    web::document_forbidden::<web::problem::Forbidden>(&mut document, keeps_sign_in);
    document.merge(testers().into_openapi());
    document.merge(strangers().into_openapi());
    document
}

/// What is open to those who must have a second factor and have none yet; the types of the callers say the same.
fn keeps_sign_in(path: &str) -> bool {
    path == "/api/v1/session" || path.starts_with("/api/v1/session/")
}

fn people() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .merge(session::routes())
        .merge(sessions::routes())
        .merge(projects::routes())
        .merge(worksites::routes())
        .merge(machines::routes())
        .merge(base_stations::routes())
        .merge(video_clips::routes())
        .merge(brand::routes())
        .merge(people::routes())
        .merge(tags::routes())
        .merge(tag_assignments::routes())
        .merge(visitor_sessions::routes())
        .merge(incursions::routes())
        .merge(insights::routes())
        .merge(entities::routes())
        .merge(notes::routes())
        .merge(imports::routes())
        .merge(admin::routes())
}

fn testers() -> OpenApiRouter<EdgeState> {
    tester::routes()
}

fn strangers() -> OpenApiRouter<EdgeState> {
    account::routes()
}

/// Everything there is about passwords, or could be guessed at.
fn class_of_strangers(_: &Method, _: Option<&str>) -> Class {
    Class::Login
}

fn class(method: &Method, pattern: Option<&str>) -> Class {
    match (method, pattern) {
        // Guessing a password is what all of them are limited for.
        (&Method::POST, Some("/api/v1/session" | "/api/v1/session/proof")) => Class::Login,
        (&Method::PUT, Some("/api/v1/session/password")) => Class::Login,
        (_, Some(pattern)) if is_analytics(pattern) => Class::Analytics,
        (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => Class::Read,
        _ => Class::Write,
    }
}

fn is_analytics(pattern: &str) -> bool {
    ["/api/v1/insights", "/api/v1/entities"].iter().any(|start| pattern.starts_with(start))
}

/// Refuses writes that a page of another origin makes with our cookie.
fn csrf(server: &web::Server) -> CsrfLayer<impl Fn(ProtectionError) -> Response + Clone + use<>> {
    let layer = CsrfLayer::new();
    let layer = match layer.clone().add_trusted_origin(server.base_url()) {
        Ok(trusting) => trusting,
        Err(_) => layer,
    };
    layer.with_rejection_response(|_| {
        let detail = "This write came from a page of another origin.";
        let error = app::Error::new(app::Kind::Forbidden, "cross_site_request", detail);
        Failure::from(error).into_response()
    })
}
