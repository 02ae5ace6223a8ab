//! Content negotiation.

use serde_json::json;
use testkit::{Reply, TestApp, on_both_engines};

use super::{Client, JSON_API, refusal};

on_both_engines!(
    every_answer_has_the_media_type_of_json_api,
    other_parameters_of_the_content_type_are_415,
    an_unknown_extension_of_the_content_type_is_415,
    a_profile_of_the_content_type_is_taken,
    accept_is_406_if_all_instances_have_other_parameters,
    accept_is_406_if_all_instances_have_an_unknown_extension,
    instances_with_other_parameters_are_ignored,
    profiles_that_are_not_recognised_are_ignored,
    answers_vary_by_accept,
);

async fn get_accepting(client: &Client, accept: &str) -> Reply {
    client.app.get("/api/v2/projects").bearer(&client.account.jwt).header("accept", accept).send().await
}

async fn every_answer_has_the_media_type_of_json_api(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    for path in [
        "/api/v2/projects",
        &format!("/api/v2/projects/{project}"),
        &format!("/api/v2/projects/{project}/relationships/worksites"),
        "/api/v2/projects/77",
        "/api/v2/projects?sort=x",
    ] {
        assert_eq!(client.get(path).await.header("content-type"), JSON_API, "{path}");
    }
    let refused = client.send("POST", "/api/v2/projects", &json!({})).await.expect(422);
    assert_eq!(refused.header("content-type"), JSON_API);
}

async fn other_parameters_of_the_content_type_are_415(app: TestApp) {
    let client = Client::new(app).await;
    for parameter in ["charset=utf-8", "version=1.1", "profile=\"x\"; a=b", "q=1; a=b", "q=1"] {
        let media_type = format!("{JSON_API}; {parameter}");
        let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
        let reply = call.bytes(&media_type, "{}").send().await;
        let header = json!({ "header": "Content-Type" });
        assert_eq!(refusal(&reply), (415, "unsupported_media_type".to_owned(), header), "{parameter}");
    }
    let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
    let reply = call.json(&json!({})).send().await;
    assert_eq!(refusal(&reply).2, json!({ "header": "Content-Type" }));
}

async fn an_unknown_extension_of_the_content_type_is_415(app: TestApp) {
    let client = Client::new(app).await;
    let media_type = format!("{JSON_API}; ext=\"https://jsonapi.org/ext/atomic\"");
    let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
    call.bytes(&media_type, "{}").send().await.expect(415);
}

async fn a_profile_of_the_content_type_is_taken(app: TestApp) {
    let client = Client::new(app).await;
    for (name, profiles) in [
        ("North", "https://example.com/a https://example.com/b"),
        ("South", "https://example.com/?charset=latin1"),
    ] {
        let media_type = format!("{JSON_API}; profile=\"{profiles}\"");
        let body = json!({ "data": { "type": "projects", "attributes": { "name": name } } });
        let call = client.app.post("/api/v2/projects").bearer(&client.account.jwt);
        call.bytes(&media_type, body.to_string()).send().await.expect(201);
    }
}

async fn accept_is_406_if_all_instances_have_other_parameters(app: TestApp) {
    let client = Client::new(app).await;
    for accept in [
        format!("{JSON_API}; charset=utf-8"),
        format!("{JSON_API}; charset=utf-8, {JSON_API}; v=2"),
        format!("{JSON_API}; charset=utf-8, */*"),
        format!("{JSON_API}; q=0"),
        format!("{JSON_API}; charset=utf-8, {JSON_API}; ext=\"https://example.com/a\""),
    ] {
        let reply = get_accepting(&client, &accept).await;
        let header = json!({ "header": "Accept" });
        assert_eq!(refusal(&reply), (406, "not_acceptable".to_owned(), header), "{accept}");
    }
}

async fn accept_is_406_if_all_instances_have_an_unknown_extension(app: TestApp) {
    let client = Client::new(app).await;
    let accept =
        format!("{JSON_API};ext=\"https://example.com/a\", {JSON_API};ext=\"https://example.com/b\"");
    get_accepting(&client, &accept).await.expect(406);
    get_accepting(&client, &format!("{accept}, {JSON_API}")).await.expect(200);
}

async fn instances_with_other_parameters_are_ignored(app: TestApp) {
    let client = Client::new(app).await;
    for accept in [
        &format!("{JSON_API}; charset=utf-8, {JSON_API}"),
        &format!("{JSON_API}; q=0.9"),
        "*/*",
        "application/json",
        "text/html, application/xhtml+xml;q=0.9",
        "nonsense \" ;;,",
    ] {
        get_accepting(&client, accept).await.expect(200);
    }
}

async fn profiles_that_are_not_recognised_are_ignored(app: TestApp) {
    let client = Client::new(app).await;
    let reply =
        get_accepting(&client, &format!("{JSON_API};profile=\"https://example.com/a,b\"")).await.expect(200);
    assert_eq!(reply.header("content-type"), JSON_API);
}

async fn answers_vary_by_accept(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    for path in ["/api/v2/projects", &format!("/api/v2/projects/{project}"), "/api/v2/worksites/77"] {
        let reply = client.get(path).await;
        let varies: Vec<_> =
            reply.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
        assert!(varies.contains(&"Accept"), "{path}: {varies:?}");
    }
    let refused = get_accepting(&client, &format!("{JSON_API}; v=2")).await.expect(406);
    assert_eq!(refused.header("vary"), "Accept");
}
