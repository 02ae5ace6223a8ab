//! /api/v1/admin/service_accounts

mod attacks;
mod manage;
mod tokens;

use serde_json::{Value, json};
use testkit::{Request, TestApp};

const PATH: &str = "/api/v1/admin/service_accounts";
/// An operation of V2 that answers every valid token.
const OWN: &str = "/api/v2/session";

/// The fields of a new account that sees the whole brand.
fn account(name: &str, role: &str) -> Value {
    json!({ "name": name, "role": role, "expires_at": "2027-03-01T00:00:00Z" })
}

/// Creates a service account and returns its path.
async fn create(app: &TestApp, cookie: &str, new: &Value) -> String {
    app.post(PATH).cookie(cookie).json(new).send().await.expect(201).header("location").to_owned()
}

/// Issues a token for the account at that path.
async fn issue(app: &TestApp, cookie: &str, path: &str) -> String {
    let issued = app.post(&format!("{path}/token")).cookie(cookie).send().await.expect(201).json();
    issued["token"].as_str().unwrap().to_owned()
}

/// Creates a service account and issues its token.
async fn create_with_token(app: &TestApp, cookie: &str, new: &Value) -> (String, String) {
    let path = create(app, cookie, new).await;
    let token = issue(app, cookie, &path).await;
    (path, token)
}

/// A request that creates a project in V2.
fn create_project(app: &TestApp, token: &str, name: &str) -> Request {
    let document = json!({ "data": { "type": "projects", "attributes": { "name": name } } });
    app.post("/api/v2/projects").bearer(token).bytes("application/vnd.api+json", document.to_string())
}
