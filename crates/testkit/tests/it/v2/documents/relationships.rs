//! Changing relationships at their own links.

use domain::{EmailAddress, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Client, ids, refusal};

on_both_engines!(
    a_to_one_relationship_is_set_and_cleared,
    members_are_added_once,
    members_that_are_missing_already_are_taken_out_all_the_same,
    all_members_are_replaced,
    what_fails_for_one_member_is_done_for_none,
    more_members_than_a_hundred_are_not_replaced,
    those_who_see_some_projects_cannot_take_a_site_out_of_them,
    v1_sees_the_same_links,
);

fn links(kind: &str, ids: &[&str]) -> Value {
    let items: Vec<_> = ids.iter().map(|id| json!({ "type": kind, "id": id })).collect();
    json!({ "data": items })
}

async fn a_to_one_relationship_is_set_and_cleared(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", None).await;
    let path = format!("/api/v2/worksites/{site}/relationships/project");
    for linkage in [json!({ "type": "projects", "id": project }), Value::Null] {
        let body = json!({ "data": linkage });
        let set = client.send("PATCH", &path, &body).await.expect(200);
        let found = client.get(&path).await.expect(200);
        assert_eq!(found.json()["data"], linkage);
        assert_eq!((set.json(), set.header("etag")), (found.json(), found.header("etag")));
        let related = client.get(&format!("/api/v2/worksites/{site}/project")).await.expect(200).json();
        assert_eq!(related["data"]["id"], linkage["id"]);
    }
    for method in ["POST", "DELETE"] {
        client.send(method, &path, &json!({ "data": [] })).await.expect(405);
    }
}

async fn members_are_added_once(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let (a, b) = (client.worksite("A", None).await, client.worksite("B", None).await);
    let path = format!("/api/v2/projects/{project}/relationships/worksites");
    for members in [&[&*a][..], &[&a, &b], &[&b, &b], &[]] {
        let added = client.send("POST", &path, &links("worksites", members)).await.expect(200).json();
        assert_eq!(added, client.get(&path).await.json());
    }
    assert_eq!(ids(&client.get(&path).await.json()["data"]), [a, b]);
}

async fn members_that_are_missing_already_are_taken_out_all_the_same(app: TestApp) {
    let client = Client::new(app).await;
    let site = client.worksite("Quay", None).await;
    let (a, b) = (client.machine("A", Some(&site)).await, client.machine("B", Some(&site)).await);
    let path = format!("/api/v2/worksites/{site}/relationships/machines");
    for _ in 0..2 {
        let left = client.send("DELETE", &path, &links("machines", &[&a, "77"])).await.expect(200).json();
        assert_eq!(ids(&left["data"]), [b.as_str()]);
        assert_eq!(left, client.get(&path).await.json());
    }
}

async fn all_members_are_replaced(app: TestApp) {
    let client = Client::new(app).await;
    let site = client.worksite("Quay", None).await;
    let (a, b) = (client.machine("A", Some(&site)).await, client.machine("B", Some(&site)).await);
    let c = client.machine("C", None).await;
    let path = format!("/api/v2/worksites/{site}/relationships/machines");
    for members in [&[&*b, &*c][..], &[&a], &[]] {
        let replaced = client.send("PATCH", &path, &links("machines", members)).await.expect(200).json();
        assert_eq!(ids(&replaced["data"]), members);
        assert_eq!(replaced, client.get(&path).await.json());
    }
    let project = client.project("North").await;
    let path = format!("/api/v2/projects/{project}/relationships/worksites");
    let other = client.worksite("Other", Some(&project)).await;
    client.send("PATCH", &path, &links("worksites", &[&site])).await.expect(200);
    assert_eq!(ids(&client.get(&path).await.json()["data"]), [site]);
    let left = client.get(&format!("/api/v2/worksites/{other}/project")).await.json();
    assert_eq!(left["data"], Value::Null);
}

async fn what_fails_for_one_member_is_done_for_none(app: TestApp) {
    let client = Client::new(app).await;
    let (project, site) = (client.project("North").await, client.worksite("Quay", None).await);
    let machine = client.machine("A", None).await;
    for (path, kind, member, code) in [
        (
            format!("/api/v2/projects/{project}/relationships/worksites"),
            "worksites",
            &site,
            "unknown_worksite",
        ),
        (format!("/api/v2/worksites/{site}/relationships/machines"), "machines", &machine, "unknown_machine"),
    ] {
        for method in ["POST", "PATCH"] {
            let reply = client.send(method, &path, &links(kind, &[member, "77"])).await;
            assert_eq!(refusal(&reply), (404, code.to_owned(), json!({ "pointer": "/data/1" })));
            assert_eq!(client.get(&path).await.json()["data"], json!([]), "{method} {path}");
        }
    }
}

async fn more_members_than_a_hundred_are_not_replaced(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let rows: Vec<String> = (0..101)
        .map(|n| format!("(1, 'S{n:03}', 's{n:03}', '#ff8800', 'other', 'UTC', {project}, 1, 1, 1)"))
        .collect();
    let insert =
        "insert into worksites (brand_id, name, name_key, colour, kind, time_zone, project_id, version,
                  created_at, updated_at) values";
    testkit::execute_raw_sql(client.app.database(), &format!("{insert} {}", rows.join(","))).await.unwrap();
    let path = format!("/api/v2/projects/{project}/relationships/worksites");
    let reply = client.send("PATCH", &path, &links("worksites", &[])).await.expect(403);
    assert_eq!(reply.code(), "replacement_refused");
}

async fn those_who_see_some_projects_cannot_take_a_site_out_of_them(app: TestApp) {
    let client = Client::new(app).await;
    let project = client.project("North").await;
    let site = client.worksite("Quay", Some(&project)).await;
    let bob = client.app.sign_in_new_user("bob@example.com", Role::Member).await;
    let mine = ProjectId(project.parse().unwrap());
    client.app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[mine])).await.unwrap();
    let restricted = Client { app: client.app, account: bob };
    let path = format!("/api/v2/projects/{project}/relationships/worksites");
    let reply = restricted.send("DELETE", &path, &links("worksites", &[&site])).await;
    assert_eq!(refusal(&reply), (422, "required".to_owned(), json!({ "pointer": "/data" })));
    assert_eq!(ids(&restricted.get(&path).await.json()["data"]), [site]);
}

async fn v1_sees_the_same_links(app: TestApp) {
    let client = Client::new(app).await;
    let site = client.worksite("Quay", None).await;
    let machine = client.machine("A", None).await;
    let path = format!("/api/v2/worksites/{site}/relationships/machines");
    client.send("POST", &path, &links("machines", &[&machine])).await.expect(200);
    let v1 = client.app.get(&format!("/api/v1/machines/{machine}")).cookie(&client.account.cookie);
    let v1 = v1.send().await.expect(200);
    assert_eq!(v1.json()["worksite_id"].to_string(), site);
    assert_eq!(v1.header("etag"), "\"2\"");
}
