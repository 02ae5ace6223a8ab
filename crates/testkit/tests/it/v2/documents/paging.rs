//! Pages: links in both directions, without gaps or duplicates.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, id, ids, refusal};

on_both_engines!(
    pagination_links_are_null_where_there_is_no_page,
    next_and_then_prev_is_the_same_page_in_every_order,
    rows_that_come_meanwhile_neither_skip_nor_double_others,
    before_and_after_do_not_go_together,
);

async fn pagination_links_are_null_where_there_is_no_page(app: TestApp) {
    let client = Client::new(app).await;
    client.project("North").await;
    let document = client.get("/api/v2/projects?page[size]=1&filter[q]=nor").await.expect(200).json();
    let links = &document["links"];
    assert_eq!((&links["prev"], &links["next"]), (&Value::Null, &Value::Null));
    assert_eq!(links["self"], "/api/v2/projects?page[size]=1&filter[q]=nor");
    assert_eq!(links["first"], "/api/v2/projects?page%5Bsize%5D=1&filter%5Bq%5D=nor");
}

async fn create_projects(client: &Client, count: usize) {
    // With equal names and equal times, only the ids decide the order of some of them.
    let rows: Vec<String> =
        (0..count).map(|n| format!("(1, 'P{0}', 'p{0}', 1, {1}, {1})", n % 5, n % 3)).collect();
    let insert = "insert into projects (brand_id, name, name_key, version, created_at, updated_at) values";
    testkit::execute_raw_sql(client.app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
}

async fn next_and_then_prev_is_the_same_page_in_every_order(app: TestApp) {
    let client = Client::new(app).await;
    create_projects(&client, 23).await;
    for sort in ["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"] {
        let whole = client.get(&format!("/api/v2/projects?sort={sort}&page[size]=500")).await.json();
        let mut pages =
            vec![client.get(&format!("/api/v2/projects?sort={sort}&page[size]=4")).await.expect(200).json()];
        while let Some(next) = pages.last().unwrap()["links"]["next"].as_str() {
            let next = client.get(next).await.expect(200).json();
            pages.push(next);
        }
        let seen: Vec<_> = pages.iter().flat_map(|page| ids(&page["data"])).collect();
        assert_eq!((seen.len(), &seen), (23, &ids(&whole["data"])), "{sort}");
        let mut back = pages.pop().unwrap();
        while let Some(expected) = pages.pop() {
            let link = back["links"]["prev"].as_str().unwrap_or_else(|| panic!("{sort}: {back}")).to_owned();
            back = client.get(&link).await.expect(200).json();
            assert_eq!(back["data"], expected["data"], "{sort}");
            assert_eq!(back["links"]["next"], expected["links"]["next"], "{sort}");
        }
        assert_eq!(back["links"]["prev"], Value::Null, "{sort}");
    }
}

async fn rows_that_come_meanwhile_neither_skip_nor_double_others(app: TestApp) {
    let client = Client::new(app).await;
    create_projects(&client, 12).await;
    let whole = ids(&client.get("/api/v2/projects?page[size]=500").await.json()["data"]);
    let mut page = client.get("/api/v2/projects?page[size]=3").await.json();
    let (mut forth, mut new) = (ids(&page["data"]), Vec::new());
    while let Some(next) = page["links"]["next"].as_str().map(str::to_owned) {
        new.push(client.project("P2 newcomer").await);
        page = client.get(&next).await.expect(200).json();
        forth.extend(ids(&page["data"]));
    }
    let last = id(page["data"].as_array().unwrap().last().unwrap());
    let mut back: Vec<String> = ids(&page["data"]).into_iter().rev().collect();
    while let Some(prev) = page["links"]["prev"].as_str().map(str::to_owned) {
        new.push(client.project("P1 newcomer").await);
        page = client.get(&prev).await.expect(200).json();
        back.extend(ids(&page["data"]).into_iter().rev());
    }
    let old =
        |seen: Vec<String>| -> Vec<String> { seen.into_iter().filter(|id| !new.contains(id)).collect() };
    assert_eq!(old(forth), whole);
    back.reverse();
    assert_eq!(old(back), whole, "from {last} back");
}

async fn before_and_after_do_not_go_together(app: TestApp) {
    let client = Client::new(app).await;
    let reply = client.get("/api/v2/projects?page[after]=x&page[before]=x").await;
    assert_eq!(refusal(&reply), (400, "ambiguous".to_owned(), json!({ "parameter": "page[before]" })));
}
