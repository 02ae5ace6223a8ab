//! /api/v2: authentication by JWT, errors in the JSON:API format. Incursions, the registry, visits, firings of alerts, saved views and
//! preferences are JSON:API documents; sign-in, charts, insights, positions, tracks and the pages of base stations use plain JSON.
//!
//! The module tree follows the URLs: `GET /api/v2/session` is `session/get.rs`.

// What only the documents name is unused without them; with them, the compiler says what nobody uses.
#![cfg_attr(not(feature = "openapi"), allow(dead_code, unused_imports))]

mod advanced_insights;
mod alert_firings;
mod base_stations;
mod incursions;
mod insights;
mod json_api;
mod login;
mod logout;
mod machines;
mod openapi_document;
mod people;
mod positions;
mod projects;
mod refresh;
mod related;
mod reports;
mod saved_views;
mod session;
mod stream;
mod tags;
mod tokens;
mod user_preferences;
mod visitor_sessions;
mod worksites;

use std::sync::Arc;

use axum::routing::any;
use axum::{Router, middleware};
use http::Method;
#[cfg(feature = "openapi")]
use utoipa::openapi::OpenApi;
use web::{
    AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, OperationRouter, RateLimitClass, routes,
    unknown_path_handler,
};

/// Returns the routes of /api/v2, with authentication and rate limits.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let gate = AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::JsonApi,
        credential: CredentialKind::Jwt,
        class: rate_limit_class,
    };
    let router = json_routes().into_router();
    let router = router
        .route("/api/v2", any(unknown_path_handler))
        .route("/api/v2/", any(unknown_path_handler))
        .route("/api/v2/{*rest}", any(unknown_path_handler))
        .layer(middleware::from_fn_with_state(gate, AuthLayer::handle));
    match web::cors(&edge.config.cors) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// Returns the OpenAPI document of V2.
#[cfg(feature = "openapi")]
pub fn openapi() -> OpenApi {
    let mut document = openapi_document::base();
    document.merge(json_routes().into_openapi());
    web::complete_document(&mut document, ErrorFormat::JsonApi);
    document
}

fn json_routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(login::log_in))
        .routes(routes!(session::get::get_session, session::delete::delete_session))
        .routes(routes!(session::proof::prove_session))
        .routes(routes!(logout::log_out))
        .routes(routes!(refresh::refresh))
        .merge(base_stations::routes())
        .merge(advanced_insights::routes())
        .merge(insights::routes())
        .routes(routes!(positions::list_positions))
        .routes(routes!(stream::follow_stream))
        .routes(routes!(machines::tracks::get_machine_tracks))
        .merge(json_api_routes())
}

/// Returns the routes that use JSON:API documents.
fn json_api_routes() -> OperationRouter {
    OperationRouter::new()
        .merge(projects::routes())
        .merge(worksites::routes())
        .merge(saved_views::routes())
        .merge(user_preferences::routes())
        .merge(incursions::routes())
        .merge(machines::routes())
        .merge(people::routes())
        .merge(tags::routes())
        .merge(visitor_sessions::routes())
        .merge(base_stations::resource_routes())
        .merge(reports::routes())
        .merge(alert_firings::routes())
        .merge(advanced_insights::site_reports::routes())
        .layer(middleware::map_response(json_api::vary_by_accept))
}

const EXPORTS: &str = "/api/v2/advanced_insights/exports";
const SITE_REPORTS: &str = "/api/v2/advanced_insights/site_reports";

fn rate_limit_class(method: &Method, pattern: Option<&str>, query: Option<&str>) -> RateLimitClass {
    match (method, pattern) {
        (&Method::POST, Some("/api/v2/login" | "/api/v2/refresh" | "/api/v2/session/proof")) => {
            RateLimitClass::Login
        }
        // Clients poll an export or a site report until it is ready; that is cheap and does not count as analytics.
        (&Method::GET | &Method::HEAD | &Method::DELETE, Some(pattern))
            if pattern.starts_with(EXPORTS) || pattern.starts_with(SITE_REPORTS) =>
        {
            if method == Method::DELETE { RateLimitClass::Write } else { RateLimitClass::Read }
        }
        (_, Some(pattern)) if pattern.starts_with("/api/v2/advanced_insights") => RateLimitClass::Analytics,
        (&Method::GET | &Method::HEAD, Some("/api/v2/incursions")) if web::reads_all_incursions(query) => {
            RateLimitClass::Analytics
        }
        // All insights but the list of charts.
        (_, Some(pattern))
            if pattern.starts_with("/api/v2/insights/") && pattern != "/api/v2/insights/charts" =>
        {
            RateLimitClass::Analytics
        }
        (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => RateLimitClass::Read,
        _ => RateLimitClass::Write,
    }
}
