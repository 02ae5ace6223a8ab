//! Whose schedules they are.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, create, daily, delete, get, patch, run};

on_both_engines!(
    only_the_author_has_a_schedule,
    those_who_manage_the_brand_reach_it_if_they_ask,
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
