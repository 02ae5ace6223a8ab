//! The world of the tests about alerts.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{DeviceKind, EmailAddress, ProjectId, Role, Span};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use testkit::{Account, PASSWORD, Reply, TestApp};

/// Everything was set up then, so that there is a history.
pub const SINCE: &str = "2026-01-01T00:00:00Z";

/// A brand with two projects and two worksites: Yard (Europe/Berlin, project 1) and Depot (America/New_York, project 2). Machines 1 and 2
/// are in the yard and 3 is in the depot, each with the station of its number. People 1 to 3 (Ada, Bob, Cem) and the operator 4 (Dan) wear
/// the tags 1 to 4. There are an admin, a member, a viewer, and a member who sees only project 1.
pub struct AlertWorld {
    pub app: TestApp,
    pub admin: Account,
    pub member: Account,
    pub viewer: Account,
    pub restricted: Account,
    /// The tokens of the stations.
    stations: Vec<String>,
    /// Sessions end while tests move the clock; the current ones, by email.
    cookies: Mutex<HashMap<String, String>>,
    mails_seen: AtomicUsize,
    events_sent: AtomicUsize,
}

impl AlertWorld {
    pub async fn new(app: TestApp) -> Self {
        let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
        let member = app.sign_in_new_user("member@example.com", Role::Member).await;
        let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
        let restricted = app.sign_in_new_user("restricted@example.com", Role::Member).await;
        let mut stations = Vec::new();
        for serial in ["ST-1", "ST-2", "ST-3"] {
            stations.push(app.issue_token("Acme", DeviceKind::Station, serial).await);
        }
        let world = Self {
            app,
            admin,
            member,
            viewer,
            restricted,
            stations,
            cookies: Mutex::default(),
            mails_seen: AtomicUsize::new(0),
            events_sent: AtomicUsize::new(0),
        };
        world.fill().await;
        world
    }

    /// Fills the registry.
    async fn fill(&self) {
        for name in ["North", "South"] {
            self.post("projects", &json!({ "name": name })).await;
        }
        for (name, zone, project) in [("Yard", "Europe/Berlin", 1), ("Depot", "America/New_York", 2)] {
            let site = json!({ "name": name, "kind": "logistics", "colour": "#ff8800", "time_zone": zone,
                "project_id": project, "effective_from": SINCE });
            self.post("worksites", &site).await;
        }
        for (machine, name, worksite) in [(1, "Digger", 1), (2, "Loader", 1), (3, "Truck", 2)] {
            self.post("machines", &json!({ "name": name, "kind": "excavator" })).await;
            let at_site = json!({ "effective_from": SINCE });
            self.put(&format!("worksites/{worksite}/assignments/machines/{machine}"), &at_site).await;
            let installation = json!({ "machine_id": machine, "effective_from": SINCE });
            self.put(&format!("base_stations/{machine}/installation"), &installation).await;
        }
        for (person, name) in [(1, "Ada"), (2, "Bob"), (3, "Cem"), (4, "Dan")] {
            self.post("people", &json!({ "kind": "staff", "name": name })).await;
            let assignment =
                json!({ "tag_serial": format!("TAG-{person}"), "person_id": person, "assigned_at": SINCE });
            self.post("tag_assignments", &assignment).await;
        }
        self.restrict(&self.restricted, Some(&[1])).await;
        self.app.run_jobs().await;
    }

    /// Creates a rule as the member: `incursions`, threshold 3, to ada@example.com, with these members put over it.
    pub async fn rule(&self, more: &Value) -> i64 {
        self.rule_of(&self.member, more).await
    }

    pub async fn rule_of(&self, owner: &Account, more: &Value) -> i64 {
        let mut body = json!({
            "name": "Too many", "metric": "incursions", "threshold": 3,
            "recipients": [{ "email": "ada@example.com" }],
        });
        put_over(&mut body, more);
        let reply = self.send(owner, Method::POST, "/api/v1/alerts", Some(&body)).await;
        reply.expect(201).json()["id"].as_i64().unwrap()
    }

    /// Posts an incursion through ingest, of tag 1 at this machine now, with these members of the event put over it; returns its id.
    pub async fn incursion(&self, machine: i64, more: &Value) -> i64 {
        let event = self.incursion_event(more);
        self.events(machine, std::slice::from_ref(&event)).await;
        let uid = event["uid"].as_str().unwrap();
        let query = format!("select cast(id as text) from incursions where uid = '{uid}'");
        testkit::query_raw_sql(self.app.database(), &query).await[0].parse().unwrap()
    }

    pub async fn incursions(&self, machine: i64, count: usize) {
        let events: Vec<Value> = (0..count).map(|_| self.incursion_event(&json!({}))).collect();
        self.events(machine, &events).await;
    }

    fn incursion_event(&self, more: &Value) -> Value {
        let mut event = json!({
            "uid": self.next_uid(), "kind": "incursion", "tag": "TAG-1", "zone": "warning",
            "started_at": self.app.clock.now(),
        });
        put_over(&mut event, more);
        event
    }

    /// Runtime that ends now.
    pub async fn runtime(&self, machine: i64, minutes: i64) {
        let now = self.app.clock.now();
        let event = json!({
            "uid": self.next_uid(), "kind": "runtime", "started_at": now - Span::minutes(minutes),
            "ended_at": now,
        });
        self.events(machine, &[event]).await;
    }

    /// Posts events as the station of a machine; all are accepted.
    pub async fn events(&self, machine: i64, events: &[Value]) {
        let token = &self.stations[usize::try_from(machine - 1).unwrap()];
        let call = self.app.post("/ingest/v1/events").bearer(token).json(&json!(events));
        let answer = call.send().await.expect(200).json();
        assert_eq!((&answer["rejected"], &answer["duplicates"]), (&json!([]), &json!(0)), "{answer}");
    }

    /// Returns a new id of an event.
    pub fn next_uid(&self) -> String {
        format!("event-{}", self.events_sent.fetch_add(1, Ordering::Relaxed))
    }

    pub fn advance_minutes(&self, minutes: i64) {
        self.app.clock.advance(Span::minutes(minutes));
    }

    /// Evaluates, as a worker would after a fact or a minute.
    pub async fn evaluate(&self) -> app::EvaluationSummary {
        self.app.evaluate_alerts().await
    }

    /// All firings of a rule as V1 shows them to the admin, oldest first.
    pub async fn firings(&self, rule: i64) -> Vec<Value> {
        let mut found = self.get(&format!("/api/v1/alerts/{rule}/firings?limit=500")).await;
        assert_eq!(found["page"]["next"], Value::Null, "more than a page");
        let Value::Array(mut rows) = found["data"].take() else { panic!("no list: {found}") };
        rows.reverse();
        rows
    }

    /// Evaluates, runs jobs, and returns the mails since the last call.
    pub async fn mails(&self) -> Vec<mail::Email> {
        self.evaluate().await;
        self.app.run_jobs().await;
        let mut all = self.app.mails();
        let before = self.mails_seen.swap(all.len(), Ordering::Relaxed);
        all.split_off(before)
    }

    /// Reads a path as the admin.
    pub async fn get(&self, path: &str) -> Value {
        self.send(&self.admin, Method::GET, path, None).await.expect(200).json()
    }

    /// Posts to a path below /api/v1 as the admin.
    pub async fn post(&self, path: &str, body: &Value) -> Value {
        self.write(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Value {
        self.write(Method::PUT, path, body).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Value {
        self.write(Method::PATCH, path, body).await
    }

    async fn write(&self, method: Method, path: &str, body: &Value) -> Value {
        let reply = self.send(&self.admin, method, &format!("/api/v1/{path}"), Some(body)).await;
        assert!(reply.status.is_success(), "{path}: {}", reply.text());
        reply.json()
    }

    /// Calls as a user, who signs in again if the session has ended.
    pub async fn send(&self, account: &Account, method: Method, path: &str, body: Option<&Value>) -> Reply {
        let call = async |cookie: &str| {
            let request = self.app.request(method.clone(), path).cookie(cookie);
            match body {
                Some(body) => request.json(body).send().await,
                None => request.send().await,
            }
        };
        let known = self.cookies.lock().unwrap().get(&account.email).cloned();
        let reply = call(known.as_deref().unwrap_or(&account.cookie)).await;
        if reply.status != StatusCode::UNAUTHORIZED {
            return reply;
        }
        let cookie = self.app.log_in_v1(&account.email, PASSWORD).await.expect(201).session_cookie();
        let reply = call(cookie.as_str()).await;
        self.cookies.lock().unwrap().insert(account.email.clone(), cookie);
        reply
    }

    /// Restricts a user to projects, or lifts that.
    pub async fn restrict(&self, account: &Account, projects: Option<&[i64]>) {
        let email = EmailAddress::parse(&account.email).unwrap();
        let ids = projects.map(|ids| ids.iter().copied().map(ProjectId).collect::<Vec<_>>());
        self.app.app.restrict_user(&email, ids.as_deref()).await.unwrap();
    }
}

/// Puts the members of an object over those of another.
fn put_over(body: &mut Value, more: &Value) {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
}
