//! Query parameters: every bound of a period takes a date, and words that an enumeration does not have are refused.

use domain::Role;
use serde_json::Value;
use testkit::{TestApp, on_both_engines};

use super::World;
use super::world::{OWN_BRAND, with_query};

on_both_engines!(periods_take_bare_dates, undocumented_words_are_refused_by_name);

/// The parameters between which a period lies.
const PERIODS: [[&str; 2]; 2] = [["from", "to"], ["filter[from]", "filter[to]"]];

/// Returns the parameter that a refusal names, in either error format.
fn named_parameter(refusal: &Value) -> Option<&str> {
    let error = &refusal["errors"][0];
    error["field"].as_str().or(error["source"]["parameter"].as_str())
}

async fn periods_take_bare_dates(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    let mut found = 0;
    for operation in world.operations {
        let names = operation.parameters("query");
        for [from, to] in PERIODS {
            assert_eq!(names.contains(&from), names.contains(&to), "{}", operation.name);
            if !names.contains(&from) {
                continue;
            }
            found += 1;
            let path = world.path(operation, &caller).await;
            let send = async |query: &str| {
                let call = world.call(operation, &with_query(&path, query), None);
                caller.authenticate(operation.scheme(), call).send().await
            };
            let reply = send(&format!("{from}=2026-02-27&{to}=2026-02-28")).await;
            let text = String::from_utf8_lossy(&reply.body);
            assert_eq!(reply.status, 200, "{}: {text}", operation.name);
            for name in [from, to] {
                let refused = send(&format!("{name}=2026-02-30")).await.expect(400).json();
                assert_eq!(named_parameter(&refused), Some(name), "{}", operation.name);
            }
        }
    }
    assert!(found > 30, "only {found} operations have a period");
}

async fn undocumented_words_are_refused_by_name(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    let mut found = 0;
    for operation in world.operations {
        let names = operation.enumerated_query();
        if names.is_empty() {
            continue;
        }
        let path = world.path(operation, &caller).await;
        let body = world.body(operation, &caller).await;
        for name in names {
            found += 1;
            let path = with_query(&path, &format!("{name}=surprise"));
            let call = world.call(operation, &path, body.as_ref());
            let reply = caller.authenticate(operation.scheme(), call).send().await;
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, 400, "{} with {name}: {text}", operation.name);
            assert_eq!(named_parameter(&reply.json()), Some(name), "{}", operation.name);
        }
    }
    assert!(found > 150, "only {found} parameters are enumerations");
}
