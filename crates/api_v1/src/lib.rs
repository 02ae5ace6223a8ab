//! /api/v1: plain JSON, with cookie sessions for people and bearer tokens for tester devices.
//!
//! The tree of modules is the tree of URLs: `GET /api/v1/admin/users` is `admin/users/list.rs`.

// What only the documents name is unused without them; with them, the compiler says what nobody uses.
#![cfg_attr(not(feature = "openapi"), allow(dead_code, unused_imports))]

mod account;
mod admin;
mod alert_firings;
mod alerts;
mod base_stations;
mod brand;
mod entities;
mod imports;
mod incursions;
mod insights;
mod links;
mod machines;
mod notes;
#[cfg(feature = "openapi")]
mod openapi_document;
mod people;
mod projects;
mod references;
mod report_schedules;
mod reports;
mod session;
mod sessions;
mod stream;
mod tag_assignments;
mod tags;
mod tester;
mod video_clips;
mod visitor_sessions;
mod webhooks;
mod worksites;

use std::sync::Arc;

use axum::routing::any;
use axum::{Router, middleware};
use domain::DeviceKind;
use http::Method;
#[cfg(feature = "openapi")]
use utoipa::openapi::OpenApi;
use web::{
    AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, OperationRouter, RateLimitClass,
    unknown_path_handler,
};

/// Returns all routes of V1, with authentication, CSRF protection and error rendering.
pub fn routes(edge: &Arc<Edge>) -> Router<EdgeState> {
    let auth_layer = |credential, class| AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::Problem,
        credential,
        class,
    };

    let people = user_routes().into_router();
    let people = people
        .route("/api/v1", any(unknown_path_handler))
        .route("/api/v1/", any(unknown_path_handler))
        .route("/api/v1/{*rest}", any(unknown_path_handler))
        .layer(web::csrf(&edge.config.server))
        .layer(middleware::from_fn_with_state(
            auth_layer(CredentialKind::Cookie, rate_limit_class),
            AuthLayer::handle,
        ));

    let testers = tester_routes().into_router();
    let testers = testers
        .route("/api/v1/tester", any(unknown_path_handler))
        .route("/api/v1/tester/", any(unknown_path_handler))
        .route("/api/v1/tester/{*rest}", any(unknown_path_handler))
        .layer(middleware::from_fn_with_state(
            auth_layer(CredentialKind::Device(&[DeviceKind::Tester]), rate_limit_class),
            AuthLayer::handle,
        ));

    let strangers = account_routes().into_router();
    let strangers = strangers
        .route("/account", any(unknown_path_handler))
        .route("/account/{*rest}", any(unknown_path_handler))
        .layer(middleware::from_fn_with_state(
            auth_layer(CredentialKind::None, account_rate_limit_class),
            AuthLayer::handle,
        ));

    let link_holders = link_routes().into_router();
    let link_holders = link_holders
        .route("/links", any(unknown_path_handler))
        .route("/links/{*rest}", any(unknown_path_handler))
        .layer(middleware::from_fn_with_state(
            auth_layer(CredentialKind::None, link_rate_limit_class),
            AuthLayer::handle,
        ));
    people.merge(testers).merge(strangers).merge(link_holders)
}

#[cfg(feature = "openapi")]
pub fn openapi() -> OpenApi {
    let mut document = openapi_document::base();
    let mut users = user_routes().into_openapi();
    web::document_cross_site_refusals(&mut users);
    document.merge(users);
    document.merge(tester_routes().into_openapi());
    document.merge(account_routes().into_openapi());
    document.merge(link_routes().into_openapi());
    document.webhooks = Some(webhooks::documented_events());
    web::complete_document(&mut document, ErrorFormat::Problem);
    document
}

fn user_routes() -> OperationRouter {
    OperationRouter::new()
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
        .merge(stream::routes())
        .merge(reports::routes())
        .merge(report_schedules::routes())
        .merge(alerts::routes())
        .merge(alert_firings::routes())
        .merge(webhooks::routes())
        .merge(notes::routes())
        .merge(imports::routes())
        .merge(admin::routes())
}

fn tester_routes() -> OperationRouter {
    tester::routes()
}

fn account_routes() -> OperationRouter {
    account::routes()
}

fn link_routes() -> OperationRouter {
    links::routes()
}

/// Every call here takes a password or a secret token, so all count as login attempts.
fn account_rate_limit_class(_: &Method, _: Option<&str>, _: Option<&str>) -> RateLimitClass {
    RateLimitClass::Login
}

/// A signed link is checked without a look-up, and its file is read in ranges. Unsubscribing is one small write per recipient.
fn link_rate_limit_class(_: &Method, _: Option<&str>, _: Option<&str>) -> RateLimitClass {
    RateLimitClass::Read
}

fn rate_limit_class(method: &Method, pattern: Option<&str>, query: Option<&str>) -> RateLimitClass {
    match (method, pattern) {
        // These calls check a password, so they are limited like logins.
        (&Method::POST, Some("/api/v1/session" | "/api/v1/session/proof")) => RateLimitClass::Login,
        (&Method::PUT, Some("/api/v1/session/password")) => RateLimitClass::Login,
        (_, Some(pattern)) if is_analytics(pattern) => RateLimitClass::Analytics,
        (&Method::GET | &Method::HEAD, Some("/api/v1/incursions")) if web::reads_all_incursions(query) => {
            RateLimitClass::Analytics
        }
        (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => RateLimitClass::Read,
        _ => RateLimitClass::Write,
    }
}

fn is_analytics(pattern: &str) -> bool {
    ["/api/v1/insights", "/api/v1/entities", "/api/v1/alerts/dry_run"]
        .iter()
        .any(|start| pattern.starts_with(start))
}
