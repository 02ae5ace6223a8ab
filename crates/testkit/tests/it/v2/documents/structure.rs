//! The structure of documents.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, ids};

on_both_engines!(
    documents_are_objects_with_data_or_errors_and_never_both,
    ids_and_types_are_strings,
    fields_share_a_namespace_with_type_and_id,
    collections_are_arrays_even_if_they_are_empty,
    a_self_link_answers_with_the_resource,
    related_links_work_though_they_lead_to_nothing,
    compound_documents_are_fully_linked_and_hold_each_resource_once,
    members_that_json_api_does_not_know_are_ignored,
);

async fn documents_are_objects_with_data_or_errors_and_never_both(app: TestApp) {
    let client = Client::new(app).await;
    for (path, has_data) in [("/api/v2/projects", true), ("/api/v2/projects/7", false)] {
        let document = client.get(path).await.json();
        assert_eq!((document.get("data").is_some(), document.get("errors").is_some()), (has_data, !has_data));
        assert_eq!(document["jsonapi"]["version"], "1.1");
        assert!(document.get("included").is_none(), "{path}");
    }
}

async fn ids_and_types_are_strings(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    client.machine("Crane", Some(&site)).await;
    let document = client.get("/api/v2/worksites?include=project,machines").await.expect(200).json();
    let mut checked = 0;
    visit_objects(&document, &mut |object| {
        if object.get("id").is_some() {
            assert!(object["id"].is_string() && object["type"].is_string(), "{object}");
            checked += 1;
        }
    });
    assert!(checked >= 6, "{document:#}");
}

async fn fields_share_a_namespace_with_type_and_id(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    client.worksite("Quay", Some(&project)).await;
    for path in ["/api/v2/projects", "/api/v2/worksites"] {
        let resource = client.get(path).await.expect(200).json()["data"][0].clone();
        let attributes: BTreeSet<_> = resource["attributes"].as_object().unwrap().keys().collect();
        let relationships: BTreeSet<_> = resource["relationships"].as_object().unwrap().keys().collect();
        assert!(attributes.is_disjoint(&relationships), "{path}");
        for reserved in ["id", "type", "links", "relationships"] {
            assert!(
                !attributes.contains(&reserved.to_owned())
                    && resource["relationships"].get(reserved).is_none()
            );
        }
    }
}

async fn collections_are_arrays_even_if_they_are_empty(app: TestApp) {
    let client = Client::new(app).await;
    assert_eq!(client.get("/api/v2/projects").await.expect(200).json()["data"], json!([]));
    let project = client.project("North").await;
    assert_eq!(ids(&client.get("/api/v2/projects").await.json()["data"]), [project.as_str()]);
    for path in ["worksites", "relationships/worksites"] {
        let path = format!("/api/v2/projects/{project}/{path}");
        assert_eq!(client.get(&path).await.expect(200).json()["data"], json!([]));
    }
    let with = format!("/api/v2/projects/{project}?include=worksites");
    let document = client.get(&with).await.expect(200).json();
    assert_eq!(document["data"]["relationships"]["worksites"]["data"], json!([]));
    assert_eq!(document["included"], json!([]));
}

async fn a_self_link_answers_with_the_resource(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    client.worksite("Quay", Some(&project)).await;
    for path in ["/api/v2/projects", "/api/v2/worksites"] {
        let listed = client.get(path).await.expect(200).json()["data"][0].clone();
        let own = client.get(listed["links"]["self"].as_str().unwrap()).await.expect(200).json();
        assert_eq!((&own["data"]["id"], &own["data"]["type"]), (&listed["id"], &listed["type"]));
        for (name, relationship) in listed["relationships"].as_object().unwrap() {
            for link in ["self", "related"] {
                let reply = client.get(relationship["links"][link].as_str().unwrap()).await;
                assert_eq!(reply.status, 200, "{link} of {name}");
            }
        }
    }
}

async fn related_links_work_though_they_lead_to_nothing(app: TestApp) {
    let client = Client::new(app).await;
    let site = client.worksite("Quay", None).await;
    for path in ["project", "relationships/project"] {
        let document = client.get(&format!("/api/v2/worksites/{site}/{path}")).await.expect(200).json();
        assert_eq!(document["data"], Value::Null);
    }
}

async fn compound_documents_are_fully_linked_and_hold_each_resource_once(app: TestApp) {
    let client = Client::new(app).await;
    let (north, south) = (client.project("North").await, client.project("South").await);
    for (name, project) in [("A", &north), ("B", &north), ("C", &south)] {
        let site = client.worksite(name, Some(project)).await;
        client.machine(&format!("Crane {name}"), Some(&site)).await;
        client.machine(&format!("Dozer {name}"), Some(&site)).await;
    }
    for path in [
        "/api/v2/worksites?include=project,machines",
        "/api/v2/projects?include=worksites.machines",
        "/api/v2/projects?include=worksites,worksites.machines",
        &format!("/api/v2/projects/{north}/worksites?include=project"),
        "/api/v2/worksites/1/project?include=worksites",
    ] {
        let document = client.get(path).await.expect(200).json();
        let key = |object: &Value| (object["type"].to_string(), object["id"].to_string());
        let included: Vec<_> = document["included"].as_array().unwrap().iter().map(key).collect();
        let distinct: BTreeSet<_> = included.iter().collect();
        assert_eq!(distinct.len(), included.len(), "{path}");
        assert!(!included.is_empty(), "{path}");
        let (mut named, mut primary) = (BTreeSet::new(), BTreeSet::new());
        visit_objects(&document, &mut |object| {
            if object.get("id").is_some() && object.as_object().unwrap().len() == 2 {
                named.insert(key(object));
            }
        });
        match &document["data"] {
            Value::Array(rows) => primary.extend(rows.iter().map(key)),
            one => primary.extend([key(one)]),
        }
        assert!(included.iter().all(|one| named.contains(one)), "{path}: {document:#}");
        assert!(included.iter().all(|one| !primary.contains(one)), "{path}");
    }
}

async fn members_that_json_api_does_not_know_are_ignored(app: TestApp) {
    let client = Client::new(app).await;
    let body = json!({
        "surprise": 1,
        "meta": { "by": "x" },
        "data": {
            "type": "projects", "surprise": [], "lid": "new",
            "attributes": { "name": "North", "@comment": "not looked at" },
            "relationships": { "@more": 7 },
        },
    });
    let made = client.send("POST", "/api/v2/projects", &body).await.expect(201).json();
    assert_eq!(made["data"]["attributes"]["name"], "North");
}

fn visit_objects(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(object) => {
            visit(value);
            object.values().for_each(|inner| visit_objects(inner, visit));
        }
        Value::Array(items) => items.iter().for_each(|inner| visit_objects(inner, visit)),
        _ => {}
    }
}
