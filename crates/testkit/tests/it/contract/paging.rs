//! Every list, page by page.

use domain::Role;
use serde_json::Value;
use testkit::{Reply, TestApp, on_both_engines};

use super::world::{OWN_BRAND, with_query};
use super::{Caller, Operation, World};

on_both_engines!(pages_of_one_hold_everything_once, documents_are_walked_both_ways);

async fn pages_of_one_hold_everything_once(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    let mut cursors: Vec<(&Operation, String, String)> = Vec::new();
    for operation in world.operations.iter().filter(|one| one.is_list() && !one.is_json_api_list()) {
        let path = world.path(operation, &caller).await;
        for _ in 0..3 {
            world.create_member_at(&operation.path, &path, &caller).await;
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

async fn documents_are_walked_both_ways(app: TestApp) {
    let world = World::new(app).await;
    let caller = world.caller(OWN_BRAND, Role::Admin).await;
    let mut cursors: Vec<(&Operation, String, String)> = Vec::new();
    for operation in world.operations.iter().filter(|operation| operation.is_json_api_list()) {
        let path = world.path(operation, &caller).await;
        for _ in 0..3 {
            world.create_member_at(&operation.path, &path, &caller).await;
        }
        let get = |query: &str| page(&world, &caller, operation, with_query(&path, query));
        let whole = ids(&get("page[size]=500").await.expect(200).json());
        assert!(whole.len() >= 3, "{} lists {whole:?}", operation.name);
        let mut pages = vec![get("page%5Bsize%5D=1").await.expect(200).json()];
        while let Some(next) = link(pages.last().unwrap(), "next") {
            pages.push(page(&world, &caller, operation, next).await.expect(200).json());
        }
        let seen: Vec<_> = pages.iter().flat_map(ids).collect();
        assert_eq!(seen, whole, "{}", operation.name);
        assert_eq!(link(&pages[0], "prev"), None, "{}", operation.name);
        for pair in pages.windows(2) {
            let back = link(&pair[1], "prev").unwrap_or_else(|| panic!("{}: {}", operation.name, pair[1]));
            let back = page(&world, &caller, operation, back).await.expect(200).json();
            assert_eq!(ids(&back), ids(&pair[0]), "{}", operation.name);
            assert_eq!(link(&back, "prev").is_some(), link(&pair[0], "prev").is_some(), "{}", operation.name);
            assert_eq!(link(&back, "next"), link(&pair[0], "next"), "{}", operation.name);
            assert_eq!(
                link(&back, "first"),
                link(&pages[0], "self").as_deref().map(escaped),
                "{}",
                operation.name
            );
        }
        for size in ["0", "501", "-1", "x", "", "1.5", "99999999999999999999"] {
            let refused = get(&format!("page[size]={size}")).await.expect(400);
            assert_eq!(
                refused.json()["errors"][0]["source"]["parameter"],
                "page[size]",
                "{}",
                operation.name
            );
        }
        for (side, junk) in
            ["page[after]", "page[before]"].into_iter().flat_map(|side| [(side, ""), (side, "x")])
        {
            let refused = get(&format!("{side}={junk}")).await.expect(400);
            assert_eq!(refused.code(), "invalid_cursor", "{}", operation.name);
            assert_eq!(refused.json()["errors"][0]["source"]["parameter"], side, "{}", operation.name);
        }
        let next = link(&pages[0], "next").unwrap();
        cursors.push((operation, path, next.split("after%5D=").nth(1).unwrap().to_owned()));
    }
    for (operation, path, _) in &cursors {
        for (other, _, cursor) in &cursors {
            let reply =
                page(&world, &caller, operation, with_query(path, &format!("page[after]={cursor}"))).await;
            let is_own = operation.name == other.name;
            // Linkage and related resources are the same list, of another parent here.
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

fn link(document: &Value, name: &str) -> Option<String> {
    document["links"][name].as_str().map(str::to_owned)
}

fn escaped(link: &str) -> String {
    link.replace('[', "%5B").replace(']', "%5D")
}

async fn page(world: &World, caller: &Caller, operation: &Operation, path: String) -> Reply {
    caller.authenticate(operation.scheme(), world.app.get(&path)).send().await
}

fn ids(list: &Value) -> Vec<Value> {
    list["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
}

/// Returns the list that an operation shows: V1's admin and tester operations share lists.
fn list_of(operation: &Operation) -> String {
    operation.path.replace("/tester/", "/").replace("people_assets", "people")
}
