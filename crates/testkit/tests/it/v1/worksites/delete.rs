//! DELETE /api/v1/worksites/{id}

use domain::{DeviceKind, Role};
use http::Method;
use serde_json::json;
use testkit::{Reply, TestApp, on_both_engines};

use super::{assign, create_machine, create_site, get, patch};

on_both_engines!(
    a_site_without_history_is_gone,
    a_site_with_history_is_archived,
    a_site_where_a_tester_device_stands_is_archived,
    a_stale_deletion_is_refused,
);

async fn delete(app: &TestApp, cookie: &str) -> Reply {
    app.delete("/api/v1/worksites/1").cookie(cookie).send().await
}

async fn a_site_without_history_is_gone(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    patch(&app, &ada, 1, &json!({ "time_zone": "UTC", "effective_from": "2026-01-01T00:00:00Z" }))
        .await
        .expect(200);
    let body = delete(&app, &ada.cookie).await.expect(200).json();
    assert_eq!(
        (&body["deleted"], &body["name"], &body["archived_at"]),
        (&json!(true), &json!("East"), &json!(null))
    );
    delete(&app, &ada.cookie).await.expect(404);
    get(&app, &ada, "/1").await.expect(404);
    get(&app, &ada, "/1/terms").await.expect(404);
}

async fn a_site_with_history_is_archived(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    create_machine(&app, &ada, "Crane").await;
    assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(200);
    let body = delete(&app, &ada.cookie).await.expect(200).json();
    assert_eq!((&body["deleted"], &body["archived_at"]), (&json!(false), &json!("2026-03-01T12:00:30Z")));
    assert_eq!(delete(&app, &ada.cookie).await.expect(200).json(), body, "doing so twice is fine");
    assert_eq!(get(&app, &ada, "/1/assignments?open=true").await.json()["data"], json!([]));
    get(&app, &ada, "/1").await.expect(200);
    patch(&app, &ada, 1, &json!({ "archived": false })).await.expect(200);
}

async fn a_site_where_a_tester_device_stands_is_archived(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    testkit::execute_raw_sql(app.database(), "update tester_devices set worksite_id = 1").await.unwrap();
    assert_eq!(delete(&app, &ada.cookie).await.expect(200).json()["deleted"], false);
}

async fn a_stale_deletion_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    patch(&app, &ada, 1, &json!({ "name": "West" })).await.expect(200);
    let delete =
        |tag: &str| app.delete("/api/v1/worksites/1").cookie(&ada.cookie).header("if-match", tag).send();
    assert_eq!(delete("\"1\"").await.expect(412).code(), "stale");
    delete("\"2\"").await.expect(200);
}
