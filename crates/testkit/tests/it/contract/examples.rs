//! Every documented example works, and the response matches its documented schema.

use domain::Role;
use testkit::{TestApp, on_both_engines};

use super::collections::{self, FIELDS_WITHOUT_EXAMPLE};
use super::document::is_json;
use super::world::{OWN_BRAND, with_query};
use super::{World, operations};

/// Operations that show a secret once, beside the new record at this pointer.
const WITH_SECRET: &[(&str, &str)] = &[("POST /api/v1/webhooks", "/webhook")];

on_both_engines!(examples_are_good_and_answers_are_as_documented, unknown_parameters_are_refused);

#[test]
fn every_field_of_a_body_has_an_example() {
    for operation in operations() {
        let (Some(schema), Some(examples)) = (operation.request_schema(), operation.example_body()) else {
            continue;
        };
        for (field, _) in operation.fields() {
            let stands_for_others = FIELDS_WITHOUT_EXAMPLE.contains(&(&operation.name, &field[1..]));
            let has_example = examples.pointer(&field).is_some();
            assert_ne!(has_example, stands_for_others, "the example of {field} of {}", operation.name);
        }
        let faults = schema.violations(&examples, false, &[]);
        assert!(faults.is_empty(), "{}: {faults:?}", operation.name);
    }
}

async fn examples_are_good_and_answers_are_as_documented(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations {
        // A brand of its own, because the examples of one operation may conflict with those of another.
        let caller = world.caller(&operation.name, Role::Admin).await;
        let mut path = world.path(operation, &caller).await;
        if operation.is_list() {
            world.create_member_at(&operation.path, &path, &caller).await;
        }
        // Only the changes after a version have these.
        let mut absent = vec!["registry_version", "gone"];
        if operation.parameters("query").contains(&"include_total") {
            path = with_query(&path, "include_total=true");
        } else {
            absent.push("total");
        }
        if operation.parameters("query").contains(&"page[total]") {
            path = with_query(&path, "page[total]=true");
        } else {
            absent.push("meta");
        }
        // Where there is also plain JSON, which is the default, only the JSON:API resource includes others.
        let include = operation.query_example("include").filter(|_| !operation.answers_plain_json());
        if let Some(include) = include {
            path = with_query(&path, &format!("include={include}"));
        } else {
            absent.push("included");
        }
        let body = world.body(operation, &caller).await;
        let call = caller.authenticate(operation.scheme(), world.call(operation, &path, body.as_ref()));
        let reply = call.send().await;
        let (status, schema) = operation.success();
        let text = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, status, "{} with {body:?}: {text}", operation.name);
        let location = reply.header("location");
        assert_eq!(status == 201, !location.is_empty(), "{} and its location", operation.name);
        if location.starts_with(&format!("{}/", operation.path)) {
            let found = caller.authenticate(operation.scheme(), world.app.get(location)).send().await;
            let (found, answer) = (found.expect(200), reply.json());
            let place = WITH_SECRET.iter().find(|(name, _)| *name == operation.name);
            let made = place.map_or(Some(&answer), |(_, pointer)| answer.pointer(pointer));
            assert_eq!(Some(&found.json()), made, "{}", operation.name);
            assert_eq!(found.header("etag"), reply.header("etag"), "{}", operation.name);
        }
        for name in ["ETag", "Location", "RateLimit", "RateLimit-Policy", "X-Request-Id"] {
            let is_sent = !reply.header(name).is_empty();
            assert_eq!(operation.documents_header(status, name), is_sent, "{} and {name}", operation.name);
        }
        let Some(schema) = schema else { continue };
        // A file that can also be JSON.
        if !is_json(reply.header("content-type")) {
            assert_eq!(operation.violations(&reply), [""; 0], "{}", operation.name);
            continue;
        }
        let media_type = reply.header("content-type");
        assert!(operation.answers_with(media_type), "{} with {media_type}", operation.name);
        let faults = schema.violations(&reply.json(), true, &absent);
        assert!(faults.is_empty(), "{}: {faults:#?}", operation.name);
        if operation.is_list() {
            assert_ne!(reply.json()["data"][0], serde_json::Value::Null, "{} is empty", operation.name);
        }
    }
}

async fn unknown_parameters_are_refused(app: TestApp) {
    let world = World::new(app).await;
    // All calls are refused, so that they do not affect each other.
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    for operation in world.operations {
        let path = world.path(operation, &caller).await;
        let body = world.body(operation, &caller).await;
        for query in ["surprise=1", "Limit=1", "brand_id=2", "%00=1"] {
            let path = with_query(&path, query);
            let call = caller.authenticate(operation.scheme(), world.call(operation, &path, body.as_ref()));
            let reply = call.send().await;
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, 400, "{} with {query}: {text}", operation.name);
            assert_eq!(reply.json()["errors"][0]["code"], "unknown_parameter", "{}: {text}", operation.name);
        }
    }
}

#[test]
fn collections_are_in_order_and_real() {
    let paths: Vec<_> = collections::COLLECTIONS.iter().map(|(path, ..)| *path).collect();
    assert!(paths.is_sorted(), "COLLECTIONS is not in order");
    let documented = operations();
    for path in paths {
        let is_used = documented.iter().any(|known| known.collection() == Some(path) || known.path == path)
            || collections::REFERENCES.iter().any(|(_, named)| *named == path);
        assert!(is_used, "{path} is in COLLECTIONS, but not documented");
    }
}
