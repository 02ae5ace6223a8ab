//! What was read can be sent back: a PATCH of a record with all that a GET shows of it changes nothing.

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

use super::two_projects::TwoProjects;
use super::world::OWN_BRAND;
use super::{Caller, Operation, World};

on_both_engines!(
    what_was_read_can_be_sent_back,
    what_has_ended_can_be_sent_back,
    restricted_callers_send_back_what_they_see,
    what_never_changes_is_refused_by_name,
);

/// Method, rest of the path and body of a call to a record of V1.
type Act = (&'static str, &'static str, &'static str);

/// How the records of a collection end, one step after another. A collection that is not here is in [`ENDLESS`].
const ENDINGS: &[(&str, &[Act])] = &[
    ("admin/service_accounts", &[("DELETE", "", "")]),
    ("admin/users", &[("POST", "/deactivate", "")]),
    ("machines", &[("POST", "/archive", "")]),
    ("people", &[("POST", "/archive", ""), ("POST", "/erase", "")]),
    ("projects", &[("PATCH", "", r#"{ "archived": true }"#)]),
    ("tag_assignments", &[("DELETE", "", "")]),
    ("tags", &[("PATCH", "", r#"{ "retired": true }"#)]),
    ("visitor_sessions", &[("POST", "/check_out", "")]),
    ("worksites", &[("PATCH", "", r#"{ "archived": true }"#)]),
];

/// Collections and single records that are never archived, retired or ended.
const ENDLESS: &[&str] = &[
    "admin/brand",
    "admin/gateways",
    "admin/tester_devices",
    "alerts",
    "base_stations",
    "incursions",
    "report_schedules",
    "saved_views",
    "user_preferences",
    "webhooks",
];

/// What serves the whole brand, so that only callers who see all of it may change it.
const OF_WHOLE_BRAND: &[&str] = &["admin/brand", "admin/gateways", "admin/tester_devices", "webhooks"];

/// Returns the operations that change a record.
fn changes(world: &World) -> impl Iterator<Item = &Operation> {
    let patches = world.operations.iter().filter(|operation| operation.method == Method::PATCH);
    patches.filter(|operation| operation.fields_pointer().is_some())
}

async fn get(world: &World, caller: &Caller, operation: &Operation, path: &str) -> Reply {
    caller.authenticate(operation.scheme(), world.app.get(path)).send().await.expect(200)
}

async fn send(world: &World, caller: &Caller, operation: &Operation, path: &str, body: &Value) -> Reply {
    caller.authenticate(operation.scheme(), world.call(operation, path, Some(body))).send().await
}

/// Returns the collection of an operation, the same for V1 and V2, such as `people`.
fn collection(operation: &Operation) -> &str {
    let path = operation.path.strip_suffix("/{id}").unwrap_or(&operation.path);
    path.strip_prefix("/api/v1/").or(path.strip_prefix("/api/v2/")).unwrap()
}

/// Sends a record back as it was read, and asserts that nothing has changed. Returns the record.
async fn send_back(world: &World, caller: &Caller, operation: &Operation, path: &str, when: &str) -> Value {
    let what = format!("{} {when}", operation.name);
    let shown = get(world, caller, operation, path).await;
    let rows = testkit::count_rows(world.app.database()).await;
    let mut call = world.call(operation, path, Some(&shown.json()));
    if !shown.header("etag").is_empty() {
        call = call.header("if-match", shown.header("etag"));
    }
    let reply = caller.authenticate(operation.scheme(), call).send().await;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    assert_eq!(reply.status, 200, "{what}: {text}");
    assert_eq!(reply.json(), shown.json(), "{what}");
    if !shown.header("etag").is_empty() {
        assert_eq!(reply.header("etag"), shown.header("etag"), "{what}");
    }
    // Among them those of the audit log.
    assert_eq!(testkit::count_rows(world.app.database()).await, rows, "{what}");
    let still = get(world, caller, operation, path).await;
    assert_eq!(still.json(), shown.json(), "{what}");
    shown.json()
}

async fn what_was_read_can_be_sent_back(app: TestApp) {
    let world = World::new(app).await;
    for operation in changes(&world) {
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let example = world.with_unique_fields(world.body(operation, &caller).await.unwrap());
        send_back(&world, &caller, operation, &path, "as it was created").await;
        send(&world, &caller, operation, &path, &example).await.expect(200);
        send_back(&world, &caller, operation, &path, "with every documented field").await;
    }
}

async fn what_has_ended_can_be_sent_back(app: TestApp) {
    let world = World::new(app).await;
    for operation in changes(&world) {
        let collection = collection(operation);
        let Some((_, acts)) = ENDINGS.iter().find(|(name, _)| *name == collection) else {
            assert!(ENDLESS.contains(&collection), "how do {collection} end? Say so in ENDINGS");
            continue;
        };
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let mut before = get(&world, &caller, operation, &path).await.json();
        for (method, rest, body) in *acts {
            let act = format!("{}{rest}", path.replace("/api/v2/", "/api/v1/"));
            let mut call = world.app.request(Method::from_bytes(method.as_bytes()).unwrap(), &act);
            if !body.is_empty() {
                call = call.json(&serde_json::from_str(body).unwrap());
            }
            // Later than what it ends.
            world.app.clock.advance(Span::seconds(1));
            call.cookie(&caller.account.cookie).send().await.expect(200);
            let now = send_back(&world, &caller, operation, &path, &format!("after {method} {act}")).await;
            assert_ne!(now, before, "{method} {act}");
            before = now;
        }
    }
}

async fn restricted_callers_send_back_what_they_see(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let (world, caller) = (&there.world, there.restricted(Role::Admin).await);
    for operation in changes(world) {
        let id = match collection(operation) {
            name if OF_WHOLE_BRAND.contains(&name) => continue,
            "admin/users" => {
                let list = world.app.get("/api/v1/admin/users?q=near").cookie(&caller.account.cookie);
                list.send().await.expect(200).json()["data"][0]["id"].to_string()
            }
            "admin/service_accounts" => {
                let new = json!({ "name": "Robot", "role": "viewer", "project_ids": [1],
                    "expires_at": "2026-12-31T00:00:00Z" });
                let call = world.app.post("/api/v1/admin/service_accounts").cookie(&caller.account.cookie);
                call.json(&new).send().await.expect(201).json()["id"].to_string()
            }
            "alerts" => world.create_member("/api/v1/alerts", &caller).await,
            "report_schedules" => world.create_member("/api/v1/report_schedules", &caller).await,
            "saved_views" => world.create_member("/api/v2/saved_views", &caller).await,
            // The first of each is in the visible project.
            _ => "1".to_owned(),
        };
        let path = operation.path.replace("{id}", &id);
        send_back(world, &caller, operation, &path, "by a restricted caller").await;
        if collection(operation) == "people" {
            // Olga is visible, but only ever was in the other project.
            let path = operation.path.replace("{id}", "2");
            send_back(world, &caller, operation, &path, "outside the projects of the caller").await;
        }
    }
    there.expect_unchanged("sending back what was read").await;
}

async fn what_never_changes_is_refused_by_name(app: TestApp) {
    let world = World::new(app).await;
    for operation in changes(&world) {
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let place = operation.fields_pointer().unwrap();
        let shown = get(&world, &caller, operation, &path).await.json();
        for (field, other) in [("id", json!(987_654_321)), ("created_at", json!("2020-01-01T00:00:00Z"))] {
            let pointer = format!("{place}/{field}");
            if shown.pointer(&pointer).is_none() {
                continue;
            }
            for value in [other, Value::Null] {
                let mut body = shown.clone();
                *body.pointer_mut(&pointer).unwrap() = value;
                let reply = send(&world, &caller, operation, &path, &body).await.expect(422).json();
                let error = &reply["errors"][0];
                assert_eq!(error["code"], "read_only", "{} with {field}", operation.name);
                let named = error["field"].as_str().or(error["source"]["pointer"].as_str());
                let expected = if place.is_empty() { field } else { pointer.as_str() };
                assert_eq!(named, Some(expected), "{}", operation.name);
            }
        }
        let mut body = shown.clone();
        body.pointer_mut(place).unwrap()["surprise"] = json!(1);
        let reply = send(&world, &caller, operation, &path, &body).await.expect(422).json();
        assert_eq!(reply["errors"][0]["code"], "unknown_field", "{}", operation.name);
    }
}
