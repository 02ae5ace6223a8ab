//! Every field of every body, with values that do not match the documented schema.

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::world::OWN_BRAND;
use super::{Scheme, World};

on_both_engines!(what_is_not_documented_is_refused_by_name, broken_bodies_are_refused);

fn sample_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(7),
        json!(-1),
        json!(2.5),
        json!(1e300),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(""),
        json!("text"),
        json!("a\u{7}b"),
        json!("a\u{0}b"),
        json!("x".repeat(10_000)),
        json!([]),
        json!(["text"]),
        json!({}),
        json!({ "id": 1 }),
    ]
}

async fn what_is_not_documented_is_refused_by_name(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations {
        if operation.request_schema().is_none() {
            continue;
        }
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let good = world.body(operation, &caller).await.unwrap();
        for (pointer, of) in operation.fields() {
            let field = &pointer[1..];
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            for value in sample_values() {
                let is_control = value.as_str().is_some_and(|text| text.contains(char::is_control));
                let fits = of.violations(&value, false, &[]).is_empty() && (of.is_password() || !is_control);
                // Failed attempts at secrets are counted and would soon be answered with 429.
                if fits && (of.is_password() || operation.scheme() == Scheme::Public) {
                    continue;
                }
                // A successful proof replaces the cookie.
                if fits && operation.path.ends_with("/session/proof") {
                    continue;
                }
                let mut body = world.with_unique_fields(good.clone());
                body.pointer_mut(parent).unwrap()[name] = value.clone();
                let call = caller.authenticate(operation.scheme(), world.call(operation, &path, Some(&body)));
                let reply = call.send().await;
                let shown: String = value.to_string().chars().take(20).collect();
                let place = format!("{} with {field} {shown}", operation.name);
                let text = String::from_utf8_lossy(&reply.body).into_owned();
                assert!(reply.status.as_u16() < 500, "{place}: {text}");
                if fits {
                    continue;
                }
                assert_eq!(reply.status, 422, "{place}: {text}");
                assert_eq!(operation.violations(&reply), [""; 0], "{place}");
                let names = |error: &Value| {
                    let name = error["field"].as_str().or(error["source"]["pointer"].as_str());
                    name.is_some_and(|name| name.trim_start_matches('/').starts_with(field))
                };
                let errors = reply.json()["errors"].clone();
                assert!(errors.as_array().unwrap().iter().any(names), "{place}: {text}");
            }
        }
    }
}

async fn broken_bodies_are_refused(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    for operation in world.operations.iter().filter(|operation| operation.request_schema().is_some()) {
        let path = world.path(operation, &caller).await;
        let json = operation.media_type();
        let other = if operation.takes_json_api() { "application/json" } else { "application/vnd.api+json" };
        for (media_type, body, status) in [
            (json, "{", 400),
            (json, "{\"a\": 1, \"a\": 2}", 400),
            (json, "\u{0}", 400),
            (json, "[]", 422),
            (json, "7", 422),
            ("text/plain", "{}", 415),
            (other, "{}", 415),
            (&format!("{json}; charset=latin1"), "{}", 415),
        ] {
            let call =
                caller.authenticate(operation.scheme(), world.app.request(operation.method.clone(), &path));
            let reply = call.bytes(media_type, body).send().await;
            let text = String::from_utf8_lossy(&reply.body);
            assert_eq!(reply.status, status, "{} with {media_type} {body:?}: {text}", operation.name);
        }
    }
}
