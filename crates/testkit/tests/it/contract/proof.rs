//! Operations that require fresh proof refuse a session whose proof is old, and their documents say so.

use std::collections::BTreeSet;

use domain::{Role, Span};
use http::Method;
use testkit::{Engine, TestApp, on_both_engines};

use super::world::OWN_BRAND;
use super::{Scheme, World, operations};

on_both_engines!(old_proof_is_refused_where_the_document_says_so_and_nowhere_else);

/// Writes by admins and on one's own sign-in that do not require fresh proof. The list may only get shorter: new ones require it.
const EXEMPT: &[&str] = &[
    // Signing out, and the proof itself.
    "DELETE /api/v1/session",
    "DELETE /api/v1/sessions/{id}",
    "DELETE /api/v2/session",
    "POST /api/v1/session/proof",
    "POST /api/v2/session/proof",
    // Device names and the logo of the brand, which give nobody access.
    "DELETE /api/v1/admin/brand/logo",
    "PATCH /api/v1/admin/gateways/{id}",
    "PATCH /api/v1/admin/tester_devices/{id}",
    "POST /api/v1/admin/gateways",
    "POST /api/v1/admin/tester_devices",
    "PUT /api/v1/admin/brand/logo",
];

#[test]
fn writes_on_sign_ins_and_by_admins_ask_for_fresh_proof_or_are_named() {
    let places = ["/api/v1/session", "/api/v2/session", "/api/v1/admin/"];
    let without: BTreeSet<String> = operations()
        .iter()
        .filter(|one| one.method != Method::GET && one.scheme() != Scheme::Public)
        .filter(|one| places.iter().any(|place| one.path.starts_with(place)) && !one.requires_proof())
        .map(|one| one.name.clone())
        .collect();
    assert_eq!(without, EXEMPT.iter().map(|name| (*name).to_owned()).collect());
}

async fn old_proof_is_refused_where_the_document_says_so_and_nowhere_else(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.auth.proof_max_age_minutes = 15;
        // Tokens outlive proofs here.
        config.auth.access_token_lifetime_minutes = 60;
    })
    .await;
    let world = World::new(app).await;
    for operation in world.operations {
        if !matches!(operation.scheme(), Scheme::Session | Scheme::Jwt) {
            continue;
        }
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let body = world.body(operation, &caller).await.map(|body| world.with_unique_fields(body));
        // Forward and back, so that the times in the examples stay valid.
        world.app.clock.adjust_wall_by(Span::minutes(16));
        let call = caller.authenticate(operation.scheme(), world.call(operation, &path, body.as_ref()));
        let reply = call.send().await;
        let is_refused = reply.status == 403 && reply.code() == "proof_required";
        assert_eq!(is_refused, operation.requires_proof(), "{}", operation.name);
        if !is_refused {
            world.app.clock.adjust_wall_by(Span::minutes(-16));
            continue;
        }
        assert_eq!(operation.violations(&reply), [""; 0], "{}", operation.name);
        // Checked before anything is revealed about what the path and the body name.
        let absent = world.app.request(operation.method.clone(), &world.absent_path(operation));
        let reply =
            caller.authenticate(operation.scheme(), absent).bytes("text/plain", "nonsense").send().await;
        assert_eq!(reply.expect(403).code(), "proof_required", "{}", operation.name);
        // Callers without the permission get that error first.
        world.app.clock.adjust_wall_by(Span::minutes(-16));
        let viewer = world.caller(OWN_BRAND, Role::Viewer).await;
        world.app.clock.adjust_wall_by(Span::minutes(16));
        let call = viewer.authenticate(operation.scheme(), world.call(operation, &path, body.as_ref()));
        let code = call.send().await.expect(403).code();
        world.app.clock.adjust_wall_by(Span::minutes(-16));
        let expected =
            if operation.min_role() == Role::Viewer { "proof_required" } else { "permission_missing" };
        assert_eq!(code, expected, "{}", operation.name);
    }
}
