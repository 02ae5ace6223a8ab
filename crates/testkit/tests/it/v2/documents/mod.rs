//! JSON:API 1.1 over /api/v2/projects and /api/v2/worksites: the requirements on servers, one test each.

mod bad_input;
mod clients;
mod creating;
mod fetching;
mod lists;
mod negotiation;
mod paging;
mod relationships;
mod statements;
mod structure;
mod updating;

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp};

const JSON_API: &str = "application/vnd.api+json";

/// A member of Acme who changes the registry.
struct Client {
    app: TestApp,
    account: Account,
}

impl Client {
    async fn new(app: TestApp) -> Self {
        // Changed assignments enqueue jobs, which are not tested here.
        app.allow_leftover_jobs();
        let account = app.sign_in_new_user("ada@example.com", Role::Member).await;
        Self { app, account }
    }

    async fn get(&self, path: &str) -> Reply {
        self.app.get(path).bearer(&self.account.jwt).send().await
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Reply {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let call = self.app.request(method, path).bearer(&self.account.jwt);
        call.bytes(JSON_API, body.to_string()).send().await
    }

    async fn project(&self, name: &str) -> String {
        let body = json!({ "data": { "type": "projects", "attributes": { "name": name } } });
        id(&self.send("POST", "/api/v2/projects", &body).await.expect(201).json()["data"])
    }

    async fn worksite(&self, name: &str, project: Option<&str>) -> String {
        let project = project.map(|id| json!({ "type": "projects", "id": id }));
        let body = json!({ "data": {
            "type": "worksites",
            "attributes": { "name": name, "colour": "#ff8800", "kind": "rail_maintenance", "time_zone": "Europe/Berlin" },
            "relationships": { "project": { "data": project } },
        } });
        id(&self.send("POST", "/api/v2/worksites", &body).await.expect(201).json()["data"])
    }

    async fn machine(&self, name: &str, worksite: Option<&str>) -> String {
        let worksite: Option<i64> = worksite.map(|id| id.parse().unwrap());
        let body = json!({ "name": name, "kind": "excavator", "worksite_id": worksite });
        let call = self.app.post("/api/v1/machines").cookie(&self.account.cookie).json(&body);
        call.send().await.expect(201).json()["id"].to_string()
    }
}

fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap().to_owned()
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(id).collect()
}

fn names(document: &Value) -> Vec<&str> {
    let rows = document["data"].as_array().unwrap().iter();
    rows.map(|row| row["attributes"]["name"].as_str().unwrap()).collect()
}

/// Returns the status of an error response, and the code and source of its first error.
fn refusal(reply: &Reply) -> (u16, String, Value) {
    let body = reply.json();
    let error = &body["errors"][0];
    assert_eq!(error["status"], reply.status.as_str(), "{body}");
    (reply.status.as_u16(), error["code"].as_str().unwrap().to_owned(), error["source"].clone())
}
