//! A brand with two projects that both have facts, for callers who see only one of them, and a check that everything else stays
//! unchanged.

use std::collections::BTreeSet;

use domain::{DeviceKind, ProjectId, Role};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, read_rows_as_text};

use super::world::OWN_BRAND;
use super::{Caller, World};

/// Time since which all installations and assignments exist.
const SINCE: &str = "2026-01-01T00:00:00Z";

/// The project that restricted callers see, and the one they do not.
pub const VISIBLE_PROJECT: i64 = 1;
pub const HIDDEN_PROJECT: i64 = 2;

/// Worksite, machine and station 1 are in the visible project, 2 in the other, 3 in none. Mia (1, tag 1) was only ever in the first,
/// Olga (2, tag 2) in the second, Max (3, tag 3) in both and outside of any, Nora (4, tag 4) nowhere. The visitors Vera (5) and Vic (6)
/// are at worksite 1 and 2.
pub struct TwoProjects {
    pub world: World,
    pub admin: Account,
    snapshot: Vec<Vec<String>>,
}

/// The rows of a table that are out of scope, as a condition on its rows `t`. In fact tables, no row may be added there either.
pub struct TableScope {
    table: &'static str,
    out_of_scope: &'static str,
    has_facts: bool,
}

const fn table(table: &'static str, outside: &'static str) -> TableScope {
    TableScope { table, out_of_scope: outside, has_facts: false }
}

const fn fact_table(table: &'static str, outside: &'static str) -> TableScope {
    TableScope { table, out_of_scope: outside, has_facts: true }
}

/// Stations, machines and people are named by id, because they stay where the fixture put them.
const TABLE_SCOPES: &[TableScope] = &[
    table("account_links", "t.user_id in (select id from users where restricted = false)"),
    table("alert_deliveries", "1 = 1"),
    table(
        "alert_firing_projects",
        "t.firing_id in (select id from alert_firings where rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false)))",
    ),
    table(
        "alert_firings",
        "t.rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false))",
    ),
    table(
        "alert_message_events",
        "t.firing_id in (select id from alert_firings where rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false)))",
    ),
    table(
        "alert_messages",
        "t.rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false))",
    ),
    table(
        "alert_recipients",
        "t.rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false))",
    ),
    table(
        "alert_rule_projects",
        "t.rule_id in (select id from alert_rules where owner_id in (select id from users where restricted = false))",
    ),
    table("alert_rules", "t.owner_id in (select id from users where restricted = false)"),
    table("base_station_zones", "t.base_station_id in (2, 3)"),
    table("base_stations", "t.id in (2, 3)"),
    table("brand_logos", "1 = 1"),
    table("brands", "1 = 1"),
    fact_table("device_events", "t.base_station_id in (2, 3)"),
    table("device_tokens", "t.kind <> 'station' or t.device_id in (2, 3)"),
    table("exports", "t.user_id in (select id from users where restricted = false)"),
    table("gateways", "1 = 1"),
    fact_table("gps_chunks", "t.base_station_id in (2, 3)"),
    fact_table("incursion_history", "coalesce(t.project_id, 0) <> 1"),
    table(
        "incursion_reviews",
        "t.incursion_id in (select id from incursions where coalesce(project_id, 0) <> 1)",
    ),
    fact_table("incursions", "coalesce(t.project_id, 0) <> 1"),
    table("installations", "t.machine_id in (2, 3)"),
    table("machine_assignments", "t.machine_id in (2, 3)"),
    table("machines", "t.id in (2, 3)"),
    fact_table("messages", "t.base_station_id in (2, 3)"),
    table(
        "notes",
        "(t.entity_type = 'person' and t.entity_id in (2, 6)) or (t.entity_type = 'machine' and t.entity_id in (2, 3))",
    ),
    table("people", "t.id in (2, 6)"),
    table("projects", "t.id <> 1"),
    table("recovery_codes", "t.user_id in (select id from users where restricted = false)"),
    table("registry_departures", "coalesce(t.project_id, 0) <> 1"),
    table(
        "report_files",
        "t.report_id in (select id from reports where author_id in (select id from users where restricted = false))",
    ),
    table(
        "report_people",
        "t.report_id in (select id from reports where author_id in (select id from users where restricted = false))",
    ),
    table(
        "report_projects",
        "t.report_id in (select id from reports where author_id in (select id from users where restricted = false))",
    ),
    table(
        "report_recipients",
        "t.schedule_id in (select id from report_schedules where author_id in (select id from users where restricted = false))",
    ),
    table(
        "report_schedule_runs",
        "t.schedule_id in (select id from report_schedules where author_id in (select id from users where restricted = false))",
    ),
    table("report_schedules", "t.author_id in (select id from users where restricted = false)"),
    table("reports", "t.author_id in (select id from users where restricted = false)"),
    fact_table("runtime_history", "coalesce(t.project_id, 0) <> 1"),
    fact_table("runtime_pieces", "coalesce(t.project_id, 0) <> 1"),
    table("runtime_reports", "1 = 1"),
    table("saved_views", "t.owner_id in (select id from users where restricted = false)"),
    table("second_factors", "t.user_id in (select id from users where restricted = false)"),
    table("service_accounts", "t.user_id in (select id from users where restricted = false)"),
    table("service_tokens", "t.account_id in (select id from users where restricted = false)"),
    table(
        "site_report_projects",
        "t.site_report_id in (select id from site_reports where author_id in (select id from users where restricted = false))",
    ),
    table("site_reports", "t.author_id in (select id from users where restricted = false)"),
    table("station_positions", "t.base_station_id in (2, 3)"),
    table("tag_assignments", "t.person_id in (2, 6)"),
    table("tag_tests", "t.tester_device_id in (select id from tester_devices where worksite_id = 2)"),
    table(
        "tags",
        "t.id in (select tag_id from tag_assignments where person_id in (2, 6) and ended_at is null)",
    ),
    // A device shows the name of its worksite, so that it counts as changed when a worksite of the visible project is renamed.
    table("tester_devices", "coalesce(t.worksite_id, 0) <> 1"),
    table("used_code_steps", "t.user_id in (select id from users where restricted = false)"),
    table("user_preferences", "t.user_id in (select id from users where restricted = false)"),
    table("user_projects", "t.project_id <> 1"),
    table(
        "users",
        "t.restricted = false or t.id in (select user_id from user_projects where project_id <> 1)",
    ),
    fact_table("video_clips", "coalesce(t.project_id, 0) <> 1"),
    table("visitor_sessions", "t.worksite_id in (2, 3)"),
    table("webhook_rules", "1 = 1"),
    table("webhooks", "1 = 1"),
    table("worksite_terms", "t.worksite_id in (2, 3)"),
    table("worksites", "t.id in (2, 3)"),
];

/// Tables without rows in a project, and the reason why each may change.
const UNSCOPED_TABLES: &[(&str, &str)] = &[
    ("alert_cursors", "how far evaluation has come"),
    ("audit_chains", "grows with the log"),
    ("audit_log", "only grows, by triggers"),
    ("audit_marks", "grow with the log"),
    ("audit_seals", "grows with the log"),
    ("audit_texts", "stand beside rows that only grow; erasing a person takes away theirs alone"),
    ("audit_unsealed", "what is not sealed yet"),
    ("brand_counters", "numbers that every write moves"),
    ("column_manifests", "written by older programs"),
    ("fact_marks", "how far housekeeping has come"),
    ("hosts", "the processes that run"),
    ("idempotency_keys", "each caller's own answers"),
    ("installation", "its number moves with every change of access"),
    ("job_slots", "housekeeping"),
    ("jobs", "what calls enqueue"),
    ("key_epochs", "the installation's own"),
    ("login_refusals", "counts of wrong passwords"),
    ("login_throttle", "counts of wrong passwords"),
    ("saved_columns", "which objects saved columns are made of, and who saves them"),
    ("schema_migrations", "the schema's own"),
    ("sessions", "each caller's own, with when they were last used"),
    ("signing_keys", "the installation's own"),
    ("warehouse_copies", "how copies of facts are named, and who writes them"),
];

impl TwoProjects {
    pub async fn new(app: TestApp) -> Self {
        let world = World::new(app).await;
        let admin = world.app.sign_in_new_user_in_brand(OWN_BRAND, "wide@example.com", Role::Admin).await;
        let mut fixture = Self { world, admin, snapshot: Vec::new() };
        fixture.create_registry().await;
        fixture.create_facts().await;
        fixture.create_alerts().await;
        fixture.world.app.run_jobs().await;
        fixture.take_snapshot().await;
        fixture
    }

    async fn create_registry(&self) {
        let app = &self.world.app;
        for name in ["Mine", "Other"] {
            self.post_as_admin("projects", json!({ "name": name })).await;
        }
        for (id, project) in [(1, json!(VISIBLE_PROJECT)), (2, json!(HIDDEN_PROJECT)), (3, json!(null))] {
            let lon = 13.40 + f64::from(id) * 0.02;
            let site = json!({
                "name": format!("Site {id}"), "kind": "other", "colour": "#ff8800", "time_zone": "UTC",
                "boundary": { "type": "Circle", "center": [lon, 52.5], "radius_m": 300 },
                "project_id": project, "effective_from": SINCE,
            });
            self.post_as_admin("worksites", site).await;
            let machine = json!({ "name": format!("Crane {id}"), "kind": "crane", "worksite_id": id, "effective_from": SINCE });
            self.post_as_admin("machines", machine).await;
            let zones = json!([{ "antenna": "front", "warning_m": 6, "danger_m": 3 }]);
            let station = json!({ "serial": format!("S-{id}"), "cameras": ["rear"], "zones": zones, "effective_from": SINCE });
            self.post_as_admin("base_stations", station).await;
            let path = format!("/api/v1/base_stations/{id}/installation");
            let put = app.request(Method::PUT, &path).cookie(&self.admin.cookie);
            put.json(&json!({ "machine_id": id, "effective_from": SINCE })).send().await.expect(200);
        }
        for (id, name) in [(1, "Mia"), (2, "Olga"), (3, "Max"), (4, "Nora")] {
            self.post_as_admin("people", json!({ "kind": "staff", "name": name })).await;
            let given = json!({ "tag_serial": format!("T-{id}"), "person_id": id, "assigned_at": SINCE });
            self.post_as_admin("tag_assignments", given).await;
        }
        for (id, name) in [(1, "Vera"), (2, "Vic")] {
            let email = format!("{}@example.com", name.to_lowercase());
            let visit =
                json!({ "name": name, "email": email, "tag_serial": format!("V-{id}"), "worksite_id": id });
            self.post_as_admin("visitor_sessions", visit).await;
        }
        for (name, site) in [("Kiosk 1", 1), ("Kiosk 2", 2)] {
            self.post_as_admin("admin/tester_devices", json!({ "name": name, "worksite_id": site })).await;
        }
        self.post_as_admin("admin/gateways", json!({ "name": "Gateway" })).await;
        for (email, project) in [("near@example.com", VISIBLE_PROJECT), ("far@example.com", HIDDEN_PROJECT)] {
            app.create_user_in_brand(OWN_BRAND, email, Role::Member).await;
            let email = domain::EmailAddress::parse(email).unwrap();
            app.app.restrict_user(&email, Some(&[ProjectId(project)])).await.unwrap();
        }
    }

    async fn create_facts(&self) {
        let app = &self.world.app;
        let incursion = |uid: &str, tag: &str, at: &str, lon: Option<f64>| {
            let mut event = json!({
                "uid": uid, "kind": "incursion", "tag": tag, "zone": "warning",
                "started_at": format!("2026-03-01T{at}:00Z"), "ended_at": format!("2026-03-01T{at}:09Z"),
            });
            if let Some(lon) = lon {
                (event["lat"], event["lon"]) = (json!(52.5), json!(lon));
            }
            event
        };
        let rest = |uid: &str, tag: &str| {
            vec![
                json!({ "uid": format!("{uid}r"), "kind": "runtime", "operator_tag": tag,
                    "started_at": "2026-03-01T10:00:00Z", "ended_at": "2026-03-01T10:30:00Z" }),
                json!({ "uid": format!("{uid}g"), "kind": "gps", "fixes": [["2026-03-01T10:00:00Z", 52.5, 13.4]] }),
                json!({ "uid": format!("{uid}a"), "kind": "alarm", "at": "2026-03-01T10:05:00Z", "code": "E1",
                    "severity": "warning", "text": "Antenna" }),
            ]
        };
        let mut first = vec![
            incursion("1", "T-1", "09:00", Some(13.42)),
            incursion("2", "T-3", "09:10", None),
            // The crane of the first project drives through the second.
            incursion("3", "T-3", "09:15", Some(13.44)),
        ];
        let mut second = vec![
            incursion("1", "T-2", "09:00", Some(13.44)),
            incursion("2", "T-3", "09:20", Some(13.4401)),
            incursion("3", "T-2", "09:25", None),
        ];
        let third = vec![incursion("1", "T-3", "09:30", Some(13.46))];
        first.extend(rest("x", "T-1"));
        second.extend(rest("x", "T-3"));
        for (id, events) in [(1, first), (2, second), (3, third)] {
            let token = app.issue_token(OWN_BRAND, DeviceKind::Station, &format!("S-{id}")).await;
            let sent = app.post("/ingest/v1/events").bearer(&token).json(&json!(events)).send().await;
            assert_eq!(sent.expect(200).json()["rejected"], json!([]));
            self.post_as_admin(&format!("base_stations/{id}/messages"), json!({ "body": "Stop" })).await;
            let clip = json!({ "from": "2026-03-01T09:00:00Z", "to": "2026-03-01T09:00:10Z" });
            self.post_as_admin(&format!("base_stations/{id}/video_clips"), clip).await;
            let note = json!({ "entity_type": "machine", "entity_id": id, "body": "Greased" });
            self.post_as_admin("notes", note).await;
        }
        for kiosk in [1, 2] {
            let path = format!("/api/v1/admin/tester_devices/{kiosk}/token");
            let token = app.post(&path).cookie(&self.admin.cookie).send().await.expect(201).json();
            for tag in 1..=3 {
                let test = json!({ "tag_serial": format!("T-{tag}"), "passed": true, "tested_at": "2026-03-01T08:50:00Z" });
                let call = app.post("/api/v1/tester/tag_tests").bearer(token["token"].as_str().unwrap());
                call.json(&test).send().await.expect(201);
            }
        }
        self.post_as_admin(
            "notes",
            json!({ "entity_type": "person", "entity_id": 2, "body": "Needs a new clip" }),
        )
        .await;
        self.post_as_admin("incursions/4/review", json!({ "state": "confirmed" })).await;
        let view = json!({ "data": { "type": "saved_views", "attributes": {
            "name": "Wide", "kind": "pivot", "definition": { "measures": ["incursions"] }, "shared": true } } });
        let call = app.post("/api/v2/saved_views").bearer(&self.admin.jwt);
        call.bytes("application/vnd.api+json", view.to_string()).send().await.expect(201);
        self.create_reports().await;
    }

    /// Creates what the unrestricted admin has reported, none of it with names of people, so that erasing someone changes nothing.
    async fn create_reports(&self) {
        let report = json!({ "kind": "project_summary", "format": "json", "project_id": HIDDEN_PROJECT });
        self.post_as_admin("reports", report).await;
        let schedule = json!({
            "name": "Wide", "kind": "project_summary", "format": "json", "project_id": HIDDEN_PROJECT,
            "cadence": "daily", "time": "07:30", "recipients": ["wide@example.com"],
        });
        self.post_as_admin("report_schedules", schedule).await;
        let site_report = json!({ "data": {
            "type": "site_reports", "attributes": { "from": "2026-02-01", "to": "2026-02-28" },
            "relationships": { "worksite": { "data": { "type": "worksites", "id": "2" } } },
        } });
        let path = "/api/v2/advanced_insights/site_reports";
        let call = self.world.app.post(path).bearer(&self.admin.jwt);
        call.bytes("application/vnd.api+json", site_report.to_string()).send().await.expect(201);
    }

    /// Creates an alert of the unrestricted admin that has fired, and a webhook that is not called.
    async fn create_alerts(&self) {
        let alert = json!({
            "name": "Wide", "metric": "incursions", "threshold": 1, "window_minutes": 1_440,
            "scope": { "project_ids": [HIDDEN_PROJECT] }, "recipients": [{ "email": "wide@example.com" }],
        });
        let id = self.post_as_admin("alerts", alert).await["id"].clone();
        let webhook = json!({
            "name": "Wide", "url": "https://hooks.example.com/wide", "alert_ids": [id], "enabled": false,
        });
        self.post_as_admin("webhooks", webhook).await;
        let summary = self.world.app.evaluate_alerts().await;
        assert_eq!(summary.fired, 1);
    }

    /// Posts as the unrestricted admin.
    pub async fn post_as_admin(&self, path: &str, body: Value) -> Value {
        let call = self.world.app.post(&format!("/api/v1/{path}")).cookie(&self.admin.cookie);
        let reply = call.json(&body).send().await;
        assert!(reply.status.is_success(), "{path}: {}", String::from_utf8_lossy(&reply.body));
        reply.json()
    }

    /// Creates a user who sees only the first project.
    pub async fn restricted(&self, role: Role) -> Caller {
        self.world.restricted(OWN_BRAND, role, &[ProjectId(VISIBLE_PROJECT)]).await
    }

    /// Calls V1 with the caller's cookie.
    pub async fn call(&self, caller: &Caller, method: Method, path: &str, body: &Value) -> Reply {
        let call = self.world.app.request(method, &format!("/api/v1/{path}")).cookie(&caller.account.cookie);
        if body.is_null() { call.send().await } else { call.json(body).send().await }
    }

    /// Records the rows that are out of scope.
    pub async fn take_snapshot(&mut self) {
        let database = self.world.app.database();
        let known: BTreeSet<&str> = TABLE_SCOPES
            .iter()
            .map(|part| part.table)
            .chain(UNSCOPED_TABLES.iter().map(|(table, _)| *table))
            .collect();
        for table in testkit::count_rows(database).await.into_keys() {
            assert!(
                known.contains(&*table),
                "what of {table} lies outside of a project? Say so in PARTS or NEITHER"
            );
        }
        self.snapshot = read_rows_as_text(database, &out_of_scope_conditions()).await;
    }

    /// Runs all pending jobs and panics if any of these rows has changed.
    #[track_caller]
    pub fn expect_unchanged(&self, what: &str) -> impl Future<Output = ()> {
        let place = std::panic::Location::caller();
        async move {
            self.world.app.run_jobs().await;
            let database = self.world.app.database();
            let whole: Vec<_> = TABLE_SCOPES.iter().map(|part| (part.table, "1 = 1")).collect();
            let (now, outside) = (
                read_rows_as_text(database, &whole).await,
                read_rows_as_text(database, &out_of_scope_conditions()).await,
            );
            for (index, TableScope { table, has_facts, .. }) in TABLE_SCOPES.iter().enumerate() {
                let now: BTreeSet<&String> = now[index].iter().collect();
                for row in &self.snapshot[index] {
                    assert!(now.contains(row), "{what} changed {table} outside, at {place}: {row}");
                }
                if *has_facts {
                    let before = &self.snapshot[index];
                    assert_eq!(
                        outside[index], *before,
                        "{what} put something into {table} outside, at {place}"
                    );
                }
            }
        }
    }
}

fn out_of_scope_conditions() -> Vec<(&'static str, &'static str)> {
    TABLE_SCOPES.iter().map(|part| (part.table, part.out_of_scope)).collect()
}
