//! Who can see exports, and which data they contain.

use domain::{EmailAddress, Role};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::reading::{ndjson, sheet};
use super::{
    PATH, busy_yard, create_finished_export, delete, download, export_file, get, incursions_body, post,
};

on_both_engines!(
    nobody_else_sees_an_export,
    a_restricted_user_gets_only_theirs,
    it_is_made_with_what_one_sees_when_it_is_made,
    what_was_made_with_more_cannot_be_fetched_with_less,
    who_was_shut_out_gets_no_file,
    a_filter_does_not_tell_the_names_of_what_one_does_not_see,
);

async fn nobody_else_sees_an_export(app: TestApp) {
    let yard = busy_yard(app).await;
    let colleague = yard.app.sign_in_new_user("colleague@example.com", Role::Admin).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let id = &create_finished_export(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    for other in [&colleague, &stranger] {
        for path in [format!("{PATH}/{id}"), format!("{PATH}/{id}/download")] {
            let refused = yard.app.get(&path).bearer(&other.jwt).send().await.expect(404);
            assert_eq!(refused.code(), "not_found");
        }
        delete(&yard, other, id).await.expect(404);
        let list = yard.app.get(PATH).bearer(&other.jwt).send().await.expect(200).json();
        assert_eq!(list["data"], json!([]));
    }
    download(&yard, &yard.admin, id).await.expect(200);
}

async fn a_restricted_user_gets_only_theirs(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    let lines = ndjson(&export_file(&yard, &viewer, &incursions_body("ndjson")).await);
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["project"], &lines[0]["pedestrian"]), (&json!("Project 2"), &json!("Person 1")));
    let pivot = json!({ "rows": ["worksite", "pedestrian"], "measures": ["incursions"] });
    let body = json!({ "kind": "pivot", "format": "ndjson", "pivot": pivot });
    let lines = ndjson(&export_file(&yard, &viewer, &body).await);
    let rows: Vec<Value> =
        lines.iter().map(|line| json!([line["worksite"], line["pedestrian"], line["incursions"]])).collect();
    assert_eq!(rows, [json!(["Site 2", null, 1]), json!(["Site 2", "Person 1", 1]), json!([null, null, 1])]);
}

async fn it_is_made_with_what_one_sees_when_it_is_made(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = post(&yard, &member, &incursions_body("ndjson")).await.expect(201).json();
    let email = EmailAddress::parse("member@example.com").unwrap();
    yard.app.app.restrict_user(&email, Some(&[domain::ProjectId(2)])).await.unwrap();
    yard.app.run_jobs().await;
    let lines = ndjson(&download(&yard, &member, &asked["id"]).await.expect(200).body);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["project"], "Project 2");
}

async fn what_was_made_with_more_cannot_be_fetched_with_less(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let all = &create_finished_export(&yard, &member, &incursions_body("csv")).await["id"];
    let email = EmailAddress::parse("member@example.com").unwrap();
    let restrict = async |projects: Option<&[i64]>| {
        let projects: Option<Vec<_>> =
            projects.map(|ids| ids.iter().copied().map(domain::ProjectId).collect());
        yard.app.app.restrict_user(&email, projects.as_deref()).await.unwrap();
    };
    restrict(Some(&[1, 2])).await;
    assert_eq!(download(&yard, &member, all).await.expect(403).code(), "restricted");
    let both = &create_finished_export(&yard, &member, &incursions_body("csv")).await["id"];
    restrict(Some(&[1])).await;
    assert_eq!(download(&yard, &member, both).await.expect(403).code(), "restricted");
    assert_eq!(get(&yard, &member, both).await["state"], "done");
    restrict(None).await;
    download(&yard, &member, both).await.expect(200);
    download(&yard, &member, all).await.expect(200);
    // Names count as part of what a caller can see.
    let pivot = json!({ "rows": ["zone"], "measures": ["incursions"] });
    let nameless =
        &create_finished_export(&yard, &member, &json!({ "kind": "pivot", "format": "csv", "pivot": pivot }))
            .await["id"];
    testkit::execute_raw_sql(
        yard.app.database(),
        "update users set role = 'viewer' where email = 'member@example.com'",
    )
    .await
    .unwrap();
    yard.app.clock.advance(domain::Span::minutes(2));
    assert_eq!(download(&yard, &member, all).await.expect(403).code(), "restricted");
    download(&yard, &member, nameless).await.expect(200);
}

async fn who_was_shut_out_gets_no_file(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = post(&yard, &member, &incursions_body("csv")).await.expect(201).json();
    let id = domain::ExportId(asked["id"].as_i64().unwrap());
    let users = yard.app.get("/api/v1/admin/users?q=member").cookie(&yard.admin.cookie).send().await.json();
    let path = format!("/api/v1/admin/users/{}/deactivate", users["data"][0]["id"]);
    yard.app.post(&path).cookie(&yard.admin.cookie).send().await.expect(200);
    yard.app.run_jobs().await;
    let (store, scope) = yard.facts.store_and_scope();
    let export = store.read().await.unwrap().exports_of(scope).find(id).await.unwrap().unwrap();
    assert_eq!((export.state.as_str(), export.reason.as_deref()), ("failed", Some("user_deactivated")));
    assert_eq!(super::count_objects(&yard), 0);
}

async fn a_filter_does_not_tell_the_names_of_what_one_does_not_see(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    let filters = json!({ "worksite_id": [1, 2], "project_id": [1, 2], "person_id": [1] });
    let body = json!({ "kind": "incursions", "format": "xlsx", "filters": filters });
    let about = sheet(&export_file(&yard, &viewer, &body).await, "About");
    let says =
        |name: &str| about.iter().find(|line| line[0] == name).map(|line| line[1].to_string()).unwrap();
    assert_eq!(says("Filter: worksites"), "1, Site 2");
    assert_eq!(says("Filter: projects"), "1, Project 2");
    assert_eq!(says("Filter: people"), "Person 1");
    assert_eq!(says("Restricted to projects"), "Project 2");
}
