//! GET /api/v1/worksites/{id}

use domain::Role;
use http::Method;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{assign, create_project, create_site, get, patch, restrict};

on_both_engines!(what_is_not_yours_does_not_exist, what_you_have_already_is_not_sent_again);

async fn what_is_not_yours_does_not_exist(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for name in ["North", "South"] {
        create_project(&app, &ada, name).await;
    }
    for (name, of) in [("East", Some(1)), ("West", Some(2)), ("Without", None)] {
        create_site(&app, &ada, name, of).await;
    }
    let absent = get(&app, &eve, "/99").await.expect(404).json();
    assert_eq!(get(&app, &eve, "/1").await.expect(404).json()["detail"], absent["detail"]);
    for path in ["/1/geo", "/1/terms", "/1/assignments", "/x", "/x/geo"] {
        get(&app, &eve, path).await.expect(404);
    }
    patch(&app, &eve, 1, &json!({ "name": 7 })).await.expect(404);
    app.delete("/api/v1/worksites/1").cookie(&eve.cookie).send().await.expect(404);
    assign(&app, &eve, Method::PUT, (1, 1), "").await.expect(404);
    assign(&app, &eve, Method::DELETE, (1, 1), "").await.expect(404);

    // A restricted user sees the worksites of their own projects.
    restrict(&app, &ada, &[1]).await;
    get(&app, &ada, "/1").await.expect(200);
    for hidden in [2, 3] {
        get(&app, &ada, &format!("/{hidden}")).await.expect(404);
        get(&app, &ada, &format!("/{hidden}/geo")).await.expect(404);
        patch(&app, &ada, hidden, &json!({ "name": "Mine" })).await.expect(404);
    }
    let list = get(&app, &ada, "?include_total=true").await.expect(200).json();
    assert_eq!((&list["page"]["total"], &list["data"][0]["name"]), (&json!(1), &json!("East")));
}

async fn what_you_have_already_is_not_sent_again(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    let get =
        |tag: &str| app.get("/api/v1/worksites/1").cookie(&ada.cookie).header("if-none-match", tag).send();
    assert!(get("\"1\"").await.expect(304).body.is_empty());
    patch(&app, &ada, 1, &json!({ "name": "West" })).await.expect(200);
    assert_eq!(get("\"1\"").await.expect(200).json()["name"], "West");
}
