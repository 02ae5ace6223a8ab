//! The table of who may call which operation, written independently of the code. An operation missing from both the table and the
//! list of exceptions fails the test, and that list may only get shorter. The OpenAPI documents must agree, and contract/matrix.rs
//! tries what they say.

use std::collections::BTreeSet;

use domain::{DeviceKind, Role};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

/// Operations without a test. The list stays empty.
const UNTESTED: &[&str] = &[];

#[derive(Clone, Copy)]
enum Access {
    /// Anyone who knows an email address and its password; others get 401.
    Login,
    /// Anyone who holds a valid refresh token; others get 401.
    Refresh,
    /// Anyone; without the link from a mail there is nothing to find.
    Anyone,
    /// Users with at least this role, by cookie.
    Cookie(Role),
    /// Users with at least this role, by JWT.
    Jwt(Role),
    Tester,
    /// Base stations and gateways; tested in ingest/.
    Device,
}

const OPERATIONS: &[(&str, Access)] = &[
    ("POST /account/password_resets", Access::Anyone),
    ("POST /account/password_resets/{token}", Access::Anyone),
    ("GET /account/invitations/{token}", Access::Anyone),
    ("POST /account/invitations/{token}", Access::Anyone),
    ("POST /api/v1/session", Access::Login),
    ("GET /api/v1/session", Access::Cookie(Role::Viewer)),
    ("DELETE /api/v1/session", Access::Cookie(Role::Viewer)),
    ("PUT /api/v1/session/password", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/session/proof", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/session/second_factor", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/session/second_factor", Access::Cookie(Role::Viewer)),
    ("DELETE /api/v1/session/second_factor", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/session/second_factor/confirm", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/sessions", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/sessions/{id}", Access::Cookie(Role::Viewer)),
    ("DELETE /api/v1/sessions/{id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/projects", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/projects", Access::Cookie(Role::Member)),
    ("GET /api/v1/projects/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/projects/{id}", Access::Cookie(Role::Member)),
    ("GET /api/v1/worksites", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/worksites", Access::Cookie(Role::Member)),
    ("GET /api/v1/worksites/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/worksites/{id}", Access::Cookie(Role::Member)),
    ("DELETE /api/v1/worksites/{id}", Access::Cookie(Role::Member)),
    ("GET /api/v1/worksites/{id}/geo", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/worksites/{id}/terms", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/worksites/{id}/assignments", Access::Cookie(Role::Viewer)),
    ("PUT /api/v1/worksites/{id}/assignments/machines/{machine_id}", Access::Cookie(Role::Member)),
    ("DELETE /api/v1/worksites/{id}/assignments/machines/{machine_id}", Access::Cookie(Role::Member)),
    ("GET /api/v1/machines", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/machines", Access::Cookie(Role::Member)),
    ("GET /api/v1/machines/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/machines/{id}", Access::Cookie(Role::Member)),
    ("POST /api/v1/machines/{id}/archive", Access::Cookie(Role::Member)),
    ("POST /api/v1/machines/{id}/restore", Access::Cookie(Role::Member)),
    ("GET /api/v1/base_stations", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/base_stations", Access::Cookie(Role::Admin)),
    ("GET /api/v1/base_stations/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/base_stations/{id}", Access::Cookie(Role::Admin)),
    ("PUT /api/v1/base_stations/{id}/installation", Access::Cookie(Role::Member)),
    ("GET /api/v1/base_stations/{id}/installations", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/base_stations/{id}/status", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/base_stations/{id}/timeline", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/base_stations/{id}/zones", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/base_stations/{id}/messages", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/base_stations/{id}/messages", Access::Cookie(Role::Member)),
    ("GET /api/v1/base_stations/{id}/video_clips", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/base_stations/{id}/video_clips", Access::Cookie(Role::Member)),
    ("GET /api/v1/video_clips", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/video_clips/{id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/video_clips/{id}/content", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/people", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/people", Access::Cookie(Role::Member)),
    ("GET /api/v1/people/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/people/{id}", Access::Cookie(Role::Member)),
    ("POST /api/v1/people/{id}/archive", Access::Cookie(Role::Member)),
    ("POST /api/v1/people/{id}/restore", Access::Cookie(Role::Member)),
    ("POST /api/v1/people/{id}/erase", Access::Cookie(Role::Admin)),
    ("GET /api/v1/tags", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/tags", Access::Cookie(Role::Member)),
    ("GET /api/v1/tags/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/tags/{id}", Access::Cookie(Role::Member)),
    ("GET /api/v1/tags/{id}/tests", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/tags/{id}/assignments", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/tags/{id}/incursions", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/incursions", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/entities", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/entities/machines/{id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/entities/people/{id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights/breakdown", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights/durations", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights/heatmap", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights/totals", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/insights/trends", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/stream", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/incursions/{id}", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/incursions/{id}/review", Access::Cookie(Role::Member)),
    ("GET /api/v1/reports", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/reports", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/reports/{id}", Access::Cookie(Role::Viewer)),
    ("DELETE /api/v1/reports/{id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/reports/{id}/download", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/reports/{id}/remake", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/report_schedules", Access::Cookie(Role::Member)),
    ("POST /api/v1/report_schedules", Access::Cookie(Role::Member)),
    ("GET /api/v1/report_schedules/{id}", Access::Cookie(Role::Member)),
    ("PATCH /api/v1/report_schedules/{id}", Access::Cookie(Role::Member)),
    ("DELETE /api/v1/report_schedules/{id}", Access::Cookie(Role::Member)),
    ("POST /api/v1/report_schedules/{id}/run", Access::Cookie(Role::Member)),
    ("GET /api/v1/alerts", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/alerts", Access::Cookie(Role::Member)),
    ("POST /api/v1/alerts/dry_run", Access::Cookie(Role::Member)),
    ("GET /api/v1/alerts/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/alerts/{id}", Access::Cookie(Role::Member)),
    ("DELETE /api/v1/alerts/{id}", Access::Cookie(Role::Member)),
    ("POST /api/v1/alerts/{id}/test", Access::Cookie(Role::Member)),
    ("GET /api/v1/alerts/{id}/firings", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/alerts/{id}/firings/{firing_id}", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/alert_firings", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/webhooks", Access::Cookie(Role::Admin)),
    ("POST /api/v1/webhooks", Access::Cookie(Role::Admin)),
    ("GET /api/v1/webhooks/{id}", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/webhooks/{id}", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/webhooks/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/webhooks/{id}/rotate", Access::Cookie(Role::Admin)),
    ("POST /api/v1/webhooks/{id}/test", Access::Cookie(Role::Admin)),
    ("GET /api/v1/webhooks/{id}/deliveries", Access::Cookie(Role::Admin)),
    ("POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", Access::Cookie(Role::Admin)),
    ("GET /api/v1/tag_assignments", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/tag_assignments", Access::Cookie(Role::Member)),
    ("GET /api/v1/tag_assignments/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/tag_assignments/{id}", Access::Cookie(Role::Member)),
    ("DELETE /api/v1/tag_assignments/{id}", Access::Cookie(Role::Member)),
    ("GET /api/v1/visitor_sessions", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/visitor_sessions", Access::Cookie(Role::Member)),
    ("GET /api/v1/visitor_sessions/{id}", Access::Cookie(Role::Viewer)),
    ("PATCH /api/v1/visitor_sessions/{id}", Access::Cookie(Role::Member)),
    ("POST /api/v1/visitor_sessions/{id}/check_out", Access::Cookie(Role::Member)),
    ("GET /api/v1/notes", Access::Cookie(Role::Viewer)),
    ("POST /api/v1/notes", Access::Cookie(Role::Member)),
    ("POST /api/v1/imports/people", Access::Cookie(Role::Member)),
    ("POST /api/v1/imports/machines", Access::Cookie(Role::Member)),
    ("POST /api/v1/imports/tags", Access::Cookie(Role::Member)),
    ("POST /api/v1/imports/base_stations", Access::Cookie(Role::Admin)),
    ("GET /api/v1/brand/logo", Access::Cookie(Role::Viewer)),
    ("GET /api/v1/admin/brand", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/admin/brand", Access::Cookie(Role::Admin)),
    ("PUT /api/v1/admin/brand/logo", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/brand/logo", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/users", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/users", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/users/{id}", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/admin/users/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/users/{id}/resend_invitation", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/users/{id}/deactivate", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/users/{id}/reactivate", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/users/{id}/second_factor", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/users/{id}/sessions", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/audit_log", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/tester_devices", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/tester_devices", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/tester_devices/{id}", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/admin/tester_devices/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/tester_devices/{id}/token", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/tester_devices/{id}/token", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/base_stations/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/base_stations/{id}/token", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/base_stations/{id}/token", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/gateways", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/gateways", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/gateways/{id}", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/admin/gateways/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/gateways/{id}/token", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/gateways/{id}/token", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/service_accounts", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/service_accounts", Access::Cookie(Role::Admin)),
    ("GET /api/v1/admin/service_accounts/{id}", Access::Cookie(Role::Admin)),
    ("PATCH /api/v1/admin/service_accounts/{id}", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/service_accounts/{id}", Access::Cookie(Role::Admin)),
    ("POST /api/v1/admin/service_accounts/{id}/token", Access::Cookie(Role::Admin)),
    ("DELETE /api/v1/admin/service_accounts/{id}/token", Access::Cookie(Role::Admin)),
    ("GET /api/v1/tester/people_assets", Access::Tester),
    ("POST /api/v1/tester/people_assets", Access::Tester),
    ("GET /api/v1/tester/people_assets/{id}", Access::Tester),
    ("GET /api/v1/tester/tag_assignments", Access::Tester),
    ("POST /api/v1/tester/tag_assignments", Access::Tester),
    ("GET /api/v1/tester/tag_assignments/{id}", Access::Tester),
    ("DELETE /api/v1/tester/tag_assignments/{id}", Access::Tester),
    ("GET /api/v1/tester/visitor_sessions/{id}", Access::Tester),
    ("POST /api/v1/tester/tag_tests", Access::Tester),
    ("GET /api/v1/tester/tags/{serial}", Access::Tester),
    ("GET /api/v1/tester/visitor_sessions", Access::Tester),
    ("POST /api/v1/tester/visitor_sessions", Access::Tester),
    ("POST /api/v1/tester/visitor_sessions/{id}/check_out", Access::Tester),
    ("POST /ingest/v1/events", Access::Device),
    ("GET /ingest/v1/commands", Access::Device),
    ("PUT /ingest/v1/video_clips/{id}/content", Access::Device),
    ("POST /ingest/v1/video_clips/{id}/failed", Access::Device),
    ("GET /api/v1/tester/visitor_sessions/{id}/incursions", Access::Tester),
    ("POST /api/v2/login", Access::Login),
    ("POST /api/v2/refresh", Access::Refresh),
    ("GET /api/v2/session", Access::Jwt(Role::Viewer)),
    ("DELETE /api/v2/session", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/logout", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/session/proof", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/base_stations", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/base_stations/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/base_stations/{id}/events", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/base_stations/{id}/events/{event_id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/base_stations/{id}/gps_tracks", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/alert_firings", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/alert_firings/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/outliers", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/pivot", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/advanced_insights/pivot", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/exports", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/advanced_insights/exports", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/exports/{id}", Access::Jwt(Role::Viewer)),
    ("DELETE /api/v2/advanced_insights/exports/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/exports/{id}/download", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/site_reports", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/advanced_insights/site_reports", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/advanced_insights/site_reports/{id}", Access::Jwt(Role::Viewer)),
    ("DELETE /api/v2/advanced_insights/site_reports/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/incursions", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/incursions/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/incursions/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/insights/breakdown", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/totals", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/trends", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/machine_runtime", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/acknowledged_incursions", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/zone_time", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/trends", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/incursion_rate", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/durations", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/heatmap", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/hours_of_week", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/insights/charts/acknowledgement_score", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/machines", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/machines", Access::Jwt(Role::Member)),
    ("GET /api/v2/machines/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/machines/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/machines/{id}/tracks", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/people", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/people", Access::Jwt(Role::Member)),
    ("GET /api/v2/people/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/people/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/people/{id}/relationships/tags", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/people/{id}/tags", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/positions", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/stream", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/projects", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/projects", Access::Jwt(Role::Member)),
    ("GET /api/v2/projects/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/projects/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/projects/{id}/worksites", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/projects/{id}/relationships/worksites", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/projects/{id}/relationships/worksites", Access::Jwt(Role::Member)),
    ("PATCH /api/v2/projects/{id}/relationships/worksites", Access::Jwt(Role::Member)),
    ("DELETE /api/v2/projects/{id}/relationships/worksites", Access::Jwt(Role::Member)),
    ("GET /api/v2/reports", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/reports", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/reports/{id}", Access::Jwt(Role::Viewer)),
    ("DELETE /api/v2/reports/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/reports/{id}/download", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/reports/{id}/remake", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/saved_views", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/saved_views", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/saved_views/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/saved_views/{id}", Access::Jwt(Role::Viewer)),
    ("DELETE /api/v2/saved_views/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/tags", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/tags", Access::Jwt(Role::Member)),
    ("GET /api/v2/tags/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/tags/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/visitor_sessions", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/visitor_sessions/{id}", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/worksites", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/worksites", Access::Jwt(Role::Member)),
    ("GET /api/v2/worksites/{id}", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/worksites/{id}", Access::Jwt(Role::Member)),
    ("DELETE /api/v2/worksites/{id}", Access::Jwt(Role::Member)),
    ("GET /api/v2/worksites/{id}/project", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/worksites/{id}/relationships/project", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/worksites/{id}/relationships/project", Access::Jwt(Role::Member)),
    ("GET /api/v2/worksites/{id}/machines", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/worksites/{id}/relationships/machines", Access::Jwt(Role::Viewer)),
    ("POST /api/v2/worksites/{id}/relationships/machines", Access::Jwt(Role::Member)),
    ("PATCH /api/v2/worksites/{id}/relationships/machines", Access::Jwt(Role::Member)),
    ("DELETE /api/v2/worksites/{id}/relationships/machines", Access::Jwt(Role::Member)),
    ("GET /api/v2/user_preferences", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/user_preferences", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/user_preferences/default_view", Access::Jwt(Role::Viewer)),
    ("GET /api/v2/user_preferences/relationships/default_view", Access::Jwt(Role::Viewer)),
    ("PATCH /api/v2/user_preferences/relationships/default_view", Access::Jwt(Role::Viewer)),
    ("GET /links/alerts/{token}", Access::Anyone),
    ("POST /links/alerts/{token}", Access::Anyone),
    ("GET /links/reports/{token}", Access::Anyone),
];

fn documented_operations() -> Vec<(String, Value)> {
    let mut operations = Vec::new();
    for document in [api_v1::openapi(), api_v2::openapi(), ::ingest::openapi()] {
        let document = serde_json::to_value(document).unwrap();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                operations.push((format!("{} {path}", method.to_uppercase()), operation.clone()));
            }
        }
    }
    operations
}

#[test]
fn every_operation_has_an_authorisation_test_or_is_named() {
    let documented: BTreeSet<String> = documented_operations().into_iter().map(|(name, _)| name).collect();
    let named: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).chain(UNTESTED.iter().copied()).collect();
    let known: BTreeSet<String> = named.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(known.len(), named.len(), "an operation is named twice");
    assert_eq!(documented, known);
    assert!(UNTESTED.is_empty());
}

#[test]
fn the_documents_say_how_to_come_in() {
    for (name, operation) in documented_operations() {
        let access = OPERATIONS.iter().find(|(known, _)| *known == name).map(|(_, access)| *access);
        let scheme = match access.unwrap_or_else(|| panic!("{name} is not in the table")) {
            Access::Login | Access::Refresh | Access::Anyone => json!([]),
            Access::Cookie(_) => json!([{ "session": [] }]),
            Access::Jwt(_) => json!([{ "jwt": [] }]),
            Access::Tester => json!([{ "tester_token": [] }]),
            Access::Device => json!([{ "device_token": [] }]),
        };
        let mut security = operation["security"].clone();
        // `contract::proof` checks which of them require fresh proof.
        if let Some(roles) = security.pointer_mut("/0/session") {
            *roles = json!([]);
        }
        assert_eq!(security, scheme, "{name}");
        let least = match access {
            Some(Access::Cookie(role) | Access::Jwt(role)) => role,
            _ => Role::Viewer,
        };
        let documented = match operation.get("x-permission").and_then(Value::as_str) {
            Some(word) => Role::ALL.into_iter().find(|role| role.permissions().contains(&word)),
            None => Some(Role::Viewer),
        };
        assert_eq!(documented, Some(least), "{name}");
        if matches!(access, Some(Access::Anyone)) {
            continue;
        }
        assert!(operation["responses"].get("401").is_some(), "{name} does not document 401");
    }
}

on_both_engines!(what_is_open_trusts_only_what_it_asks_for);

async fn what_is_open_trusts_only_what_it_asks_for(app: TestApp) {
    app.allow_leftover_jobs();
    let tester = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for (index, (name, access)) in OPERATIONS.iter().enumerate() {
        let (method, path) = name.split_once(' ').unwrap();
        let path = path.replace("{token}", "T-1");
        let call = || app.request(Method::from_bytes(method.as_bytes()).unwrap(), &path);
        let admin = app.sign_in_new_user(&format!("admin{index}@example.com"), Role::Admin).await;
        let strangers = match access {
            Access::Login => {
                let wrong = json!({ "email": admin.email, "password": "not the password" });
                vec![call().json(&wrong), call().json(&wrong).bearer(&tester).cookie(&admin.cookie)]
            }
            Access::Anyone => {
                for call in [call(), call().cookie(&admin.cookie), call().bearer(&tester)] {
                    let status = call.json(&json!({ "email": "x@example.com" })).send().await.status.as_u16();
                    let expected = if path.ends_with("/T-1") { 404 } else { 200 };
                    assert_eq!(status, expected, "{name}");
                }
                continue;
            }
            Access::Refresh => vec![
                call().header("refreshtoken", "kcr_x"),
                call().header("refreshtoken", &admin.jwt),
                call().header("refreshtoken", &tester).bearer(&admin.jwt),
            ],
            // Tested from the documents, in contract/matrix.rs.
            Access::Cookie(_) | Access::Jwt(_) | Access::Tester | Access::Device => continue,
        };
        for (number, stranger) in strangers.into_iter().enumerate() {
            let reply = stranger.send().await;
            assert_eq!(reply.status, 401, "{name}, anonymous caller {number}");
            assert_ne!(reply.header("www-authenticate"), "", "{name}, anonymous caller {number}");
        }
    }
}
