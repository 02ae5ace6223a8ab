//! The documents of reports: attributes, relationships, includes and what they refuse.

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{JSON_API, PATH, create_site_safety, errors, february, get, post, to};
use crate::v1::reports::busy_yard;

on_both_engines!(
    a_document_has_attributes_and_relationships,
    what_cannot_be_is_refused_with_a_pointer,
    subjects_can_be_included,
    fields_can_be_chosen,
    both_versions_show_the_same_report,
);

async fn a_document_has_attributes_and_relationships(app: TestApp) {
    let yard = busy_yard(app).await;
    let attributes = json!({ "kind": "machine", "format": "json", "filters": february(), "paper": "a4" });
    let relationships = json!({
        "project": to("projects", "1"), "worksite": to("worksites", "1"), "machine": to("machines", "1"),
        "person": { "data": null },
    });
    let reply = post(&yard, &yard.admin, &attributes, &relationships).await.expect(201);
    assert_eq!(reply.header("content-type"), JSON_API);
    let made = reply.json();
    let data = &made["data"];
    let id = data["id"].as_str().unwrap();
    assert_eq!(reply.header("location"), format!("{PATH}/{id}"));
    assert_eq!((&data["type"], &data["links"]["self"]), (&json!("reports"), &json!(format!("{PATH}/{id}"))));
    assert_eq!((&data["attributes"]["state"], &data["attributes"]["percent"]), (&json!("queued"), &json!(0)));
    for (name, linkage) in [
        ("project", json!({ "type": "projects", "id": "1" })),
        ("worksite", json!({ "type": "worksites", "id": "1" })),
        ("machine", json!({ "type": "machines", "id": "1" })),
        ("person", Value::Null),
        ("schedule", Value::Null),
    ] {
        assert_eq!(data["relationships"][name]["data"], linkage, "{name}");
    }
    assert_eq!(data["relationships"]["author"]["data"]["type"], "users");
    for absent in ["project_id", "worksite_id", "machine_id", "person_id", "schedule_id", "author", "id"] {
        assert_eq!(data["attributes"].get(absent), None, "{absent}");
    }
    let etag = reply.header("etag").to_owned();
    let known = yard.app.get(&format!("{PATH}/{id}")).bearer(&yard.admin.jwt).header("if-none-match", &etag);
    known.send().await.expect(304);
    yard.app.run_jobs().await;
    let done = get(&yard, &yard.admin, &format!("/{id}")).await.expect(200);
    assert_ne!(done.header("etag"), etag);
    let attributes = &done.json()["data"]["attributes"];
    assert_eq!((&attributes["state"], &attributes["time_zones"]), (&json!("ready"), &json!(["UTC"])));
    assert_eq!(attributes["download"], format!("{PATH}/{id}/download"));
}

async fn what_cannot_be_is_refused_with_a_pointer(app: TestApp) {
    let yard = busy_yard(app).await;
    let none = json!({});
    let site = json!({ "worksite": to("worksites", "1") });
    let (safety, log) = (json!({ "kind": "site_safety" }), json!({ "kind": "visitor_log" }));
    let with = |attributes: &Value, name: &str, value: Value| {
        let mut changed = attributes.clone();
        changed[name] = value;
        changed
    };
    for (status, attributes, relationships, pointer, code) in [
        (422, json!({}), none.clone(), "/data/attributes/kind", "required"),
        (422, json!({ "kind": "people" }), none.clone(), "/data/attributes/kind", "invalid_kind"),
        (422, safety.clone(), none.clone(), "/data/relationships/worksite/data", "required"),
        (
            422,
            with(&safety, "format", json!("csv")),
            site.clone(),
            "/data/attributes/format",
            "unknown_format",
        ),
        (
            422,
            with(&log, "filters", json!({ "zone": ["danger"] })),
            none.clone(),
            "/data/attributes/filters/zone",
            "not_allowed",
        ),
        (
            422,
            with(&log, "worksite_id", json!(1)),
            none.clone(),
            "/data/attributes/worksite_id",
            "unknown_field",
        ),
        (422, with(&log, "state", json!("ready")), none.clone(), "/data/attributes/state", "unknown_field"),
        // What a relationship or an attribute refers to, and does not exist.
        (
            404,
            safety.clone(),
            json!({ "worksite": to("worksites", "99") }),
            "/data/relationships/worksite/data",
            "unknown_worksite",
        ),
        (
            404,
            log.clone(),
            json!({ "person": to("people", "99") }),
            "/data/relationships/person/data",
            "unknown_person",
        ),
        (
            404,
            log.clone(),
            json!({ "person": to("people", "x") }),
            "/data/relationships/person/data",
            "unknown_person",
        ),
        (
            404,
            json!({ "kind": "pivot", "saved_view_id": 99 }),
            none.clone(),
            "/data/attributes/saved_view_id",
            "unknown_saved_view",
        ),
        // What is not the client's to say.
        (
            409,
            safety.clone(),
            json!({ "worksite": to("projects", "1") }),
            "/data/relationships/worksite/data/type",
            "wrong_resource_type",
        ),
        (
            403,
            log.clone(),
            json!({ "author": to("users", "1") }),
            "/data/relationships/author",
            "relationship_read_only",
        ),
        (
            403,
            log.clone(),
            json!({ "schedule": to("report_schedules", "1") }),
            "/data/relationships/schedule",
            "relationship_read_only",
        ),
    ] {
        let refused = post(&yard, &yard.admin, &attributes, &relationships).await.expect(status);
        let expected = [(pointer.to_owned(), code.to_owned())];
        assert_eq!(errors(&refused), expected, "{attributes} {relationships}");
    }
    // A site of a project that the caller does not see is as unknown as one that does not exist.
    let restricted = yard.restricted("eve@example.com", Role::Member, &[2]).await;
    let hidden = post(&yard, &restricted, &safety, &site).await.expect(404);
    let absent = post(&yard, &restricted, &safety, &json!({ "worksite": to("worksites", "99") })).await;
    assert_eq!(errors(&hidden), errors(&absent.expect(404)));
    assert_eq!(yard.app.run_jobs().await, 0, "nothing was enqueued");
}

async fn subjects_can_be_included(app: TestApp) {
    let yard = busy_yard(app).await;
    let attributes = json!({ "kind": "person", "format": "json", "filters": february() });
    let relationships = json!({
        "project": to("projects", "1"), "worksite": to("worksites", "1"), "machine": to("machines", "1"),
        "person": to("people", "1"),
    });
    let made = post(&yard, &yard.admin, &attributes, &relationships).await.expect(201).json();
    yard.app.run_jobs().await;
    let id = made["data"]["id"].as_str().unwrap();
    for path in [format!("/{id}?include="), "?include=".to_owned()] {
        let shown = get(&yard, &yard.admin, &format!("{path}project,worksite,machine,person")).await;
        let shown = shown.expect(200).json();
        let included = shown["included"].as_array().unwrap().iter();
        let mut named: Vec<(&str, &str)> = included
            .map(|one| (one["type"].as_str().unwrap(), one["attributes"]["name"].as_str().unwrap()))
            .collect();
        named.sort_unstable();
        let expected =
            [("machines", "Crane 1"), ("people", "Ada"), ("projects", "Project 1"), ("worksites", "Site 1")];
        assert_eq!(named, expected, "{path}");
    }
    let only = get(&yard, &yard.admin, &format!("/{id}?include=machine")).await.expect(200).json();
    assert_eq!(only["included"].as_array().unwrap().len(), 1);
    for unknown in ["author", "schedule", "worksite.project"] {
        let refused = get(&yard, &yard.admin, &format!("/{id}?include={unknown}")).await;
        assert_eq!(refused.expect(400).code(), "unknown_include", "{unknown}");
    }
}

async fn fields_can_be_chosen(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = create_site_safety(&yard, &yard.admin).await;
    let path = format!("/{id}?fields[reports]=state,worksite&include=worksite&fields[worksites]=name");
    let shown = get(&yard, &yard.admin, &path).await.expect(200).json();
    assert_eq!(shown["data"]["attributes"], json!({ "state": "ready" }));
    let relationships: Vec<&String> = shown["data"]["relationships"].as_object().unwrap().keys().collect();
    assert_eq!(relationships, ["worksite"]);
    assert_eq!(shown["included"][0]["attributes"], json!({ "name": "Site 1" }));
    let refused = get(&yard, &yard.admin, &format!("/{id}?fields[reports]=request")).await;
    assert_eq!(refused.expect(400).code(), "unknown_field");
}

async fn both_versions_show_the_same_report(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = create_site_safety(&yard, &yard.admin).await;
    let second = get(&yard, &yard.admin, &format!("/{id}")).await.expect(200).json();
    let first = crate::v1::reports::get(&yard, &yard.admin, &json!(id.parse::<i64>().unwrap())).await;
    let first = first.expect(200).json();
    for (name, value) in second["data"]["attributes"].as_object().unwrap() {
        match name.as_str() {
            "download" => assert_eq!(value.as_str().unwrap().replace("/v2/", "/v1/"), first["download"]),
            _ => assert_eq!(value, &first[name], "{name}"),
        }
    }
    assert_eq!(second["data"]["relationships"]["worksite"]["data"]["id"], first["worksite_id"].to_string());
    assert_eq!(second["data"]["relationships"]["author"]["data"]["id"], first["author"]["id"].to_string());
}
