//! /api/v2/user_preferences

mod change;
mod charts;
mod default_view;
mod files;
mod get;
mod pivots;

use domain::{IncursionRow, MachineId, ProjectId, Span, WorksiteId};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, utc_day};

use crate::v1::insights::{Yard, incursion};

const PATH: &str = "/api/v2/user_preferences";
const JSON_API: &str = "application/vnd.api+json";
/// A period that covers all facts of [`yard_in_two_zones`].
const PERIOD: &str = "from=2026-02-01&to=2026-03-01";

async fn get(app: &TestApp, user: &Account, rest: &str) -> Reply {
    app.get(&format!("{PATH}{rest}")).bearer(&user.jwt).send().await
}

async fn send(app: &TestApp, user: &Account, rest: &str, body: &Value) -> Reply {
    let call = app.request(Method::PATCH, &format!("{PATH}{rest}")).bearer(&user.jwt);
    call.bytes(JSON_API, body.to_string()).send().await
}

/// Returns the user's id, as in documents.
async fn id(app: &TestApp, user: &Account) -> String {
    get(app, user, "").await.expect(200).json()["data"]["id"].as_str().unwrap().to_owned()
}

/// Changes some attributes of a user's preferences.
async fn patch(app: &TestApp, user: &Account, attributes: &Value) -> Reply {
    let id = id(app, user).await;
    let body = json!({ "data": { "type": "user_preferences", "id": id, "attributes": attributes } });
    send(app, user, "", &body).await
}

/// The same, which must succeed; returns the resource.
async fn set_preferences(app: &TestApp, user: &Account, attributes: Value) -> Value {
    patch(app, user, &attributes).await.expect(200).json()["data"].clone()
}

async fn change_brand(app: &TestApp, admin: &Account, body: Value) {
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&body).send().await.expect(200);
}

/// Returns the code and the pointer of each error.
fn error_pointers(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors.map(|error| (text(&error["code"]), text(&error["source"]["pointer"]))).collect()
}

/// Worksite 1 in Berlin: incursions on Sunday 22, Tuesday 24 (at a distance of 2.5 m) and Wednesday 25 February 2026. Worksite 2 in New
/// York: one on that Tuesday.
async fn yard_in_two_zones(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    for (site, zone) in [(1, "Europe/Berlin"), (2, "America/New_York")] {
        let change = json!({ "time_zone": zone, "effective_from": "2025-01-01T00:00:00Z" });
        let path = format!("/api/v1/worksites/{site}");
        yard.app.patch(&path).cookie(&yard.admin.cookie).json(&change).send().await.expect(200);
    }
    yard.app.run_jobs().await;
    let in_berlin = |at: &str| with_clock_offset(incursion(&yard, at, 30), 60);
    let mut near = in_berlin("2026-02-24T10:00:00Z");
    near.closest_cm = Some(250);
    let mut in_new_york = with_clock_offset(incursion(&yard, "2026-02-24T11:00:00Z", 30), -300);
    in_new_york.attribution.machine = Some(MachineId(2));
    in_new_york.attribution.worksite = Some(WorksiteId(2));
    in_new_york.attribution.project = Some(ProjectId(2));
    let sunday = in_berlin("2026-02-22T10:00:00Z");
    yard.facts.add_incursions(vec![sunday, near, in_berlin("2026-02-25T10:00:00Z"), in_new_york]).await;
    yard
}

/// Sets the local time of an incursion to some minutes ahead of UTC.
fn with_clock_offset(mut row: IncursionRow, ahead_minutes: i64) -> IncursionRow {
    let shown = row.started_at + Span::minutes(ahead_minutes);
    let day = utc_day(shown);
    row.attribution.local_day = day;
    row.attribution.local_minute = (day + 3).rem_euclid(7) * 1_440 + shown.seconds().rem_euclid(86_400) / 60;
    row
}
