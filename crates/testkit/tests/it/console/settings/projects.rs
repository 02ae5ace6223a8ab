//! /settings/projects

use domain::{EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    a_project_is_added_changed_archived_and_restored,
    faults_and_stale_changes_are_shown,
    the_list_is_searched_and_taken_along,
    who_is_restricted_sees_their_own_and_adds_none,
    viewers_only_read,
    another_brands_project_does_not_exist,
);

const PATH: &str = "/settings/projects";

async fn add(app: &TestApp, user: &Account, name: &str) -> String {
    let new = json!({ "name": name });
    let made = app.post("/api/v1/projects").cookie(&user.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn a_project_is_added_changed_archived_and_restored(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let empty = open(&app, &member.cookie, PATH).await.expect(200);
    assert!(empty.says("No projects yet"));
    let once = empty.field("_once").unwrap();
    let fields = [("name", "North <bridge>"), ("code", "NB"), ("_once", once.as_str())];
    let made = submit(&app, &member.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "project-added");
    let project = made.location();
    assert_eq!(submit(&app, &member.cookie, PATH, &fields).await.expect(303).location(), project);
    let page = open(&app, &member.cookie, &project).await.expect(200);
    assert_eq!(
        (page.field("name").as_deref(), page.field("code").as_deref()),
        (Some("North <bridge>"), Some("NB"))
    );
    assert!(page.links().contains(&"/sites?project_id=1".to_owned()));
    let fields = [("name", "South"), ("code", "")];
    assert_eq!(done(&submit(&app, &member.cookie, &project, &fields).await.expect(303)), "project-saved");
    let archived = submit(&app, &member.cookie, &format!("{project}/archive"), &[]).await.expect(303);
    assert_eq!((done(&archived).as_str(), archived.location()), ("project-archived:1", project.clone()));
    let page = open(&app, &member.cookie, &project).await.expect(200);
    assert!(page.says("has been archived since") && page.says("Restore"));
    assert!(!open(&app, &member.cookie, PATH).await.expect(200).links().contains(&project));
    let all = open(&app, &member.cookie, &format!("{PATH}?archived=true")).await.expect(200);
    assert!(all.links().contains(&project) && all.says("South"));
    // What the notice offers to undo is the same as the button.
    submit(&app, &member.cookie, &format!("{project}/restore"), &[]).await.expect(303);
    assert!(open(&app, &member.cookie, PATH).await.expect(200).links().contains(&project));
    // A button that was pressed before signing in again does nothing.
    submit(&app, &member.cookie, &format!("{project}/archive"), &[("_resumed", "1")]).await.expect(303);
    assert!(open(&app, &member.cookie, PATH).await.expect(200).links().contains(&project));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let project = add(&app, &member, "North").await;
    let long = "x".repeat(101);
    for path in [PATH, project.as_str()] {
        let page =
            submit(&app, &member.cookie, path, &[("name", ""), ("code", long.as_str())]).await.expect(422);
        assert!(page.fault("name").is_some() && page.fault("code").is_some(), "{path}");
        assert_eq!(page.field("code").as_deref(), Some(long.as_str()));
    }
    let version = open(&app, &member.cookie, &project).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [("name", name), ("code", ""), ("_version", version.as_str())];
        submit(&app, &member.cookie, &project, &fields).await
    };
    change("A").await.expect(303);
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
}

async fn the_list_is_searched_and_taken_along(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["North", "South", "=1+1"] {
        add(&app, &admin, name).await;
    }
    let found = open(&app, &admin.cookie, &format!("{PATH}?q=nor&project_id=2")).await.expect(200);
    assert!(found.says("North") && !found.says("South"));
    let none = open(&app, &admin.cookie, &format!("{PATH}?archived=true")).await.expect(200);
    assert!(none.says("Nothing matches"));
    let csv =
        app.get(&format!("{PATH}?format=csv&sort=-name")).cookie(&admin.cookie).send().await.expect(200);
    let text = csv.text();
    assert!(text.find("South") < text.find("North") && text.contains("\"'=1+1\""), "{text}");
    let german = json!({ "locale": "de-DE" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&german).send().await.expect(200);
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("Projekt hinzufügen") && page.says("Archiviert"));
}

async fn who_is_restricted_sees_their_own_and_adds_none(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (mine, other) = (add(&app, &admin, "Mine").await, add(&app, &admin, "Other").await);
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let list = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(list.links().contains(&mine) && !list.links().contains(&other));
    assert!(list.says("cannot add another one") && list.field("name").is_none());
    // Nor are they shown faults of a form that they do not have.
    for name in ["New", ""] {
        let refused = submit(&app, &bob.cookie, PATH, &[("name", name), ("code", "")]).await.expect(403);
        assert!(refused.says("You are restricted to some projects"), "{}", refused.text());
    }
    open(&app, &bob.cookie, &other).await.expect(404);
    submit(&app, &bob.cookie, &format!("{other}/archive"), &[]).await.expect(404);
    submit(&app, &bob.cookie, &mine, &[("name", "Ours"), ("code", "")]).await.expect(303);
}

async fn viewers_only_read(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let project = add(&app, &member, "North").await;
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    for path in [PATH, project.as_str()] {
        let page = open(&app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("North") && page.field("name").is_none() && page.field("_version").is_none());
        submit(&app, &viewer.cookie, path, &[("name", "Mine"), ("code", "")]).await.expect(403);
    }
    submit(&app, &viewer.cookie, &format!("{project}/archive"), &[]).await.expect(403);
}

async fn another_brands_project_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    let project = add(&app, &ours, "North").await;
    open(&app, &theirs.cookie, &project).await.expect(404);
    for what in ["", "/archive", "/restore"] {
        submit(&app, &theirs.cookie, &format!("{project}{what}"), &[("name", "Mine")]).await.expect(404);
    }
}
