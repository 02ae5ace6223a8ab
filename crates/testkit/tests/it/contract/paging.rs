//! Every list, page by page.

use domain::Role;
use serde_json::Value;
use testkit::{Reply, TestApp, on_both_engines};

use super::world::{OURS, with_query};
use super::{Caller, Operation, World};

on_both_engines!(pages_of_one_hold_everything_once);

async fn pages_of_one_hold_everything_once(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OURS, Role::Admin).await;
    let mut cursors: Vec<(&Operation, String, String)> = Vec::new();
    for operation in world.operations.iter().filter(|operation| operation.is_list()) {
        let path = world.path(operation, &caller).await;
        for _ in 0..3 {
            world.add(&operation.path, &path, &caller).await;
        }
        let get = |query: &str| page(&world, &caller, operation, with_query(&path, query));
        let whole = ids(&get("limit=500").await.expect(200).json());
        assert!(whole.len() >= 3, "{} lists {whole:?}", operation.name);
        let (mut seen, mut query, mut cursor) = (Vec::new(), "limit=1".to_owned(), String::new());
        loop {
            let body = get(&query).await.expect(200).json();
            assert_eq!(body["data"].as_array().unwrap().len(), 1, "{}: {body}", operation.name);
            seen.extend(ids(&body));
            let Some(next) = body["page"]["next"].as_str() else { break };
            cursor = next.to_owned();
            query = format!("limit=1&cursor={cursor}");
        }
        assert_eq!(seen, whole, "{}", operation.name);
        for limit in ["0", "501", "-1", "x", "", "1.5", "99999999999999999999"] {
            let refused = get(&format!("limit={limit}")).await;
            assert_eq!(refused.status, 400, "{} with limit={limit}", operation.name);
        }
        for junk in ["", "x", "AAAAAAAAAAAAAAAA"] {
            assert_eq!(
                get(&format!("cursor={junk}")).await.expect(400).json()["errors"][0]["code"],
                "invalid_cursor"
            );
        }
        cursors.push((operation, path, cursor));
    }
    for (operation, path, _) in &cursors {
        for (other, _, cursor) in &cursors {
            let reply = page(&world, &caller, operation, with_query(path, &format!("cursor={cursor}"))).await;
            let is_own = list_of(operation) == list_of(other);
            assert_eq!(
                reply.status,
                if is_own { 200 } else { 400 },
                "{} after {}",
                operation.name,
                other.name
            );
        }
    }
}

async fn page(world: &World, caller: &Caller, operation: &Operation, path: String) -> Reply {
    caller.on(operation.scheme(), world.app.get(&path)).send().await
}

fn ids(list: &Value) -> Vec<Value> {
    list["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
}

/// What an operation lists: a kiosk and a desk show the same lists.
fn list_of(operation: &Operation) -> String {
    operation.path.replace("/tester/", "/").replace("people_assets", "people")
}
