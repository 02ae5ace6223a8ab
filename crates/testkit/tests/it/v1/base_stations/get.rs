//! GET /api/v1/base_stations/{id}

use domain::{EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{PATH, create_two_projects, get, install, patch, register_stations};

on_both_engines!(what_is_not_yours_does_not_exist, it_is_always_sent_anew_and_its_version_is_told);

async fn what_is_not_yours_does_not_exist(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    create_two_projects(&app, &admin).await;
    register_stations(&app, &admin, &["BS-1", "BS-2", "BS-3"]).await;
    for id in 1..=2 {
        install(&app, &admin, id, &json!({ "machine_id": id })).await.expect(200);
    }
    let parts = ["", "/status", "/zones", "/installations"];
    let absent = get(&app, &eve, "/99").await.expect(404).json();
    for part in parts {
        let hidden = get(&app, &eve, &format!("/1{part}")).await.expect(404).json();
        assert_eq!(hidden["detail"], absent["detail"]);
        get(&app, &bob, &format!("/1{part}")).await.expect(200);
    }
    // 404 comes before errors in the body, which would reveal that the station exists.
    patch(&app, &eve, 1, &json!({ "serial": 7 })).await.expect(404);
    install(&app, &eve, 1, &json!({ "machine_id": "x" })).await.expect(404);
    get(&app, &admin, "/x").await.expect(404);

    // Restricted users see the stations on machines in their projects.
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(2)])).await.unwrap();
    for part in parts {
        get(&app, &bob, &format!("/1{part}")).await.expect(404);
        get(&app, &bob, &format!("/2{part}")).await.expect(200);
        get(&app, &bob, &format!("/3{part}")).await.expect(404);
    }
    let list = get(&app, &bob, "?include_total=true").await.expect(200).json();
    assert_eq!((&list["page"]["total"], &list["data"][0]["serial"]), (&json!(1), &json!("BS-2")));
    // When the machine leaves the project, its station becomes invisible too.
    app.patch("/api/v1/machines/2")
        .cookie(&admin.cookie)
        .json(&json!({ "worksite_id": 1 }))
        .send()
        .await
        .expect(200);
    get(&app, &bob, "/2").await.expect(404);
}

async fn it_is_always_sent_anew_and_its_version_is_told(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    register_stations(&app, &admin, &["BS-1"]).await;
    // The status changes with the clock, so conditional requests are not answered with 304.
    let path = format!("{PATH}/1");
    let reply =
        app.get(&path).cookie(&admin.cookie).header("if-none-match", "\"1\"").send().await.expect(200);
    assert_eq!(reply.header("etag"), "\"1\"");
}
