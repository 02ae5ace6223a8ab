//! /api/v1/reports

mod access;
mod contents;
mod deadlines;
mod erasure;
mod expiry;
mod formats;
mod http;
mod lifecycle;
mod limits;
mod refusals;
mod remake;

use blobs::{Blobs, Key, Upload};
use domain::{BrandId, MachineId, PersonId, ProjectId, ReportId, WorksiteId, Zone};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

use super::insights::{Yard, acknowledged, incursion, runtime};

pub const PATH: &str = "/api/v1/reports";

/// Machine 1 at worksite 1: two warnings, one of them acknowledged, and a danger, all with Ada on foot. Machine 2 at worksite 2: a
/// danger with Ada on foot and Dan driving. Half an hour of runtime of machine 1.
pub async fn busy_yard(app: TestApp) -> Yard {
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
    yard.facts.add_incursions(rows).await;
    yard.facts.put_runtime(&[runtime("2026-02-24T10:00:00Z", 30)]).await;
    yard
}

/// The month of the facts.
fn february() -> Value {
    json!({ "from": "2026-02-01", "to": "2026-03-01" })
}

pub fn incursions_body(format: &str) -> Value {
    json!({ "kind": "incursions", "format": format, "filters": february() })
}

/// One request of each kind that needs nothing but the registry and facts.
fn all_bodies() -> [Value; 8] {
    let pivot =
        json!({ "rows": ["machine", "pedestrian"], "measures": ["incursions"], "filters": february() });
    [
        json!({ "kind": "site_safety", "worksite_id": 1, "filters": february() }),
        json!({ "kind": "project_summary", "project_id": 1, "filters": february() }),
        json!({ "kind": "machine", "machine_id": 1, "filters": february() }),
        json!({ "kind": "person", "person_id": 1, "filters": february() }),
        json!({ "kind": "tag_test_compliance", "filters": february() }),
        json!({ "kind": "visitor_log", "filters": february() }),
        json!({ "kind": "incursions", "filters": february() }),
        json!({ "kind": "pivot", "pivot": pivot }),
    ]
}

pub async fn post(yard: &Yard, user: &Account, body: &Value) -> Reply {
    yard.app.post(PATH).cookie(&user.cookie).json(body).send().await
}

pub async fn get(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.get(&format!("{PATH}/{id}")).cookie(&user.cookie).send().await
}

/// Downloads a file; the query may choose another format.
pub async fn download(yard: &Yard, user: &Account, id: &Value, query: &str) -> Reply {
    yard.app.get(&format!("{PATH}/{id}/download{query}")).cookie(&user.cookie).send().await
}

pub async fn remake(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.post(&format!("{PATH}/{id}/remake")).cookie(&user.cookie).send().await
}

async fn delete(yard: &Yard, user: &Account, id: &Value) -> Reply {
    yard.app.delete(&format!("{PATH}/{id}")).cookie(&user.cookie).send().await
}

/// Requests a report, runs its job and returns the report.
pub async fn create_ready_report(yard: &Yard, user: &Account, body: &Value) -> Value {
    let asked = post(yard, user, body).await.expect(201).json();
    assert_eq!((&asked["state"], &asked["percent"]), (&json!("queued"), &json!(0)), "{asked}");
    yard.app.run_jobs().await;
    let done = get(yard, user, &asked["id"]).await.expect(200).json();
    assert_eq!((&done["state"], &done["percent"]), (&json!("ready"), &json!(100)), "{done}");
    done
}

/// Returns the single incursions in the figures of a report.
async fn rows_of(yard: &Yard, user: &Account, id: &Value) -> Vec<Value> {
    let file = download(yard, user, id, "?format=json").await.expect(200).json();
    file["figures"]["incursions"].as_array().unwrap().clone()
}

/// Counts the stored objects.
pub fn count_objects(yard: &Yard) -> usize {
    crate::video::count_files(&yard.app)
}

/// Returns the place of the stored objects.
pub fn blobs(yard: &Yard) -> Blobs {
    Blobs::new(&yard.app.config.blobs, &yard.app.config.data).unwrap()
}

/// Returns the name of the stored file of a report.
async fn file_key(yard: &Yard, report: i64, format: &str) -> Key {
    let query = format!("select upload from report_files where report_id = {report} and format = '{format}'");
    let uploads = testkit::query_raw_sql(yard.app.database(), &query).await;
    let [upload] = uploads.as_slice() else { panic!("{uploads:?}") };
    Key::Report(BrandId(1), ReportId(report), Upload::parse(upload).unwrap())
}

/// Returns the name of the stored figures of a report.
pub async fn figures_key(yard: &Yard, report: i64) -> Key {
    let query = format!("select figures_upload from reports where id = {report}");
    let uploads = testkit::query_raw_sql(yard.app.database(), &query).await;
    let [upload] = uploads.as_slice() else { panic!("{uploads:?}") };
    Key::Report(BrandId(1), ReportId(report), Upload::parse(upload).unwrap())
}
