//! GET /api/v1/machines/{id}

use domain::{DeviceKind, EmailAddress, ProjectId, Role};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{create_site, get, patch, post};

on_both_engines!(what_is_not_yours_does_not_exist, the_base_station_on_it_is_shown);

async fn what_is_not_yours_does_not_exist(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
    create_site(&app, &ada, "East", Some(1)).await;
    create_site(&app, &ada, "Without a project", None).await;
    for (name, at) in [("Crane", Some(1)), ("Loader", None), ("Roller", Some(2))] {
        post(&app, &ada, &json!({ "name": name, "kind": "other", "worksite_id": at })).await.expect(201);
    }
    let absent = get(&app, &eve, 99).await.expect(404).json();
    assert_eq!(get(&app, &eve, 1).await.expect(404).json()["detail"], absent["detail"]);
    patch(&app, &eve, 1, &json!({ "name": 7 })).await.expect(404);
    for verb in ["archive", "restore"] {
        let path = format!("/api/v1/machines/1/{verb}");
        app.post(&path).cookie(&eve.cookie).send().await.expect(404);
    }
    app.get("/api/v1/machines/x").cookie(&ada.cookie).send().await.expect(404);

    // Machines without a project are visible to unrestricted users only.
    let email = EmailAddress::parse(&ada.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    get(&app, &ada, 1).await.expect(200);
    get(&app, &ada, 2).await.expect(404);
    get(&app, &ada, 3).await.expect(404);
    let list = app.get("/api/v1/machines?include_total=true").cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(list.json()["page"]["total"], 1);
    app.app.restrict_user(&email, Some(&[])).await.unwrap();
    get(&app, &ada, 1).await.expect(404);
}

async fn the_base_station_on_it_is_shown(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &json!({ "name": "Crane", "kind": "crane" })).await.expect(201);
    app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let insert = "insert into installations (brand_id, base_station_id, machine_id, from_at, to_at, created_at, updated_at)
                  values (1, 1, 1, 5, 9, 1, 1), (1, 1, 1, 10, null, 1, 1)";
    testkit::execute_raw_sql(app.database(), insert).await.unwrap();
    let shown = get(&app, &ada, 1).await.expect(200).json()["base_station"].clone();
    assert_eq!(shown, json!({ "id": 1, "serial": "BS-1" }));
}
