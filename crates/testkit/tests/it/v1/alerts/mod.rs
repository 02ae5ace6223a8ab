//! /api/v1/alerts

mod access;
mod audit;
mod change;
mod closing;
mod create;
mod defaults;
mod dry_run;
mod erasure;
mod firings;
mod list;
mod ownership;
mod refusals;

use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/api/v1/alerts";

/// Three incursions within an hour.
fn too_many(name: &str) -> Value {
    json!({
        "name": name, "metric": "incursions", "threshold": 3, "recipients": [{ "email": "ada@example.com" }],
    })
}

/// The same body with other members.
fn with(mut body: Value, more: &Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post(PATH).cookie(&user.cookie).json(body).send().await
}

/// Creates an alert and returns it.
async fn create(app: &TestApp, user: &Account, body: &Value) -> Value {
    post(app, user, body).await.expect(201).json()
}

async fn get(app: &TestApp, user: &Account, id: &Value) -> Reply {
    app.get(&format!("{PATH}/{id}")).cookie(&user.cookie).send().await
}

async fn patch(app: &TestApp, user: &Account, id: &Value, body: &Value) -> Reply {
    app.patch(&format!("{PATH}/{id}")).cookie(&user.cookie).json(body).send().await
}

async fn delete(app: &TestApp, user: &Account, id: &Value) -> Reply {
    app.delete(&format!("{PATH}/{id}")).cookie(&user.cookie).send().await
}

/// Returns the fields and codes of a refusal.
fn faults(refused: &Reply) -> Vec<(String, String)> {
    let refused = refused.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = refused["errors"].as_array().unwrap().iter();
    errors.map(|error| (text(&error["field"]), text(&error["code"]))).collect()
}
