//! The links in mails

use std::collections::BTreeSet;

use domain::{Role, Span};
use http::Method;
use mail::Email;
use serde_json::json;
use testkit::TestApp;

use super::{assert_calm, links, sign_in_and_arrive};
use crate::browser::{Look, browse};
use crate::console::submit;
use crate::jobs::alerts::world::AlertWorld;

with_and_without_script!(each_link_in_each_mail_opens_its_page);

/// What mails link to.
const LINKED: [&str; 10] = [
    "/alerts/",
    "/incursions/",
    "/invitations/",
    "/links/alerts/",
    "/links/reports/",
    "/machines/",
    "/password-resets/",
    "/people/",
    "/sites/",
    "/visitors/",
];

/// Has a schedule mail its report as a link.
async fn mail_report(world: &AlertWorld) -> Vec<Email> {
    let schedule = json!({
        "name": "Yard", "kind": "incursions", "format": "csv", "cadence": "daily", "time": "07:30",
        "recipients": ["ada@example.com"], "paused": true,
    });
    let id = world.post("report_schedules", &schedule).await["id"].clone();
    // Here every file is too large to be attached.
    let small = world.app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
    let run = small.post(&format!("/api/v1/report_schedules/{id}/run")).cookie(&world.admin.cookie);
    run.send().await.expect(201);
    small.run_jobs().await;
    small.mails()
}

/// Has alarms mailed that are about machines, people and visits, that they have cleared, and a test.
async fn mail_alarms(world: &AlertWorld) {
    let recipients = json!([{ "user_id": 1 }]);
    let by_machine = json!({ "split_by": "machine", "notify_on_clear": true, "recipients": recipients });
    let rule = world.rule(&by_machine).await;
    world.rule(&json!({ "name": "People", "split_by": "person", "recipients": recipients })).await;
    let visits =
        json!({ "name": "Visits", "metric": "visitor_overstay", "threshold": 15, "recipients": recipients });
    world.rule(&visits).await;
    let until = world.app.clock.now() + Span::minutes(10);
    let visit = json!({ "name": "Grace", "tag_serial": "T-9", "worksite_id": 1, "expected_until": until });
    world.post("visitor_sessions", &visit).await;
    world.incursions(1, 3).await;
    world.mails().await;
    world.advance_minutes(61);
    world.mails().await;
    let test = format!("/api/v1/alerts/{rule}/test");
    world.send(&world.member, Method::POST, &test, None).await.expect(200);
    world.app.run_jobs().await;
}

/// Has somebody invited, somebody who has an account elsewhere as well, and a password reset.
async fn mail_account_links(world: &AlertWorld) {
    world.app.create_user_in_brand("Other", "eve@example.com", Role::Viewer).await;
    for email in ["grace@example.com", "eve@example.com"] {
        world.post("admin/users", &json!({ "email": email, "name": "Grace", "role": "member" })).await;
    }
    let fields = [("email", "viewer@example.com")];
    submit(&world.app, "", "/password-resets", &fields).await.expect(303);
    world.app.run_jobs().await;
}

async fn each_link_in_each_mail_opens_its_page(app: TestApp, look: Look) {
    let world = AlertWorld::new(app).await;
    let mut mails = mail_report(&world).await;
    mail_alarms(&world).await;
    mail_account_links(&world).await;
    mails.extend(world.app.mails());
    let found: BTreeSet<String> = mails.iter().flat_map(links).collect();
    for linked in LINKED {
        assert!(found.iter().any(|link| link.starts_with(linked)), "{linked}: {found:?}");
    }
    let browser = browse(&world.app, look).await;
    for link in &found {
        if link.starts_with("/links/reports/") {
            // A file, which browsers save.
            let file = world.app.get(link).send().await.expect(200);
            assert!(file.header("content-disposition").starts_with("attachment"), "{link}");
            continue;
        }
        browser.open(link).await;
        if browser.place().await.starts_with("/sign-in") {
            sign_in_and_arrive(&browser, "admin@example.com", link).await;
        }
        assert_eq!((browser.place().await, browser.status().await), (link.clone(), 200));
    }
    assert_calm(&browser, &[]).await;
}
