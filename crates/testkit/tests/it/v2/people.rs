//! /api/v2/people

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{ids, send};
use crate::ingest::events::BerlinYard;

on_both_engines!(
    people_are_created_changed_and_archived,
    whoever_may_not_see_names_finds_people_by_their_numbers,
    tags_that_a_person_wears_come_along,
    stale_changes_are_refused,
);

async fn get(yard: &BerlinYard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v2/people{rest}")).bearer(&user.jwt).send().await
}

fn change(id: &str, attributes: &Value) -> Value {
    json!({ "type": "people", "id": id, "attributes": attributes })
}

async fn people_are_created_changed_and_archived(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let new = json!({ "type": "people", "attributes": { "kind": "visitor", "name": "Cyd", "email": "cyd@example.com" } });
    let made = send(&yard.app, &yard.admin, Method::POST, "people", &new).await.expect(201);
    assert_eq!(made.header("location"), "/api/v2/people/3");
    assert_eq!(made.json()["data"]["attributes"]["email"], "cyd@example.com");
    let changed = change("3", &json!({ "name": "Cyd Charisse", "email": null }));
    let changed = send(&yard.app, &yard.admin, Method::PATCH, "people/3", &changed).await.expect(200).json();
    assert_eq!(changed["data"]["attributes"]["name"], "Cyd Charisse");
    assert_eq!(yard.get("people/3").await["email"], Value::Null);
    // Archiving ends what the person has.
    let archived = change("1", &json!({ "archived": true, "company": "Acme" }));
    let archived =
        send(&yard.app, &yard.admin, Method::PATCH, "people/1", &archived).await.expect(200).json();
    let attributes = &archived["data"]["attributes"];
    assert_eq!((&attributes["archived"], &attributes["company"]), (&json!(true), &json!("Acme")));
    assert_eq!(yard.get("tags/1").await["person"], Value::Null);
    let list = get(&yard, &yard.admin, "?filter[archived]=true").await.expect(200).json();
    assert_eq!(ids(&list["data"]), ["1"]);
    let restored = change("1", &json!({ "archived": false }));
    send(&yard.app, &yard.admin, Method::PATCH, "people/1", &restored).await.expect(200);
    let list = get(&yard, &yard.admin, "?filter[kind]=staff&sort=-name").await.expect(200).json();
    assert_eq!(ids(&list["data"]), ["2", "1"]);
    // Nobody changes those who were erased.
    yard.app.post("/api/v1/people/2/erase").cookie(&yard.admin.cookie).send().await.expect(200);
    let refused = change("2", &json!({ "name": "Ben again", "archived": false }));
    let refused = send(&yard.app, &yard.admin, Method::PATCH, "people/2", &refused).await.expect(409);
    assert_eq!(refused.code(), "person_erased");
}

async fn whoever_may_not_see_names_finds_people_by_their_numbers(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("people", json!({ "kind": "staff", "name": "Aaron", "email": "aaron@example.com" })).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let reply = get(&yard, &viewer, "?sort=name&include=tags").await.expect(200);
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    for name in ["Ada", "Ben", "Aaron", "aaron@example.com"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    // The order does not reveal the names either.
    assert_eq!(ids(&reply.json()["data"]), ["1", "2", "3"]);
    assert_eq!(get(&yard, &viewer, "?filter[q]=aaron").await.expect(200).json()["data"], json!([]));
    let one = get(&yard, &viewer, "/3").await.expect(200);
    assert_eq!((one.header("etag"), &one.json()["data"]["attributes"]["name"]), ("", &json!("Person 3")));
    let by_name = get(&yard, &yard.admin, "?sort=name").await.expect(200).json();
    assert_eq!(ids(&by_name["data"]), ["3", "1", "2"]);
}

async fn tags_that_a_person_wears_come_along(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let document = get(&yard, &yard.admin, "/1?include=tags&fields[tags]=serial").await.expect(200).json();
    let tags = &document["data"]["relationships"]["tags"];
    assert_eq!(tags["data"], json!([{ "type": "tags", "id": "1" }]));
    assert_eq!(document["included"][0]["attributes"], json!({ "serial": "TAG-1" }));
    let related = tags["links"]["related"].as_str().unwrap();
    let related = yard.app.get(related).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(ids(&related["data"]), ["1"]);
    let links = tags["links"]["self"].as_str().unwrap();
    let links = yard.app.get(links).bearer(&yard.admin.jwt).send().await.expect(200).json();
    assert_eq!(links["data"], tags["data"]);
    get(&yard, &yard.admin, "/7/tags").await.expect(404);
    get(&yard, &yard.admin, "/7/relationships/tags").await.expect(404);
    // What was read can be sent back, even with the tags. They follow from the assignments, so other tags are ignored.
    let sent = send(&yard.app, &yard.admin, Method::PATCH, "people/1", &document["data"]).await.expect(200);
    let fields = |document: &Value| document["data"]["attributes"].clone();
    assert_eq!(fields(&sent.json()), fields(&document));
    let mut other = document["data"].clone();
    other["relationships"]["tags"]["data"][0]["id"] = json!("2");
    send(&yard.app, &yard.admin, Method::PATCH, "people/1", &other).await.expect(200);
    let still = get(&yard, &yard.admin, "/1?include=tags&fields[tags]=serial").await.expect(200).json();
    assert_eq!(still, document);
}

async fn stale_changes_are_refused(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.app.allow_leftover_jobs();
    let read = get(&yard, &yard.admin, "/1").await.expect(200).header("etag").to_owned();
    let patch = async |attributes: Value, if_match: &str| {
        let call = yard.app.patch("/api/v2/people/1").bearer(&yard.admin.jwt).header("if-match", if_match);
        let body = json!({ "data": change("1", &attributes) }).to_string();
        call.bytes(super::JSON_API, body).send().await
    };
    let version = patch(json!({ "name": "Ada L" }), &read).await.expect(200).header("etag").to_owned();
    for attributes in [json!({ "name": "Ada" }), json!({ "archived": true }), json!({})] {
        assert_eq!(patch(attributes, &read).await.expect(412).code(), "stale");
    }
    // Changed and archived at once, the version rises twice; the answer has the last one.
    let both = patch(json!({ "name": "Ada", "archived": true }), &version).await.expect(200);
    assert_eq!(get(&yard, &yard.admin, "/1").await.expect(200).header("etag"), both.header("etag"));
}
