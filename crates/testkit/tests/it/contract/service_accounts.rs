//! The token of a service account opens what its role opens in V2, except what is for people alone.

use domain::Role;
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::world::OWN_BRAND;
use super::{Caller, Scheme, World, operations};

on_both_engines!(a_programs_token_opens_what_its_role_opens_except_what_is_for_people);

/// Operations of V2 that are for people alone. The list may only get shorter.
const FOR_PEOPLE: &[&str] = &[
    "DELETE /api/v2/session",
    "GET /api/v2/user_preferences",
    "GET /api/v2/user_preferences/default_view",
    "GET /api/v2/user_preferences/relationships/default_view",
    "PATCH /api/v2/user_preferences",
    "PATCH /api/v2/user_preferences/relationships/default_view",
    "POST /api/v2/logout",
    "POST /api/v2/session/proof",
];

/// The documented call runs the default view, which is a preference. With `view` it is open.
const WITH_A_PREFERENCE: &str = "GET /api/v2/advanced_insights/pivot";

/// Creates a service account with this role and returns a caller whose JWT is its token.
async fn program(world: &World, role: Role) -> Caller {
    let Caller { brand, account, tester_token } = world.caller(OWN_BRAND, Role::Admin).await;
    let path = "/api/v1/admin/service_accounts";
    let name = format!("Program {}", world.next_number());
    let new = json!({ "name": name, "role": role, "expires_at": "2027-03-01T00:00:00Z" });
    let made = world.app.post(path).cookie(&account.cookie).json(&new).send().await.expect(201);
    let path = format!("{}/token", made.header("location"));
    let issued = world.app.post(&path).cookie(&account.cookie).send().await.expect(201).json();
    let jwt = issued["token"].as_str().unwrap().to_owned();
    Caller { brand, account: Account { jwt, ..account }, tester_token }
}

async fn a_programs_token_opens_what_its_role_opens_except_what_is_for_people(app: TestApp) {
    let world = World::new(app).await;
    for name in FOR_PEOPLE.iter().chain([&WITH_A_PREFERENCE]) {
        assert!(operations().iter().any(|known| known.name == *name), "{name} is not documented");
    }
    for operation in world.operations.iter().filter(|one| one.scheme() == Scheme::Jwt) {
        for role in Role::ALL {
            let program = program(&world, role).await;
            if FOR_PEOPLE.contains(&&*operation.name) {
                let call = world.app.request(operation.method.clone(), &operation.path);
                let reply = call.bearer(&program.account.jwt).send().await;
                assert_eq!(reply.status, 403, "{} by {role:?}", operation.name);
                assert_eq!(reply.code(), "not_for_service_accounts", "{} by {role:?}", operation.name);
                assert_eq!(operation.violations(&reply), [""; 0], "{} by {role:?}", operation.name);
                continue;
            }
            if operation.name == WITH_A_PREFERENCE {
                continue;
            }
            let reply = world.call_documented(operation, &program).await;
            let expected = if role < operation.min_role() { 403 } else { operation.success().0 };
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, expected, "{} by {role:?}: {text}", operation.name);
            if expected == 403 {
                assert_eq!(reply.code(), "permission_missing", "{} by {role:?}", operation.name);
            }
        }
    }
}
