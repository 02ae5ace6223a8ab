//! Updating resources.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, JSON_API, refusal};

on_both_engines!(
    attributes_and_relationships_that_are_left_out_stay,
    an_update_answers_as_a_get_would,
    what_does_not_exist_cannot_be_updated,
    another_type_or_id_than_the_paths_is_409,
    a_to_many_relationship_cannot_be_replaced_with_its_resource,
    what_was_read_with_its_members_can_be_sent_back,
    a_project_is_archived_and_restored_by_an_attribute,
    what_was_changed_meanwhile_is_412,
);

async fn attributes_and_relationships_that_are_left_out_stay(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    let path = format!("/api/v2/worksites/{site}");
    let before = client.get(&path).await.json();
    let change = json!({ "data": { "type": "worksites", "id": site, "attributes": { "name": "Pier" } } });
    let after = client.send("PATCH", &path, &change).await.expect(200).json();
    let mut expected = before["data"].clone();
    expected["attributes"]["name"] = json!("Pier");
    assert_eq!(after["data"], expected);
    let change = json!({ "data": { "type": "worksites", "id": site,
        "relationships": { "project": { "data": null } } } });
    let after = client.send("PATCH", &path, &change).await.expect(200).json();
    expected["relationships"]["project"]["data"] = Value::Null;
    assert_eq!(after["data"], expected);
}

async fn an_update_answers_as_a_get_would(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}");
    let change = json!({ "data": { "type": "projects", "id": project, "attributes": { "code": "N-2" } } });
    let reply = client.send("PATCH", &path, &change).await.expect(200);
    let found = client.get(&path).await.expect(200);
    assert_eq!(found.json(), reply.json());
    assert_eq!((found.header("etag"), found.header("content-type")), (reply.header("etag"), JSON_API));
}

async fn what_does_not_exist_cannot_be_updated(app: TestApp) {
    let client = Client::new(app).await;
    for kind in ["projects", "worksites"] {
        let change = json!({ "data": { "type": kind, "id": "77", "attributes": {} } });
        client.send("PATCH", &format!("/api/v2/{kind}/77"), &change).await.expect(404);
    }
}

async fn another_type_or_id_than_the_paths_is_409(app: TestApp) {
    let client = Client::new(app).await;
    let (project, other) = (client.project("North").await, client.project("South").await);
    let path = format!("/api/v2/projects/{project}");
    for (kind, id, pointer) in [("worksites", &project, "/data/type"), ("projects", &other, "/data/id")] {
        let change = json!({ "data": { "type": kind, "id": id, "attributes": { "name": "X" } } });
        let reply = client.send("PATCH", &path, &change).await;
        assert_eq!((refusal(&reply).0, refusal(&reply).2), (409, json!({ "pointer": pointer })));
    }
}

async fn a_to_many_relationship_cannot_be_replaced_with_its_resource(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}");
    let member = json!([{ "type": "worksites", "id": "77" }]);
    let change = json!({ "data": { "type": "projects", "id": project, "attributes": { "name": "X" },
        "relationships": { "worksites": { "data": member } } } });
    let reply = client.send("PATCH", &path, &change).await;
    let pointer = json!({ "pointer": "/data/relationships/worksites" });
    assert_eq!(refusal(&reply), (403, "relationship_read_only".to_owned(), pointer));
    assert_eq!(client.get(&path).await.json()["data"]["attributes"]["name"], "North");
}

async fn what_was_read_with_its_members_can_be_sent_back(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    client.worksite("Pier", Some(&project)).await;
    client.machine("A", Some(&site)).await;
    for (path, members) in [
        (format!("/api/v2/projects/{project}?include=worksites"), "worksites"),
        (format!("/api/v2/worksites/{site}?include=machines"), "machines"),
    ] {
        let shown = client.get(&path).await.expect(200);
        let plain = path.split('?').next().unwrap();
        let reply = client.send("PATCH", plain, &shown.json()).await.expect(200);
        assert_eq!(reply.header("etag"), client.get(plain).await.header("etag"));
        assert_eq!(client.get(&path).await.json(), shown.json());
        // In another order they are the same; without one of them they are not.
        let mut other = shown.json();
        let linked = other["data"]["relationships"][members]["data"].as_array_mut().unwrap();
        linked.reverse();
        client.send("PATCH", plain, &other).await.expect(200);
        other["data"]["relationships"][members]["data"].as_array_mut().unwrap().pop();
        let pointer = json!({ "pointer": format!("/data/relationships/{members}") });
        let reply = client.send("PATCH", plain, &other).await;
        assert_eq!(refusal(&reply), (403, "relationship_read_only".to_owned(), pointer));
    }
}

async fn a_project_is_archived_and_restored_by_an_attribute(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}");
    for (archived, at) in [(true, json!("2026-03-01T12:00:30Z")), (false, Value::Null)] {
        let change =
            json!({ "data": { "type": "projects", "id": project, "attributes": { "archived": archived } } });
        let after = client.send("PATCH", &path, &change).await.expect(200).json();
        assert_eq!(after["data"]["attributes"]["archived_at"], at);
        let listed = client.get(&format!("/api/v2/projects?filter[archived]={archived}")).await.json();
        assert_eq!(super::ids(&listed["data"]), [project.as_str()]);
    }
}

async fn what_was_changed_meanwhile_is_412(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}");
    let tag = client.get(&path).await.header("etag").to_owned();
    let send = |name: &str| {
        let body = json!({ "data": { "type": "projects", "id": project, "attributes": { "name": name } } });
        let call = client.app.patch(&path).bearer(&client.account.jwt).header("if-match", &tag);
        call.bytes(JSON_API, body.to_string()).send()
    };
    send("South").await.expect(200);
    assert_eq!(send("West").await.expect(412).code(), "stale");
}
