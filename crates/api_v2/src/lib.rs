//! /api/v2: JWT, JSON:API errors; projects, worksites, saved views and preferences as JSON:API documents.
//!
//! The tree is the URL: `GET /api/v2/session` is `session/get.rs`.

mod advanced_insights;
mod base_stations;
mod document;
mod frame;
mod insights;
mod login;
mod logout;
mod machines;
mod projects;
mod refresh;
mod saved_views;
mod session;
mod tokens;
mod user_preferences;
mod worksites;

use std::sync::Arc;

use axum::routing::any;
use axum::{Router, middleware};
use http::Method;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{Class, CredentialKind, Edge, EdgeState, Face, Gate, nothing_here};

/// Everything under /api/v2.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = Gate { edge: Arc::clone(edge), face: Face::JsonApi, credential: CredentialKind::Jwt, class };
    let router = operations().split_for_parts().0;
    let router = router
        .route("/api/v2", any(nothing_here))
        .route("/api/v2/", any(nothing_here))
        .route("/api/v2/{*rest}", any(nothing_here))
        .layer(middleware::from_fn_with_state(gate, Gate::pass));
    match web::cors(&edge.config.cors) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// The OpenAPI document of V2.
pub fn openapi() -> OpenApi {
    let mut document = frame::base();
    document.merge(operations().into_openapi());
    web::document_forbidden::<web::json_api::Forbidden>(&mut document, keeps_sign_in);
    document
}

/// What is open to strangers, and to those who must have a second factor and have none yet; the types of the callers say the same.
fn keeps_sign_in(path: &str) -> bool {
    ["/api/v2/login", "/api/v2/refresh", "/api/v2/logout", "/api/v2/session", "/api/v2/session/proof"]
        .contains(&path)
}

fn operations() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(login::log_in))
        .routes(routes!(session::get::get_session, session::delete::delete_session))
        .routes(routes!(session::proof::prove_session))
        .routes(routes!(logout::log_out))
        .routes(routes!(refresh::refresh))
        .merge(base_stations::routes())
        .merge(advanced_insights::routes())
        .merge(insights::routes())
        .merge(documents())
}

/// What speaks JSON:API throughout.
fn documents() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .merge(projects::routes())
        .merge(worksites::routes())
        .merge(saved_views::routes())
        .merge(user_preferences::routes())
        .layer(middleware::map_response(document::vary))
}

const EXPORTS: &str = "/api/v2/advanced_insights/exports";

fn class(method: &Method, pattern: Option<&str>) -> Class {
    match (method, pattern) {
        (&Method::POST, Some("/api/v2/login" | "/api/v2/refresh" | "/api/v2/session/proof")) => Class::Login,
        // Those who wait for a file look at it again and again, and that counts nothing.
        (&Method::GET | &Method::HEAD | &Method::DELETE, Some(pattern)) if pattern.starts_with(EXPORTS) => {
            if method == Method::DELETE {
                Class::Write
            } else {
                Class::Read
            }
        }
        (_, Some(pattern)) if pattern.starts_with("/api/v2/advanced_insights") => Class::Analytics,
        (_, Some(pattern)) if pattern.starts_with("/api/v2/insights/charts/") => Class::Analytics,
        (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => Class::Read,
        _ => Class::Write,
    }
}
