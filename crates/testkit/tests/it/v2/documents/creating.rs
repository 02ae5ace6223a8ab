//! Creating and deleting resources.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, JSON_API, refusal};

on_both_engines!(
    what_is_created_is_201_with_its_location_and_document,
    an_id_of_the_clients_own_is_403,
    another_type_than_the_collections_is_409,
    a_related_resource_that_does_not_exist_is_404,
    a_repeat_under_a_key_creates_nothing_and_answers_alike,
    deleting_tells_what_became_of_it,
);

async fn what_is_created_is_201_with_its_location_and_document(app: TestApp) {
    let client = Client::new(app).await;
    let body = json!({ "data": { "type": "projects", "attributes": { "name": "North", "code": "N-1" } } });
    let reply = client.send("POST", "/api/v2/projects", &body).await.expect(201);
    let document = reply.json();
    assert_eq!(reply.header("content-type"), JSON_API);
    assert_eq!(document["data"]["links"]["self"], reply.header("location"));
    assert_eq!(document["data"]["attributes"]["code"], "N-1");
    assert_eq!(document["data"]["attributes"]["archived"], false);
    assert_eq!(client.get(reply.header("location")).await.expect(200).json(), document);
    let v1 = reply.header("location").replace("v2", "v1");
    let v1 = client.app.get(&v1).cookie(&client.account.cookie).send().await.expect(200).json();
    assert_eq!((&v1["name"], v1["id"].to_string()), (&json!("North"), super::id(&document["data"])));
}

async fn an_id_of_the_clients_own_is_403(app: TestApp) {
    let client = Client::new(app).await;
    let taken = client.project("North").await;
    for id in ["c3f3a1a0-0000-4000-8000-000000000000", "99", &taken] {
        let body = json!({ "data": { "type": "projects", "id": id, "attributes": { "name": "South" } } });
        let reply = client.send("POST", "/api/v2/projects", &body).await;
        let pointer = json!({ "pointer": "/data/id" });
        assert_eq!(refusal(&reply), (403, "client_generated_id".to_owned(), pointer));
    }
}

async fn another_type_than_the_collections_is_409(app: TestApp) {
    let client = Client::new(app).await;
    let body = json!({ "data": { "type": "worksites", "attributes": { "name": "South" } } });
    let reply = client.send("POST", "/api/v2/projects", &body).await;
    let pointer = json!({ "pointer": "/data/type" });
    assert_eq!(refusal(&reply), (409, "wrong_resource_type".to_owned(), pointer));
}

async fn a_related_resource_that_does_not_exist_is_404(app: TestApp) {
    let client = Client::new(app).await;
    let body = json!({ "data": {
        "type": "worksites",
        "attributes": { "name": "Quay", "colour": "#ff8800", "kind": "other", "time_zone": "UTC" },
        "relationships": { "project": { "data": { "type": "projects", "id": "77" } } },
    } });
    let reply = client.send("POST", "/api/v2/worksites", &body).await;
    let pointer = json!({ "pointer": "/data/relationships/project/data" });
    assert_eq!(refusal(&reply), (404, "unknown_project".to_owned(), pointer));
    assert_eq!(client.get("/api/v2/worksites").await.json()["data"], json!([]));
}

async fn a_repeat_under_a_key_creates_nothing_and_answers_alike(app: TestApp) {
    let client = Client::new(app).await;
    let send = |name: &str| {
        let body = json!({ "data": { "type": "projects", "attributes": { "name": name } } });
        let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
        call.header("idempotency-key", "k-1").bytes(JSON_API, body.to_string()).send()
    };
    let (first, second) = (send("North").await.expect(201), send("North").await.expect(201));
    assert_eq!(first.json(), second.json());
    assert_eq!((first.header("etag"), second.header("etag")), ("\"1\"", "\"1\""));
    assert_eq!(second.header("content-type"), JSON_API);
    assert_eq!(send("South").await.expect(422).code(), "idempotency_key_reused");
    assert_eq!(client.get("/api/v2/projects").await.json()["data"].as_array().unwrap().len(), 1);
    let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
    let reply = call.header("idempotency-key", "a b").bytes(JSON_API, "{}").send().await;
    assert_eq!(refusal(&reply).2, json!({ "header": "Idempotency-Key" }));
}

async fn deleting_tells_what_became_of_it(app: TestApp) {
    let client = Client::new(app).await;
    let (empty, used) = (client.worksite("Empty", None).await, client.worksite("Used", None).await);
    client.machine("Crane", Some(&used)).await;
    for (site, deleted, after) in [(empty, true, 404), (used, false, 200)] {
        let path = format!("/api/v2/worksites/{site}");
        let delete = || client.app.delete(&path).bearer(&client.account.jwt);
        delete().header("if-match", "\"77\"").send().await.expect(412);
        let document = delete().send().await.expect(200).json();
        assert_eq!(document["meta"], json!({ "deleted": deleted }));
        assert_eq!((document.get("data"), &document["jsonapi"]["version"]), (None, &json!("1.1")));
        let found = client.get(&path).await.expect(after).json();
        let archived = if deleted { Value::Null } else { json!(true) };
        assert_eq!(found["data"]["attributes"]["archived"], archived);
    }
    client.app.delete("/api/v2/worksites/77").bearer(&client.account.jwt).send().await.expect(404);
    client.app.delete("/api/v2/projects/77").bearer(&client.account.jwt).send().await.expect(405);
}
