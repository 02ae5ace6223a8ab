//! /explore/views: saved views

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{open_as_admin, save, yard_with_facts};
use crate::console::{open, submit};
use crate::v1::insights::Yard;

on_both_engines!(
    a_table_is_saved_shared_changed_and_deleted,
    forms_show_their_faults_and_the_table_stays,
    views_of_others_are_theirs,
    the_readers_own_view_is_the_start,
);

/// Returns the saved view as the API has it.
async fn saved(yard: &Yard, id: i64) -> Value {
    let path = format!("/api/v2/saved_views/{id}");
    yard.app.get(&path).bearer(&yard.admin.jwt).send().await.expect(200).json()["data"]["attributes"].clone()
}

async fn a_table_is_saved_shared_changed_and_deleted(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let cookie = &yard.admin.cookie;
    let query = "row1=machine&measure=incursions&zone=danger&period=90d";
    let once = open_as_admin(&yard, &format!("/explore?{query}")).await.expect(200).field("_once").unwrap();
    let fields = [("name", "Danger"), ("shared", "true"), ("_once", once.as_str())];
    for _ in 0..2 {
        let made = submit(&yard.app, cookie, &format!("/explore/views?{query}"), &fields).await.expect(303);
        assert_eq!(made.location(), "/explore/views/1?period=90d");
    }
    let view = saved(&yard, 1).await;
    assert_eq!((&view["name"], &view["shared"]), (&json!("Danger"), &json!(true)));
    let definition = &view["definition"];
    assert_eq!(
        (&definition["rows"], &definition["filters"]),
        (&json!(["machine"]), &json!({ "zone": ["danger"] }))
    );
    // The view opens with what it was saved with, and in the period that is picked.
    let to = open_as_admin(&yard, "/explore/views/1?period=7d").await.expect(303).location();
    assert_eq!(to, "/explore?period=7d&row1=machine&measure=incursions&zone=danger&view=1");
    let page = open_as_admin(&yard, &to).await.expect(200);
    assert!(page.says("View “Danger”") && page.says("Crane 1") && !page.says("differs from the saved view"));
    assert!(open_as_admin(&yard, "/explore/views").await.expect(200).says("Danger"));
    // Changes are kept only if the form says so.
    let changed = "/explore/views/1?row1=worksite&measure=incursions&view=1";
    let table = open_as_admin(&yard, &changed.replace("/views/1", "")).await.expect(200);
    assert!(table.says("differs from the saved view"), "{}", table.text());
    let version = table.field("_version").unwrap();
    let fields = [("name", "Renamed"), ("_version", version.as_str())];
    submit(&yard.app, cookie, changed, &fields).await.expect(303);
    let view = saved(&yard, 1).await;
    assert_eq!((&view["name"], &view["shared"]), (&json!("Renamed"), &json!(false)));
    assert_eq!(view["definition"]["rows"], json!(["machine"]));
    let stale = submit(&yard.app, cookie, changed, &fields).await.expect(412);
    assert!(stale.says("Somebody else changed this"));
    let fields = [("name", "Renamed"), ("replace", "true")];
    let to = submit(&yard.app, cookie, changed, &fields).await.expect(303).location();
    assert_eq!(to, "/explore?row1=worksite&measure=incursions&view=1");
    assert_eq!(saved(&yard, 1).await["definition"]["rows"], json!(["worksite"]));
    let gone = submit(&yard.app, cookie, "/explore/views/1/delete", &[]).await.expect(303);
    assert_eq!(gone.location(), "/explore/views");
    open_as_admin(&yard, "/explore/views/1").await.expect(404);
    // The address still describes the table.
    assert!(open_as_admin(&yard, &to).await.expect(200).says("Site 1"));
}

async fn forms_show_their_faults_and_the_table_stays(app: TestApp) {
    let yard = yard_with_facts(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/explore/views?row1=machine&measure=incursions");
    let page = submit(&yard.app, cookie, path, &[("name", " "), ("shared", "true")]).await.expect(422);
    assert!(page.fault("name").is_some() && page.says("Crane 1"));
    assert_eq!(page.field("shared").as_deref(), Some("true"));
    // Links of the page lead to the table, not to the address of the form.
    assert!(!page.links().iter().any(|link| link.starts_with("/explore/views?row1")), "{:?}", page.links());
    save(&yard, "row1=machine", "Mine").await;
    let page = submit(&yard.app, cookie, path, &[("name", "mine")]).await.expect(409);
    assert!(page.fault("name").is_some() && page.field("name").as_deref() == Some("mine"));
}

async fn views_of_others_are_theirs(app: TestApp) {
    let yard = yard_with_facts(app).await;
    save(&yard, "row1=machine&measure=incursions", "Private").await;
    let fields = [("name", "Public"), ("shared", "true")];
    submit(&yard.app, &yard.admin.cookie, "/explore/views?row1=zone", &fields).await.expect(303);
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    open(&yard.app, &viewer.cookie, "/explore/views/1").await.expect(404);
    let to = open(&yard.app, &viewer.cookie, "/explore/views/2").await.expect(303).location();
    let page = open(&yard.app, &viewer.cookie, &to).await.expect(200);
    assert!(page.says("Somebody shared this view") && !page.says("Delete the view"), "{}", page.text());
    assert_eq!(page.field("shared"), None);
    submit(&yard.app, &viewer.cookie, "/explore/views/2", &[("name", "x")]).await.expect(403);
    submit(&yard.app, &viewer.cookie, "/explore/views/2/delete", &[]).await.expect(403);
    submit(&yard.app, &viewer.cookie, "/explore/views?row1=zone", &[("name", "x"), ("shared", "true")])
        .await
        .expect(403);
    let list = open(&yard.app, &viewer.cookie, "/explore/views").await.expect(200);
    assert!(list.says("Public") && list.says("shared by somebody else") && !list.says("Private"));
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&yard.app, &stranger.cookie, "/explore/views/2").await.expect(404);
    submit(&yard.app, &stranger.cookie, "/explore/views/2/delete", &[]).await.expect(404);
}

async fn the_readers_own_view_is_the_start(app: TestApp) {
    let yard = yard_with_facts(app).await;
    save(&yard, "row1=zone&measure=incursions", "Start").await;
    let path = "/api/v2/user_preferences";
    let found = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    let chosen = json!({ "default_view": { "data": { "type": "saved_views", "id": "1" } } });
    let body = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "relationships": chosen,
    } });
    let call = yard.app.patch(path).bearer(&yard.admin.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(200);
    let to = open_as_admin(&yard, "/explore?worksite_id=1").await.expect(303).location();
    assert_eq!(to, "/explore?worksite_id=1&row1=zone&measure=incursions&view=1");
    // Another table is not replaced by it.
    assert!(open_as_admin(&yard, "/explore?row1=machine").await.expect(200).says("Crane 1"));
}
