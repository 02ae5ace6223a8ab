//! GET /api/v1/projects/{id}

use domain::{ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(what_is_not_yours_does_not_exist, what_you_have_already_is_not_sent_again);

async fn what_is_not_yours_does_not_exist(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for name in ["Bridge", "Tunnel"] {
        app.post("/api/v1/projects")
            .cookie(&ada.cookie)
            .json(&json!({ "name": name }))
            .send()
            .await
            .expect(201);
    }
    let absent = app.get("/api/v1/projects/99").cookie(&eve.cookie).send().await.expect(404).json();
    let hidden = app.get("/api/v1/projects/1").cookie(&eve.cookie).send().await.expect(404).json();
    assert_eq!(hidden["detail"], absent["detail"]);
    app.patch("/api/v1/projects/1")
        .cookie(&eve.cookie)
        .json(&json!({ "name": "Mine" }))
        .send()
        .await
        .expect(404);
    // 404 comes before errors in the body, which would reveal that the project exists.
    app.patch("/api/v1/projects/1").cookie(&eve.cookie).json(&json!({ "name": 7 })).send().await.expect(404);
    app.get("/api/v1/projects/x").cookie(&ada.cookie).send().await.expect(404);

    // A restricted user sees only their own projects.
    let email = domain::EmailAddress::parse(&ada.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(2)])).await.unwrap();
    app.get("/api/v1/projects/1").cookie(&ada.cookie).send().await.expect(404);
    app.patch("/api/v1/projects/1")
        .cookie(&ada.cookie)
        .json(&json!({ "name": "Mine" }))
        .send()
        .await
        .expect(404);
    app.get("/api/v1/projects/2").cookie(&ada.cookie).send().await.expect(200);
    let list =
        app.get("/api/v1/projects?include_total=true").cookie(&ada.cookie).send().await.expect(200).json();
    assert_eq!((&list["page"]["total"], &list["data"][0]["name"]), (&json!(1), &json!("Tunnel")));
}

async fn what_you_have_already_is_not_sent_again(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    app.post("/api/v1/projects")
        .cookie(&ada.cookie)
        .json(&json!({ "name": "Bridge" }))
        .send()
        .await
        .expect(201);
    let get =
        |tag: &str| app.get("/api/v1/projects/1").cookie(&ada.cookie).header("if-none-match", tag).send();
    for tag in ["\"1\"", "W/\"1\"", "\"7\", \"1\"", "*"] {
        let reply = get(tag).await.expect(304);
        assert!(reply.body.is_empty());
        assert_eq!((reply.header("etag"), reply.header("content-type")), ("\"1\"", ""));
    }
    for tag in ["\"2\"", "1", "\"\"", "junk"] {
        get(tag).await.expect(200);
    }
}
