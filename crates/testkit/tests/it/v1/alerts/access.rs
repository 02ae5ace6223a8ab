//! Who sees alerts, and who may change them.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, create, delete, get, patch, post, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    viewers_read_without_names_and_write_nothing,
    others_see_an_alert_and_cannot_change_it,
    those_who_manage_the_brand_change_all,
    a_restricted_reader_sees_what_their_projects_cover,
    an_alert_of_no_project_is_not_everybodys,
    recipients_do_not_tell_who_the_users_are,
    a_restricted_user_tells_those_who_share_a_project,
    a_restricted_admin_changes_only_their_own,
    what_is_another_brands_does_not_exist,
);

async fn viewers_read_without_names_and_write_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let recipients = json!([{ "user_id": 1 }, { "email": "ada@example.com" }]);
    let made = create(&app, &admin, &with(too_many("Yard"), &json!({ "recipients": recipients }))).await;
    let id = &made["id"];
    let shown = get(&app, &viewer, id).await.expect(200);
    let hidden: Vec<Value> = made["recipients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| with(one.clone(), &json!({ "name": null, "email": null })))
        .collect();
    let owner = json!({ "type": "user", "id": 1, "name": null });
    let expected = with(made.clone(), &json!({ "recipients": hidden, "owner": owner }));
    // One version has two representations, so that a viewer's has no ETag.
    assert_eq!((shown.json(), shown.header("etag")), (expected.clone(), ""));
    let list = app.get(PATH).cookie(&viewer.cookie).send().await.expect(200);
    assert_eq!(list.json()["data"], json!([expected]));
    assert!(!list.text().contains("example.com"), "{}", list.text());

    for reply in [
        post(&app, &viewer, &too_many("Mine")).await,
        patch(&app, &viewer, id, &json!({ "name": "Gate" })).await,
        delete(&app, &viewer, id).await,
        app.post(&format!("{PATH}/{id}/test")).cookie(&viewer.cookie).send().await,
    ] {
        assert_eq!(reply.expect(403).code(), "permission_missing");
    }
    let names = json!({ "viewers_see_names": true });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&names).send().await.expect(200);
    let shown = get(&app, &viewer, id).await.expect(200);
    // Of a recipient who is a user, only those who can list users see the name.
    let mut expected = made;
    expected["recipients"][0]["name"] = Value::Null;
    assert_eq!((shown.json(), shown.header("etag")), (expected, "\"1\""));
}

async fn assert_not_yours(app: &TestApp, user: &Account, id: &Value) {
    for reply in [
        patch(app, user, id, &json!({ "name": "Gate" })).await,
        patch(app, user, id, &json!({})).await,
        delete(app, user, id).await,
        app.post(&format!("{PATH}/{id}/test")).cookie(&user.cookie).send().await,
    ] {
        assert_eq!(reply.expect(403).code(), "not_yours");
    }
}

async fn others_see_an_alert_and_cannot_change_it(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Member).await;
    let made = create(&app, &bob, &too_many("Yard")).await;
    assert_eq!(get(&app, &eve, &made["id"]).await.expect(200).json(), made);
    assert_not_yours(&app, &eve, &made["id"]).await;
    assert_eq!(get(&app, &bob, &made["id"]).await.expect(200).json(), made);
}

async fn those_who_manage_the_brand_change_all(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let made = create(&app, &bob, &too_many("Yard")).await;
    let changed = patch(&app, &admin, &made["id"], &json!({ "name": "Gate" })).await.expect(200).json();
    // It stays with its owner.
    assert_eq!((&changed["name"], &changed["owner"]), (&json!("Gate"), &made["owner"]));
    let other_scope = json!({ "scope": { "zones": ["danger"] } });
    let changed = patch(&app, &admin, &made["id"], &other_scope).await.expect(200).json();
    assert_eq!(changed["owner"], made["owner"]);
    delete(&app, &admin, &made["id"]).await.expect(200);
}

async fn a_restricted_reader_sees_what_their_projects_cover(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let near = world.app.sign_in_new_user("near@example.com", Role::Member).await;
    let far = world.app.sign_in_new_user("far@example.com", Role::Member).await;
    world.restrict(&near, Some(&[1])).await;
    world.restrict(&far, Some(&[2])).await;
    // Everything, the first project, and the second.
    let wide = world.rule(&json!({ "name": "Wide", "scope": { "project_ids": [1] } })).await;
    let first = world.rule_of(&near, &json!({ "name": "Near" })).await;
    let second = world.rule_of(&far, &json!({ "name": "Far" })).await;
    let own = world.rule_of(&world.restricted, &json!({ "name": "Own" })).await;
    let list = world.send(&world.restricted, Method::GET, &format!("{PATH}?include_total=true"), None).await;
    let list = list.expect(200).json();
    let ids: Vec<&Value> = list["data"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!((json!(ids), &list["page"]["total"]), (json!([first, own]), &json!(2)));
    for (id, status) in [(wide, 404), (first, 200), (second, 404), (own, 200)] {
        for path in [format!("{PATH}/{id}"), format!("{PATH}/{id}/firings")] {
            world.send(&world.restricted, Method::GET, &path, None).await.expect(status);
        }
    }
    // Whoever loses a project still sees their own.
    world.restrict(&world.restricted, Some(&[2])).await;
    for (id, status) in [(first, 404), (second, 200), (own, 200)] {
        let path = format!("{PATH}/{id}");
        world.send(&world.restricted, Method::GET, &path, None).await.expect(status);
    }
}

async fn an_alert_of_no_project_is_not_everybodys(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let far = world.app.sign_in_new_user("far@example.com", Role::Member).await;
    let nowhere = world.app.sign_in_new_user("nowhere@example.com", Role::Member).await;
    world.restrict(&far, Some(&[2])).await;
    world.restrict(&nowhere, Some(&[])).await;
    let recipients = json!([{ "email": "confidential@example.com" }]);
    let more = json!({ "scope": { "project_ids": [1] }, "recipients": recipients });
    let id = world.rule_of(&world.restricted, &more).await;
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    world.mails().await;
    let firing = world.firings(id).await[0]["id"].clone();
    // The owner loses the project, and the next evaluation stores that.
    world.restrict(&world.restricted, Some(&[])).await;
    world.advance_minutes(1);
    world.incursions(3, 1).await;
    world.mails().await;
    let shown = world.get(&format!("{PATH}/{id}")).await;
    assert_eq!((&shown["project_ids"], &shown["status"]), (&json!([]), &json!("stopped")));
    for reader in [&far, &nowhere] {
        for below in [String::new(), "/firings".to_owned(), format!("/firings/{firing}")] {
            let path = format!("{PATH}/{id}{below}");
            world.send(reader, Method::GET, &path, None).await.expect(404);
        }
        for path in [PATH, "/api/v1/alert_firings"] {
            let list = world.send(reader, Method::GET, path, None).await.expect(200).json();
            assert_eq!(list["data"], json!([]), "{path}");
        }
    }
    let own = world.send(&world.restricted, Method::GET, &format!("{PATH}/{id}"), None).await;
    assert_eq!(own.expect(200).json()["id"], id);
}

async fn recipients_do_not_tell_who_the_users_are(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let everyone = json!([{ "user_id": 1 }, { "user_id": 2 }, { "user_id": 3 }, { "user_id": 4 }]);
    let id = world.rule(&json!({ "recipients": everyone })).await;
    let names = async |reader: &Account| -> Vec<Value> {
        let shown = world.send(reader, Method::GET, &format!("{PATH}/{id}"), None).await.expect(200).json();
        shown["recipients"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect()
    };
    let all = ["admin", "member", "viewer", "restricted"].map(|name| json!(name));
    assert_eq!(names(&world.admin).await, all);
    assert_eq!(names(&world.member).await, [Value::Null, json!("member"), Value::Null, Value::Null]);
    // Nor do the answers to writes.
    let path = format!("{PATH}/{id}");
    let renamed = world.send(&world.member, Method::PATCH, &path, Some(&json!({ "name": "Gate" }))).await;
    assert_eq!(renamed.expect(200).json()["recipients"][0]["name"], Value::Null);
    let deleted = world.send(&world.member, Method::DELETE, &path, None).await;
    assert_eq!(deleted.expect(200).json()["recipients"][0]["name"], Value::Null);
}

async fn a_restricted_user_tells_those_who_share_a_project(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let near = world.app.sign_in_new_user("near@example.com", Role::Member).await;
    let far = world.app.sign_in_new_user("far@example.com", Role::Member).await;
    world.restrict(&near, Some(&[1, 2])).await;
    world.restrict(&far, Some(&[2])).await;
    // An admin, themselves, and someone who sees the project, too.
    let more = json!({ "recipients": [{ "user_id": 1 }, { "user_id": 4 }, { "user_id": 5 }] });
    world.rule_of(&world.restricted, &more).await;
    // Someone of another project, and nobody.
    let mut messages = Vec::new();
    for user in [6, 99] {
        let body = with(too_many("Far"), &json!({ "recipients": [{ "user_id": user }] }));
        let refused = world.send(&world.restricted, Method::POST, PATH, Some(&body)).await.expect(422);
        let errors = refused.json()["errors"].clone();
        assert_eq!(errors[0]["field"], "recipients.0.user_id");
        assert_eq!(errors[0]["code"], "unknown_user");
        messages.push(errors);
    }
    assert_eq!(messages[0], messages[1]);
    world.rule(&json!({ "recipients": [{ "user_id": 6 }] })).await;
}

async fn a_restricted_admin_changes_only_their_own(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let admin = world.app.sign_in_new_user("near@example.com", Role::Admin).await;
    world.restrict(&admin, Some(&[1])).await;
    let seen = json!(world.rule_of(&world.restricted, &json!({})).await);
    get(&world.app, &admin, &seen).await.expect(200);
    assert_not_yours(&world.app, &admin, &seen).await;
    let hidden = json!(world.rule(&json!({})).await);
    patch(&world.app, &admin, &hidden, &json!({ "name": "Gate" })).await.expect(404);
    delete(&world.app, &admin, &hidden).await.expect(404);
    let own = json!(world.rule_of(&admin, &json!({})).await);
    patch(&world.app, &admin, &own, &json!({ "name": "Gate" })).await.expect(200);
    delete(&world.app, &admin, &own).await.expect(200);
}

async fn what_is_another_brands_does_not_exist(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let made = create(&app, &bob, &too_many("Yard")).await;
    get(&app, &stranger, &made["id"]).await.expect(404);
    patch(&app, &stranger, &made["id"], &json!({ "name": "Gate" })).await.expect(404);
    delete(&app, &stranger, &made["id"]).await.expect(404);
    let list = app.get(PATH).cookie(&stranger.cookie).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]));
    assert_eq!(get(&app, &bob, &made["id"]).await.expect(200).json(), made);
}
