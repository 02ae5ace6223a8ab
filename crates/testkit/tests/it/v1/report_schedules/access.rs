//! Whose schedules they are.

use domain::{EmailAddress, ProjectId, Role};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, create, create_site, create_view, daily, delete, faults, get, patch, run, with};

on_both_engines!(
    only_the_author_has_a_schedule,
    those_who_manage_the_brand_reach_it_if_they_ask,
    nobody_gives_a_schedule_what_its_author_does_not_see,
    those_who_manage_the_brand_change_what_was_copied_from_a_private_view,
    a_deleted_schedule_is_gone,
    a_schedule_of_an_author_who_is_gone_does_not_run,
);

/// Checks that a schedule does not exist for someone.
async fn assert_unseen(app: &TestApp, user: &Account, id: &Value) {
    for reply in [
        get(app, user, id).await,
        patch(app, user, id, &json!({ "name": 7 })).await,
        run(app, user, id).await,
        delete(app, user, id).await,
    ] {
        assert_eq!(reply.expect(404).code(), "not_found");
    }
}

async fn only_the_author_has_a_schedule(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let made = create(&app, &bob, &daily("Yard")).await;
    for user in [&admin, &stranger] {
        assert_unseen(&app, user, &made["id"]).await;
    }
    let viewer = app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    assert_eq!(get(&app, &viewer, &made["id"]).await.expect(403).code(), "permission_missing");
    assert_eq!(get(&app, &bob, &made["id"]).await.expect(200).json(), made);
}

async fn those_who_manage_the_brand_reach_it_if_they_ask(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let id = create(&app, &bob, &daily("Yard")).await["id"].clone();
    let path = format!("{PATH}/{id}?all=true");
    assert_eq!(app.get(&path).cookie(&stranger.cookie).send().await.expect(404).code(), "not_found");
    assert_eq!(app.get(&path).cookie(&bob.cookie).send().await.expect(403).code(), "permission_missing");
    app.get(&path).cookie(&admin.cookie).send().await.expect(200);
    let change = app.patch(&path).cookie(&admin.cookie).json(&json!({ "paused": true }));
    let changed = change.send().await.expect(200).json();
    assert_eq!((&changed["paused"], &changed["author"]["name"]), (&json!(true), &json!("bob")));
    // The report is the author's, and everyone who may see what is in it sees it.
    let path = format!("{PATH}/{id}/run?all=true");
    let report = app.post(&path).cookie(&admin.cookie).send().await.expect(201).json();
    assert_eq!(report["author"]["name"], "bob");
    app.run_jobs().await;
    app.delete(&format!("{PATH}/{id}?all=true")).cookie(&admin.cookie).send().await.expect(200);
    get(&app, &bob, &id).await.expect(404);
}

async fn nobody_gives_a_schedule_what_its_author_does_not_see(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for name in ["Near", "Far"] {
        let call = app.post("/api/v1/projects").cookie(&admin.cookie).json(&json!({ "name": name }));
        call.send().await.expect(201);
    }
    let near = create_site(&app, &admin, "Europe/Berlin", Some(1)).await;
    let far = create_site(&app, &admin, "Asia/Tokyo", Some(2)).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let email = EmailAddress::parse("bob@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    let before = create(&app, &bob, &daily("Yard")).await;
    let path = format!("{PATH}/{}?all=true", before["id"]);
    let change = async |more: Value| app.patch(&path).cookie(&admin.cookie).json(&more).send().await;
    for (more, field) in [
        (json!({ "worksite_id": far }), "worksite_id"),
        (json!({ "zone_worksite_id": far }), "zone_worksite_id"),
        (json!({ "filters": { "worksite_id": [far] } }), "filters.worksite_id"),
    ] {
        let refused = change(more).await.expect(422);
        assert_eq!(faults(&refused), [(field.to_owned(), "unknown_worksite".to_owned())]);
        assert!(refused.text().contains("that the author of the schedule sees"), "{}", refused.text());
    }
    assert_eq!(get(&app, &bob, &before["id"]).await.expect(200).json(), before);
    let changed = change(json!({ "worksite_id": near, "zone_worksite_id": near })).await.expect(200).json();
    assert_eq!((&changed["worksite_id"], &changed["zone_worksite_id"]), (&near, &near));
    // What the author does not see any more does not keep others from changing the rest.
    app.app.restrict_user(&email, Some(&[ProjectId(2)])).await.unwrap();
    change(json!({ "name": "Gate", "time": "08:00" })).await.expect(200);
}

async fn those_who_manage_the_brand_change_what_was_copied_from_a_private_view(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let view = create_view(&app, &bob, "machine").await;
    let new = with(daily("Yard"), &json!({ "kind": "pivot", "saved_view_id": view }));
    let made = create(&app, &bob, &new).await;
    let path = format!("{PATH}/{}?all=true", made["id"]);
    let call = app.patch(&path).cookie(&admin.cookie).json(&json!({ "format": "xlsx" }));
    let changed = call.send().await.expect(200).json();
    for member in ["pivot", "saved_view_id"] {
        assert_eq!(changed[member], made[member], "{member}");
    }
}

async fn a_deleted_schedule_is_gone(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let made = create(&app, &bob, &daily("Yard")).await;
    let report = run(&app, &bob, &made["id"]).await.expect(201).json();
    let deleted = delete(&app, &bob, &made["id"]).await.expect(200).json();
    assert_eq!((&deleted["id"], &deleted["last_report_id"]), (&made["id"], &report["id"]));
    assert_unseen(&app, &bob, &made["id"]).await;
    // Its report is made, and mailed to nobody.
    app.run_jobs().await;
    let path = format!("/api/v1/reports/{}", report["id"]);
    let shown = app.get(&path).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!((&shown["state"], &shown["schedule_id"]), (&json!("ready"), &made["id"]));
    assert!(app.mails().is_empty());
}

async fn a_schedule_of_an_author_who_is_gone_does_not_run(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let id = create(&app, &bob, &daily("Yard")).await["id"].clone();
    let act = async |act: &str| {
        app.post(&format!("/api/v1/admin/users/1/{act}")).cookie(&admin.cookie).send().await.expect(200);
    };
    act("deactivate").await;
    let path = format!("{PATH}/{id}?all=true");
    let paused = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(paused["paused_reason"], "author_deactivated");
    assert_eq!(paused["next_run_at"], Value::Null);
    let resume =
        async || app.patch(&path).cookie(&admin.cookie).json(&json!({ "paused": false })).send().await;
    assert_eq!(resume().await.expect(409).code(), "author_cannot_schedule");
    let refused = app.post(&format!("{PATH}/{id}/run?all=true")).cookie(&admin.cookie).send().await;
    assert_eq!(refused.expect(409).code(), "author_cannot_schedule");
    act("reactivate").await;
    // It stays paused until someone resumes it.
    let still = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(still["paused_reason"], "author_deactivated");
    assert_eq!(resume().await.expect(200).json()["next_run_at"], "2026-03-02T07:30:00Z");
}
