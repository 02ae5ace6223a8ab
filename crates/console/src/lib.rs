//! The console: the pages with which people use the service in a browser.
//!
//! Each section is a folder of the same name as its path, with the templates beside the code. Pages call the same use cases as the API. A
//! request passes `layers::errors_layer`, authentication by the cookie of V1, the protection against other origins and
//! `layers::frame_layer` before a handler.

mod address;
mod alerts;
mod assets;
mod behind;
mod charts;
mod config;
mod done;
mod entities;
mod explore;
mod form;
mod formats;
mod frame;
mod incursions;
mod invitations;
mod layers;
mod machines;
mod map_libraries;
mod outliers;
mod overview;
mod page_settings;
mod parts;
mod password_resets;
mod people;
mod pickers;
mod problem;
mod prove;
mod reports;
mod response;
mod resume;
mod settings;
mod sign_in;
mod sites;
mod visitors;

use std::sync::Arc;

use axum::routing::any;
use axum::{Router, middleware};
use http::Method;
use web::{AuthLayer, CredentialKind, Edge, EdgeState, ErrorFormat, RateLimitClass};

pub use config::Config;

use done::Done;
use layers::PageState;
use page_settings::PageSettings;

/// Everything that forms can have done.
const DONE: &[&[Done]] = &[
    sign_in::DONE,
    invitations::DONE,
    password_resets::DONE,
    overview::DONE,
    machines::DONE,
    people::DONE,
    visitors::DONE,
    sites::DONE,
    incursions::DONE,
    explore::DONE,
    outliers::DONE,
    reports::DONE,
    alerts::DONE,
    settings::DONE,
];

/// Returns all pages, with authentication, protection against other origins and error pages, and their assets.
pub fn routes(edge: &Arc<Edge>, config: &Config) -> Router<EdgeState> {
    let server = &edge.config.server;
    let settings = Arc::new(PageSettings::new(config, server.is_https(), DONE));
    let state = PageState { edge: Arc::clone(edge), settings };
    let auth = AuthLayer {
        edge: Arc::clone(edge),
        error_format: ErrorFormat::Page,
        credential: CredentialKind::Cookie,
        class: rate_limit_class,
    };
    let pages = Router::new()
        .merge(sign_in::routes())
        .merge(invitations::routes())
        .merge(password_resets::routes())
        .merge(overview::routes())
        .merge(machines::routes())
        .merge(people::routes())
        .merge(visitors::routes())
        .merge(sites::routes())
        .merge(incursions::routes())
        .merge(explore::routes())
        .merge(outliers::routes())
        .merge(reports::routes())
        .merge(alerts::routes())
        .merge(settings::routes())
        .merge(charts::routes())
        .route("/{*rest}", any(web::unknown_path_handler))
        .layer(middleware::from_fn_with_state(state.clone(), layers::frame_layer))
        .merge(sign_in::frameless_routes())
        .layer(web::csrf(server))
        .layer(middleware::from_fn_with_state(auth, AuthLayer::handle))
        .layer(middleware::from_fn_with_state(state.clone(), layers::errors_layer));
    // Who opens the address of an asset that no longer exists gets a page, and programs get problem details.
    let assets = assets::routes().route_layer(middleware::from_fn_with_state(state, layers::errors_layer));
    pages.merge(assets)
}

/// Pages count like the most expensive call of the API that they stand for. A form counts as what it asks for, although its page is
/// computed again if it is refused.
fn rate_limit_class(method: &Method, pattern: Option<&str>, query: Option<&str>) -> RateLimitClass {
    let pattern = pattern.unwrap_or_default();
    let is_read = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let starts_with = |starts: &[&str]| starts.iter().any(|start| pattern.starts_with(start));
    // These take a password or a secret token.
    let is_login = match is_read {
        true => starts_with(&["/invitations/", "/password-resets/"]),
        false => starts_with(&["/sign-in", "/invitations/", "/password-resets", "/settings/password"]),
    };
    let is_analytics = match is_read {
        true => reads_many_facts(pattern, query),
        // A dry run saves nothing, but reads a month. An export is counted before it is written.
        false => matches!(pattern, "/alerts/dry-run" | "/explore/exports"),
    };
    match is_read {
        _ if is_login => RateLimitClass::Login,
        _ if is_analytics || sorts_all_incursions(pattern, query) => RateLimitClass::Analytics,
        true => RateLimitClass::Read,
        false => RateLimitClass::Write,
    }
}

fn reads_many_facts(pattern: &str, query: Option<&str>) -> bool {
    match pattern {
        "/" | "/explore" | "/explore/incursions" | "/sites/{id}" => true,
        "/incursions" => form_urlencoded::parse(query.unwrap_or_default().as_bytes())
            .any(|(name, value)| name == "format" && value == "csv"),
        // A player asks for many parts of a clip, and the page of one that is still uploaded is opened again and again.
        _ if pattern.starts_with("/machines/{id}/clips/") => false,
        _ => ["/charts/", "/machines", "/people", "/outliers", "/alerts/dry-run"]
            .iter()
            .any(|start| pattern.starts_with(start)),
    }
}

/// Whether a page reads all incursions of its list, in an order that no index has: the list, and those that lead to the next one.
fn sorts_all_incursions(pattern: &str, query: Option<&str>) -> bool {
    matches!(pattern, "/incursions" | "/incursions/{id}" | "/incursions/{id}/review")
        && web::reads_all_incursions(query)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn what_was_done_has_a_code_of_its_own() {
        let mut codes = HashSet::new();
        for done in DONE.iter().copied().flatten() {
            assert!(codes.insert(done.code), "{} is used twice", done.code);
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(done.code.bytes().all(is_plain), "{}", done.code);
            assert!(done.undo.is_none_or(|path| path.starts_with('/')), "{}", done.code);
        }
    }

    #[test]
    fn passwords_and_secrets_count_as_logins() {
        let class = |method: Method, pattern: &str| rate_limit_class(&method, Some(pattern), None);
        assert_eq!(class(Method::POST, "/sign-in"), RateLimitClass::Login);
        assert_eq!(class(Method::GET, "/sign-in"), RateLimitClass::Read);
        assert_eq!(class(Method::GET, "/invitations/{token}"), RateLimitClass::Login);
        assert_eq!(class(Method::POST, "/password-resets"), RateLimitClass::Login);
    }

    #[test]
    fn pages_count_like_the_calls_of_the_api() {
        use RateLimitClass::{Analytics, Read, Write};
        for (method, pattern, query, class) in [
            (Method::GET, "/", "", Analytics),
            (Method::GET, "/machines", "", Analytics),
            (Method::GET, "/machines/{id}/clips/{clip_id}", "", Read),
            (Method::GET, "/machines/{id}/clips/{clip_id}/video", "", Read),
            (Method::POST, "/machines/{id}/notes", "", Write),
            (Method::GET, "/sites", "", Read),
            (Method::GET, "/sites/{id}", "", Analytics),
            (Method::GET, "/sites/{id}/edit", "", Read),
            (Method::GET, "/incursions", "sort=-started_at", Read),
            (Method::GET, "/incursions", "zone=danger&sort=-duration_ms", Analytics),
            (Method::GET, "/incursions", "format=csv", Analytics),
            (Method::GET, "/incursions/{id}", "", Read),
            (Method::GET, "/incursions/{id}", "sort=ack_ms", Analytics),
            (Method::POST, "/incursions/{id}/review", "", Write),
            (Method::POST, "/incursions/{id}/review", "sort=ack_ms", Analytics),
            (Method::POST, "/incursions/{id}/clip", "sort=ack_ms", Write),
            (Method::GET, "/explore", "", Analytics),
            (Method::GET, "/explore/exports/{id}", "", Read),
            (Method::POST, "/explore/exports", "", Analytics),
            (Method::POST, "/explore/views", "", Write),
            (Method::POST, "/alerts/dry-run", "", Analytics),
        ] {
            assert_eq!(
                rate_limit_class(&method, Some(pattern), Some(query)),
                class,
                "{method} {pattern}?{query}"
            );
        }
    }

    /// Templates escape everything. Only parts, which are templates themselves, are written as they are.
    #[test]
    fn no_template_writes_text_as_markup() {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "html") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    for forbidden in ["|safe", "| safe", " style=", "<style", "<script>", " onclick="] {
                        assert!(!text.contains(forbidden), "{}: {forbidden}", path.display());
                    }
                }
            }
        }
    }
}
