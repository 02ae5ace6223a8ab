//! Names that are markup, that are very long or that are written from right to left, on every page. SQLite only, like all tests in a
//! browser.

use serde_json::{Value, json};
use testkit::Engine;

use super::pages::{PAGES, faults_of, too_wide};
use super::seed::Seed;
use super::{Look, PHONE, browse};

const DESKTOP: (u32, u32) = (1_280, 900);

#[test]
fn names_that_are_markup_run_nothing() {
    open_every_page(r#"<script>hostile=1</script><img src=x onerror="hostile=1"></a>'"></title>&amp;{{1}}"#);
}

#[test]
fn a_hundred_emoji_fit_every_page() {
    open_every_page(&"🏗".repeat(100));
}

#[test]
fn names_from_right_to_left_fit_every_page() {
    open_every_page(&"موقعالبناءالشمالي".repeat(5));
}

/// Gives everything this name and opens every page in a wide and in a narrow window.
fn open_every_page(name: &str) {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        rename_everything(&seed, name).await;
        let browser = browse(&seed.world.app, Look { window: DESKTOP, ..Look::default() }).await;
        browser.take_session(&seed.admin.cookie).await;
        let mut faults = Vec::new();
        for (_, address, _) in PAGES {
            let path = seed.fill(&seed.admin, address);
            // A dialog would refuse the next command.
            faults.extend(faults_of(&browser, &path, 200, DESKTOP.0).await);
            if browser.run("return typeof window.hostile", &[]).await != "undefined" {
                faults.push(format!("{path} runs a name"));
            }
            browser.set_window(PHONE).await;
            faults
                .extend(too_wide(&browser, PHONE.0).await.into_iter().map(|fault| format!("{path} {fault}")));
            browser.set_window(DESKTOP).await;
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

async fn rename_everything(seed: &Seed, name: &str) {
    let world = &seed.world;
    let named = json!({ "name": name });
    for path in [
        "admin/brand",
        "projects/1",
        "worksites/1",
        "base_stations/1",
        "people/1",
        "admin/gateways/{gateway}",
        "admin/tester_devices/{tester_device}",
        "admin/service_accounts/{service_account}",
        "webhooks/{webhook}",
        "alerts/{alert}",
        "report_schedules/{schedule}",
    ] {
        world.patch(&seed.fill(&seed.admin, path), &named).await;
    }
    // With the one who is signed in, whose name is on every page.
    let users = world.get("/api/v1/admin/users").await;
    for user in users["data"].as_array().unwrap() {
        world.patch(&format!("admin/users/{}", user["id"]), &named).await;
    }
    let machine = json!({ "name": name, "model": name, "manufacturer": name });
    world.patch("machines/1", &machine).await;
    let visit = seed.fill(&seed.admin, "visitor_sessions/{visit}");
    world.patch(&visit, &json!({ "company": name, "notes": name })).await;
    for kind in ["machine", "person"] {
        world.post("notes", &json!({ "entity_type": kind, "entity_id": 1, "body": name })).await;
    }
    world.post("base_stations/1/messages", &json!({ "body": name })).await;
    rename_view(seed, &named).await;
}

async fn rename_view(seed: &Seed, named: &Value) {
    let path = seed.fill(&seed.admin, "/api/v2/saved_views/{view}");
    let view = json!({ "type": "saved_views", "id": seed.fill(&seed.admin, "{view}"), "attributes": named });
    let call = seed.world.app.patch(&path).bearer(&seed.world.admin.jwt);
    let body = json!({ "data": view }).to_string();
    call.bytes("application/vnd.api+json", body).send().await.expect(200);
}
