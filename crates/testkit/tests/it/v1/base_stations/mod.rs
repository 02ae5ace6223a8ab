//! /api/v1/base_stations

mod change;
mod create;
mod get;
mod installation;
mod installations;
mod list;
mod messages;
mod status;
pub mod timeline;
mod video_clips;
mod zones;

use domain::{BaseStationId, Timestamp};
use http::Method;
use serde_json::{Value, json};
use store::Projects;
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/api/v1/base_stations";

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post(PATH).cookie(&user.cookie).json(body).send().await
}

async fn patch(app: &TestApp, user: &Account, id: i64, body: &Value) -> Reply {
    app.patch(&format!("{PATH}/{id}")).cookie(&user.cookie).json(body).send().await
}

async fn get(app: &TestApp, user: &Account, path: &str) -> Reply {
    app.get(&format!("{PATH}{path}")).cookie(&user.cookie).send().await
}

async fn install(app: &TestApp, user: &Account, id: i64, body: &Value) -> Reply {
    let path = format!("{PATH}/{id}/installation");
    app.request(Method::PUT, &path).cookie(&user.cookie).json(body).send().await
}

/// Registers stations with these serials, in this order.
async fn register_stations(app: &TestApp, admin: &Account, serials: &[&str]) {
    for serial in serials {
        post(app, admin, &json!({ "serial": serial })).await.expect(201);
    }
}

/// Adds machines with these names, in this order, without a worksite.
async fn create_machines(app: &TestApp, admin: &Account, names: &[&str]) {
    for name in names {
        let new = json!({ "name": name, "kind": "crane" });
        app.post("/api/v1/machines").cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
}

/// Creates two projects with a worksite each, with the same ids, and assigns machines 1 and 2 to them.
async fn create_two_projects(app: &TestApp, admin: &Account) {
    for id in 1..=2 {
        let new = json!({ "name": format!("Project {id}") });
        app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
        let insert = format!(
            "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version, created_at,
                 updated_at)
             values (1, 'Site {id}', 'site {id}', '#ff8800', 'other', 'UTC', {id}, 1, 1, 1)"
        );
        testkit::execute_raw_sql(app.database(), &insert).await.unwrap();
        let term = format!(
            "insert into worksite_terms (brand_id, worksite_id, from_at, time_zone, project_id, created_at, updated_at)
             values (1, {id}, 1, 'UTC', {id}, 1, 1)"
        );
        testkit::execute_raw_sql(app.database(), &term).await.unwrap();
        let new = json!({ "name": format!("Crane {id}"), "kind": "crane", "worksite_id": id });
        app.post("/api/v1/machines").cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
}

/// Records a contact of a station.
async fn record_contact(
    app: &TestApp,
    id: i64,
    at: Timestamp,
    firmware: Option<&str>,
    faults: Option<&[&str]>,
) {
    let faults: Option<Vec<String>> =
        faults.map(|faults| faults.iter().map(|fault| (*fault).to_owned()).collect());
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(domain::BrandId(1), Projects::All);
    let mut tx = store.begin().await.unwrap();
    tx.base_stations(&scope)
        .record_contact(BaseStationId(id), at, firmware, faults.as_deref())
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// Returns the audit rows about base stations: action and details.
async fn audit_rows(app: &TestApp) -> Vec<(String, Value)> {
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 500).await.unwrap();
    let rows = rows.into_iter().filter(|row| row.target_kind == "base_station");
    rows.map(|row| (row.action, serde_json::from_str(&row.details).unwrap())).collect()
}

/// Returns the faults of an error as `field: code`.
fn field_errors(refused: &Value) -> Vec<String> {
    let errors = refused["errors"].as_array().unwrap().iter();
    errors
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect()
}
