//! /api/v2/advanced_insights/exports

mod access;
mod files;
mod life;
mod moments;
mod reading;
mod refusals;

use domain::{MachineId, PersonId, ProjectId, WorksiteId, Zone};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

use crate::v1::insights::{Yard, acknowledged, incursion, runtime};

const PATH: &str = "/api/v2/advanced_insights/exports";

/// Machine 1 at site 1: two warnings, one of them acknowledged, and a danger. Machine 2 at site 2: a danger. Half an hour of
/// machine 1.
async fn busy(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let mut danger = incursion(&yard, "2026-02-24T11:00:00Z", 30);
    danger.zone = Zone::Danger;
    danger.closest_cm = Some(120);
    let mut elsewhere = danger.clone();
    elsewhere.uid = "elsewhere".to_owned();
    elsewhere.attribution.machine = Some(MachineId(2));
    elsewhere.attribution.worksite = Some(WorksiteId(2));
    elsewhere.attribution.project = Some(ProjectId(2));
    elsewhere.attribution.operator = Some(PersonId(4));
    let rows = vec![
        acknowledged(incursion(&yard, "2026-02-24T10:00:00Z", 10), 2),
        incursion(&yard, "2026-02-25T10:00:00Z", 20),
        danger,
        elsewhere,
    ];
    yard.facts.add(rows).await;
    yard.facts.put(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    yard
}

fn incursions(format: &str) -> Value {
    json!({ "kind": "incursions", "format": format })
}

async fn post(yard: &Yard, user: &Account, body: &Value) -> Reply {
    yard.app.post(PATH).bearer(&user.jwt).json(body).send().await
}

async fn get(yard: &Yard, user: &Account, id: &Value) -> Value {
    yard.app.get(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await.expect(200).json()
}

async fn download(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.get(&format!("{PATH}/{id}/download")).bearer(&user.jwt).send().await
}

async fn delete(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.delete(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await
}

/// Asks for a file and has it made; gives what is told about it.
async fn made(yard: &Yard, user: &Account, body: &Value) -> Value {
    let asked = post(yard, user, body).await.expect(201).json();
    assert_eq!((&asked["state"], &asked["percent"]), (&json!("queued"), &json!(0)), "{asked}");
    yard.app.run_jobs().await;
    let done = get(yard, user, &asked["id"]).await;
    assert_eq!((&done["state"], &done["percent"]), (&json!("done"), &json!(100)), "{done}");
    done
}

/// The same; gives the file.
async fn file(yard: &Yard, user: &Account, body: &Value) -> Vec<u8> {
    let done = made(yard, user, body).await;
    let bytes = download(yard, user, &done["id"]).await.expect(200).body;
    assert_eq!(done["size_bytes"], bytes.len());
    bytes
}

/// How many objects are kept.
fn objects(yard: &Yard) -> usize {
    crate::video::files(&yard.app)
}
