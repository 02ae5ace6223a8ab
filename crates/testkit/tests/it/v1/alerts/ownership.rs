//! What becomes of an alert when its owner leaves.

use domain::{EmailAddress, Role, UserState};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, faults, get, patch};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    an_alert_outlives_its_owner,
    whoever_may_no_longer_have_alerts_loses_them,
    it_keeps_the_projects_of_its_owner,
    an_admin_who_changes_its_scope_becomes_its_owner,
    the_scope_is_checked_by_what_the_owner_sees,
);

/// Asserts that an alert says that the member has left.
fn assert_orphaned(shown: &Value) {
    let member = json!({ "type": "user", "id": 2, "name": "member" });
    assert_eq!((&shown["owner"], &shown["former_owner"]), (&Value::Null, &member));
    assert_ne!(shown["owner_left_at"], Value::Null);
}

async fn an_alert_outlives_its_owner(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let other = world.app.sign_in_new_user("other@example.com", Role::Member).await;
    let id = json!(world.rule(&json!({})).await);
    let before = get(&world.app, &world.admin, &id).await.expect(200);
    world.post("admin/users/2/deactivate", &json!({})).await;
    let shown = get(&world.app, &world.admin, &id).await.expect(200);
    assert_orphaned(&shown.json());
    assert_ne!(shown.header("etag"), before.header("etag"));
    assert_eq!(shown.json()["status"], "ok");
    // It goes on.
    world.incursions(1, 3).await;
    world.advance_minutes(1);
    assert_eq!(world.mails().await.len(), 1);
    assert_eq!(get(&world.app, &world.admin, &id).await.expect(200).json()["status"], "firing");
    // It belongs to the admins, even if the owner comes back.
    world.post("admin/users/2/reactivate", &json!({})).await;
    for user in [&other, &world.member] {
        let path = format!("{PATH}/{id}");
        let refused = world.send(user, Method::PATCH, &path, Some(&json!({ "name": "Mine" }))).await;
        assert_eq!(refused.expect(403).code(), "not_yours");
    }
    let renamed = patch(&world.app, &world.admin, &id, &json!({ "name": "Ours" })).await.expect(200).json();
    assert_eq!(renamed["name"], "Ours");
    assert_orphaned(&renamed);
    // It does not count as one of the owner's any more.
    let owned = "select name from alert_rules where owner_id = 2 and owner_left_at is null";
    let owned = testkit::query_raw_sql(world.app.database(), owned).await;
    assert!(owned.is_empty(), "{owned:?}");
    world.app.run_jobs().await;
}

async fn whoever_may_no_longer_have_alerts_loses_them(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule(&json!({})).await;
    let path = format!("{PATH}/{id}");
    // Another name or role that may have alerts changes nothing.
    world.patch("admin/users/2", &json!({ "role": "admin" })).await;
    assert_eq!(world.get(&path).await["owner"]["id"], 2);
    world.patch("admin/users/2", &json!({ "role": "viewer" })).await;
    assert_orphaned(&world.get(&path).await);

    // From the command line as well.
    let other = world.rule_of(&world.restricted, &json!({})).await;
    let email = EmailAddress::parse(&world.restricted.email).unwrap();
    world.app.app.set_access(&email, None, Some(UserState::Deactivated)).await.unwrap();
    let shown = world.get(&format!("{PATH}/{other}")).await;
    assert_eq!((&shown["owner"], &shown["former_owner"]["id"]), (&Value::Null, &json!(4)));
    world.app.run_jobs().await;
}

async fn it_keeps_the_projects_of_its_owner(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = world.rule_of(&world.restricted, &json!({ "split_by": "machine" })).await;
    world.post("admin/users/4/deactivate", &json!({})).await;
    for machine in [1, 3] {
        world.incursions(machine, 3).await;
    }
    world.advance_minutes(1);
    // The truck is in the other project.
    assert_eq!(world.mails().await.len(), 1);
    let machines: Vec<Value> =
        world.firings(id).await.iter().map(|firing| firing["machine"]["id"].clone()).collect();
    assert_eq!(machines, [json!(1)]);
    assert_eq!(world.get(&format!("{PATH}/{id}")).await["project_ids"], json!([1]));
}

async fn an_admin_who_changes_its_scope_becomes_its_owner(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = json!(world.rule_of(&world.restricted, &json!({})).await);
    world.post("admin/users/4/deactivate", &json!({})).await;
    let changed = patch(&world.app, &world.admin, &id, &json!({ "threshold": 4 })).await.expect(200).json();
    assert_eq!((&changed["owner"], &changed["project_ids"]), (&Value::Null, &json!([1])));
    let scope = json!({ "scope": { "worksite_ids": [2] } });
    let changed = patch(&world.app, &world.admin, &id, &scope).await.expect(200).json();
    let admin = json!({ "type": "user", "id": 1, "name": "admin" });
    assert_eq!((&changed["owner"], &changed["former_owner"]), (&admin, &Value::Null));
    assert_eq!((&changed["owner_left_at"], &changed["project_ids"]), (&Value::Null, &Value::Null));
    assert_eq!(get(&world.app, &world.admin, &id).await.expect(200).json(), changed);
    world.app.run_jobs().await;
}

async fn the_scope_is_checked_by_what_the_owner_sees(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let id = json!(world.rule_of(&world.restricted, &json!({})).await);
    // The admin sees the depot, but the alert never would.
    let far = json!({ "scope": { "worksite_ids": [2] } });
    let refused = patch(&world.app, &world.admin, &id, &far).await.expect(422);
    assert_eq!(faults(&refused), [("scope.worksite_ids".to_owned(), "unknown_worksite".to_owned())]);
    let near = json!({ "scope": { "worksite_ids": [1] } });
    patch(&world.app, &world.admin, &id, &near).await.expect(200);
}
