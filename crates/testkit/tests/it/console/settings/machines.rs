//! /settings/machines

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    a_machine_is_added_moved_archived_and_restored,
    faults_and_stale_changes_are_shown,
    saving_does_not_move_a_machine,
    the_list_is_filtered,
    who_is_restricted_names_a_site_of_theirs,
    viewers_only_read,
    another_brands_machine_does_not_exist,
);

const PATH: &str = "/settings/machines";

/// All fields of the form, with these in place of the empty ones.
fn fields<'a>(given: &[(&'static str, &'a str)]) -> Vec<(&'static str, &'a str)> {
    let names =
        ["name", "kind", "serial_number", "manufacturer", "model", "year", "number_plate", "worksite_id"];
    let rest = names.into_iter().filter(|name| given.iter().all(|(known, _)| known != name));
    given.iter().copied().chain(rest.map(|name| (name, ""))).collect()
}

async fn add(app: &TestApp, user: &Account, name: &str, kind: &str) -> String {
    let new = json!({ "name": name, "kind": kind });
    let made = app.post("/api/v1/machines").cookie(&user.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn add_site(app: &TestApp, user: &Account, name: &str, project: Option<i64>) {
    let new = json!({ "name": name, "kind": "other", "time_zone": "UTC", "project_id": project });
    app.post("/api/v1/worksites").cookie(&user.cookie).json(&new).send().await.expect(201);
}

async fn a_machine_is_added_moved_archived_and_restored(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for site in ["East", "West"] {
        add_site(&app, &member, site, None).await;
    }
    let empty = open(&app, &member.cookie, PATH).await.expect(200);
    assert!(empty.says("No machines yet") && empty.links().contains(&format!("{PATH}/import")));
    let once = empty.field("_once").unwrap();
    let new = fields(&[
        ("name", "Crane <4>"),
        ("kind", "crane"),
        ("serial_number", "X-1"),
        ("year", "2019"),
        ("worksite_id", "1"),
        ("_once", once.as_str()),
    ]);
    let made = submit(&app, &member.cookie, PATH, &new).await.expect(303);
    assert_eq!(done(&made), "machine-added");
    let machine = made.location();
    assert_eq!(submit(&app, &member.cookie, PATH, &new).await.expect(303).location(), machine);
    let page = open(&app, &member.cookie, &machine).await.expect(200);
    for (name, value) in [("name", "Crane <4>"), ("kind", "crane"), ("year", "2019"), ("worksite_id", "1")] {
        assert_eq!(page.field(name).as_deref(), Some(value), "{name}");
    }
    assert!(page.says("None is installed") && page.links().contains(&"/machines/1".to_owned()));
    app.clock.advance(Span::minutes(5));
    let change = fields(&[("name", "Crane 4"), ("kind", "crane"), ("worksite_id", "2")]);
    assert_eq!(done(&submit(&app, &member.cookie, &machine, &change).await.expect(303)), "machine-saved");
    let stored = app.get("/api/v1/machines/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!((&stored["worksite_id"], &stored["year"]), (&json!(2), &json!(null)));
    app.clock.advance(Span::minutes(5));
    let archived = submit(&app, &member.cookie, &format!("{machine}/archive"), &[]).await.expect(303);
    assert_eq!(done(&archived), "machine-archived:1");
    let page = open(&app, &member.cookie, &machine).await.expect(200);
    assert!(page.says("has been archived since") && page.field("worksite_id").is_none());
    // An archived machine can still be corrected.
    let change: Vec<_> = fields(&[("name", "Crane 5"), ("kind", "crane")]);
    let change: Vec<_> = change.into_iter().filter(|(name, _)| *name != "worksite_id").collect();
    submit(&app, &member.cookie, &machine, &change).await.expect(303);
    assert!(!open(&app, &member.cookie, PATH).await.expect(200).says("Crane 5"));
    assert!(open(&app, &member.cookie, &format!("{PATH}?archived=true")).await.expect(200).says("Crane 5"));
    let restored = submit(&app, &member.cookie, &format!("{machine}/restore"), &[]).await.expect(303);
    assert_eq!(done(&restored), "machine-restored");
    let page = open(&app, &member.cookie, &machine).await.expect(200);
    assert_eq!(page.field("worksite_id").as_deref(), Some(""));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let machine = add(&app, &member, "Crane 1", "crane").await;
    let new = json!({ "name": "Other", "kind": "crane", "serial_number": "X-1" });
    app.post("/api/v1/machines").cookie(&member.cookie).json(&new).send().await.expect(201);
    let bad = fields(&[("name", ""), ("kind", ""), ("year", "1800"), ("worksite_id", "x")]);
    let page = submit(&app, &member.cookie, &machine, &bad).await.expect(422);
    for name in ["name", "kind", "year", "worksite_id"] {
        assert!(page.fault(name).is_some(), "{name}");
    }
    assert_eq!(page.field("year").as_deref(), Some("1800"));
    let taken = fields(&[("name", "A"), ("kind", "crane"), ("serial_number", "x-1")]);
    for path in [PATH, machine.as_str()] {
        let page = submit(&app, &member.cookie, path, &taken).await.expect(422);
        assert!(page.fault("serial_number").is_some(), "{path}");
    }
    let unknown = fields(&[("name", "A"), ("kind", "crane"), ("worksite_id", "99")]);
    assert!(submit(&app, &member.cookie, PATH, &unknown).await.expect(422).fault("worksite_id").is_some());
    let version = open(&app, &member.cookie, &machine).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let change = fields(&[("name", name), ("kind", "crane"), ("_version", version.as_str())]);
        submit(&app, &member.cookie, &machine, &change).await
    };
    change("A").await.expect(303);
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
}

async fn saving_does_not_move_a_machine(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    add_site(&app, &member, "East", None).await;
    let machine = add(&app, &member, "Crane 1", "crane").await;
    let go = fields(&[("name", "Crane 1"), ("kind", "crane"), ("worksite_id", "1")]);
    submit(&app, &member.cookie, &machine, &go).await.expect(303);
    // Archived behind the program's back, so that the machine is still there.
    testkit::execute_raw_sql(app.database(), "update worksites set archived_at = 1").await.unwrap();
    let page = open(&app, &member.cookie, &machine).await.expect(200);
    assert_eq!(page.field("worksite_id").as_deref(), Some("1"));
    let rename = fields(&[("name", "Crane 2"), ("kind", "crane"), ("worksite_id", "1")]);
    submit(&app, &member.cookie, &machine, &rename).await.expect(303);
    let stored = app.get("/api/v1/machines/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!((&stored["worksite_id"], &stored["name"]), (&json!(1), &json!("Crane 2")));
}

async fn the_list_is_filtered(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    for (name, kind) in [("Crane 1", "crane"), ("Roller 1", "roller"), ("Crane 2", "crane")] {
        add(&app, &member, name, kind).await;
    }
    let found = async |query: &str| {
        let text = app
            .get(&format!("{PATH}?format=csv&{query}"))
            .cookie(&member.cookie)
            .send()
            .await
            .expect(200)
            .text();
        text.lines()
            .skip(1)
            .map(|line| line.split('"').nth(1).unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("kind=crane").await, ["Crane 1", "Crane 2"]);
    assert_eq!(found("q=roll").await, ["Roller 1"]);
    assert_eq!(found("sort=-name&worksite_id=7").await, ["Roller 1", "Crane 2", "Crane 1"]);
    assert!(found("archived=true").await.is_empty());
    open(&app, &member.cookie, &format!("{PATH}?kind=tank")).await.expect(400);
    open(&app, &member.cookie, &format!("{PATH}?kind=&archived=&q=")).await.expect(200);
}

async fn who_is_restricted_names_a_site_of_theirs(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    add_site(&app, &admin, "East", Some(1)).await;
    let hidden = add(&app, &admin, "Hidden", "crane").await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let list = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(!list.says("Hidden") && !list.links().contains(&format!("{PATH}/import")));
    open(&app, &bob.cookie, &hidden).await.expect(404);
    let mine = fields(&[("name", "Mine"), ("kind", "crane")]);
    assert!(submit(&app, &bob.cookie, PATH, &mine).await.expect(422).fault("worksite_id").is_some());
    let mine = fields(&[("name", "Mine"), ("kind", "crane"), ("worksite_id", "1")]);
    let page = submit(&app, &bob.cookie, PATH, &mine).await.expect(303).location();
    open(&app, &bob.cookie, &page).await.expect(200);
}

async fn viewers_only_read(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let machine = add(&app, &member, "Crane 1", "crane").await;
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    for path in [PATH, machine.as_str()] {
        let page = open(&app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Crane 1") && page.field("name").is_none() && !page.says("Import"));
        submit(&app, &viewer.cookie, path, &fields(&[("name", "x"), ("kind", "crane")])).await.expect(403);
    }
    submit(&app, &viewer.cookie, &format!("{machine}/archive"), &[]).await.expect(403);
}

async fn another_brands_machine_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    let machine = add(&app, &ours, "Crane 1", "crane").await;
    open(&app, &theirs.cookie, &machine).await.expect(404);
    for what in ["", "/archive", "/restore"] {
        submit(&app, &theirs.cookie, &format!("{machine}{what}"), &[]).await.expect(404);
    }
}
