//! /api/v2/advanced_insights/exports

mod access;
mod files;
mod lifecycle;
mod point_in_time;
pub mod reading;
mod refusals;

use serde_json::{Value, json};
use testkit::{Account, Reply};

use super::busy_yard;
use crate::v1::insights::Yard;

const PATH: &str = "/api/v2/advanced_insights/exports";

fn incursions_body(format: &str) -> Value {
    json!({ "kind": "incursions", "format": format })
}

pub async fn post(yard: &Yard, user: &Account, body: &Value) -> Reply {
    yard.app.post(PATH).bearer(&user.jwt).json(body).send().await
}

async fn get(yard: &Yard, user: &Account, id: &Value) -> Value {
    yard.app.get(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await.expect(200).json()
}

pub async fn download(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.get(&format!("{PATH}/{id}/download")).bearer(&user.jwt).send().await
}

async fn delete(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.delete(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await
}

/// Requests an export, runs its job and returns the export.
async fn create_finished_export(yard: &Yard, user: &Account, body: &Value) -> Value {
    let asked = post(yard, user, body).await.expect(201).json();
    assert_eq!((&asked["state"], &asked["percent"]), (&json!("queued"), &json!(0)), "{asked}");
    yard.app.run_jobs().await;
    let done = get(yard, user, &asked["id"]).await;
    assert_eq!((&done["state"], &done["percent"]), (&json!("done"), &json!(100)), "{done}");
    done
}

/// The same, but returns the file.
pub async fn export_file(yard: &Yard, user: &Account, body: &Value) -> Vec<u8> {
    let done = create_finished_export(yard, user, body).await;
    let bytes = download(yard, user, &done["id"]).await.expect(200).body;
    assert_eq!(done["size_bytes"], bytes.len());
    bytes
}

/// Counts the stored objects.
fn count_objects(yard: &Yard) -> usize {
    crate::video::count_files(&yard.app)
}
