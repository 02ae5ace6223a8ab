//! Lists: ids and several values in filters, several sort keys, totals, and incremental sync.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, ids, names, refusal};

on_both_engines!(
    a_filter_takes_several_values,
    a_list_is_sorted_by_several_keys_in_both_directions,
    totals_are_counted_on_request,
    changes_are_read_by_version,
    faulty_lists_are_refused,
);

async fn a_filter_takes_several_values(app: TestApp) {
    let client = Client::new(app).await;
    let (north, south) = (client.project("North").await, client.project("South").await);
    for (name, project) in [("A", Some(&north)), ("B", Some(&south)), ("C", None)] {
        client.worksite(name, project.map(String::as_str)).await;
    }
    for (id, kind) in [(1, "forestry"), (2, "logistics")] {
        let body =
            json!({ "data": { "type": "worksites", "id": id.to_string(), "attributes": { "kind": kind } } });
        client.send("PATCH", &format!("/api/v2/worksites/{id}"), &body).await.expect(200);
    }
    for (query, found) in [
        ("filter[id]=3,1", vec!["A", "C"]),
        ("filter[id]=2,2,77", vec!["B"]),
        ("filter[id]=99", vec![]),
        ("filter[kind]=forestry,logistics", vec!["A", "B"]),
        ("filter[kind]=logistics&filter[id]=1,2", vec!["B"]),
        ("filter[project]=1,2", vec!["A", "B"]),
        ("filter[project]=2&filter[kind]=forestry", vec![]),
    ] {
        let document =
            client.get(&format!("/api/v2/worksites?{query}&page[total]=true")).await.expect(200).json();
        assert_eq!(names(&document), found, "{query}");
        assert_eq!(document["meta"]["total"], found.len(), "{query}");
    }
    let of_project = client.get("/api/v2/projects/1/worksites?filter[project]=1,2").await.expect(200).json();
    assert_eq!(names(&of_project), ["A"]);
    let of_none = client.get("/api/v2/projects/1/worksites?filter[project]=2&page[total]=true").await;
    let of_none = of_none.expect(200).json();
    assert_eq!((names(&of_none), &of_none["meta"]["total"]), (vec![], &json!(0)));
    let archive = json!({ "data": { "type": "projects", "id": "1", "attributes": { "archived": true } } });
    client.send("PATCH", "/api/v2/projects/1", &archive).await.expect(200);
    let active = client.get("/api/v2/projects?filter[id]=1,2").await.expect(200).json();
    assert_eq!(names(&active), ["South"]);
}

async fn a_list_is_sorted_by_several_keys_in_both_directions(app: TestApp) {
    let client = Client::new(app).await;
    // With equal names and equal times, only the ids decide the order of some of them.
    let rows: Vec<String> =
        (0..23).map(|n| format!("(1, 'P{0}', 'p{0}', 1, {1}, {2})", n % 3, 1 + n % 4, 1 + n % 2)).collect();
    let insert = "insert into projects (brand_id, name, name_key, version, created_at, updated_at) values";
    testkit::execute_raw_sql(client.app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    for sort in ["name,created_at", "-name,created_at", "name,-created_at", "-updated_at,name,-created_at"] {
        let whole =
            client.get(&format!("/api/v2/projects?sort={sort}&page[size]=500")).await.expect(200).json();
        let keys: Vec<Vec<String>> =
            whole["data"].as_array().unwrap().iter().map(|row| sort_keys(row, sort)).collect();
        let in_order = keys.windows(2).all(|pair| comes_before(&pair[0], &pair[1], sort));
        assert!(in_order, "{sort}: {keys:?}");
        let mut page =
            client.get(&format!("/api/v2/projects?sort={sort}&page[size]=4")).await.expect(200).json();
        let (mut seen, mut last) = (ids(&page["data"]), page.clone());
        while let Some(next) = page["links"]["next"].as_str().map(str::to_owned) {
            page = client.get(&next).await.expect(200).json();
            seen.extend(ids(&page["data"]));
            last = page.clone();
        }
        assert_eq!((seen.len(), &seen), (23, &ids(&whole["data"])), "{sort}");
        let mut back = ids(&last["data"]);
        while let Some(prev) = last["links"]["prev"].as_str().map(str::to_owned) {
            last = client.get(&prev).await.expect(200).json();
            back.splice(0..0, ids(&last["data"]));
        }
        assert_eq!(back, seen, "{sort} backwards");
    }
}

/// Returns the values that a row is sorted by.
fn sort_keys(row: &Value, sort: &str) -> Vec<String> {
    let text = |key: &str| row["attributes"][key.trim_start_matches('-')].as_str().unwrap().to_owned();
    sort.split(',').map(text).collect()
}

fn comes_before(left: &[String], right: &[String], sort: &str) -> bool {
    for ((left, right), key) in left.iter().zip(right).zip(sort.split(',')) {
        if left != right {
            return (left < right) != key.starts_with('-');
        }
    }
    true
}

async fn totals_are_counted_on_request(app: TestApp) {
    let client = Client::new(app).await;
    for name in ["North", "South", "West"] {
        client.project(name).await;
    }
    let page = client.get("/api/v2/projects?page[size]=1&page[total]=true").await.expect(200).json();
    assert_eq!(page["meta"], json!({ "total": 3 }));
    let next = page["links"]["next"].as_str().unwrap();
    assert_eq!(client.get(next).await.expect(200).json()["meta"], json!({ "total": 3 }));
    for path in ["/api/v2/projects", "/api/v2/projects?page[total]=false"] {
        assert_eq!(client.get(path).await.expect(200).json().get("meta"), None, "{path}");
    }
    let views = client.get("/api/v2/saved_views?page[total]=true").await.expect(200).json();
    assert_eq!(views["meta"], json!({ "total": 0 }));
}

async fn changes_are_read_by_version(app: TestApp) {
    let client = Client::new(app).await;
    let north = client.project("North").await;
    client.worksite("A", Some(&north)).await;
    let begun =
        client.get("/api/v2/worksites?filter[after_version]=0&include=project").await.expect(200).json();
    assert_eq!((names(&begun), begun["included"][0]["id"].as_str()), (vec!["A"], Some("1")));
    let version = begun["meta"]["registry_version"].as_i64().unwrap();
    assert_eq!(begun["meta"]["gone"], json!([]));
    let path = format!("/api/v2/worksites?filter[after_version]={version}");
    assert_eq!(names(&client.get(&path).await.expect(200).json()), [""; 0]);
    client.worksite("B", None).await;
    let body = json!({ "data": { "type": "worksites", "id": "1", "attributes": { "archived": true } } });
    client.send("PATCH", "/api/v2/worksites/1", &body).await.expect(200);
    let first = client.get(&format!("{path}&page[size]=1")).await.expect(200).json();
    assert_eq!(names(&first), ["B"]);
    assert_eq!(first["meta"], json!({ "registry_version": version }));
    let next = first["links"]["next"].as_str().unwrap();
    let last = client.get(next).await.expect(200).json();
    assert_eq!(names(&last), ["A"]);
    let version = last["meta"]["registry_version"].as_i64().unwrap();
    let delete = client.app.request(http::Method::DELETE, "/api/v2/worksites/2").bearer(&client.account.jwt);
    delete.send().await.expect(200);
    let gone =
        client.get(&format!("/api/v2/worksites?filter[after_version]={version}")).await.expect(200).json();
    assert_eq!((names(&gone), &gone["meta"]["gone"]), (vec![], &json!(["2"])));
}

async fn faulty_lists_are_refused(app: TestApp) {
    let client = Client::new(app).await;
    client.project("North").await;
    for (query, parameter, code) in [
        ("filter[id]=", "filter[id]", "invalid_id"),
        ("filter[id]=1,x", "filter[id]", "invalid_id"),
        ("filter[id]=1&filter[id]=2", "filter[id]", "repeated_parameter"),
        ("sort=name,name", "sort", "invalid_sort"),
        ("sort=name,-name", "sort", "invalid_sort"),
        ("sort=name,", "sort", "invalid_sort"),
        ("sort=,name", "sort", "invalid_sort"),
        ("sort=registry_version", "sort", "invalid_sort"),
        ("page[total]=1", "page[total]", "invalid_flag"),
        ("filter[after_version]=-1", "filter[after_version]", "out_of_range"),
        ("filter[after_version]=99999", "filter[after_version]", "out_of_range"),
        ("filter[after_version]=0&filter[q]=a", "filter[q]", "not_with_after_version"),
        ("filter[after_version]=0&filter[id]=1", "filter[id]", "not_with_after_version"),
        ("filter[after_version]=0&sort=name", "sort", "not_with_after_version"),
    ] {
        let reply = client.get(&format!("/api/v2/projects?{query}")).await;
        assert_eq!(refusal(&reply), (400, code.to_owned(), json!({ "parameter": parameter })), "{query}");
    }
    let many = (0..101).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let reply = client.get(&format!("/api/v2/projects?filter[id]={many}")).await;
    assert_eq!(refusal(&reply), (400, "too_many".to_owned(), json!({ "parameter": "filter[id]" })));
    let reply = client.get("/api/v2/worksites?filter[kind]=forestry,tank").await;
    assert_eq!(refusal(&reply).2, json!({ "parameter": "filter[kind]" }));
    let reply = client.get("/api/v2/projects/1/worksites?filter[after_version]=0").await;
    assert_eq!(refusal(&reply).1, "not_supported");
}
