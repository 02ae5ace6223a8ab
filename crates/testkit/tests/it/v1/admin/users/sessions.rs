//! DELETE /api/v1/admin/users/{id}/sessions

use domain::Role;
use serde_json::json;
use testkit::{PASSWORD, TestApp, on_both_engines};

on_both_engines!(an_admin_ends_all_sessions_of_a_user);

async fn an_admin_ends_all_sessions_of_a_user(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "theirs@example.com", Role::Admin).await;
    let who = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200).json();
    let path = format!("/api/v1/admin/users/{}/sessions", who["user"]["id"]);
    app.delete(&path).cookie(&theirs.cookie).send().await.expect(404);
    app.delete(&path).cookie(&ada.cookie).send().await.expect(403);
    for ended in [2, 0] {
        let reply = app.delete(&path).cookie(&admin.cookie).send().await.expect(200);
        assert_eq!(reply.json(), json!({ "sessions_ended": ended }));
    }
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(401);
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
    let acts = testkit::query_raw_sql(
        app.database(),
        "select details from audit_log where action = 'user.sessions_ended' order by id",
    )
    .await;
    assert_eq!(acts, ["{\"sessions_ended\":2}", "{\"sessions_ended\":0}"]);
}
