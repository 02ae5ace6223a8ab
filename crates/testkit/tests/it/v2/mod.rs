//! /api/v2

pub mod advanced_insights;
mod alert_firings;
mod base_stations;
mod documents;
mod incursions;
mod insights;
mod jwt;
mod login;
mod machines;
mod people;
mod positions;
mod proof;
mod refresh;
mod reports;
mod saved_views;
mod stream;
mod tags;
mod user_preferences;
mod visitor_sessions;

use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const JSON_API: &str = "application/vnd.api+json";

/// Sends a JSON:API document with this primary data.
async fn send(app: &TestApp, user: &Account, method: Method, path: &str, data: &Value) -> Reply {
    let call = app.request(method, &format!("/api/v2/{path}")).bearer(&user.jwt);
    call.bytes(JSON_API, json!({ "data": data }).to_string()).send().await
}

/// Returns the ids of a list of resources.
fn ids(resources: &Value) -> Vec<String> {
    let rows = resources.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}
