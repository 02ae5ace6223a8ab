//! PATCH /api/v1/admin/users/{id}, and deactivating and reactivating users

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    a_new_role_holds_at_once,
    a_state_is_not_changed_like_a_name,
    a_restriction_holds_at_once_and_is_lifted_with_null,
    the_last_admin_cannot_be_removed,
    admins_who_remove_one_another_at_once_leave_one,
    a_deactivated_user_is_out_at_once_and_comes_back,
    a_stale_change_of_a_user_is_refused,
    users_of_other_brands_do_not_exist,
);

async fn patch(app: &TestApp, admin: &Account, id: i64, change: &Value) -> Reply {
    let path = format!("/api/v1/admin/users/{id}");
    app.patch(&path).cookie(&admin.cookie).json(change).send().await
}

async fn set_state(app: &TestApp, admin: &Account, id: i64, act: &str) -> Reply {
    app.post(&format!("/api/v1/admin/users/{id}/{act}")).cookie(&admin.cookie).send().await
}

async fn a_new_role_holds_at_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let grace = app.sign_in_new_user("grace@example.com", Role::Viewer).await;
    let new = json!({ "name": "Bridge" });
    let create = || app.post("/api/v1/projects").cookie(&grace.cookie).json(&new).send();
    create().await.expect(403);
    let change = json!({ "role": "member", "name": "Grace Hopper" });
    let changed = patch(&app, &admin, 2, &change).await.expect(200).json();
    assert_eq!((&changed["role"], &changed["name"]), (&json!("member"), &json!("Grace Hopper")));
    create().await.expect(201);
    let who = app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(200).json();
    assert_eq!(who["user"]["name"], "Grace Hopper");
    let path = "/api/v1/admin/audit_log?action=user.changed";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    let details = &log["data"][0]["details"];
    assert_eq!((&details["before"]["role"], &details["after"]["role"]), (&json!("viewer"), &json!("member")));
    for (change, code) in [
        (json!({ "role": null }), "required"),
        (json!({ "role": "root" }), "invalid_role"),
        (json!({ "email": "x@example.com" }), "read_only"),
        (json!({ "state": "deactivated" }), "read_only"),
        (json!({ "state": null }), "read_only"),
        (json!({ "password": "x" }), "unknown_field"),
        (json!({ "project_ids": 7 }), "wrong_type"),
        (json!({ "project_ids": [99] }), "unknown_project"),
    ] {
        let refused = patch(&app, &admin, 2, &change).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{change}");
    }
}

async fn a_state_is_not_changed_like_a_name(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user("grace@example.com", Role::Viewer).await;
    let refused = patch(&app, &admin, 2, &json!({ "name": "G", "state": "deactivated" })).await.expect(422);
    let error = &refused.json()["errors"][0];
    assert_eq!((&error["field"], &error["code"]), (&json!("state"), &json!("read_only")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("/deactivate") && message.contains("/reactivate"), "{message}");
    // An invitation may have been accepted since the user was read.
    for state in ["active", "invited"] {
        let same = patch(&app, &admin, 2, &json!({ "name": "G", "state": state })).await.expect(200).json();
        assert_eq!((&same["name"], &same["state"]), (&json!("G"), &json!("active")));
    }
    set_state(&app, &admin, 2, "deactivate").await.expect(200);
    let change = json!({ "state": "active" });
    assert_eq!(patch(&app, &admin, 2, &change).await.expect(422).json()["errors"][0]["code"], "read_only");
    let change = json!({ "name": "Grace", "state": "deactivated" });
    assert_eq!(patch(&app, &admin, 2, &change).await.expect(200).json()["state"], "deactivated");
}

async fn a_restriction_holds_at_once_and_is_lifted_with_null(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let grace = app.sign_in_new_user("grace@example.com", Role::Member).await;
    for name in ["Bridge", "Tunnel"] {
        let new = json!({ "name": name });
        app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
    let seen = || async {
        let list = app.get("/api/v1/projects").cookie(&grace.cookie).send().await.expect(200).json();
        list["data"].as_array().unwrap().len()
    };
    assert_eq!(seen().await, 2);
    for (projects, count) in [(json!([2]), 1), (json!([]), 0), (json!(null), 2)] {
        let changed = patch(&app, &admin, 2, &json!({ "project_ids": projects })).await.expect(200).json();
        assert_eq!((&changed["project_ids"], seen().await), (&projects, count));
    }
}

async fn the_last_admin_cannot_be_removed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user("grace@example.com", Role::Member).await;
    app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    assert_eq!(patch(&app, &admin, 1, &json!({ "role": "member" })).await.expect(409).code(), "last_admin");
    assert_eq!(set_state(&app, &admin, 1, "deactivate").await.expect(409).code(), "last_admin");
    // An invited admin does not count as an admin.
    let new = json!({ "email": "new@example.com", "name": "New", "role": "admin" });
    app.post("/api/v1/admin/users").cookie(&admin.cookie).json(&new).send().await.expect(201);
    set_state(&app, &admin, 1, "deactivate").await.expect(409);
    patch(&app, &admin, 2, &json!({ "role": "admin" })).await.expect(200);
    set_state(&app, &admin, 1, "deactivate").await.expect(200);
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(401);
    app.run_jobs().await;
}

async fn admins_who_remove_one_another_at_once_leave_one(app: TestApp) {
    let mut admins = Vec::new();
    for n in 0..6 {
        admins.push(app.sign_in_new_user(&format!("admin{n}@example.com"), Role::Admin).await);
    }
    let mut work = tokio::task::JoinSet::new();
    for (index, admin) in admins.iter().enumerate() {
        let id = (index + 1) % admins.len() + 1;
        let path = format!("/api/v1/admin/users/{id}/deactivate");
        work.spawn(app.post(&path).cookie(&admin.cookie).send());
    }
    for reply in work.join_all().await {
        assert!([200, 401, 409].contains(&reply.status.as_u16()), "{}", reply.status);
    }
    let mut left = 0;
    for admin in &admins {
        let reply = app.get("/api/v1/session").cookie(&admin.cookie).send().await;
        left += usize::from(reply.status == 200);
    }
    assert!(left >= 1, "nobody is left");
}

async fn a_deactivated_user_is_out_at_once_and_comes_back(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let grace = app.sign_in_new_user("grace@example.com", Role::Member).await;
    for _ in 0..2 {
        let reply = set_state(&app, &admin, 2, "deactivate").await.expect(200);
        assert_eq!(reply.json()["state"], "deactivated");
    }
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&grace.jwt).send().await.expect(401);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(401);
    for _ in 0..2 {
        let reply = set_state(&app, &admin, 2, "reactivate").await.expect(200);
        assert_eq!(reply.json()["state"], "active");
    }
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(401);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(201);
    // A user who never joined is invited again.
    let new = json!({ "email": "new@example.com", "name": "New", "role": "viewer" });
    app.post("/api/v1/admin/users").cookie(&admin.cookie).json(&new).send().await.expect(201);
    set_state(&app, &admin, 3, "deactivate").await.expect(200);
    assert_eq!(set_state(&app, &admin, 3, "resend_invitation").await.expect(409).code(), "not_invited");
    assert_eq!(set_state(&app, &admin, 3, "reactivate").await.expect(200).json()["state"], "invited");
    set_state(&app, &admin, 3, "resend_invitation").await.expect(200);
    app.run_jobs().await;
}

async fn a_stale_change_of_a_user_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user("grace@example.com", Role::Member).await;
    let path = "/api/v1/admin/users/2";
    let tag = app.get(path).cookie(&admin.cookie).send().await.expect(200).header("etag").to_owned();
    let change = |tag: &str, name: &str| {
        let request = app.patch(path).cookie(&admin.cookie).header("if-match", tag);
        request.json(&json!({ "name": name })).send()
    };
    let changed = change(&tag, "Second").await.expect(200);
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(change(&tag, "Third").await.expect(412).code(), "stale");
}

async fn users_of_other_brands_do_not_exist(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for id in [2, 99] {
        app.get(&format!("/api/v1/admin/users/{id}")).cookie(&admin.cookie).send().await.expect(404);
        patch(&app, &admin, id, &json!({ "role": "viewer" })).await.expect(404);
        for act in ["deactivate", "reactivate", "resend_invitation"] {
            set_state(&app, &admin, id, act).await.expect(404);
        }
    }
}
