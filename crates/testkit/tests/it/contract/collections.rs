//! How a member of each collection is created. A collection that is listed, or whose members paths name, needs a line here.

use std::pin::Pin;

use domain::{BaseStationId, DeviceKind, EmailAddress, LinkPurpose, Role, Span, TagId};
use http::Method;
use serde_json::json;
use testkit::Reply;

use super::{Caller, World, alerts};
use crate::video;

/// Resolves to the text by which a path names the new member.
pub type CreateFuture<'a> = Pin<Box<dyn Future<Output = String> + 'a>>;

/// How a member is created.
pub enum Factory {
    /// By a POST of the documented example to the collection; the id names it.
    Post,
    /// By a function, for this caller, in the collection at this path.
    Custom(for<'a> fn(&'a World, &'a Caller, &'a str) -> CreateFuture<'a>),
}

/// Who can see a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone in its brand.
    Brand,
    /// Those who see its project.
    Project,
    /// Only the caller who created it.
    Caller,
    /// Whoever knows the path.
    LinkHolder,
}

/// Every collection: its documented path, how a member is created, and who can see it.
pub const COLLECTIONS: &[(&str, Factory, Visibility)] = &[
    ("/account/invitations", Factory::Custom(create_invitation), Visibility::LinkHolder),
    ("/account/password_resets", Factory::Custom(create_password_reset), Visibility::LinkHolder),
    ("/api/v1/admin/audit_log", Factory::Custom(create_account), Visibility::Brand),
    ("/api/v1/admin/base_stations", Factory::Custom(create_station), Visibility::Project),
    ("/api/v1/admin/gateways", Factory::Post, Visibility::Brand),
    ("/api/v1/admin/service_accounts", Factory::Post, Visibility::Brand),
    ("/api/v1/admin/tester_devices", Factory::Post, Visibility::Brand),
    ("/api/v1/admin/users", Factory::Post, Visibility::Brand),
    ("/api/v1/alert_firings", Factory::Custom(alerts::create_firing), Visibility::Brand),
    ("/api/v1/alerts", Factory::Custom(alerts::create_alert), Visibility::Brand),
    ("/api/v1/alerts/{id}/firings", Factory::Custom(alerts::create_firing_of_alert), Visibility::Brand),
    ("/api/v1/base_stations", Factory::Post, Visibility::Project),
    ("/api/v1/base_stations/{id}/installations", Factory::Custom(create_installation), Visibility::Project),
    ("/api/v1/base_stations/{id}/messages", Factory::Post, Visibility::Project),
    ("/api/v1/base_stations/{id}/timeline", Factory::Custom(create_event_of_station), Visibility::Project),
    ("/api/v1/base_stations/{id}/video_clips", Factory::Post, Visibility::Project),
    ("/api/v1/base_stations/{id}/zones", Factory::Custom(create_zones), Visibility::Project),
    ("/api/v1/entities", Factory::Custom(create_machine), Visibility::Project),
    ("/api/v1/entities/machines", Factory::Custom(create_machine), Visibility::Project),
    ("/api/v1/entities/people", Factory::Custom(create_person), Visibility::Brand),
    ("/api/v1/incursions", Factory::Custom(create_incursion), Visibility::Project),
    ("/api/v1/machines", Factory::Post, Visibility::Project),
    ("/api/v1/notes", Factory::Custom(create_note), Visibility::Brand),
    ("/api/v1/people", Factory::Post, Visibility::Brand),
    ("/api/v1/projects", Factory::Post, Visibility::Project),
    ("/api/v1/report_schedules", Factory::Custom(create_schedule), Visibility::Caller),
    ("/api/v1/reports", Factory::Custom(create_report), Visibility::Brand),
    ("/api/v1/sessions", Factory::Custom(create_session), Visibility::Caller),
    ("/api/v1/tag_assignments", Factory::Post, Visibility::Brand),
    ("/api/v1/tags", Factory::Post, Visibility::Brand),
    ("/api/v1/tags/{id}/assignments", Factory::Custom(create_assignment_of_tag), Visibility::Brand),
    ("/api/v1/tags/{id}/incursions", Factory::Custom(create_incursion_of_tag), Visibility::Brand),
    ("/api/v1/tags/{id}/tests", Factory::Custom(create_test_of_tag), Visibility::Brand),
    ("/api/v1/tester/people_assets", Factory::Post, Visibility::Brand),
    ("/api/v1/tester/tag_assignments", Factory::Post, Visibility::Brand),
    ("/api/v1/tester/tags", Factory::Custom(create_tested_tag), Visibility::Brand),
    ("/api/v1/tester/visitor_sessions", Factory::Post, Visibility::Brand),
    (
        "/api/v1/tester/visitor_sessions/{id}/incursions",
        Factory::Custom(create_incursion_of_visit),
        Visibility::Brand,
    ),
    ("/api/v1/video_clips", Factory::Custom(create_clip), Visibility::Project),
    ("/api/v1/visitor_sessions", Factory::Post, Visibility::Project),
    ("/api/v1/webhooks", Factory::Custom(alerts::create_webhook), Visibility::Brand),
    ("/api/v1/webhooks/{id}/deliveries", Factory::Custom(alerts::create_delivery), Visibility::Brand),
    ("/api/v1/worksites", Factory::Post, Visibility::Project),
    ("/api/v1/worksites/{id}/assignments", Factory::Custom(create_assigned_machine), Visibility::Project),
    ("/api/v1/worksites/{id}/terms", Factory::Custom(create_term), Visibility::Project),
    ("/api/v2/advanced_insights/exports", Factory::Custom(create_export), Visibility::Caller),
    ("/api/v2/advanced_insights/site_reports", Factory::Custom(create_site_report), Visibility::Project),
    ("/api/v2/alert_firings", Factory::Custom(alerts::create_firing), Visibility::Brand),
    ("/api/v2/base_stations", Factory::Custom(create_station), Visibility::Project),
    ("/api/v2/base_stations/{id}/events", Factory::Custom(create_event_of_station), Visibility::Project),
    ("/api/v2/incursions", Factory::Custom(create_incursion), Visibility::Project),
    ("/api/v2/machines", Factory::Post, Visibility::Project),
    ("/api/v2/people", Factory::Post, Visibility::Brand),
    ("/api/v2/people/{id}/relationships/tags", Factory::Custom(create_tag_of_person), Visibility::Brand),
    ("/api/v2/people/{id}/tags", Factory::Custom(create_tag_of_person), Visibility::Brand),
    ("/api/v2/projects", Factory::Post, Visibility::Project),
    (
        "/api/v2/projects/{id}/relationships/worksites",
        Factory::Custom(create_worksite_of_project),
        Visibility::Project,
    ),
    ("/api/v2/projects/{id}/worksites", Factory::Custom(create_worksite_of_project), Visibility::Project),
    ("/api/v2/reports", Factory::Custom(create_report), Visibility::Brand),
    ("/api/v2/saved_views", Factory::Custom(create_view), Visibility::Caller),
    ("/api/v2/tags", Factory::Post, Visibility::Brand),
    ("/api/v2/visitor_sessions", Factory::Custom(create_visit), Visibility::Project),
    ("/api/v2/worksites", Factory::Post, Visibility::Project),
    ("/api/v2/worksites/{id}/machines", Factory::Custom(create_machine_at_worksite), Visibility::Project),
    (
        "/api/v2/worksites/{id}/relationships/machines",
        Factory::Custom(create_machine_at_worksite),
        Visibility::Project,
    ),
    ("/links/alerts", Factory::Custom(alerts::create_unsubscribe_link), Visibility::LinkHolder),
    ("/links/reports", Factory::Custom(create_report_link), Visibility::LinkHolder),
];

/// Fields of bodies and second parameters of paths that name a member of a collection.
pub const REFERENCES: &[(&str, &str)] = &[
    ("alert_id", "/api/v1/alerts"),
    ("entity_id", "/api/v1/people"),
    ("machine_id", "/api/v1/machines"),
    ("person_id", "/api/v1/people"),
    ("project_id", "/api/v1/projects"),
    ("worksite_id", "/api/v1/worksites"),
    ("zone_worksite_id", "/api/v1/worksites"),
];

/// Fields that example bodies leave out: alternatives to fields that they have, and fields that would remove the brand the tests use.
pub const FIELDS_WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("PATCH /api/v1/admin/brand", "name"),
    ("PATCH /api/v1/alerts/{id}", "minimum_count"),
    ("PATCH /api/v1/alerts/{id}", "window"),
    ("PATCH /api/v1/report_schedules/{id}", "day_of_month"),
    ("PATCH /api/v1/report_schedules/{id}", "filters"),
    ("PATCH /api/v1/report_schedules/{id}", "pivot"),
    ("PATCH /api/v1/report_schedules/{id}", "saved_view_id"),
    ("POST /api/v1/alerts", "minimum_count"),
    ("POST /api/v1/alerts", "window"),
    ("POST /api/v1/alerts/dry_run", "minimum_count"),
    ("POST /api/v1/alerts/dry_run", "window"),
    ("POST /api/v1/base_stations/{id}/video_clips", "incursion_id"),
    ("POST /api/v1/report_schedules", "day_of_month"),
    ("POST /api/v1/report_schedules", "filters"),
    ("POST /api/v1/report_schedules", "pivot"),
    ("POST /api/v1/report_schedules", "saved_view_id"),
    ("POST /api/v1/reports", "pivot"),
    ("POST /api/v1/reports", "saved_view_id"),
    ("POST /api/v1/reports", "site_report_id"),
    ("POST /api/v1/tag_assignments", "tag_id"),
    ("POST /api/v1/tester/tag_assignments", "tag_id"),
    ("POST /api/v1/tester/visitor_sessions", "person_id"),
    ("POST /api/v1/visitor_sessions", "person_id"),
    ("POST /api/v2/advanced_insights/exports", "filters"),
    ("POST /api/v2/reports", "data/attributes/pivot"),
    ("POST /api/v2/reports", "data/attributes/saved_view_id"),
    ("POST /api/v2/reports", "data/attributes/site_report_id"),
];

/// Text fields whose value must be unique.
pub const UNIQUE_FIELDS: &[&str] =
    &["code", "email", "employee_id", "name", "serial", "serial_number", "tag_serial"];

/// Records that an operation needs besides those that its path names; created at that path.
pub const PREREQUISITES: &[(&str, Factory)] = &[
    ("POST /api/v1/session/second_factor/confirm", Factory::Custom(begin_second_factor)),
    ("GET /api/v1/brand/logo", Factory::Custom(create_logo)),
    ("GET /api/v1/reports/{id}/download", Factory::Custom(run_jobs)),
    ("POST /api/v1/reports/{id}/remake", Factory::Custom(run_jobs)),
    ("GET /api/v1/video_clips/{id}/content", Factory::Custom(upload_video)),
    ("GET /api/v1/worksites/{id}/assignments", Factory::Custom(create_assigned_machine)),
    (
        "DELETE /api/v1/worksites/{id}/assignments/machines/{machine_id}",
        Factory::Custom(create_machine_assignment),
    ),
    ("GET /api/v2/advanced_insights/exports/{id}/download", Factory::Custom(run_jobs)),
    ("GET /api/v2/advanced_insights/pivot", Factory::Custom(create_default_view)),
    ("GET /api/v2/reports/{id}/download", Factory::Custom(run_jobs)),
    ("POST /api/v2/reports/{id}/remake", Factory::Custom(run_jobs)),
];

/// The smallest valid image: one grey pixel.
pub const PIXEL_PNG: &[u8] = include_bytes!("pixel.png");

pub fn is_collection(path: &str) -> bool {
    COLLECTIONS.iter().any(|(known, ..)| *known == path)
}

/// Returns the collection of the resources with this JSON:API type: that of V1, if it has one.
pub fn collection_of(kind: &str) -> String {
    let registry = format!("/api/v1/{kind}");
    if is_collection(&registry) { registry } else { format!("/api/v2/{kind}") }
}

pub fn collection(path: &str) -> &'static (&'static str, Factory, Visibility) {
    COLLECTIONS.iter().find(|(known, ..)| *known == path).unwrap_or_else(|| {
        panic!(
            "how does a thing of {path} come to be? Say so in COLLECTIONS of tests/it/contract/collections.rs"
        )
    })
}

fn create_logo<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let put = world.app.request(Method::PUT, "/api/v1/admin/brand/logo").cookie(&admin.account.cookie);
        put.bytes("image/png", PIXEL_PNG).send().await.expect(200);
        String::new()
    })
}

/// Begins the setup of a second factor, which shows the caller a secret.
fn begin_second_factor<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let call = world.app.post("/api/v1/session/second_factor").cookie(&caller.account.cookie);
        let secret = call.send().await.expect(201).json()["secret"].as_str().unwrap().to_owned();
        world.totp_secrets.lock().unwrap().insert(caller.account.email.clone(), secret);
        String::new()
    })
}

fn create_invitation<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let id = world.create_member("/api/v1/admin/users", caller).await;
        let path = format!("/api/v1/admin/users/{id}");
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let user = world.app.get(&path).cookie(&admin.account.cookie).send().await.expect(200).json();
        issue_link(world, user["email"].as_str().unwrap(), LinkPurpose::Invitation).await
    })
}

fn create_password_reset<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let user = world.caller(&caller.brand, Role::Viewer).await;
        issue_link(world, &user.account.email, LinkPurpose::PasswordReset).await
    })
}

/// Returns the token of a new link for a user.
async fn issue_link(world: &World, email: &str, purpose: LinkPurpose) -> String {
    let (store, platform) = world.app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let email = EmailAddress::parse(email).unwrap();
    let user = match purpose {
        LinkPurpose::Invitation => tx.users(&platform).invited_by_email(&email).await.unwrap().remove(0),
        LinkPurpose::PasswordReset => tx.users(&platform).by_email(&email).await.unwrap().unwrap().user,
    };
    let app = &world.app.app;
    let link = app.issue_account_link(&mut tx, &user, purpose, None, Span::minutes(60)).await.unwrap();
    tx.commit().await.unwrap();
    app.account_link_secret(&link)
}

fn create_account<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async { world.caller(&caller.brand, Role::Viewer).await.account.email })
}

fn create_session<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let reply = world.app.log_in_v1(&caller.account.email, testkit::PASSWORD).await.expect(201);
        let list = world.app.get(path).cookie(&reply.session_cookie()).send().await.expect(200).json();
        let rows = list["data"].as_array().unwrap();
        rows.iter().find(|row| row["current"] == true).unwrap()["id"].to_string()
    })
}

fn create_tested_tag<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let serial = format!("TESTED-{}", world.next_number());
        let body = json!({ "tag_serial": serial, "passed": true });
        let test = world.app.post("/api/v1/tester/tag_tests").bearer(&caller.tester_token).json(&body);
        test.send().await.expect(201);
        serial
    })
}

/// Creates a note on the person of the query, or on a new one.
fn create_note<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let id = match path.split_once("entity_id=") {
            Some((_, id)) => id.to_owned(),
            None => world.create_member("/api/v1/people", caller).await,
        };
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let id: i64 = id.parse().unwrap();
        let note = json!({ "entity_type": "person", "entity_id": id, "body": "Needs a new tag clip." });
        let made = world.app.post("/api/v1/notes").cookie(&admin.account.cookie).json(&note).send().await;
        made.expect(201).json()["id"].to_string()
    })
}

/// Assigns the tag of the path to another person.
fn create_assignment_of_tag<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let person: i64 = world.create_member("/api/v1/people", caller).await.parse().unwrap();
        let tag: i64 = path.split('/').nth(4).unwrap().parse().unwrap();
        let body = json!({ "tag_id": tag, "person_id": person, "replace": true });
        let call = world.app.post("/api/v1/tag_assignments").cookie(&admin.account.cookie);
        call.json(&body).send().await.expect(201).json()["id"].to_string()
    })
}

/// Gives a new tag to the person of the path.
fn create_tag_of_person<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let tag: i64 = world.create_member("/api/v1/tags", caller).await.parse().unwrap();
        let person: i64 = path.split('/').nth(4).unwrap().parse().unwrap();
        let body = json!({ "tag_id": tag, "person_id": person });
        let call = world.app.post("/api/v1/tag_assignments").cookie(&admin.account.cookie);
        call.json(&body).send().await.expect(201);
        tag.to_string()
    })
}

fn create_visit<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(world.create_member("/api/v1/visitor_sessions", caller))
}

/// Tests the tag of the path.
fn create_test_of_tag<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let tag = path.strip_suffix("/tests").unwrap();
        let tag = world.app.get(tag).cookie(&caller.account.cookie).send().await.expect(200).json();
        let body = json!({ "tag_serial": tag["serial"], "passed": true });
        let call = world.app.post("/api/v1/tester/tag_tests").bearer(&caller.tester_token).json(&body);
        call.send().await.expect(201).json()["id"].to_string()
    })
}

fn create_incursion<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let tag = world.create_member("/api/v1/tags", caller).await.parse().unwrap();
        add_incursion(world, caller, TagId(tag)).await
    })
}

/// Creates an incursion of the tag of the path.
fn create_incursion_of_tag<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    let tag = path.split('/').nth(4).unwrap().parse().unwrap();
    Box::pin(add_incursion(world, caller, TagId(tag)))
}

/// Creates an incursion of the visitor of the path.
fn create_incursion_of_visit<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let visit = path.strip_suffix("/incursions").unwrap();
        let visit = world.app.get(visit).bearer(&caller.tester_token).send().await.expect(200).json();
        add_incursion(world, caller, TagId(visit["tag"]["id"].as_i64().unwrap())).await
    })
}

/// Creates an incursion at the station of the path.
fn create_event_of_station<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let station = path.split('/').nth(4).unwrap().parse().unwrap();
        let tag = world.create_member("/api/v1/tags", caller).await.parse().unwrap();
        format!("incursion-{}", add_incursion_at(world, caller, BaseStationId(station), TagId(tag)).await)
    })
}

async fn add_incursion(world: &World, caller: &Caller, tag: TagId) -> String {
    let station = world.create_member("/api/v1/base_stations", caller).await.parse().unwrap();
    add_incursion_at(world, caller, BaseStationId(station), tag).await
}

async fn add_incursion_at(world: &World, caller: &Caller, station: BaseStationId, tag: TagId) -> String {
    let facts = world.app.facts(&caller.brand).await;
    let row = facts.incursion(station, tag, world.app.clock.now());
    facts.add_incursions(vec![row]).await[0].to_string()
}

fn create_machine<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(world.create_member("/api/v1/machines", caller))
}

/// Creates a worksite in the project of the path.
fn create_worksite_of_project<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let site = world.create_member("/api/v1/worksites", caller).await;
        let project: i64 = path.split('/').nth(4).unwrap().parse().unwrap();
        patch_as_admin(
            world,
            caller,
            &format!("/api/v1/worksites/{site}"),
            &json!({ "project_id": project }),
        )
        .await;
        site
    })
}

/// Creates a machine at the worksite of the path.
fn create_machine_at_worksite<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let machine = world.create_member("/api/v1/machines", caller).await;
        let site: i64 = path.split('/').nth(4).unwrap().parse().unwrap();
        patch_as_admin(
            world,
            caller,
            &format!("/api/v1/machines/{machine}"),
            &json!({ "worksite_id": site }),
        )
        .await;
        machine
    })
}

async fn patch_as_admin(world: &World, caller: &Caller, path: &str, change: &serde_json::Value) {
    let admin = world.caller(&caller.brand, Role::Admin).await;
    world.app.patch(path).cookie(&admin.account.cookie).json(change).send().await.expect(200);
}

fn create_person<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(world.create_member("/api/v1/people", caller))
}

fn create_station<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(world.create_member("/api/v1/base_stations", caller))
}

/// Creates a clip of a new station.
fn create_clip<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let station = world.create_member("/api/v1/base_stations", caller).await;
        let path = format!("/api/v1/base_stations/{station}/video_clips");
        world.create_member_at("/api/v1/base_stations/{id}/video_clips", &path, caller).await
    })
}

/// Uploads the video of the clip that the path names.
fn upload_video<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let name = format!("Gateway {}", world.next_number());
        let gateway = world.app.issue_token(&caller.brand, DeviceKind::Gateway, &name).await;
        let clip = path.split('/').nth(4).unwrap().parse().unwrap();
        video::upload_clip(&world.app, &gateway, clip, &video::mp4(3_000)).await.expect(200);
        String::new()
    })
}

fn create_export<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let body = json!({ "kind": "incursions", "format": "csv" });
        let made = world.app.post(path).bearer(&caller.account.jwt).json(&body).send().await;
        made.expect(201).json()["id"].to_string()
    })
}

/// Creates a view of the caller's own.
fn create_view<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let attributes = json!({
            "name": format!("View {}", world.next_number()), "kind": "pivot", "definition": { "measures": ["incursions"] },
        });
        let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
        let call = world.app.post(path).bearer(&caller.account.jwt);
        let made = call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201).json();
        made["data"]["id"].as_str().unwrap().to_owned()
    })
}

/// Creates a view and makes it the caller's default.
fn create_default_view<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let view = world.create_member("/api/v2/saved_views", caller).await;
        let body = json!({ "data": { "type": "saved_views", "id": view } });
        let call = world.app.patch("/api/v2/user_preferences/relationships/default_view");
        let call = call.bearer(&caller.account.jwt).bytes("application/vnd.api+json", body.to_string());
        call.send().await.expect(200);
        view
    })
}

/// Requests a report as the caller, through the API version of the path, so that nothing in it is hidden from them.
fn create_report<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let attributes = json!({ "kind": "incursions", "format": "csv" });
        if path.starts_with("/api/v1/") {
            let call = world.app.post(path).cookie(&caller.account.cookie).json(&attributes);
            return call.send().await.expect(201).json()["id"].to_string();
        }
        let body = json!({ "data": { "type": "reports", "attributes": attributes } });
        let call = world.app.post(path).bearer(&caller.account.jwt);
        let made = call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201).json();
        made["data"]["id"].as_str().unwrap().to_owned()
    })
}

/// Creates a schedule of the caller's own, or of an admin if the caller may not have one.
fn create_schedule<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let mut made = post_schedule(world, caller).await;
        if made.status == 403 {
            made = post_schedule(world, &world.caller(&caller.brand, Role::Admin).await).await;
        }
        made.expect(201).json()["id"].to_string()
    })
}

async fn post_schedule(world: &World, author: &Caller) -> Reply {
    let body = json!({
        "name": format!("Schedule {}", world.next_number()), "kind": "incursions", "format": "csv",
        "cadence": "daily", "time": "07:30", "recipients": ["ada@example.com"],
    });
    world.app.post("/api/v1/report_schedules").cookie(&author.account.cookie).json(&body).send().await
}

/// Has a schedule mail the link to its report, and returns the token of the link.
fn create_report_link<'a>(world: &'a World, caller: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let schedule = post_schedule(world, &admin).await.expect(201).json()["id"].to_string();
        // Here every file is too large to be attached.
        let app = world.app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
        let path = format!("/api/v1/report_schedules/{schedule}/run");
        app.post(&path).cookie(&admin.account.cookie).send().await.expect(201);
        app.run_jobs().await;
        let mails = app.mails();
        let mut links = mails.iter().filter_map(|mail| mail.text.split_once("/links/reports/"));
        let (_, rest) = links.next_back().unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    })
}

/// Requests a site report as the caller, or as an admin if the caller does not see the worksite.
fn create_site_report<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let site = world.create_member("/api/v1/worksites", caller).await;
        let body = json!({ "data": {
            "type": "site_reports", "attributes": { "from": "2026-02-01", "to": "2026-02-28" },
            "relationships": { "worksite": { "data": { "type": "worksites", "id": site } } },
        } });
        let post = async |author: &Caller| {
            let call = world.app.post(path).bearer(&author.account.jwt);
            call.bytes("application/vnd.api+json", body.to_string()).send().await
        };
        let mut made = post(caller).await;
        if made.status == 404 {
            made = post(&world.caller(&caller.brand, Role::Admin).await).await;
        }
        made.expect(201).json()["data"]["id"].as_str().unwrap().to_owned()
    })
}

/// Completes the file of the export or report that the path names.
fn run_jobs<'a>(world: &'a World, _: &'a Caller, _: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        world.app.run_jobs().await;
        String::new()
    })
}

fn create_installation<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let machine: i64 = world.create_member("/api/v1/machines", caller).await.parse().unwrap();
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let put = world.app.request(Method::PUT, path.trim_end_matches('s')).cookie(&admin.account.cookie);
        put.json(&json!({ "machine_id": machine })).send().await.expect(200);
        String::new()
    })
}

fn create_zones<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let zones =
            json!([{ "antenna": format!("a{}", world.next_number()), "warning_m": 4, "danger_m": 2 }]);
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let patch = world.app.patch(path.trim_end_matches("/zones")).cookie(&admin.account.cookie);
        patch.json(&json!({ "zones": zones })).send().await.expect(200);
        String::new()
    })
}

fn create_machine_assignment<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let admin = world.caller(&caller.brand, Role::Admin).await;
        world.app.request(Method::PUT, path).cookie(&admin.account.cookie).send().await.expect(200);
        String::new()
    })
}

fn create_assigned_machine<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let machine = world.create_member("/api/v1/machines", caller).await;
        create_machine_assignment(world, caller, &format!("{path}/machines/{machine}")).await;
        machine
    })
}

fn create_term<'a>(world: &'a World, caller: &'a Caller, path: &'a str) -> CreateFuture<'a> {
    Box::pin(async move {
        let site = path.strip_suffix("/terms").unwrap();
        let admin = world.caller(&caller.brand, Role::Admin).await;
        let shown = world.app.get(site).cookie(&admin.account.cookie).send().await.expect(200).json();
        let zone = if shown["time_zone"] == "UTC" { "Asia/Tokyo" } else { "UTC" };
        world.app.clock.advance(Span::seconds(1));
        let change = json!({ "time_zone": zone });
        world.app.patch(site).cookie(&admin.account.cookie).json(&change).send().await.expect(200);
        String::new()
    })
}
