//! /settings/people

use domain::{Role, Span};
use serde_json::json;
use testkit::{Account, TestApp, find_tables_with_text, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    a_person_is_added_changed_archived_and_restored,
    faults_and_stale_changes_are_shown,
    a_person_whose_number_was_given_away_is_not_restored,
    erasing_says_what_is_lost_and_asks_for_the_name,
    viewers_see_numbers_in_place_of_names,
    another_brands_person_does_not_exist,
);

const PATH: &str = "/settings/people";

async fn add(app: &TestApp, user: &Account, name: &str, employee_id: &str) -> String {
    let new = json!({ "kind": "staff", "name": name, "employee_id": employee_id });
    let made = app.post("/api/v1/people").cookie(&user.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn a_person_is_added_changed_archived_and_restored(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let empty = open(&app, &member.cookie, PATH).await.expect(200);
    assert!(empty.says("No people yet") && empty.links().contains(&format!("{PATH}/import")));
    let once = empty.field("_once").unwrap();
    let fields = [
        ("kind", "visitor"),
        ("name", "Zoë <b>"),
        ("employee_id", "E-1"),
        ("email", "zoe@example.com"),
        ("company", ""),
        ("_once", once.as_str()),
    ];
    let made = submit(&app, &member.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "person-added");
    let person = made.location();
    assert_eq!(submit(&app, &member.cookie, PATH, &fields).await.expect(303).location(), person);
    let page = open(&app, &member.cookie, &person).await.expect(200);
    for (name, value) in [("kind", "visitor"), ("name", "Zoë <b>"), ("email", "zoe@example.com")] {
        assert_eq!(page.field(name).as_deref(), Some(value), "{name}");
    }
    // Members do not erase.
    assert!(!page.links().contains(&format!("{person}/erase")));
    open(&app, &member.cookie, &format!("{person}/erase")).await.expect(403);
    let fields =
        [("kind", "staff"), ("name", "Zoë"), ("employee_id", ""), ("email", ""), ("company", "Acme")];
    assert_eq!(done(&submit(&app, &member.cookie, &person, &fields).await.expect(303)), "person-saved");
    let found = open(&app, &member.cookie, &format!("{PATH}?q=zoe&kind=staff")).await.expect(200);
    assert!(found.says("Zoë") && found.says("Acme"));
    assert!(
        open(&app, &member.cookie, &format!("{PATH}?kind=visitor")).await.expect(200).says("Nothing matches")
    );
    let archived = submit(&app, &member.cookie, &format!("{person}/archive"), &[]).await.expect(303);
    assert_eq!(done(&archived), "person-archived:1");
    assert!(!open(&app, &member.cookie, PATH).await.expect(200).says("Zoë"));
    assert!(open(&app, &member.cookie, &format!("{PATH}?archived=true")).await.expect(200).says("Zoë"));
    let restored = submit(&app, &member.cookie, &format!("{person}/restore"), &[]).await.expect(303);
    assert_eq!(done(&restored), "person-restored");
    assert!(open(&app, &member.cookie, PATH).await.expect(200).says("Zoë"));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let person = add(&app, &member, "Ada", "E-1").await;
    add(&app, &member, "Bob", "E-2").await;
    let fields = [("kind", "staff"), ("name", ""), ("employee_id", "e-2"), ("email", "x"), ("company", "")];
    for path in [PATH, person.as_str()] {
        let page = submit(&app, &member.cookie, path, &fields).await.expect(422);
        assert!(page.fault("name").is_some() && page.fault("email").is_some(), "{path}");
        assert_eq!(page.field("email").as_deref(), Some("x"));
    }
    let fields = [("kind", "staff"), ("name", "Ada"), ("employee_id", "e-2"), ("email", ""), ("company", "")];
    for path in [PATH, person.as_str()] {
        let page = submit(&app, &member.cookie, path, &fields).await.expect(422);
        assert!(page.fault("employee_id").is_some(), "{path}");
    }
    let version = open(&app, &member.cookie, &person).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [("kind", "staff"), ("name", name), ("_version", version.as_str())];
        submit(&app, &member.cookie, &person, &fields).await
    };
    change("A").await.expect(303);
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
}

async fn a_person_whose_number_was_given_away_is_not_restored(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let person = add(&app, &member, "Ada", "E-1").await;
    submit(&app, &member.cookie, &format!("{person}/archive"), &[]).await.expect(303);
    add(&app, &member, "Bob", "E-1").await;
    let page = submit(&app, &member.cookie, &format!("{person}/restore"), &[]).await.expect(409);
    assert!(page.says("employee number") && page.says("has been archived since"));
    assert_eq!(page.field("name").as_deref(), Some("Ada"));
}

async fn erasing_says_what_is_lost_and_asks_for_the_name(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let person = add(&app, &admin, "Zelda Hyrule", "E-4711").await;
    let page = open(&app, &admin.cookie, &person).await.expect(200);
    let erase = format!("{person}/erase");
    assert!(page.links().contains(&erase));
    let page = open(&app, &admin.cookie, &erase).await.expect(200);
    assert!(page.says("cannot be undone") && page.says("What is lost") && page.says("Person 1"));
    for wrong in ["", "zelda", "Link"] {
        let page = submit(&app, &admin.cookie, &erase, &[("confirmation", wrong)]).await.expect(422);
        assert!(page.fault("confirmation").is_some(), "{wrong}");
    }
    let kept =
        submit(&app, &admin.cookie, &erase, &[("confirmation", "Zelda Hyrule"), ("_resumed", "1")]).await;
    assert_eq!(kept.expect(200).field("confirmation").as_deref(), Some("Zelda Hyrule"));
    assert!(!find_tables_with_text(app.database(), "Zelda").await.is_empty());
    app.clock.advance(Span::minutes(1));
    let erased = submit(&app, &admin.cookie, &erase, &[("confirmation", " Zelda Hyrule ")]).await.expect(303);
    assert_eq!((done(&erased).as_str(), erased.location()), ("person-erased", person.clone()));
    assert_eq!(find_tables_with_text(app.database(), "Zelda").await, Vec::<String>::new());
    let page = open(&app, &admin.cookie, &person).await.expect(200);
    assert!(page.says("was erased on") && page.field("name").is_none() && !page.says("Restore"));
    // There is nothing left to erase, to change or to restore.
    assert_eq!(open(&app, &admin.cookie, &erase).await.expect(303).location(), person);
    submit(&app, &admin.cookie, &format!("{person}/restore"), &[]).await.expect(409);
    assert!(open(&app, &admin.cookie, &format!("{PATH}?archived=true")).await.expect(200).says("Erased"));
}

async fn viewers_see_numbers_in_place_of_names(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let person = add(&app, &member, "Zelda", "E-4711").await;
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    for path in [PATH, person.as_str()] {
        let page = open(&app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Person 1") && page.says("Names are hidden from you."), "{path}");
        assert!(!page.says("Zelda") && !page.says("E-4711") && page.field("name").is_none(), "{path}");
        submit(&app, &viewer.cookie, path, &[("kind", "staff"), ("name", "x")]).await.expect(403);
    }
    let csv = app.get(&format!("{PATH}?format=csv")).cookie(&viewer.cookie).send().await.expect(200).text();
    assert!(csv.contains("Person 1") && !csv.contains("Zelda"), "{csv}");
    for what in ["archive", "restore", "erase"] {
        submit(&app, &viewer.cookie, &format!("{person}/{what}"), &[]).await.expect(403);
    }
}

async fn another_brands_person_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let person = add(&app, &ours, "Ada", "E-1").await;
    for what in ["", "/erase"] {
        open(&app, &theirs.cookie, &format!("{person}{what}")).await.expect(404);
    }
    for what in ["", "/archive", "/restore", "/erase"] {
        let fields = [("confirmation", "Ada")];
        submit(&app, &theirs.cookie, &format!("{person}{what}"), &fields).await.expect(404);
    }
}
