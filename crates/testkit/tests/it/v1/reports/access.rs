//! Who sees reports, and which data they contain.

use domain::{EmailAddress, ProjectId, ReportId, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{
    PATH, busy_yard, count_objects, create_ready_report, delete, download, february, get, incursions_body,
    post, remake, rows_of,
};
use crate::v1::insights::Yard;

on_both_engines!(
    those_whose_projects_cover_it_see_it,
    it_is_seen_by_others_once_it_is_known_what_is_in_it,
    what_it_is_about_counts_even_without_facts,
    names_are_for_those_who_may_see_them,
    a_restricted_author_gets_only_theirs,
    other_projects_of_the_author_are_not_named,
    it_is_made_with_what_its_author_sees_when_it_is_made,
    what_was_made_with_more_is_not_seen_with_less,
    what_its_author_no_longer_sees_is_not_named,
    who_was_deactivated_gets_none,
    a_report_outlives_its_author,
);

/// Incursions of one project.
fn of_project(project: i64, format: &str) -> Value {
    let mut body = incursions_body(format);
    body["project_id"] = json!(project);
    body
}

async fn listed(yard: &Yard, user: &Account) -> Vec<i64> {
    let list = yard.app.get(PATH).cookie(&user.cookie).send().await.expect(200).json();
    list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Checks that a report does not exist for someone.
async fn assert_unseen(yard: &Yard, user: &Account, id: &Value) {
    for reply in [
        get(yard, user, id).await,
        download(yard, user, id, "").await,
        download(yard, user, id, "?format=json").await,
        remake(yard, user, id).await,
        delete(yard, user, id).await,
    ] {
        assert_eq!(reply.expect(404).code(), "not_found");
    }
    assert!(!listed(yard, user).await.contains(&id.as_i64().unwrap()));
}

async fn restrict(yard: &Yard, email: &str, projects: Option<&[i64]>) {
    let projects: Option<Vec<ProjectId>> = projects.map(|ids| ids.iter().copied().map(ProjectId).collect());
    let email = EmailAddress::parse(email).unwrap();
    yard.app.app.restrict_user(&email, projects.as_deref()).await.unwrap();
}

async fn those_whose_projects_cover_it_see_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    let both = yard.restricted("both@example.com", Role::Member, &[1, 2]).await;
    let second = yard.restricted("second@example.com", Role::Admin, &[2]).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let narrow = &create_ready_report(&yard, &yard.admin, &of_project(1, "csv")).await["id"];
    let wide = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    for user in [&first, &both] {
        download(&yard, user, narrow, "").await.expect(200);
        assert_eq!(listed(&yard, user).await, [1]);
        assert_unseen(&yard, user, wide).await;
    }
    for id in [narrow, wide] {
        assert_unseen(&yard, &second, id).await;
        assert_unseen(&yard, &stranger, id).await;
    }
    assert_eq!(listed(&yard, &yard.admin).await, [2, 1]);
}

async fn it_is_seen_by_others_once_it_is_known_what_is_in_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    let asked = &post(&yard, &yard.admin, &of_project(1, "csv")).await.expect(201).json()["id"];
    assert_unseen(&yard, &first, asked).await;
    yard.app.run_jobs().await;
    get(&yard, &first, asked).await.expect(200);
}

async fn what_it_is_about_counts_even_without_facts(app: TestApp) {
    let yard = busy_yard(app).await;
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    let second = yard.restricted("second@example.com", Role::Member, &[2]).await;
    // A week in which nothing happened.
    let quiet = json!({ "from": "2025-06-02", "to": "2025-06-09" });
    for body in [
        json!({ "kind": "site_safety", "format": "json", "worksite_id": 1, "filters": quiet }),
        json!({ "kind": "project_summary", "format": "json", "project_id": 1, "filters": quiet }),
        json!({ "kind": "incursions", "format": "json", "worksite_id": 1, "filters": quiet }),
    ] {
        let made = create_ready_report(&yard, &yard.admin, &body).await;
        download(&yard, &first, &made["id"], "").await.expect(200);
        assert_unseen(&yard, &second, &made["id"]).await;
    }
}

async fn names_are_for_those_who_may_see_them(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let named = create_ready_report(&yard, &yard.admin, &incursions_body("json")).await;
    assert_eq!(named["names_people"], true);
    assert_unseen(&yard, &viewer, &named["id"]).await;
    let summary = json!({ "kind": "project_summary", "project_id": 1, "filters": february() });
    let summary = create_ready_report(&yard, &yard.admin, &summary).await;
    assert_eq!(summary["names_people"], false);
    let shown = get(&yard, &viewer, &summary["id"]).await.expect(200).json();
    assert_eq!((&shown["author"]["id"], &shown["author"]["name"]), (&json!(1), &Value::Null));

    // A viewer makes reports without names, and everyone may see those.
    let nameless = create_ready_report(&yard, &viewer, &incursions_body("json")).await;
    assert_eq!(nameless["names_people"], false);
    for user in [&viewer, &yard.admin] {
        let file = download(&yard, user, &nameless["id"], "").await.expect(200).json();
        assert_eq!(file["names"]["pedestrian"]["1"], "Person 1");
    }
    let file = download(&yard, &yard.admin, &named["id"], "").await.expect(200).json();
    assert_eq!(file["names"]["pedestrian"]["1"], "Ada");
}

async fn a_restricted_author_gets_only_theirs(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.restricted("member@example.com", Role::Member, &[2]).await;
    let id = &create_ready_report(&yard, &member, &incursions_body("json")).await["id"];
    let rows = rows_of(&yard, &member, id).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["project_id"], 2);
    for (field, code) in [("worksite_id", "unknown_worksite"), ("project_id", "unknown_project")] {
        let body = json!({ "kind": "incursions", "format": "csv", field: 1 });
        let refused = post(&yard, &member, &body).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], field, "{refused}");
        assert_eq!(refused["errors"][0]["code"], code);
        let body = json!({ "kind": "incursions", "format": "csv", "filters": { field: [1, 2] } });
        let refused = post(&yard, &member, &body).await.expect(422).json();
        assert_eq!(refused["errors"][0]["field"], format!("filters.{field}"), "{refused}");
        assert_eq!(refused["errors"][0]["code"], code);
    }
}

async fn other_projects_of_the_author_are_not_named(app: TestApp) {
    let yard = busy_yard(app).await;
    let author = yard.restricted("author@example.com", Role::Member, &[1, 2]).await;
    let reader = yard.restricted("reader@example.com", Role::Member, &[1]).await;
    let id = &create_ready_report(&yard, &author, &of_project(1, "json")).await["id"];
    let file = download(&yard, &reader, id, "").await.expect(200).json();
    assert_eq!(file["report"]["restricted_to_project_ids"], json!([1]));
    assert_eq!(file["names"]["project"], json!({ "1": "Project 1" }));
    let wide = &create_ready_report(&yard, &author, &incursions_body("json")).await["id"];
    let file = download(&yard, &author, wide, "").await.expect(200).json();
    assert_eq!(file["report"]["restricted_to_project_ids"], json!([1, 2]));
}

async fn it_is_made_with_what_its_author_sees_when_it_is_made(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = &post(&yard, &member, &incursions_body("json")).await.expect(201).json()["id"];
    restrict(&yard, "member@example.com", Some(&[2])).await;
    yard.app.run_jobs().await;
    let rows = rows_of(&yard, &member, asked).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["project_id"], 2);
    let first = yard.restricted("first@example.com", Role::Member, &[1]).await;
    assert_unseen(&yard, &first, asked).await;
}

async fn what_was_made_with_more_is_not_seen_with_less(app: TestApp) {
    let yard = busy_yard(app).await;
    let (email, change) =
        ("member@example.com", "update users set role = 'viewer' where email = 'member@example.com'");
    let member = yard.app.sign_in_new_user(email, Role::Member).await;
    let all = &create_ready_report(&yard, &member, &incursions_body("csv")).await["id"];
    restrict(&yard, email, Some(&[1, 2])).await;
    assert_unseen(&yard, &member, all).await;
    let both = &create_ready_report(&yard, &member, &incursions_body("csv")).await["id"];
    restrict(&yard, email, Some(&[1])).await;
    assert_unseen(&yard, &member, both).await;
    restrict(&yard, email, None).await;
    for id in [all, both] {
        download(&yard, &member, id, "").await.expect(200);
    }
    // Names count as part of what a reader sees.
    testkit::execute_raw_sql(yard.app.database(), change).await.unwrap();
    yard.app.clock.advance(Span::minutes(2));
    assert_unseen(&yard, &member, all).await;
}

async fn what_its_author_no_longer_sees_is_not_named(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = &post(&yard, &member, &of_project(1, "csv")).await.expect(201).json()["id"];
    restrict(&yard, "member@example.com", Some(&[2])).await;
    yard.app.run_jobs().await;
    let shown = get(&yard, &yard.admin, asked).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("failed"), &json!("unknown_project")));
    assert_eq!(count_objects(&yard), 0);
}

async fn deactivate(yard: &Yard, name: &str) {
    let path = format!("/api/v1/admin/users?q={name}");
    let users = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json();
    let path = format!("/api/v1/admin/users/{}/deactivate", users["data"][0]["id"]);
    yard.app.post(&path).cookie(&yard.admin.cookie).send().await.expect(200);
}

async fn who_was_deactivated_gets_none(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = post(&yard, &member, &incursions_body("csv")).await.expect(201).json();
    deactivate(&yard, "member").await;
    yard.app.run_jobs().await;
    let id = ReportId(asked["id"].as_i64().unwrap());
    let (store, scope) = yard.facts.store_and_scope();
    let report = store.read().await.unwrap().reports_of(scope).find(id).await.unwrap().unwrap();
    assert_eq!((report.state.as_str(), report.reason.as_deref()), ("failed", Some("user_deactivated")));
    assert_eq!(count_objects(&yard), 0);
}

async fn a_report_outlives_its_author(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let id = &create_ready_report(&yard, &member, &incursions_body("csv")).await["id"];
    deactivate(&yard, "member").await;
    let csv = download(&yard, &yard.admin, id, "").await.expect(200).body;
    remake(&yard, &yard.admin, id).await.expect(200);
    yard.app.run_jobs().await;
    assert_eq!(download(&yard, &yard.admin, id, "").await.expect(200).body, csv);
    assert_eq!(rows_of(&yard, &yard.admin, id).await.len(), 4);
}
