//! Where a second factor is required, a session without one can only manage its own sign-in.

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::world::OWN_BRAND;
use super::{Scheme, World, operations};

on_both_engines!(a_session_without_an_enforced_second_factor_opens_its_sign_in_alone);

/// Operations that are open to such a session.
const ALLOWED_OPERATIONS: &[&str] = &[
    "DELETE /api/v1/session",
    "DELETE /api/v1/session/second_factor",
    "DELETE /api/v2/session",
    "GET /api/v1/session",
    "GET /api/v1/session/second_factor",
    "GET /api/v2/session",
    "POST /api/v1/session/proof",
    "POST /api/v1/session/second_factor",
    "POST /api/v1/session/second_factor/confirm",
    "POST /api/v2/logout",
    "POST /api/v2/session/proof",
    "PUT /api/v1/session/password",
];

async fn a_session_without_an_enforced_second_factor_opens_its_sign_in_alone(app: TestApp) {
    let world = World::new(app).await;
    let admin = world.caller(OWN_BRAND, Role::Admin).await;
    let require = json!({ "second_factor_required": ["viewer"] });
    let call = world.app.patch("/api/v1/admin/brand").cookie(&admin.account.cookie).json(&require);
    call.send().await.expect(200);
    let by_users = |scheme| matches!(scheme, Scheme::Session | Scheme::Jwt);
    for name in ALLOWED_OPERATIONS {
        assert!(operations().iter().any(|known| known.name == *name), "{name} is not documented");
    }
    for operation in world.operations.iter().filter(|one| by_users(one.scheme())) {
        let viewer = world.caller(OWN_BRAND, Role::Viewer).await;
        let is_open = ALLOWED_OPERATIONS.contains(&&*operation.name);
        let maker = if is_open { &viewer } else { &admin };
        let path = world.path(operation, maker).await;
        let body = world.body(operation, maker).await.map(|body| world.with_unique_fields(body));
        let call = viewer.authenticate(operation.scheme(), world.call(operation, &path, body.as_ref()));
        let reply = call.send().await;
        if is_open {
            let text = String::from_utf8_lossy(&reply.body);
            assert_eq!(reply.status, operation.success().0, "{}: {text}", operation.name);
        } else {
            assert_eq!(reply.status, 403, "{}", operation.name);
            assert_eq!(reply.code(), "second_factor_required", "{}", operation.name);
            assert_eq!(operation.violations(&reply), [""; 0], "{}", operation.name);
        }
    }
}
