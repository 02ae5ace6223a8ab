//! /settings

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::console::open;

on_both_engines!(each_role_is_offered_what_it_may_open, settings_are_in_the_readers_language);

const FOR_ADMINS: [&str; 7] =
    ["tester-devices", "gateways", "users", "service-accounts", "webhooks", "brand", "audit-log"];

async fn each_role_is_offered_what_it_may_open(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let offered = async |cookie: &str| {
        let links = open(&app, cookie, "/settings").await.expect(200).links();
        links.into_iter().filter(|link| link.starts_with("/settings/")).collect::<Vec<_>>()
    };
    let all = offered(&admin.cookie).await;
    for path in FOR_ADMINS {
        assert!(all.contains(&format!("/settings/{path}")), "{path}: {all:?}");
    }
    let few = offered(&viewer.cookie).await;
    let for_all = ["base-stations", "tags", "projects", "machines", "people"];
    for path in for_all.into_iter().chain(["preferences", "password", "second-factor", "sessions"]) {
        assert!(few.contains(&format!("/settings/{path}")), "{path}: {few:?}");
    }
    for path in FOR_ADMINS {
        assert!(!few.contains(&format!("/settings/{path}")), "{path}");
        open(&app, &viewer.cookie, &format!("/settings/{path}")).await.expect(403);
    }
    // Whatever is offered opens.
    for (cookie, links) in [(&admin.cookie, &all), (&viewer.cookie, &few)] {
        for link in links {
            open(&app, cookie, link).await.expect(200);
        }
    }
}

async fn settings_are_in_the_readers_language(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    assert!(open(&app, &admin.cookie, "/settings").await.expect(200).says("Tester devices"));
    let german = json!({ "locale": "de-DE" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&german).send().await.expect(200);
    let page = open(&app, &admin.cookie, "/settings").await.expect(200);
    assert!(page.says("Testgeräte") && page.says("Einstellungen"));
}
