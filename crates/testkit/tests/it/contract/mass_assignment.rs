//! Fields that a body does not document cannot be set through it.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::World;
use super::world::OWN_BRAND;

on_both_engines!(fields_that_are_not_the_callers_to_set_are_refused);

fn protected_fields() -> Vec<(&'static str, Value)> {
    let time = json!("2020-01-01T00:00:00Z");
    vec![
        // No record has this id.
        ("id", json!(987_654_321)),
        ("brand", json!("Other")),
        ("brand_id", json!(2)),
        ("user_id", json!(1)),
        ("author_id", json!(1)),
        ("created_at", time.clone()),
        ("updated_at", time.clone()),
        ("archived_at", time.clone()),
        ("assigned_at", time.clone()),
        ("ended_at", time.clone()),
        ("erased_at", time.clone()),
        ("retired_at", time.clone()),
        ("checked_in_at", time.clone()),
        ("last_seen_at", time),
        ("state", json!("active")),
        ("role", json!("admin")),
        ("permissions", json!(["manage_users"])),
        ("project_ids", json!(null)),
        ("restricted", json!(false)),
        ("password_hash", json!("x")),
        ("name_key", json!("x")),
        ("version", json!(7)),
        ("registry_version", json!(7)),
        ("__proto__", json!({})),
    ]
}

async fn fields_that_are_not_the_callers_to_set_are_refused(app: TestApp) {
    let world = World::new(app).await;
    for operation in world.operations {
        let Some(place) = operation.request_schema().and(operation.fields_pointer()) else { continue };
        let known = operation.fields();
        let caller = world.caller(OWN_BRAND, Role::Admin).await;
        let path = world.path(operation, &caller).await;
        let good = world.with_unique_fields(world.body(operation, &caller).await.unwrap());
        let before = testkit::count_rows(world.app.database()).await;
        let shown = caller.authenticate(operation.scheme(), world.app.get(&path)).send().await;
        for (field, value) in protected_fields() {
            let pointer = format!("{place}/{field}");
            if known.iter().any(|(known, _)| *known == pointer) {
                continue;
            }
            // What is shown of a record can be sent back; see `sending_back.rs`. Then it has no effect, which the end of this test shows.
            let can_be_sent_back = operation.method == Method::PATCH
                && shown.status == 200
                && shown.json().pointer(&pointer).is_some();
            let mut body = good.clone();
            if can_be_sent_back {
                *body.pointer_mut(place).unwrap() = json!({});
                if let Some(data) = body.get_mut("data").and_then(Value::as_object_mut) {
                    data.remove("relationships");
                }
            }
            body.pointer_mut(place).unwrap()[field] = value;
            let call = caller.authenticate(operation.scheme(), world.call(operation, &path, Some(&body)));
            let reply = call.send().await;
            if can_be_sent_back && !["id", "created_at"].contains(&field) {
                assert_eq!(reply.status, 200, "{} with {field}", operation.name);
                continue;
            }
            let expected = if can_be_sent_back { "read_only" } else { "unknown_field" };
            let refused = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, 422, "{} with {field}: {refused}", operation.name);
            assert_eq!(operation.violations(&reply), [""; 0], "{} with {field}", operation.name);
            let errors = reply.json()["errors"].clone();
            let names =
                |error: &Value| error["field"] == field || error["source"]["pointer"] == pointer.as_str();
            let named =
                errors.as_array().unwrap().iter().any(|error| names(error) && error["code"] == expected);
            assert!(named, "{} with {field}: {refused}", operation.name);
        }
        assert_eq!(testkit::count_rows(world.app.database()).await, before, "{}", operation.name);
        let still = caller.authenticate(operation.scheme(), world.app.get(&path)).send().await;
        assert_eq!(still.status, shown.status, "{}", operation.name);
        if still.status == 200 {
            assert_eq!(still.json(), shown.json(), "{}", operation.name);
        }
    }
}
