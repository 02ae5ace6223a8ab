//! POST /ingest/v1/events

mod attribution;
mod bodies;
mod corrections;
mod device_events;
mod fields;
mod gps;
mod merging;
mod queue;
mod runtime;
mod stations;

use domain::{BaseStationId, BrandId, DeviceKind, EmailAddress, ProjectId, Role, StoredIncursion, Timestamp};
use http::Method;
use serde_json::{Value, json};
use store::{Projects, Scope, Store};
use testkit::{Account, Reply, TestApp};

const PATH: &str = "/ingest/v1/events";

/// A yard in Berlin with an excavator that carries the station ST-1; Ada wears TAG-1, Ben TAG-2. All assignments began in January.
pub struct BerlinYard {
    pub app: TestApp,
    pub admin: Account,
    gateway: String,
    station: String,
}

impl BerlinYard {
    pub async fn set_up(app: TestApp) -> Self {
        let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
        let station = app.issue_token("Acme", DeviceKind::Station, "ST-1").await;
        let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Gateway 1").await;
        let yard = Self { app, admin, gateway, station };
        let since = "2026-01-01T00:00:00Z";
        yard.post("projects", json!({ "name": "North" })).await;
        let boundary = json!({ "type": "Circle", "center": [13.4, 52.5], "radius_m": 300 });
        let site = json!({ "name": "Yard", "kind": "logistics", "colour": "#ff8800", "time_zone": "Europe/Berlin",
            "boundary": boundary, "project_id": 1, "effective_from": since });
        yard.post("worksites", site).await;
        yard.post("machines", json!({ "name": "Digger", "kind": "excavator" })).await;
        let at_site = json!({ "effective_from": since });
        yard.put("worksites/1/assignments/machines/1", at_site).await;
        yard.put("base_stations/1/installation", json!({ "machine_id": 1, "effective_from": since })).await;
        for (name, tag) in [("Ada", "TAG-1"), ("Ben", "TAG-2")] {
            let id = yard.post("people", json!({ "kind": "staff", "name": name })).await["id"].clone();
            let assignment = json!({ "tag_serial": tag, "person_id": id, "assigned_at": since });
            yard.post("tag_assignments", assignment).await;
        }
        yard
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let path = format!("/api/v1/{path}");
        self.app.post(&path).cookie(&self.admin.cookie).json(&body).send().await.expect(201).json()
    }

    pub async fn put(&self, path: &str, body: Value) -> Value {
        let path = format!("/api/v1/{path}");
        self.app
            .request(Method::PUT, &path)
            .cookie(&self.admin.cookie)
            .json(&body)
            .send()
            .await
            .expect(200)
            .json()
    }

    pub async fn patch(&self, path: &str, body: Value) -> Value {
        let path = format!("/api/v1/{path}");
        self.app.patch(&path).cookie(&self.admin.cookie).json(&body).send().await.expect(200).json()
    }

    pub async fn get(&self, path: &str) -> Value {
        self.app.get(&format!("/api/v1/{path}")).cookie(&self.admin.cookie).send().await.expect(200).json()
    }

    /// Sends events as the station.
    pub async fn send(&self, events: Value) -> Reply {
        send(&self.app, &self.station, events).await
    }

    /// Sends events that must all be accepted, and returns the numbers of accepted events and duplicates.
    pub async fn send_accepted(&self, events: Value) -> (u64, u64) {
        let answer = self.send(events).await.expect(200).json();
        assert_eq!(answer["rejected"], json!([]));
        (answer["accepted"].as_u64().unwrap(), answer["duplicates"].as_u64().unwrap())
    }

    pub async fn store_and_scope(&self) -> (Store, Scope) {
        let (store, platform) = self.app.database().open().await;
        (store, platform.scope(BrandId(1), Projects::All))
    }

    /// Creates a user who sees only these projects.
    pub async fn restricted(&self, email: &str, role: Role, projects: &[i64]) -> Account {
        let account = self.app.sign_in_new_user(email, role).await;
        let projects: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
        self.app.app.restrict_user(&EmailAddress::parse(email).unwrap(), Some(&projects)).await.unwrap();
        account
    }

    /// Stores a text message from the admin to the cab of ST-1.
    pub async fn add_message(&self, at: &str, body: &str) {
        let at = Timestamp::parse(at).unwrap().micros();
        let insert = format!(
            "insert into messages (brand_id, base_station_id, body, sent_by, queued_at, expires_at, updated_at)
             values (1, 1, '{body}', 1, {at}, {at} + 3600000000, {at})"
        );
        testkit::execute_raw_sql(self.app.database(), &insert).await.unwrap();
    }

    /// Stores a clip of ten seconds of ST-1's rear camera, requested by the admin a minute after its start.
    pub async fn add_clip(&self, from: &str, project: &str, incursion: &str) {
        let from = Timestamp::parse(from).unwrap().micros();
        let insert = format!(
            "insert into video_clips (brand_id, base_station_id, incursion_id, project_id, camera, from_at, to_at, state,
                 requested_by, expires_at, version, created_at, updated_at)
             values (1, 1, {incursion}, {project}, 'rear', {from}, {from} + 10000000, 'requested', 1,
                 {from} + 3600000000, 1, {from} + 60000000, {from} + 60000000)"
        );
        testkit::execute_raw_sql(self.app.database(), &insert).await.unwrap();
    }

    /// Returns a stored incursion of ST-1.
    pub async fn stored_incursion(&self, uid: &str) -> Option<StoredIncursion> {
        let (store, scope) = self.store_and_scope().await;
        let mut tx = store.read().await.unwrap();
        tx.incursions(&scope).by_uids(&[(BaseStationId(1), uid)]).await.unwrap().pop()
    }
}

async fn send(app: &TestApp, token: &str, events: Value) -> Reply {
    app.post(PATH).bearer(token).json(&events).send().await
}

/// Builds an incursion of TAG-1 this morning, without an end.
pub fn incursion(uid: &str) -> Value {
    json!({ "uid": uid, "kind": "incursion", "tag": "TAG-1", "started_at": "2026-03-01T08:00:00Z", "zone": "warning" })
}

/// The same event with changed or additional fields.
#[expect(clippy::needless_pass_by_value, reason = "so that `json!` can stand in the call")]
pub fn with(mut event: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}
