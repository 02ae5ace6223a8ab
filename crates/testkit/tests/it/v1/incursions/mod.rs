//! /api/v1/incursions

mod feed;
mod filters;
mod get;
mod list;
mod of_tag_and_visit;
mod refusals;
mod review;
mod sorting;

use domain::{
    BaseStationId, EmailAddress, IncursionId, IncursionRow, MachineId, PersonId, ProjectId, Role, Span,
    TagId, Timestamp, WorksiteId,
};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Facts, Reply, TestApp};

const PATH: &str = "/api/v1/incursions";

/// Two projects with a worksite each, with the same ids, and worksite 3 in none. Station 1 is on machine 1; station 2 was on machine 1
/// and is on machine 2; station 3 is on machine 3. Person 1 wears tag 1; tag 2 was person 2's and is person 3's; nobody wears tag 3.
/// Person 4 drives.
pub struct Yard {
    pub app: TestApp,
    pub admin: Account,
    pub facts: Facts,
}

impl Yard {
    pub async fn new(app: TestApp) -> Self {
        let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
        let post = |path: &str, body: Value| app.post(path).cookie(&admin.cookie).json(&body).send();
        for id in 1..=2 {
            post("/api/v1/projects", json!({ "name": format!("Project {id}") })).await.expect(201);
        }
        for (id, project) in [(1, json!(1)), (2, json!(2)), (3, json!(null))] {
            let site = json!({
                "name": format!("Site {id}"), "colour": "#ff8800", "kind": "other", "time_zone": "UTC",
                "project_id": project,
            });
            post("/api/v1/worksites", site).await.expect(201);
        }
        for name in ["Ada", "Bob", "Cyd", "Dan"] {
            post("/api/v1/people", json!({ "kind": "staff", "name": name })).await.expect(201);
        }
        for id in 1..=3 {
            post("/api/v1/machines", json!({ "name": format!("Crane {id}"), "kind": "crane" }))
                .await
                .expect(201);
            post("/api/v1/base_stations", json!({ "serial": format!("BS-{id}") })).await.expect(201);
            post("/api/v1/tags", json!({ "serial": format!("T-{id}") })).await.expect(201);
        }
        for (station, machine) in [(2, 1), (2, 2), (1, 1), (3, 3)] {
            let path = format!("/api/v1/base_stations/{station}/installation");
            let put = app.request(Method::PUT, &path).cookie(&admin.cookie);
            put.json(&json!({ "machine_id": machine })).send().await.expect(200);
            app.clock.advance(Span::seconds(1));
        }
        for (tag, person) in [(1, 1), (2, 2), (2, 3)] {
            let body = json!({ "tag_id": tag, "person_id": person, "replace": true });
            post("/api/v1/tag_assignments", body).await.expect(201);
            app.clock.advance(Span::seconds(1));
        }
        let facts = app.facts("Acme").await;
        Self { app, admin, facts }
    }

    /// Builds an incursion of station 1 and tag 1 some minutes ago, in a project and at its worksite, or in none.
    pub fn row(&self, minutes_ago: i64, project: Option<i64>) -> IncursionRow {
        let started_at = self.app.clock.now() - Span::minutes(minutes_ago);
        let mut row = self.facts.incursion(BaseStationId(1), TagId(1), started_at);
        row.attribution.machine = Some(MachineId(1));
        row.attribution.pedestrian = Some(PersonId(1));
        row.attribution.project = project.map(ProjectId);
        row.attribution.worksite = Some(WorksiteId(project.unwrap_or(3)));
        row
    }

    /// Creates a user who sees only these projects.
    pub async fn restricted(&self, email: &str, role: Role, projects: &[i64]) -> Account {
        let account = self.app.sign_in_new_user(email, role).await;
        let projects: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
        self.app.app.restrict_user(&EmailAddress::parse(email).unwrap(), Some(&projects)).await.unwrap();
        account
    }

    async fn get(&self, user: &Account, rest: &str) -> Reply {
        self.app.get(&format!("{PATH}{rest}")).cookie(&user.cookie).send().await
    }

    /// Returns the ids of a list.
    async fn ids(&self, user: &Account, query: &str) -> Vec<i64> {
        ids(&self.get(user, query).await.expect(200).json())
    }

    async fn review(&self, user: &Account, id: IncursionId, body: &Value) -> Reply {
        self.app.post(&format!("{PATH}/{id}/review")).cookie(&user.cookie).json(body).send().await
    }
}

fn ids(list: &Value) -> Vec<i64> {
    list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}
