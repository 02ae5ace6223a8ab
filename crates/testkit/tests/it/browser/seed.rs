//! A brand in which every page has something to show.

use domain::{DeviceKind, Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Engine, TestApp};

use crate::account::links;
use crate::console::submit;
use crate::contract::PIXEL_PNG;
use crate::jobs::alerts::world::AlertWorld;
use crate::video;

const JSON_API: &str = "application/vnd.api+json";
/// A public address that no name has to be looked up for. Nothing is sent to it.
const WEBHOOK_URL: &str = "https://93.184.215.14/keepclear";

/// Someone who opens pages, with the ids of what only they have.
pub struct Reader {
    pub role: Role,
    pub cookie: String,
    own: Vec<(&'static str, String)>,
}

/// The world of alerts with facts of three weeks, and one of everything else, all of it in project 1.
pub struct Seed {
    pub world: AlertWorld,
    pub viewer: Reader,
    pub member: Reader,
    pub admin: Reader,
    /// A member who sees only project 1.
    pub restricted: Reader,
    ids: Vec<(&'static str, String)>,
}

impl Seed {
    pub async fn new() -> Self {
        let world = AlertWorld::new(start_app().await).await;
        send_facts(&world).await;
        let mut ids = fill_yard(&world).await;
        ids.extend(fill_settings(&world).await);
        let member = reader(&world, &world.member, Role::Member).await;
        let admin = reader(&world, &world.admin, Role::Admin).await;
        let restricted = reader(&world, &world.restricted, Role::Member).await;
        let mut viewer = reader(&world, &world.viewer, Role::Viewer).await;
        // What viewers may not have, they look at.
        viewer
            .own
            .extend(member.own.iter().filter(|(name, _)| ["alert", "schedule"].contains(name)).cloned());
        let incursion = world.incursion(1, &json!({ "zone": "danger", "closest_cm": 140 })).await;
        ids.push(("incursion", incursion.to_string()));
        world.incursions(1, 3).await;
        world.mails().await;
        let mut seed = Self { world, viewer, member, admin, restricted, ids };
        seed.add_firings().await;
        seed.add_links().await;
        seed
    }

    /// Fills the ids and tokens that an address has in braces.
    pub fn fill(&self, reader: &Reader, address: &str) -> String {
        let values = self.ids.iter().chain(&reader.own);
        let path = values
            .fold(address.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        assert!(!path.contains('{'), "the seed has nothing for {path}");
        path
    }

    /// Finds the alarm of each reader's alert.
    async fn add_firings(&mut self) {
        for reader in [&mut self.viewer, &mut self.member, &mut self.admin, &mut self.restricted] {
            let (_, alert) = reader.own.iter().find(|(name, _)| *name == "alert").unwrap();
            let firings = self.world.firings(alert.parse().unwrap()).await;
            assert_eq!(firings.len(), 1, "{firings:?}");
            reader.own.push(("firing", firings[0]["id"].to_string()));
        }
    }

    /// Has an invitation and the reset of a password mailed.
    async fn add_links(&mut self) {
        let app = &self.world.app;
        submit(app, "", "/password-resets", &[("email", "viewer@example.com")]).await.expect(303);
        app.run_jobs().await;
        for (name, email) in [("invitation", "grace@example.com"), ("reset", "viewer@example.com")] {
            let link = links(app, email).pop().unwrap();
            self.ids.push((name, link.rsplit('/').next().unwrap_or_default().to_owned()));
        }
    }
}

/// Starts an application whose limits do not stop a reader who opens every page in a moment, as the clock stands still.
async fn start_app() -> TestApp {
    let change = |config: &mut server::Config| {
        // On a busy machine columns take their time, and charts that are not waited for would be errors on their pages.
        config.analytics.column_wait_timeout_ms = 60_000;
        let limits = &mut config.limits;
        for quota in [
            &mut limits.login_per_minute,
            &mut limits.read_per_minute,
            &mut limits.analytics_per_minute,
            &mut limits.write_per_minute,
        ] {
            *quota = web::Quota(100_000);
        }
        (limits.max_streams_per_user, limits.max_streams_per_session) = (400, 400);
    };
    TestApp::start_with(Engine::Sqlite, change).await
}

/// Sends an incursion and half an hour of runtime of each machine on each of twenty days, and the track of machine 1 today.
async fn send_facts(world: &AlertWorld) {
    let boundary = json!({ "type": "Circle", "center": [13.4, 52.5], "radius_m": 300 });
    world.patch("worksites/1", &json!({ "boundary": boundary })).await;
    let now = world.app.clock.now();
    for machine in 1..=3 {
        let mut events = Vec::new();
        for day in 1..=20 {
            let at = now - Span::minutes(24 * 60 * day + 17 * machine);
            let acknowledged_at = (day % 2 == 0).then_some(at + Span::seconds(4));
            events.push(json!({
                "uid": world.next_uid(), "kind": "incursion", "tag": format!("TAG-{machine}"), "operator_tag": "TAG-4",
                "zone": if day % 3 == 0 { "danger" } else { "warning" }, "started_at": at,
                "ended_at": at + Span::seconds(12 + day), "acknowledged_at": acknowledged_at, "closest_cm": 100 + 10 * day,
            }));
            events.push(json!({
                "uid": world.next_uid(), "kind": "runtime", "operator_tag": "TAG-4",
                "started_at": at - Span::minutes(20), "ended_at": at + Span::minutes(10),
            }));
        }
        world.events(machine, &events).await;
    }
    let fix = |second: i64| {
        let north = second as f64 * 1e-5;
        json!([now - Span::seconds(600 - second), 52.499 + north, 13.4, 7.4, 358, 2.4])
    };
    let fixes: Vec<Value> = (0..200).map(fix).collect();
    world.events(1, &[json!({ "uid": world.next_uid(), "kind": "gps", "fixes": fixes })]).await;
}

/// Adds what the pages of machines, people, visitors and sites show, with a view and a report in words.
async fn fill_yard(world: &AlertWorld) -> Vec<(&'static str, String)> {
    let app = &world.app;
    let station = json!({
        "cameras": ["front", "rear"], "zones": [{ "antenna": "front", "warning_m": 8, "danger_m": 4 }],
    });
    world.patch("base_stations/1", &station).await;
    for (kind, body) in [("machine", "The left mirror is broken."), ("person", "Needs a new tag clip.")] {
        world.post("notes", &json!({ "entity_type": kind, "entity_id": 1, "body": body })).await;
    }
    world.post("base_stations/1/messages", &json!({ "body": "Please come to the gate." })).await;
    let clip = video::request_clip(app, &world.admin, 1).await;
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "Depot gateway").await;
    video::upload_clip(app, &gateway, clip, &video::mp4(3_000)).await.expect(200);
    let tester = app.issue_token("Acme", DeviceKind::Tester, "Kiosk").await;
    let test = json!({ "tag_serial": "TAG-1", "passed": true });
    app.post("/api/v1/tester/tag_tests").bearer(&tester).json(&test).send().await.expect(201);
    let visit = json!({ "name": "Grace", "company": "Plums & Co", "tag_serial": "V-1", "worksite_id": 1 });
    let visit = world.post("visitor_sessions", &visit).await;
    let view = json!({ "type": "saved_views", "attributes": {
        "name": "Machines", "kind": "pivot", "shared": true,
        "definition": { "rows": ["machine"], "measures": ["incursions"] },
    } });
    let report = json!({
        "type": "site_reports", "attributes": { "from": "2026-02-01", "to": "2026-02-28" },
        "relationships": { "worksite": { "data": { "type": "worksites", "id": "1" } } },
    });
    vec![
        ("clip", clip.to_string()),
        ("visit", visit["id"].to_string()),
        ("view", post_document(world, "/api/v2/saved_views", &view).await),
        ("site_report", post_document(world, "/api/v2/advanced_insights/site_reports", &report).await),
    ]
}

/// Adds what only the settings show.
async fn fill_settings(world: &AlertWorld) -> Vec<(&'static str, String)> {
    let logo = world.app.request(Method::PUT, "/api/v1/admin/brand/logo").cookie(&world.admin.cookie);
    logo.bytes("image/png", PIXEL_PNG).send().await.expect(200);
    let mut ids = Vec::new();
    for (name, path, body) in [
        ("gateway", "admin/gateways", json!({ "name": "Yard gateway" })),
        ("tester_device", "admin/tester_devices", json!({ "name": "Gate", "worksite_id": 1 })),
        (
            "service_account",
            "admin/service_accounts",
            json!({ "name": "Dashboard", "role": "viewer", "expires_at": "2027-03-01T10:30:00Z" }),
        ),
        ("user", "admin/users", json!({ "email": "grace@example.com", "name": "Grace", "role": "member" })),
    ] {
        ids.push((name, world.post(path, &body).await["id"].to_string()));
    }
    // It is disabled, so that the alarms of the seed go nowhere.
    let webhook = json!({ "name": "Control room", "url": WEBHOOK_URL, "enabled": false });
    ids.push(("webhook", world.post("webhooks", &webhook).await["webhook"]["id"].to_string()));
    ids
}

/// Posts a JSON:API document as the admin and returns the id.
async fn post_document(world: &AlertWorld, path: &str, data: &Value) -> String {
    let call = world.app.post(path).bearer(&world.admin.jwt);
    let made = call.bytes(JSON_API, json!({ "data": data }).to_string()).send().await.expect(201).json();
    made["data"]["id"].as_str().unwrap().to_owned()
}

/// Orders an export and a report for a reader, and has them own an alert and a schedule if they may.
async fn reader(world: &AlertWorld, account: &Account, role: Role) -> Reader {
    let export = json!({ "kind": "incursions", "format": "csv" });
    let call = world.app.post("/api/v2/advanced_insights/exports").bearer(&account.jwt).json(&export);
    let mut own = vec![("export", call.send().await.expect(201).json()["id"].to_string())];
    let report = json!({ "kind": "incursions", "format": "csv" });
    let schedule = json!({
        "name": "Daily", "kind": "site_safety", "worksite_id": 1, "format": "pdf", "cadence": "daily",
        "time": "07:30", "recipients": ["ada@example.com"],
    });
    let mut orders = vec![("report", "/api/v1/reports", report)];
    if role > Role::Viewer {
        orders.push(("schedule", "/api/v1/report_schedules", schedule));
        own.push(("alert", world.rule_of(account, &json!({})).await.to_string()));
    }
    for (name, path, body) in orders {
        let made = world.send(account, Method::POST, path, Some(&body)).await.expect(201).json();
        own.push((name, made["id"].to_string()));
    }
    Reader { role, cookie: account.cookie.clone(), own }
}
