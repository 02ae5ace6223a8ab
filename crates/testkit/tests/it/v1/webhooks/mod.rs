//! /api/v1/webhooks

mod access;
mod change;
mod create;
mod deliveries;
mod refusals;
mod rotate;

use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/api/v1/webhooks";

/// A public address that no name has to be looked up for. Nothing is sent to it here.
const URL: &str = "https://93.184.215.14/keepclear?key=s3cret";

/// The fields of a new webhook, with other members.
fn hook(more: &Value) -> Value {
    let mut body = json!({ "name": "Control room", "url": URL });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post(PATH).cookie(&user.cookie).json(body).send().await
}

/// Creates a webhook and returns its path and its secret.
async fn create(app: &TestApp, user: &Account, more: &Value) -> (String, String) {
    let made = post(app, user, &hook(more)).await.expect(201);
    (made.header("location").to_owned(), made.json()["secret"].as_str().unwrap().to_owned())
}

async fn get(app: &TestApp, user: &Account, path: &str) -> Reply {
    app.get(path).cookie(&user.cookie).send().await
}

async fn patch(app: &TestApp, user: &Account, path: &str, body: &Value) -> Reply {
    app.patch(path).cookie(&user.cookie).json(body).send().await
}

/// Posts without a body.
async fn act(app: &TestApp, user: &Account, path: &str) -> Reply {
    app.post(path).cookie(&user.cookie).send().await
}

/// Adds an alert and returns its id.
async fn create_alert(app: &TestApp, user: &Account, name: &str) -> i64 {
    let new = json!({
        "name": name, "metric": "incursions", "threshold": 3, "recipients": [{ "email": "ada@example.com" }],
    });
    let made = app.post("/api/v1/alerts").cookie(&user.cookie).json(&new).send().await.expect(201);
    made.json()["id"].as_i64().unwrap()
}

/// Returns the entries of the audit log with this action, the newest first.
async fn audit(app: &TestApp, admin: &Account, action: &str) -> Vec<Value> {
    let path = format!("/api/v1/admin/audit_log?action={action}");
    let log = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
    log["data"].as_array().unwrap().clone()
}

/// Returns the fields and codes of a refusal.
fn faults(refused: &Reply) -> Vec<(String, String)> {
    let refused = refused.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = refused["errors"].as_array().unwrap().iter();
    errors.map(|error| (text(&error["field"]), text(&error["code"]))).collect()
}
