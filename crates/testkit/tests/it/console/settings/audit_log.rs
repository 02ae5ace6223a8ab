//! /settings/audit-log

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::console::open;

on_both_engines!(
    what_was_done_is_written_in_words,
    the_log_is_filtered_paged_and_taken_along,
    only_admins_of_the_whole_brand_read_it,
);

const PATH: &str = "/settings/audit-log";

async fn what_was_done_is_written_in_words(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let project = json!({ "name": "<b>North</b>" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&project).send().await.expect(201);
    let change = json!({ "name": "Acme & Sons", "closes_visits": true });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&change).send().await.expect(200);
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("Brand: changed") && page.says("brand.changed") && page.says("Session: started"));
    assert!(page.says("closes_visits: false → true") && page.says("name: Acme → Acme & Sons"));
    assert!(!page.says("low_battery_percent"), "what stays is not written");
    assert!(page.says("Project: added") && page.says("127.0.0.1"));
    let links = page.links();
    let expected = [
        "/settings/audit-log?actor_kind=user&actor_id=1",
        "/settings/audit-log?action=brand.changed",
        "/settings/audit-log?target_kind=project&target_id=1",
    ];
    for link in expected {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
        open(&app, &admin.cookie, link).await.expect(200);
    }
    let german = json!({ "locale": "de" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&german).send().await.expect(200);
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("Marke: geändert") && page.says("Sitzung: gestartet"));
}

async fn the_log_is_filtered_paged_and_taken_along(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(24 * 60));
    let cookie = app.log_in_v1(&admin.email, testkit::PASSWORD).await.expect(201).session_cookie();
    let rows = async |query: &str| {
        let csv = app.get(&format!("{PATH}?format=csv{query}")).cookie(&cookie).send().await.expect(200);
        assert!(csv.header("content-type").starts_with("text/csv"));
        csv.text().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let all = rows("").await;
    assert!(all.len() > 4, "{all:?}");
    assert!(all[0].contains("session.started") && all[0].contains("2026-03-02T12:00:30Z"), "{all:?}");
    for (query, count) in [
        ("&action=session.started", 3),
        // The last day is included.
        ("&since=2026-03-02", 1),
        ("&until=2026-03-01&action=session.started", 2),
        ("&since=2026-03-01&until=2026-03-02&action=session.started", 3),
        ("&actor_kind=user&actor_id=1&action=session.started", 3),
        ("&target_kind=webhook", 0),
    ] {
        assert_eq!(rows(query).await.len(), count, "{query}");
    }
    let page = open(&app, &cookie, &format!("{PATH}?limit=2&action=session.started")).await.expect(200);
    assert_eq!(page.field("action").as_deref(), Some("session.started"));
    let next = page.links().into_iter().find(|link| link.contains("cursor=")).unwrap();
    assert!(open(&app, &cookie, &next).await.expect(200).says("1 row"));
    // Blank fields of the form filter nothing, and the pickers of other pages stay in the address.
    let path =
        format!("{PATH}?since=&until=&actor_kind=&actor_id=&action=&target_kind=&target_id=&period=7d");
    assert!(open(&app, &cookie, &path).await.expect(200).says("Session: started"));
    assert!(
        open(&app, &cookie, &format!("{PATH}?target_kind=webhook")).await.expect(200).says("Nothing matches")
    );
    for wrong in ["since=soon", "actor_id=x", "colour=red"] {
        open(&app, &cookie, &format!("{PATH}?{wrong}")).await.expect(400);
    }
}

async fn only_admins_of_the_whole_brand_read_it(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let member = app.sign_in_new_user("max@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    open(&app, &bob.cookie, PATH).await.expect(403);
    open(&app, &member.cookie, PATH).await.expect(403);
    assert!(!open(&app, &theirs.cookie, PATH).await.expect(200).says("Project: added"));
    // Who cannot open it is not offered it.
    for cookie in [&bob.cookie, &member.cookie] {
        let links = open(&app, cookie, "/settings").await.expect(200).links();
        assert!(!links.iter().any(|link| link == PATH), "{links:?}");
    }
}
