//! Invalid documents: every fault has a pointer.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, refusal};

on_both_engines!(
    all_faults_are_named_by_their_pointers_at_once,
    members_that_are_missing_or_of_the_wrong_type_are_named,
    lids_that_name_nothing_are_refused,
    a_thousand_links_are_refused,
    foreign_keys_are_no_attributes,
);

async fn all_faults_are_named_by_their_pointers_at_once(app: TestApp) {
    let client = Client::new(app).await;
    let body = json!({ "data": {
        "type": "worksites",
        "attributes": { "name": 7, "colour": "red", "kind": "other", "a/b~c": 1 },
        "relationships": { "owner": { "data": null }, "project": {} },
    } });
    let reply = client.send("POST", "/api/v2/worksites", &body).await.expect(422).json();
    let mut pointers: Vec<_> = reply["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["source"]["pointer"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    pointers.sort_unstable();
    let expected = [
        ("/data/attributes/a~1b~0c", "unknown_field"),
        ("/data/attributes/colour", "invalid_colour"),
        ("/data/attributes/name", "wrong_type"),
        ("/data/attributes/time_zone", "required"),
        ("/data/relationships/owner", "unknown_field"),
        ("/data/relationships/project/data", "required"),
    ];
    assert_eq!(pointers, expected);
}

async fn members_that_are_missing_or_of_the_wrong_type_are_named(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    let path = format!("/api/v2/worksites/{site}");
    let with = |member: &str, value: Value| {
        let mut body = json!({ "data": { "type": "worksites", "id": site } });
        body["data"][member] = value;
        body
    };
    let project = |linkage: Value| with("relationships", json!({ "project": linkage }));
    let place = "/data/relationships/project";
    for (body, status, pointer) in [
        (json!({}), 422, "/data".to_owned()),
        (json!({ "data": null }), 422, "/data".to_owned()),
        (json!({ "data": [] }), 422, "/data".to_owned()),
        (json!({ "data": { "id": site } }), 422, "/data/type".to_owned()),
        (json!({ "data": { "type": "worksites" } }), 422, "/data/id".to_owned()),
        (with("type", json!(7)), 422, "/data/type".to_owned()),
        (with("id", json!(7)), 422, "/data/id".to_owned()),
        (with("lid", json!(7)), 422, "/data/lid".to_owned()),
        (with("attributes", json!([])), 422, "/data/attributes".to_owned()),
        (with("relationships", json!(7)), 422, "/data/relationships".to_owned()),
        (project(json!(7)), 422, place.to_owned()),
        (project(json!({ "data": [] })), 422, format!("{place}/data")),
        (project(json!({ "data": { "type": "projects" } })), 422, format!("{place}/data/id")),
        (project(json!({ "data": { "type": "projects", "id": 1 } })), 422, format!("{place}/data/id")),
        (project(json!({ "data": { "id": "1" } })), 422, format!("{place}/data/type")),
        (project(json!({ "data": { "type": "people", "id": "1" } })), 409, format!("{place}/data/type")),
        (project(json!({ "data": { "type": "projects", "id": "x" } })), 404, format!("{place}/data")),
    ] {
        let reply = client.send("PATCH", &path, &body).await;
        assert_eq!((refusal(&reply).0, refusal(&reply).2), (status, json!({ "pointer": pointer })), "{body}");
    }
}

async fn lids_that_name_nothing_are_refused(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", None).await;
    let path = format!("/api/v2/worksites/{site}/relationships/project");
    for (linkage, code) in [
        (json!({ "type": "projects", "lid": "a" }), "unknown_lid"),
        (json!({ "type": "projects", "id": project, "lid": "a" }), "ambiguous"),
    ] {
        let reply = client.send("PATCH", &path, &json!({ "data": linkage })).await;
        assert_eq!(refusal(&reply), (422, code.to_owned(), json!({ "pointer": "/data/lid" })));
    }
    let body = json!({ "data": { "type": "worksites", "lid": "w",
        "attributes": { "name": "Quay", "colour": "#ff8800", "kind": "other", "time_zone": "UTC" },
        "relationships": { "project": { "data": { "type": "projects", "lid": "w" } } } } });
    let reply = client.send("POST", "/api/v2/worksites", &body).await;
    assert_eq!(refusal(&reply).2, json!({ "pointer": "/data/relationships/project/data/lid" }));
    let without_id = json!({ "data": { "type": "worksites", "lid": "w", "attributes": {} } });
    let reply = client.send("PATCH", &format!("/api/v2/worksites/{site}"), &without_id).await;
    assert_eq!(refusal(&reply).2, json!({ "pointer": "/data/id" }));
}

async fn a_thousand_links_are_refused(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}/relationships/worksites");
    let items: Vec<_> =
        (0..1_000).map(|n: i64| json!({ "type": "worksites", "id": n.to_string() })).collect();
    for method in ["POST", "PATCH", "DELETE"] {
        let reply = client.send(method, &path, &json!({ "data": items })).await;
        assert_eq!(refusal(&reply), (422, "too_many".to_owned(), json!({ "pointer": "/data" })), "{method}");
    }
    let relationships: serde_json::Map<String, Value> =
        (0..1_000).map(|n| (format!("r{n}"), json!({ "data": null }))).collect();
    let body = json!({ "data": { "type": "projects", "attributes": { "name": "X" }, "relationships": relationships } });
    let reply = client.send("POST", "/api/v2/projects", &body).await.expect(422);
    assert!(reply.json()["errors"].as_array().unwrap().len() <= 20);
}

async fn foreign_keys_are_no_attributes(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    let path = format!("/api/v2/worksites/{site}");
    assert_eq!(client.get(&path).await.json()["data"]["attributes"].get("project_id"), None);
    let body = json!({ "data": { "type": "worksites", "id": site, "attributes": { "project_id": 7 } } });
    let reply = client.send("PATCH", &path, &body).await;
    let pointer = json!({ "pointer": "/data/attributes/project_id" });
    assert_eq!(refusal(&reply), (422, "unknown_field".to_owned(), pointer));
}
