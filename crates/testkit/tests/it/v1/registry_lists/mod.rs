//! What all lists of the registry have in common: sort orders, and the changes after a version of the registry.

mod changes;
mod copies;
mod restricted;
mod sorting;

use domain::{EmailAddress, ProjectId, Role};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

/// Every list of the registry, with the fields of a new record. `N` stands for a number that differs each time.
const LISTS: [(&str, &str); 10] = [
    ("/api/v1/projects", r#"{ "name": "P N" }"#),
    (
        "/api/v1/worksites",
        r##"{ "name": "W N", "colour": "#ff8800", "kind": "other", "time_zone": "UTC", "project_id": 1 }"##,
    ),
    ("/api/v1/machines", r#"{ "name": "M N", "kind": "truck" }"#),
    ("/api/v1/people", r#"{ "name": "Person N", "kind": "staff" }"#),
    ("/api/v1/tags", r#"{ "serial": "T-N" }"#),
    ("/api/v1/base_stations", r#"{ "serial": "B-N" }"#),
    ("/api/v1/tag_assignments", r#"{ "tag_serial": "A-N", "person_id": 1 }"#),
    ("/api/v1/visitor_sessions", r#"{ "name": "Visitor N", "tag_serial": "V-N" }"#),
    ("/api/v1/admin/gateways", r#"{ "name": "G N" }"#),
    ("/api/v1/admin/tester_devices", r#"{ "name": "D N" }"#),
];

async fn set_up(app: &TestApp) -> Account {
    app.allow_leftover_jobs();
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    post(app, &admin, "/api/v1/projects", &json!({ "name": "North" })).await.expect(201);
    post(app, &admin, "/api/v1/people", &json!({ "name": "Ada", "kind": "staff" })).await.expect(201);
    admin
}

async fn post(app: &TestApp, user: &Account, path: &str, body: &Value) -> Reply {
    app.post(path).cookie(&user.cookie).json(body).send().await
}

async fn patch(app: &TestApp, user: &Account, path: &str, body: &Value) -> Reply {
    app.request(Method::PATCH, path).cookie(&user.cookie).json(body).send().await
}

/// Adds a record to a list and returns its id.
async fn add(app: &TestApp, user: &Account, list: &str, template: &str, number: usize) -> i64 {
    let body: Value = serde_json::from_str(&template.replace('N', &number.to_string())).unwrap();
    post(app, user, list, &body).await.expect(201).json()["id"].as_i64().unwrap()
}

async fn get(app: &TestApp, user: &Account, path: &str) -> Value {
    app.get(path).cookie(&user.cookie).send().await.expect(200).json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Reads all pages of a list, and returns the ids of their rows and the last page.
async fn walk(app: &TestApp, user: &Account, path: &str) -> (Vec<i64>, Value) {
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(app, user, &format!("{path}{cursor}")).await;
        seen.extend(ids(&page));
        match page["page"]["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (seen, page),
        }
    }
}

/// Creates a user who sees only these projects.
async fn sign_in_restricted(app: &TestApp, projects: &[i64]) -> Account {
    let account = app.sign_in_new_user("narrow@example.com", Role::Member).await;
    let projects: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
    let email = EmailAddress::parse("narrow@example.com").unwrap();
    app.app.restrict_user(&email, Some(&projects)).await.unwrap();
    account
}
