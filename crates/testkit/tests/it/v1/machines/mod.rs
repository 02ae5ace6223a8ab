//! /api/v1/machines

mod archive;
mod change;
mod create;
mod get;
mod list;

use serde_json::Value;
use testkit::{Account, Reply, TestApp};

/// Adds a site without its terms, by hand: what stands on it here is its name and its project.
async fn site(app: &TestApp, name: &str, project: Option<i64>) {
    let project = project.map_or("null".to_owned(), |id| id.to_string());
    let insert = format!(
        "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version, created_at,
             updated_at)
         values (1, '{name}', '{}', '#ff8800', 'other', 'UTC', {project}, 1, 1, 1)",
        name.to_lowercase()
    );
    testkit::meddle(app.database(), &insert).await.unwrap();
}

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post("/api/v1/machines").cookie(&user.cookie).json(body).send().await
}

async fn patch(app: &TestApp, user: &Account, id: i64, body: &Value) -> Reply {
    app.patch(&format!("/api/v1/machines/{id}")).cookie(&user.cookie).json(body).send().await
}

async fn get(app: &TestApp, user: &Account, id: i64) -> Reply {
    app.get(&format!("/api/v1/machines/{id}")).cookie(&user.cookie).send().await
}
