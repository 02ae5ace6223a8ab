//! /api/v1/worksites

mod assignments;
mod boundaries;
mod change;
mod contains;
mod create;
mod delete;
mod geo;
mod get;
mod list;
mod presence;
mod terms;

use domain::{EmailAddress, ProjectId};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

/// Builds the body of a new worksite, with additional fields.
fn new_site(name: &str, more: &Value) -> Value {
    let mut new = json!({ "name": name, "colour": "#ff8800", "kind": "other", "time_zone": "Europe/Berlin" });
    new.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    new
}

/// Builds a square with a side in degrees and its south-western corner at this position.
fn square(lon: f64, lat: f64, size: f64) -> Value {
    let (east, north) = (lon + size, lat + size);
    json!({ "type": "Polygon", "coordinates": [[[lon, lat], [east, lat], [east, north], [lon, north], [lon, lat]]] })
}

/// Adds a worksite, in a project or in none.
pub async fn create_site(app: &TestApp, user: &Account, name: &str, project: Option<i64>) {
    post(app, user, &new_site(name, &json!({ "project_id": project }))).await.expect(201);
}

async fn create_project(app: &TestApp, user: &Account, name: &str) {
    let new = json!({ "name": name });
    app.post("/api/v1/projects").cookie(&user.cookie).json(&new).send().await.expect(201);
}

/// Restricts a user to these projects.
async fn restrict(app: &TestApp, user: &Account, projects: &[i64]) {
    let email = EmailAddress::parse(&user.email).unwrap();
    let projects: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
    app.app.restrict_user(&email, Some(&projects)).await.unwrap();
}

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post("/api/v1/worksites").cookie(&user.cookie).json(body).send().await
}

async fn patch(app: &TestApp, user: &Account, id: i64, body: &Value) -> Reply {
    app.patch(&format!("/api/v1/worksites/{id}")).cookie(&user.cookie).json(body).send().await
}

/// Sends a GET to a path below /api/v1/worksites.
async fn get(app: &TestApp, user: &Account, path: &str) -> Reply {
    app.get(&format!("/api/v1/worksites{path}")).cookie(&user.cookie).send().await
}

/// Sends a PUT or DELETE of a machine's assignment.
async fn assign(
    app: &TestApp,
    user: &Account,
    method: Method,
    (site, machine): (i64, i64),
    from: &str,
) -> Reply {
    let path = format!("/api/v1/worksites/{site}/assignments/machines/{machine}");
    let request = app.request(method, &path).cookie(&user.cookie);
    match from {
        "" => request.send().await,
        from => request.json(&json!({ "effective_from": from })).send().await,
    }
}

async fn create_machine(app: &TestApp, user: &Account, name: &str) {
    let new = json!({ "name": name, "kind": "crane" });
    app.post("/api/v1/machines").cookie(&user.cookie).json(&new).send().await.expect(201);
}

/// Returns the terms of a worksite, oldest first: start, time zone, project and area.
async fn terms(app: &TestApp, user: &Account, id: i64) -> Vec<(String, String, Value, Value)> {
    let list = get(app, user, &format!("/{id}/terms?limit=500")).await.expect(200).json();
    let mut rows: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|term| {
            let text = |name: &str| term[name].as_str().unwrap().to_owned();
            (text("from"), text("time_zone"), term["project_id"].clone(), term["area_m2"].clone())
        })
        .collect();
    rows.reverse();
    rows
}

/// Returns the invalid fields with their codes.
fn field_errors(reply: &Reply) -> Vec<String> {
    let errors = reply.json()["errors"].clone();
    let one =
        |error: &Value| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap());
    errors.as_array().unwrap().iter().map(one).collect()
}
