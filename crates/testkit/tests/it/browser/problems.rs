//! Pages that do not exist, in a browser. SQLite only, like all tests in a browser.

use domain::Role;
use testkit::{Engine, TestApp};

use super::pages::{PAGES, faults_of};
use super::seed::Seed;
use super::{Look, PHONE, browse};

#[test]
fn records_of_another_brand_do_not_exist() {
    testkit::run(Engine::Sqlite, |_: Engine| async move {
        let seed = Seed::new().await;
        let app = &seed.world.app;
        let stranger = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
        let browser = browse(app, Look { window: PHONE, ..Look::default() }).await;
        browser.take_session(&stranger.cookie).await;
        let mut faults = Vec::new();
        for (_, address, _) in PAGES.iter().filter(|(pattern, ..)| pattern.contains('{')) {
            let path = seed.fill(&seed.admin, address);
            faults.extend(faults_of(&browser, &path, 404, PHONE.0).await);
            if !browser.says("There is nothing here").await {
                faults.push(format!("{path} says something else: {}", browser.text().await));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

#[test]
fn an_unknown_path_leads_back_to_the_overview() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
        let browser = browse(&app, Look::default()).await;
        let path = "/nothing/here";
        // For a stranger, and for someone who is signed in.
        assert_eq!(faults_of(&browser, path, 404, 1_280).await, [""; 0]);
        assert!(browser.says("There is nothing here").await, "{}", browser.text().await);
        browser.take_session(&ada.cookie).await;
        assert_eq!(faults_of(&browser, path, 404, 1_280).await, [""; 0]);
        assert!(browser.says("There is nothing here").await, "{}", browser.text().await);
        browser.click("main a[href=\"/\"]").await;
        browser.arrive("/").await;
        assert_eq!(browser.status().await, 200);
    });
}
