//! /api/v2/saved_views

mod editing;
mod listing;
mod refusals;
mod running;
mod sharing;

use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/api/v2/saved_views";
const JSON_API: &str = "application/vnd.api+json";

/// Builds a view with a minimal pivot and this name.
fn small_view(name: &str) -> Value {
    json!({ "name": name, "kind": "pivot", "definition": { "measures": ["incursions"] } })
}

/// The same, shared.
fn shared_view(name: &str) -> Value {
    let mut attributes = small_view(name);
    attributes["shared"] = json!(true);
    attributes
}

async fn create(app: &TestApp, user: &Account, attributes: &Value) -> Reply {
    let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
    app.post(PATH).bearer(&user.jwt).bytes(JSON_API, body.to_string()).send().await
}

/// Saves a view and returns its id.
async fn create_view(app: &TestApp, user: &Account, attributes: &Value) -> String {
    let made = create(app, user, attributes).await.expect(201).json();
    made["data"]["id"].as_str().unwrap().to_owned()
}

async fn get(app: &TestApp, user: &Account, id: &str) -> Reply {
    app.get(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await
}

async fn change(app: &TestApp, user: &Account, id: &str, attributes: &Value) -> Reply {
    let body = json!({ "data": { "type": "saved_views", "id": id, "attributes": attributes } });
    app.patch(&format!("{PATH}/{id}")).bearer(&user.jwt).bytes(JSON_API, body.to_string()).send().await
}

async fn delete(app: &TestApp, user: &Account, id: &str) -> Reply {
    app.delete(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await
}

async fn run(app: &TestApp, user: &Account, query: &str) -> Reply {
    app.get(&format!("/api/v2/advanced_insights/pivot?{query}")).bearer(&user.jwt).send().await
}

/// Returns the names of the views in a list.
async fn names(app: &TestApp, user: &Account, query: &str) -> Vec<String> {
    let list = app.get(&format!("{PATH}?{query}")).bearer(&user.jwt).send().await.expect(200).json();
    let rows = list["data"].as_array().unwrap().iter();
    rows.map(|row| row["attributes"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Returns the code and the pointer of each error.
fn error_pointers(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = body["errors"].as_array().unwrap().iter();
    errors.map(|error| (text(&error["code"]), text(&error["source"]["pointer"]))).collect()
}
