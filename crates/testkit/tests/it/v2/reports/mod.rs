//! /api/v2/reports

mod documents;
mod http;

use serde_json::{Value, json};
use testkit::{Account, Reply};

use crate::v1::insights::Yard;

const PATH: &str = "/api/v2/reports";
const JSON_API: &str = "application/vnd.api+json";

/// The month of the facts.
fn february() -> Value {
    json!({ "from": "2026-02-01", "to": "2026-03-01" })
}

/// Returns a relationship to a resource.
fn to(kind: &str, id: &str) -> Value {
    json!({ "data": { "type": kind, "id": id } })
}

/// Sends the document of a new report.
async fn post(yard: &Yard, user: &Account, attributes: &Value, relationships: &Value) -> Reply {
    let data = json!({ "type": "reports", "attributes": attributes, "relationships": relationships });
    let call = yard.app.post(PATH).bearer(&user.jwt);
    call.bytes(JSON_API, json!({ "data": data }).to_string()).send().await
}

async fn get(yard: &Yard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("{PATH}{rest}")).bearer(&user.jwt).send().await
}

/// Requests a report about a worksite, runs its job and returns its id.
async fn create_site_safety(yard: &Yard, user: &Account) -> String {
    let attributes = json!({ "kind": "site_safety", "format": "json", "filters": february() });
    let relationships = json!({ "worksite": to("worksites", "1") });
    let made = post(yard, user, &attributes, &relationships).await.expect(201).json();
    yard.app.run_jobs().await;
    made["data"]["id"].as_str().unwrap().to_owned()
}

/// Returns the pointer and the code of each error.
fn errors(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors.map(|error| (text(&error["source"]["pointer"]), text(&error["code"]))).collect()
}
