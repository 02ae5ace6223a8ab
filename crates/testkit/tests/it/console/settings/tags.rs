//! /settings/tags

use domain::{Role, Span, TagFlag};
use serde_json::json;
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    a_tag_is_handed_out_taken_back_and_retired,
    the_flags_of_the_overview_are_filters,
    faults_and_stale_changes_are_shown,
    viewers_see_no_names_and_change_nothing,
    another_brands_tag_does_not_exist,
);

const PATH: &str = "/settings/tags";

async fn add_person(app: &TestApp, user: &Account, name: &str) {
    let new = json!({ "kind": "staff", "name": name });
    app.post("/api/v1/people").cookie(&user.cookie).json(&new).send().await.expect(201);
}

async fn register(app: &TestApp, user: &Account, serial: &str) -> String {
    let new = json!({ "serial": serial });
    let made = app.post("/api/v1/tags").cookie(&user.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn a_tag_is_handed_out_taken_back_and_retired(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    add_person(&app, &member, "Ada <b>").await;
    let empty = open(&app, &member.cookie, PATH).await.expect(200);
    assert!(empty.says("No tags yet") && empty.links().contains(&format!("{PATH}/import")));
    let once = empty.field("_once").unwrap();
    let fields = [("serial", "T-1"), ("role", "operator"), ("_once", once.as_str())];
    let made = submit(&app, &member.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "tag-added");
    let tag = made.location();
    let act = async |what: &str, fields: &[(&str, &str)]| {
        app.clock.advance(Span::minutes(5));
        submit(&app, &member.cookie, &format!("{tag}/{what}"), fields).await
    };
    let page = open(&app, &member.cookie, &tag).await.expect(200);
    assert!(page.says("In stock") && page.says("Nobody has worn it") && page.says("Hand it out"));
    let fault = act("hand-out", &[("person_id", "")]).await.expect(422);
    assert!(fault.fault("person_id").is_some());
    let handed = act("hand-out", &[("person_id", "1")]).await.expect(303);
    assert_eq!((done(&handed).as_str(), handed.location()), ("tag-handed-out:1", tag.clone()));
    let page = open(&app, &member.cookie, &tag).await.expect(200);
    assert!(page.says("Ada <b>") && page.says("Still worn") && page.says("Take it back"));
    assert_eq!(done(&act("take-back", &[]).await.expect(303)), "tag-taken-back");
    // Taking it back again is fine.
    act("take-back", &[]).await.expect(303);
    let page = open(&app, &member.cookie, &tag).await.expect(200);
    assert!(page.says("In stock") && page.says("Ada <b>") && !page.says("Still worn"));
    assert_eq!(done(&act("retire", &[]).await.expect(303)), "tag-retired:1");
    let page = open(&app, &member.cookie, &tag).await.expect(200);
    assert!(page.says("Put it back into stock") && !page.says("Hand it out"));
    assert_eq!(done(&act("reinstate", &[]).await.expect(303)), "tag-reinstated:1");
    assert!(open(&app, &member.cookie, &tag).await.expect(200).says("Hand it out"));
}

async fn the_flags_of_the_overview_are_filters(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let tag = register(&app, &member, "T-1").await;
    let mut listed = 0;
    for flag in TagFlag::ALL.map(TagFlag::as_str) {
        let path = format!("/api/v1/tags?flag={flag}");
        let rows = app.get(&path).cookie(&member.cookie).send().await.expect(200).json();
        let is_listed = !rows["data"].as_array().unwrap().is_empty();
        listed += usize::from(is_listed);
        // Links of the overview carry its pickers.
        let page = open(&app, &member.cookie, &format!("{PATH}?period=7d&flag={flag}")).await.expect(200);
        assert_eq!(page.links().contains(&tag), is_listed, "{flag}");
        assert_eq!(page.field("flag").as_deref(), Some(flag));
        assert!(is_listed || page.says("Nothing matches"));
    }
    assert!((1..6).contains(&listed), "{listed}");
    open(&app, &member.cookie, &format!("{PATH}?flag=lost")).await.expect(400);
    assert!(open(&app, &member.cookie, &format!("{PATH}?flag=")).await.expect(200).links().contains(&tag));
    assert!(
        open(&app, &member.cookie, &format!("{PATH}?state=retired"))
            .await
            .expect(200)
            .says("Nothing matches")
    );
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let tag = register(&app, &member, "T-1").await;
    let page =
        submit(&app, &member.cookie, PATH, &[("serial", "t-1"), ("role", "operator")]).await.expect(422);
    assert!(page.fault("serial").is_some());
    assert_eq!(page.field("serial").as_deref(), Some("t-1"));
    let version = open(&app, &member.cookie, &tag).await.expect(200).field("_version").unwrap();
    let fields = [("role", "operator"), ("_version", version.as_str())];
    assert_eq!(done(&submit(&app, &member.cookie, &tag, &fields).await.expect(303)), "tag-saved");
    submit(&app, &member.cookie, &tag, &[("role", "pedestrian"), ("_version", version.as_str())])
        .await
        .expect(412);
    let page = open(&app, &member.cookie, &tag).await.expect(200);
    assert_eq!(page.field("role").as_deref(), Some("operator"));
}

async fn viewers_see_no_names_and_change_nothing(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    add_person(&app, &member, "Ada").await;
    let tag = register(&app, &member, "T-1").await;
    submit(&app, &member.cookie, &format!("{tag}/hand-out"), &[("person_id", "1")]).await.expect(303);
    let viewer = app.sign_in_new_user("v@example.com", Role::Viewer).await;
    for path in [PATH, tag.as_str()] {
        let page = open(&app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Person 1") && !page.says("Ada") && page.field("role").is_none(), "{path}");
    }
    submit(&app, &viewer.cookie, PATH, &[("serial", "T-2"), ("role", "operator")]).await.expect(403);
    for what in ["", "/hand-out", "/take-back", "/retire"] {
        submit(&app, &viewer.cookie, &format!("{tag}{what}"), &[]).await.expect(403);
    }
}

async fn another_brands_tag_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Member).await;
    let tag = register(&app, &ours, "T-1").await;
    open(&app, &theirs.cookie, &tag).await.expect(404);
    for what in ["", "/hand-out", "/take-back", "/retire", "/reinstate"] {
        submit(&app, &theirs.cookie, &format!("{tag}{what}"), &[]).await.expect(404);
    }
}
