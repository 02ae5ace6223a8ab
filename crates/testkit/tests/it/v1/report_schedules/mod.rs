//! /api/v1/report_schedules

mod access;
mod change;
mod create;
mod list;
mod run;

use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/api/v1/report_schedules";

/// A table of incursions, every day at 07:30 by the brand's clock.
fn daily(name: &str) -> Value {
    json!({
        "name": name, "kind": "incursions", "format": "csv", "cadence": "daily", "time": "07:30",
        "recipients": ["ada@example.com"],
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

/// Creates a schedule and returns it.
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

async fn run(app: &TestApp, user: &Account, id: &Value) -> Reply {
    app.post(&format!("{PATH}/{id}/run")).cookie(&user.cookie).send().await
}

/// Signs in again after the clock was moved by more than a session lasts.
async fn sign_in_again(app: &TestApp, user: &mut Account) {
    user.cookie = app.log_in_v1(&user.email, testkit::PASSWORD).await.expect(201).session_cookie();
}

/// Adds a worksite in this time zone, in a project or in none, and returns its id.
async fn create_site(app: &TestApp, user: &Account, time_zone: &str, project: Option<i64>) -> Value {
    let new = json!({
        "name": time_zone, "colour": "#ff8800", "kind": "other", "time_zone": time_zone,
        "project_id": project,
    });
    let made = app.post("/api/v1/worksites").cookie(&user.cookie).json(&new).send().await.expect(201);
    made.json()["id"].clone()
}

/// Saves a pivot of incursions by this dimension and returns its id.
async fn create_view(app: &TestApp, user: &Account, dimension: &str) -> i64 {
    let definition = json!({ "rows": [dimension], "measures": ["incursions"] });
    let attributes = json!({ "name": dimension, "kind": "pivot", "definition": definition });
    let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
    let call = app.post("/api/v2/saved_views").bearer(&user.jwt);
    let made = call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201).json();
    made["data"]["id"].as_str().unwrap().parse().unwrap()
}

/// Returns the fields and codes of a refusal.
fn faults(refused: &Reply) -> Vec<(String, String)> {
    let refused = refused.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = refused["errors"].as_array().unwrap().iter();
    errors.map(|error| (text(&error["field"]), text(&error["code"]))).collect()
}
