//! A copy that follows the changes equals the lists of V1 and V2, whatever changes.

use std::collections::{BTreeMap, BTreeSet};

use domain::{DeviceKind, EmailAddress, ProjectId, Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{patch, post, set_up};

on_both_engines!(a_copy_that_follows_the_changes_equals_the_lists, many_departures_are_followed);

/// The members of each list that can change without their row being returned again, as `docs/sync.md` names them.
const LIVE_MEMBERS: [(&str, &[&str]); 6] = [
    (
        "tags",
        &["flags", "battery_percent", "last_seen_at", "last_test", "days_since_last_test", "incursions"],
    ),
    ("base_stations", &["firmware", "status", "last_seen_at", "last_position", "incursions"]),
    ("tag_assignments", &["assigned_by.name", "ended_by.name"]),
    ("visitor_sessions", &["duration_s", "checked_in_by.name", "checked_out_by.name"]),
    ("gateways", &["token.last_used_at", "token.updated_at"]),
    ("tester_devices", &["token.last_used_at", "token.updated_at"]),
];

const V1_LISTS: [&str; 10] = [
    "/api/v1/projects",
    "/api/v1/worksites",
    "/api/v1/machines",
    "/api/v1/people",
    "/api/v1/tags",
    "/api/v1/base_stations",
    "/api/v1/tag_assignments",
    "/api/v1/visitor_sessions",
    "/api/v1/admin/gateways",
    "/api/v1/admin/tester_devices",
];

const V2_LISTS: [&str; 7] = [
    "/api/v2/projects",
    "/api/v2/worksites",
    "/api/v2/machines",
    "/api/v2/people",
    "/api/v2/tags",
    "/api/v2/base_stations",
    "/api/v2/visitor_sessions",
];

/// The time at which a test begins.
const BEGINNING: &str = "2026-03-01T12:00:30Z";

/// A copy of one list, as one caller sees it.
struct ListCopy {
    path: &'static str,
    /// The rows by their ids, without live members.
    rows: BTreeMap<String, Value>,
    version: i64,
}

impl ListCopy {
    fn new(path: &'static str) -> Self {
        Self { path, rows: BTreeMap::new(), version: 0 }
    }

    /// Reads what changed, in pages of this size.
    async fn follow(&mut self, app: &TestApp, user: &Account, size: usize) {
        let is_v2 = self.path.starts_with("/api/v2");
        let first = match is_v2 {
            true => format!("{}?filter[after_version]={}&page[size]={size}", self.path, self.version),
            false => format!("{}?after_version={}&limit={size}", self.path, self.version),
        };
        let mut path = first.clone();
        loop {
            let call = app.get(&path);
            let call = if is_v2 { call.bearer(&user.jwt) } else { call.cookie(&user.cookie) };
            let page = call.send().await.expect(200).json();
            let rows = page["data"].as_array().unwrap();
            for row in rows {
                self.rows.insert(id_text(&row["id"]), without_live_members(self.path, row));
            }
            let about = if is_v2 { &page["meta"] } else { &page["page"] };
            let gone: Vec<&Value> = about["gone"].as_array().into_iter().flatten().collect();
            assert!(rows.len() <= size && gone.len() <= size, "{path}: {page}");
            for id in gone {
                self.rows.remove(&id_text(id));
            }
            let next = if is_v2 { &page["links"]["next"] } else { &page["page"]["next"] };
            path = match next.as_str() {
                Some(link) if is_v2 => link.to_owned(),
                Some(cursor) => format!("{first}&cursor={cursor}"),
                None => {
                    self.version = about["registry_version"].as_i64().unwrap();
                    return;
                }
            };
        }
    }
}

fn id_text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn without_live_members(path: &str, row: &Value) -> Value {
    let mut row = row.clone();
    let list = path.rsplit('/').next().unwrap();
    for (_, members) in LIVE_MEMBERS.into_iter().filter(|(name, _)| *name == list) {
        for member in members {
            let shown = if row["attributes"].is_object() { &mut row["attributes"] } else { &mut row };
            let (holder, name) = match member.split_once('.') {
                Some((outer, inner)) => (shown.get_mut(outer), inner),
                None => (Some(shown), *member),
            };
            if let Some(object) = holder.and_then(Value::as_object_mut) {
                object.remove(name);
            }
        }
    }
    row
}

/// Copies of all lists for an admin, and for one who sees only the first project.
struct Copies {
    app: TestApp,
    admin: Account,
    narrow: Account,
    of_admin: Vec<ListCopy>,
    of_narrow: Vec<ListCopy>,
}

impl Copies {
    async fn new(app: &TestApp) -> Self {
        let admin = set_up(app).await;
        let narrow = app.sign_in_new_user("narrow@example.com", Role::Admin).await;
        let email = EmailAddress::parse("narrow@example.com").unwrap();
        app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
        let departing_lists_of_v2 = ["/api/v2/worksites", "/api/v2/visitor_sessions"];
        let unlimited = |config: &mut server::Config| config.limits.read_per_minute = web::Quota(100_000);
        Self {
            app: app.second_instance_with(unlimited).await,
            admin,
            narrow,
            of_admin: V1_LISTS.into_iter().chain(V2_LISTS).map(ListCopy::new).collect(),
            of_narrow: V1_LISTS.into_iter().chain(departing_lists_of_v2).map(ListCopy::new).collect(),
        }
    }

    /// Brings the copies up to date and compares them with the whole lists.
    async fn check(&mut self, what: &str) {
        let Self { app, admin, narrow, of_admin, of_narrow } = self;
        for (user, copies) in [(admin, of_admin), (narrow, of_narrow)] {
            for copy in copies {
                copy.follow(app, user, 2).await;
                let mut whole = ListCopy::new(copy.path);
                whole.follow(app, user, 500).await;
                let place = format!("{} as {} sees it after {what}", copy.path, user.email);
                assert_eq!(copy.rows, whole.rows, "{place}");
                assert_eq!(copy.version, whole.version, "{place}");
            }
        }
    }

    /// Calls V1 as the admin and checks the copies.
    async fn call(&mut self, method: Method, path: &str, body: Value) -> Value {
        let call = self.app.request(method.clone(), &format!("/api/v1/{path}")).cookie(&self.admin.cookie);
        let reply = if body.is_null() { call.send().await } else { call.json(&body).send().await };
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text());
        self.app.clock.advance(Span::seconds(1));
        self.check(&format!("{method} {path} {body}")).await;
        reply.json()
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        self.call(Method::POST, path, body).await
    }

    async fn patch(&mut self, path: &str, body: Value) -> Value {
        self.call(Method::PATCH, path, body).await
    }

    async fn put(&mut self, path: &str, body: Value) -> Value {
        self.call(Method::PUT, path, body).await
    }

    async fn delete(&mut self, path: &str) -> Value {
        self.call(Method::DELETE, path, Value::Null).await
    }
}

async fn a_copy_that_follows_the_changes_equals_the_lists(app: TestApp) {
    let mut copies = Copies::new(&app).await;
    create_registry(&mut copies).await;
    hand_tags_out(&mut copies).await;
    receive_visitor(&mut copies).await;
    rename(&mut copies).await;
    issue_tokens(&mut copies).await;
    move_around(&mut copies).await;
    archive(&mut copies).await;
}

/// Worksite 1 in project 1, worksite 2 in project 2, and machine 1 with station 1 at worksite 1.
async fn create_registry(copies: &mut Copies) {
    copies.post("projects", json!({ "name": "South" })).await;
    for (name, project) in [("East", 1), ("West", 2)] {
        let site = json!({ "name": name, "kind": "other", "time_zone": "UTC", "project_id": project });
        copies.post("worksites", site).await;
    }
    copies.post("machines", json!({ "name": "Crane", "kind": "crane", "worksite_id": 1 })).await;
    copies.post("base_stations", json!({ "serial": "B-1" })).await;
    copies.put("base_stations/1/installation", json!({ "machine_id": 1 })).await;
    copies.post("admin/tester_devices", json!({ "name": "Gate 1", "worksite_id": 1 })).await;
    copies.post("admin/gateways", json!({ "name": "Office" })).await;
    copies.post("tags", json!({ "serial": "T-1" })).await;
    copies.post("people", json!({ "name": "Ben", "kind": "staff" })).await;
}

async fn hand_tags_out(copies: &mut Copies) {
    copies.post("tag_assignments", json!({ "tag_serial": "T-1", "person_id": 1 })).await;
    copies.delete("tag_assignments/1").await;
    copies.post("tag_assignments", json!({ "tag_id": 1, "person_id": 1 })).await;
    copies.post("tag_assignments", json!({ "tag_id": 1, "person_id": 2, "replace": true })).await;
    copies.delete("tag_assignments/3").await;
    copies.patch("tag_assignments/3", json!({ "ended_at": null })).await;
    let earlier = json!({ "tag_serial": "T-2", "person_id": 1, "assigned_at": BEGINNING });
    copies.post("tag_assignments", earlier).await;
}

/// Vera is person 3 and gets tag 3.
async fn receive_visitor(copies: &mut Copies) {
    let visit = json!({ "name": "Vera", "company": "Plums", "tag_serial": "V-1", "worksite_id": 1 });
    copies.post("visitor_sessions", visit).await;
    copies.patch("visitor_sessions/1", json!({ "notes": "Vera has a trailer." })).await;
}

/// Changes names that other records show.
async fn rename(copies: &mut Copies) {
    copies.patch("people/2", json!({ "name": "Benjamin" })).await;
    copies.patch("people/2", json!({ "kind": "visitor" })).await;
    copies.patch("people/3", json!({ "name": "Vera W." })).await;
    copies.patch("worksites/1", json!({ "name": "East bank" })).await;
    copies.patch("machines/1", json!({ "name": "Crane 1" })).await;
    copies.patch("base_stations/1", json!({ "serial": "B-9" })).await;
    let zones = json!([{ "antenna": "front", "warning_m": 6, "danger_m": 3 }]);
    copies.patch("base_stations/1", json!({ "zones": zones })).await;
    copies.patch("projects/1", json!({ "code": "N" })).await;
    copies.patch("tags/1", json!({ "role": "operator" })).await;
}

async fn issue_tokens(copies: &mut Copies) {
    for device in ["gateways/1", "tester_devices/1"] {
        let path = format!("admin/{device}/token");
        copies.post(&path, Value::Null).await;
        copies.delete(&path).await;
    }
    let issued = copies.post("admin/tester_devices/1/token", Value::Null).await;
    let kiosk = issued["token"].as_str().unwrap();
    let test = json!({ "tag_serial": "T-1", "passed": true, "battery_percent": 80 });
    copies.app.post("/api/v1/tester/tag_tests").bearer(kiosk).json(&test).send().await.expect(201);
    copies.check("a test").await;
    let given = json!({ "tag_serial": "K-1", "person_id": 1 });
    let call = copies.app.post("/api/v1/tester/tag_assignments").bearer(kiosk);
    let given = call.json(&given).send().await.expect(201).json();
    copies.check("an assignment at a kiosk").await;
    let path = format!("/api/v1/tester/tag_assignments/{}", given["id"]);
    copies.app.delete(&path).bearer(kiosk).send().await.expect(200);
    copies.check("a return at a kiosk").await;
    // A token from the command line, and what its station reports.
    let station = copies.app.issue_token("Acme", DeviceKind::Station, "B-9").await;
    let now = copies.app.clock.now();
    let zones = json!([{ "antenna": "rear", "warning_m": 5, "danger_m": 2 }]);
    let reports = json!([
        { "uid": "1", "kind": "status", "at": now, "firmware": "4.2", "faults": [], "zones": zones },
        { "uid": "2", "kind": "tag_battery", "at": now, "tag": "NEW-1", "percent": 50 },
    ]);
    let sent = copies.app.post("/ingest/v1/events").bearer(&station).json(&reports).send().await;
    assert_eq!(sent.expect(200).json()["rejected"], json!([]));
    copies.check("reports").await;
    copies.app.issue_token("Acme", DeviceKind::Gateway, "Office").await;
    copies.check("a token from the command line").await;
}

async fn move_around(copies: &mut Copies) {
    for worksite in [2, 1] {
        copies.patch("machines/1", json!({ "worksite_id": worksite })).await;
    }
    for machine in [json!(null), json!(1)] {
        copies.put("base_stations/1/installation", json!({ "machine_id": machine })).await;
    }
    for project in [2, 1] {
        copies.patch("worksites/1", json!({ "project_id": project })).await;
    }
    copies.post("visitor_sessions/1/check_out", Value::Null).await;
    // A change in the past moves the visit with the worksite, and one from now on moves only the worksite.
    copies.patch("worksites/1", json!({ "project_id": 2, "effective_from": BEGINNING })).await;
    copies.patch("worksites/1", json!({ "project_id": 1 })).await;
    let mut visits = copies.of_narrow.iter().filter(|copy| copy.path.ends_with("visitor_sessions"));
    assert!(visits.all(|copy| copy.rows.is_empty()));
    // This one moves only the visit.
    copies.patch("worksites/1", json!({ "project_id": 1, "effective_from": BEGINNING })).await;
    for worksite in [2, 1] {
        copies.patch("visitor_sessions/1", json!({ "worksite_id": worksite })).await;
    }
    copies.delete("worksites/1/assignments/machines/1").await;
    copies.put("worksites/1/assignments/machines/1", json!({})).await;
}

async fn archive(copies: &mut Copies) {
    copies.post("machines/1/archive", Value::Null).await;
    copies.post("machines/1/restore", Value::Null).await;
    copies.patch("tags/1", json!({ "retired": true })).await;
    copies.post("people/1/archive", Value::Null).await;
    copies.post("people/3/erase", Value::Null).await;
    for copy in copies.of_admin.iter().chain(&copies.of_narrow) {
        let text = json!(copy.rows).to_string();
        assert!(!text.contains("Vera") && !text.contains("Plums"), "{}: {text}", copy.path);
    }
    copies.patch("worksites/2", json!({ "archived": true })).await;
    let spare = json!({ "name": "Spare", "kind": "other", "time_zone": "UTC", "project_id": 1 });
    copies.post("worksites", spare).await;
    copies.delete("worksites/3").await;
    copies.patch("projects/2", json!({ "archived": true })).await;
}

async fn many_departures_are_followed(app: TestApp) {
    let mut copies = Copies::new(&app).await;
    post(&app, &copies.admin, "/api/v1/projects", &json!({ "name": "South" })).await.expect(201);
    for number in 1..=7 {
        let name = format!("Site {number}");
        let site = json!({ "name": name, "kind": "other", "time_zone": "UTC", "project_id": 1 });
        post(&app, &copies.admin, "/api/v1/worksites", &site).await.expect(201);
        let visit = json!({ "name": name, "tag_serial": format!("V-{number}"), "worksite_id": number });
        post(&app, &copies.admin, "/api/v1/visitor_sessions", &visit).await.expect(201);
    }
    copies.check("seven worksites").await;
    app.clock.advance(Span::seconds(1));
    for number in 1..=7 {
        let path = format!("/api/v1/worksites/{number}");
        let change = json!({ "project_id": 2, "effective_from": BEGINNING });
        patch(&app, &copies.admin, &path, &change).await.expect(200);
    }
    copies.check("their departure").await;
    let mut left = copies
        .of_narrow
        .iter()
        .filter(|copy| copy.path.ends_with("worksites") || copy.path.ends_with("visitor_sessions"));
    assert!(left.all(|copy| copy.rows.is_empty()));
}

/// Kiosks read the same lists, and those of one owner refuse the parameter.
#[test]
fn all_lists_with_versions_are_copied() {
    let v1 = include_str!("../../../../../../openapi/v1.json");
    let v2 = include_str!("../../../../../../openapi/v2.json");
    let documents = [(v1, "after_version", &V1_LISTS[..]), (v2, "filter[after_version]", &V2_LISTS[..])];
    for (document, parameter, lists) in documents {
        let document: Value = serde_json::from_str(document).unwrap();
        let has_versions = |operations: &Value| {
            let parameters = operations["get"]["parameters"].as_array();
            parameters.into_iter().flatten().any(|one| one["name"] == parameter)
        };
        let paths = document["paths"].as_object().unwrap().iter();
        let found: BTreeSet<&str> = paths
            .filter(|(path, operations)| !path.contains('{') && has_versions(operations))
            .map(|(path, _)| path.as_str())
            .filter(|path| !path.starts_with("/api/v1/tester/"))
            .collect();
        assert_eq!(found, lists.iter().copied().collect());
    }
}

#[test]
fn the_documentation_names_the_live_members() {
    let text = include_str!("../../../../../../docs/sync.md");
    for (list, members) in LIVE_MEMBERS {
        let start = format!("| `{list}` |");
        let row = text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{list}"));
        let named: BTreeSet<&str> = row[start.len()..].split('`').skip(1).step_by(2).collect();
        assert_eq!(named, members.iter().copied().collect(), "{list}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("| `")).count(), LIVE_MEMBERS.len());
}
