//! Fetching resources: includes, fields, sorts, filters.

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, names, refusal};

on_both_engines!(
    what_does_not_exist_is_404,
    an_include_that_is_not_known_is_400,
    where_nothing_can_be_included_include_is_400,
    nothing_is_included_that_was_not_asked_for,
    a_fieldset_leaves_out_every_other_field,
    sorting_is_rising_unless_a_minus_says_otherwise,
    a_sort_that_is_not_known_is_400,
    filters_narrow,
    unknown_parameters_are_400_with_brackets_either_way,
    a_known_version_is_304_unless_more_comes_along,
);

async fn what_does_not_exist_is_404(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    for path in ["projects/77", "projects/x", "worksites/77", "worksites/77/project", "worksites/77/machines"]
    {
        assert_eq!(client.get(&format!("/api/v2/{path}")).await.status, 404, "{path}");
    }
    for path in ["relationships/nothing", "nothing", "relationships", "relationships/worksites/1"] {
        assert_eq!(client.get(&format!("/api/v2/projects/{project}/{path}")).await.status, 404, "{path}");
    }
    client.get("/api/v2/worksites/77/relationships/machines").await.expect(404);
}

async fn an_include_that_is_not_known_is_400(app: TestApp) {
    let client = Client::new(app).await;
    for include in ["x", "worksites.x", "worksites,", ",", "machines", "worksites.project", "Worksites"] {
        let reply = client.get(&format!("/api/v2/projects?include={include}")).await;
        let source = json!({ "parameter": "include" });
        assert_eq!(refusal(&reply), (400, "unknown_include".to_owned(), source), "{include}");
    }
}

async fn where_nothing_can_be_included_include_is_400(app: TestApp) {
    let client = Client::new(app).await;
    let site = client.worksite("Quay", None).await;
    for path in ["relationships/machines", "relationships/project", "machines"] {
        let reply = client.get(&format!("/api/v2/worksites/{site}/{path}?include=project")).await;
        assert_eq!(
            (refusal(&reply).0, refusal(&reply).2),
            (400, json!({ "parameter": "include" })),
            "{path}"
        );
    }
    let body = json!({ "data": { "type": "projects", "attributes": { "name": "North" } } });
    client.send("POST", "/api/v2/projects?include=worksites", &body).await.expect(400);
}

async fn nothing_is_included_that_was_not_asked_for(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    client.machine("Crane", Some(&site)).await;
    let types = |document: Value| -> Vec<String> {
        let included = document["included"].as_array().unwrap().iter();
        included.map(|one| one["type"].as_str().unwrap().to_owned()).collect()
    };
    for (include, expected) in [
        ("", &[][..]),
        ("project", &["projects"]),
        ("machines", &["machines"]),
        ("project,machines", &["projects", "machines"]),
    ] {
        let document =
            client.get(&format!("/api/v2/worksites/{site}?include={include}")).await.expect(200).json();
        assert_eq!(types(document), expected, "{include}");
    }
    let document = client.get("/api/v2/projects?include=worksites").await.expect(200).json();
    assert_eq!(document["included"][0]["relationships"]["machines"].get("data"), None);
    assert_eq!(types(document), ["worksites"]);
}

async fn a_fieldset_leaves_out_every_other_field(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    let path = format!(
        "/api/v2/worksites/{site}?include=project&fields[worksites]=name,project&fields%5Bprojects%5D=code"
    );
    let document = client.get(&path).await.expect(200).json();
    assert_eq!(document["data"]["attributes"], json!({ "name": "Quay" }));
    let relationships = document["data"]["relationships"].as_object().unwrap();
    assert_eq!(relationships.keys().collect::<Vec<_>>(), ["project"]);
    assert_eq!(document["included"][0]["attributes"], json!({ "code": null }));
    assert_eq!(document["included"][0].get("relationships"), None);
    let bare = client.get("/api/v2/projects?fields[projects]=").await.expect(200).json();
    let (attributes, relationships) =
        (bare["data"][0].get("attributes"), bare["data"][0].get("relationships"));
    assert_eq!((attributes, relationships), (None, None));
    let whole = client.get(&format!("/api/v2/worksites/{site}")).await.json();
    for field in whole["data"]["attributes"].as_object().unwrap().keys() {
        let alone = client
            .get(&format!("/api/v2/worksites/{site}?fields[worksites]={field}"))
            .await
            .expect(200)
            .json();
        assert_eq!(alone["data"]["attributes"].as_object().unwrap().keys().collect::<Vec<_>>(), [field]);
    }
    for field in ["x", "id", "type", "name,", "project_id", "effective_from"] {
        let reply = client.get(&format!("/api/v2/worksites?fields[worksites]={field}")).await;
        let source = json!({ "parameter": "fields[worksites]" });
        assert_eq!(refusal(&reply), (400, "unknown_field".to_owned(), source), "{field}");
    }
    // Neither lists nor included worksites have the boundary, which may be long.
    for path in [
        "/api/v2/worksites?",
        &format!("/api/v2/projects/{project}/worksites?"),
        "/api/v2/projects?include=worksites&",
        "/api/v2/machines?include=worksite&",
        "/api/v2/incursions?include=worksite&",
    ] {
        let reply = client.get(&format!("{path}fields[worksites]=name,boundary")).await;
        let source = json!({ "parameter": "fields[worksites]" });
        assert_eq!(refusal(&reply), (400, "not_supported".to_owned(), source), "{path}");
    }
}

async fn sorting_is_rising_unless_a_minus_says_otherwise(app: TestApp) {
    let client = Client::new(app).await;
    for name in ["b", "C", "a"] {
        client.project(name).await;
        client.app.clock.advance(Span::seconds(1));
    }
    for (sort, expected) in [
        ("", ["a", "b", "C"]),
        ("?sort=name", ["a", "b", "C"]),
        ("?sort=-name", ["C", "b", "a"]),
        ("?sort=created_at", ["b", "C", "a"]),
        ("?sort=-created_at", ["a", "C", "b"]),
        ("?sort=-updated_at", ["a", "C", "b"]),
    ] {
        let document = client.get(&format!("/api/v2/projects{sort}")).await.expect(200).json();
        assert_eq!(names(&document), expected, "{sort}");
    }
}

async fn a_sort_that_is_not_known_is_400(app: TestApp) {
    let client = Client::new(app).await;
    for sort in ["x", "", "-", "--name", "name,name", "name,", "Name", "+name", "worksites.name"] {
        let reply = client.get(&format!("/api/v2/projects?sort={sort}")).await;
        assert_eq!(
            refusal(&reply),
            (400, "invalid_sort".to_owned(), json!({ "parameter": "sort" })),
            "{sort}"
        );
    }
}

async fn filters_narrow(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    client.worksite("Quay", Some(&project)).await;
    client.worksite("Bridge", None).await;
    for (filter, expected) in [
        ("filter[q]=QUAY", &["Quay"][..]),
        (&format!("filter[project]={project}"), &["Quay"]),
        ("filter[kind]=forestry", &[]),
        ("filter[kind]=rail_maintenance", &["Bridge", "Quay"]),
        ("filter[archived]=true", &[]),
        ("filter[contains]=13.4,52.5", &[]),
    ] {
        let document = client.get(&format!("/api/v2/worksites?{filter}")).await.expect(200).json();
        assert_eq!(names(&document), expected, "{filter}");
    }
    let elsewhere = format!("/api/v2/projects/{project}/worksites?filter[project]=77");
    assert_eq!(client.get(&elsewhere).await.expect(200).json()["data"], json!([]));
    for filter in ["filter[kind]", "filter[project]", "filter[archived]", "filter[contains]"] {
        let reply = client.get(&format!("/api/v2/worksites?{filter}=?")).await;
        assert_eq!((refusal(&reply).0, refusal(&reply).2), (400, json!({ "parameter": filter })));
    }
}

async fn unknown_parameters_are_400_with_brackets_either_way(app: TestApp) {
    let client = Client::new(app).await;
    for (query, name) in [
        ("surprise=1", "surprise"),
        ("filter[x]=1", "filter[x]"),
        ("filter%5Bx%5D=1", "filter[x]"),
        ("filter=1", "filter"),
        ("page[number]=1", "page[number]"),
        ("page=1", "page"),
        ("fields[people]=name", "fields[people]"),
        ("fields=name", "fields"),
        ("profile=https://example.com", "profile"),
    ] {
        let reply = client.get(&format!("/api/v2/projects?{query}")).await;
        let expected = (400, "unknown_parameter".to_owned(), json!({ "parameter": name }));
        assert_eq!(refusal(&reply), expected, "{query}");
    }
    let reply = client.get("/api/v2/projects?include=worksites&include=worksites").await;
    assert_eq!(refusal(&reply).1, "repeated_parameter");
}

async fn a_known_version_is_304_unless_more_comes_along(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}");
    let tag = client.get(&path).await.expect(200).header("etag").to_owned();
    for (query, status) in [("", 304), ("?include=worksites", 200)] {
        let call = client.app.get(&format!("{path}{query}")).bearer(&client.account.jwt);
        call.header("if-none-match", &tag).send().await.expect(status);
    }
}
