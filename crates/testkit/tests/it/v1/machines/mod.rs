//! /api/v1/machines

mod archive;
mod change;
mod create;
mod get;
mod list;

use serde_json::Value;
use testkit::{Account, Reply, TestApp};

use super::worksites::create_site;

async fn post(app: &TestApp, user: &Account, body: &Value) -> Reply {
    app.post("/api/v1/machines").cookie(&user.cookie).json(body).send().await
}

async fn patch(app: &TestApp, user: &Account, id: i64, body: &Value) -> Reply {
    app.patch(&format!("/api/v1/machines/{id}")).cookie(&user.cookie).json(body).send().await
}

async fn get(app: &TestApp, user: &Account, id: i64) -> Reply {
    app.get(&format!("/api/v1/machines/{id}")).cookie(&user.cookie).send().await
}
