//! A caller who sees only some projects changes nothing outside of them: every operation that writes, on records inside and outside.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::two_projects::TwoProjects;
use super::world::{referenced_collection, resource_identifiers};
use super::{Operation, Scheme, collections};

on_both_engines!(
    no_write_of_a_restricted_member_reaches_outside,
    no_write_of_a_restricted_admin_reaches_outside
);

async fn no_write_of_a_restricted_member_reaches_outside(app: TestApp) {
    try_everything(app, Role::Member).await;
}

async fn no_write_of_a_restricted_admin_reaches_outside(app: TestApp) {
    try_everything(app, Role::Admin).await;
}

/// Number of calls of each operation, each with other records.
const ROUNDS: usize = 6;

async fn try_everything(app: TestApp, role: Role) {
    let there = TwoProjects::new(app).await;
    let writes = there.world.operations.iter().filter(|operation| {
        operation.method != Method::GET && matches!(operation.scheme(), Scheme::Session | Scheme::Jwt)
    });
    for operation in writes.filter(|operation| operation.min_role() <= role) {
        let mut answers = Vec::new();
        let caller = there.restricted(role).await;
        for round in 0..ROUNDS {
            let path = match path(operation, round) {
                Some(path) => path,
                None => there.world.path(operation, &caller).await,
            };
            let body = body(operation, round);
            let call = there.world.call(operation, &path, body.as_ref());
            let reply = caller.authenticate(operation.scheme(), call).send().await;
            assert!(reply.status.as_u16() < 500, "{}: {}", operation.name, reply.status);
            if reply.status == 403 && reply.code() == "restricted" {
                assert!(
                    operation.documents_code("restricted"),
                    "{} does not document `restricted`",
                    operation.name
                );
            }
            answers.push(reply.status.as_u16());
        }
        there.expect_unchanged(&format!("{} by a restricted {role:?} ({answers:?})", operation.name)).await;
    }
}

/// Returns ids of records of a collection, some inside and some outside.
fn candidate_ids(collection: &str) -> Option<&'static [i64]> {
    Some(match collection.rsplit('/').next()? {
        "base_stations" | "machines" | "worksites" | "video_clips" => &[1, 2, 3],
        "projects" | "gateways" | "tester_devices" | "visitor_sessions" | "saved_views" => &[1, 2],
        "people" | "tags" | "tag_assignments" => &[2, 3, 6, 1, 4, 5],
        "incursions" => &[1, 2, 3, 4, 5, 6],
        // All of a user who sees everything.
        "alerts" | "reports" | "report_schedules" | "site_reports" | "webhooks" => &[1],
        // Those of the fixture, among them users who see everything.
        "users" => &[1, 2, 3, 4],
        _ => return None,
    })
}

fn pick_id(collection: &str, round: usize) -> Option<i64> {
    candidate_ids(collection).map(|ids| ids[round % ids.len()])
}

/// Returns the path of an operation with records of the fixture; `None` if it names others.
fn path(operation: &Operation, round: usize) -> Option<String> {
    let mut path = operation.path.clone();
    for (index, name) in operation.parameters("path").into_iter().enumerate() {
        let collection = if index == 0 { operation.collection()? } else { referenced_collection(name)? };
        // Every other time, the second id of a path differs from the first.
        let id = pick_id(collection, round + index * (round / 3))?;
        path = path.replace(&format!("{{{name}}}"), &id.to_string());
    }
    operation.required_query().is_empty().then_some(path)
}

/// Builds a body with the widest possible effect: in the past, at other positions, with records of the fixture.
fn body(operation: &Operation, round: usize) -> Option<Value> {
    let mut body = operation.example_body()?;
    if operation.takes_json_api() {
        for (place, kind) in resource_identifiers(&body) {
            if let Some(id) = pick_id(&collections::collection_of(&kind), round + round / 3) {
                body.pointer_mut(&place)?["id"] = json!(id.to_string());
            }
        }
    }
    let known: Vec<String> = operation.fields().into_iter().map(|(pointer, _)| pointer).collect();
    let base = operation.fields_pointer().unwrap_or_default();
    let fields = if base.is_empty() { body.as_object_mut() } else { body.pointer_mut(base)?.as_object_mut() };
    let Some(fields) = fields else { return Some(body) };
    for (name, value) in fields.iter_mut() {
        if let Some(id) =
            referenced_collection(name).and_then(|collection| pick_id(collection, round + round / 3))
        {
            *value = json!(id);
        }
        if name == "project_ids" {
            *value = if round.is_multiple_of(2) { json!(null) } else { json!([1, 2]) };
        }
    }
    for (name, value) in overrides(round) {
        if known.contains(&format!("{base}/{name}")) {
            fields.insert(name.to_owned(), value);
        }
    }
    Some(body)
}

fn overrides(round: usize) -> Vec<(&'static str, Value)> {
    let early = json!("2026-03-01T08:00:00Z");
    let serial = format!("T-{}", [2, 3, 1, 2, 3, 4][round % 6]);
    let lon = 13.40 + 0.02 * (1 + round % 3) as f64;
    vec![
        ("effective_from", early.clone()),
        ("assigned_at", early.clone()),
        ("checked_in_at", early),
        ("ended_at", json!("2026-03-01T09:05:00Z")),
        ("checked_out_at", json!("2026-03-01T09:05:00Z")),
        (
            "boundary",
            json!({ "type": "Circle", "center": [lon, 52.5], "radius_m": if round < 3 { 250 } else { 5_000 } }),
        ),
        ("tag_serial", json!(serial)),
        ("replace", json!(true)),
        ("archived", json!(round.is_multiple_of(2))),
        ("retired", json!(round.is_multiple_of(2))),
    ]
}
