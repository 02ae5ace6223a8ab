//! /reports and /reports/{id}: progress, files, remake, delete, and who sees them

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{HOSTILE, done, order_site_safety, rename_site};
use crate::console::follow::follow_numbers;
use crate::console::{open, submit};
use crate::v1::reports::{busy_yard, create_ready_report, incursions_body};

on_both_engines!(
    a_report_is_followed_until_it_is_ready,
    the_numbers_of_a_person_lead_to_their_role,
    files_are_shown_or_saved,
    the_list_is_filtered_paged_and_taken_along,
    a_report_is_made_again_and_deleted,
    a_report_is_cancelled,
    others_read_it_and_do_not_delete_it,
    what_is_not_covered_does_not_exist,
    it_speaks_german_and_names_are_never_markup,
    the_overview_names_the_last_day_of_a_report,
);

async fn a_report_is_followed_until_it_is_ready(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    assert!(open(&yard.app, cookie, "/reports").await.expect(200).says("No reports yet"));
    assert_eq!(order_site_safety(&yard, &yard.admin).await.expect(303).location(), "/reports/1");
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("Waiting") && page.says("01/02/2026 to 28/02/2026"));
    let html = page.reply.text();
    assert!(html.contains("http-equiv=\"refresh\"") && html.contains("data-live-every"));
    assert!(!page.links().iter().any(|link| link.contains("/file")), "{:?}", page.links());
    open(&yard.app, cookie, "/reports/1/file").await.expect(409);
    yard.app.run_jobs().await;
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("Site safety: Site 1") && page.says("Ready") && page.says("Key figures"));
    let html = page.reply.text();
    assert!(!html.contains("http-equiv=\"refresh\"") && !html.contains("data-live-every"));
    let links = page.links();
    for link in [
        "/reports/1/file?format=pdf&inline=true",
        "/reports/1/file?format=json",
        "/sites/1",
        "/incursions?period=custom&from=2026-02-01&to=2026-03-01&worksite_id=1",
    ] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    // The numbers are those of the file: three incursions at worksite 1, one of them acknowledged.
    assert!(page.says("Incursions3") && page.says("1 of 3"), "{}", page.text());
    let behind = open(&yard.app, cookie, links.iter().find(|link| link.starts_with("/incursions?")).unwrap());
    assert!(behind.await.expect(200).says("3 rows"));
}

async fn the_numbers_of_a_person_lead_to_their_role(app: TestApp) {
    let yard = busy_yard(app).await;
    // Ada was on foot four times; Dan drove once.
    for (person, number) in [(1, 1), (4, 2)] {
        let february = json!({ "from": "2026-02-01", "to": "2026-03-01" });
        let body = json!({ "kind": "person", "person_id": person, "filters": february });
        create_ready_report(&yard, &yard.admin, &body).await;
        let path = format!("/reports/{number}");
        let page = open(&yard.app, &yard.admin.cookie, &path).await.expect(200);
        let links = page.links();
        for role in ["pedestrian_id", "operator_id"] {
            let link = format!("/incursions?period=custom&from=2026-02-01&to=2026-03-01&{role}={person}");
            assert!(links.contains(&link), "{link}: {links:?}");
        }
        assert!(!links.iter().any(|link| link.contains("person_id=")), "{links:?}");
        assert!(follow_numbers(&yard.app, &yard.admin.cookie, &path).await > 1);
    }
}

async fn files_are_shown_or_saved(app: TestApp) {
    let yard = busy_yard(app).await;
    create_ready_report(&yard, &yard.admin, &incursions_body("pdf")).await;
    let get = |path: &str| yard.app.get(path).cookie(&yard.admin.cookie).send();
    let shown = get("/reports/1/file?format=pdf&inline=true").await.expect(200);
    assert!(shown.header("content-disposition").starts_with("inline; filename=\"incursions-"));
    assert_eq!(shown.header("content-type"), "application/pdf");
    assert!(shown.header("content-security-policy").starts_with("default-src 'none'; object-src 'self'"));
    let saved = get("/reports/1/file").await.expect(200);
    assert!(saved.header("content-disposition").starts_with("attachment; filename=\"incursions-"));
    // A table is never shown, whatever a link asks for.
    let table = get("/reports/1/file?format=csv&inline=true").await.expect(200);
    assert!(table.header("content-disposition").starts_with("attachment"));
    let call = yard.app.get("/reports/1/file").cookie(&yard.admin.cookie).header("range", "bytes=0-4");
    assert_eq!(call.send().await.expect(206).text(), "%PDF-");
    open(&yard.app, &yard.admin.cookie, "/reports/1/file?format=doc").await.expect(400);
}

async fn the_list_is_filtered_paged_and_taken_along(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    let all = open(&yard.app, cookie, "/reports").await.expect(200);
    assert!(all.says("Site safety") && all.says("Site 1") && all.says("everything") && all.says("2 rows"));
    for (query, found) in [
        ("kind=site_safety", vec!["/reports/2"]),
        ("site_id=1", vec!["/reports/2"]),
        ("state=ready", vec!["/reports/2", "/reports/1"]),
        ("state=failed", vec![]),
        ("mine=true&kind=incursions", vec!["/reports/1"]),
        ("schedule_id=4", vec![]),
    ] {
        let page = open(&yard.app, cookie, &format!("/reports?{query}")).await.expect(200);
        let links = page.links();
        let is_report = |link: &&String| ["/reports/1", "/reports/2"].contains(&link.as_str());
        let rows: Vec<&String> = links.iter().filter(is_report).collect();
        assert_eq!(rows, found, "{query}");
        assert_eq!(page.says("No reports match"), found.is_empty(), "{query}");
    }
    let first = open(&yard.app, cookie, "/reports?limit=1").await.expect(200);
    let next = first.links().into_iter().find(|link| link.contains("cursor=")).unwrap();
    assert!(open(&yard.app, cookie, &next).await.expect(200).links().contains(&"/reports/1".to_owned()));
    let csv = yard.app.get("/reports?format=csv").cookie(cookie).send().await.expect(200);
    assert_eq!(csv.text().lines().count(), 3);
    open(&yard.app, cookie, "/reports?kind=poem").await.expect(400);
}

async fn a_report_is_made_again_and_deleted(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    let answer = submit(&yard.app, cookie, "/reports/1/remake", &[]).await.expect(303);
    assert_eq!((answer.location().as_str(), done(&answer)), ("/reports/1", "report-remade"));
    // The old files stay until the new one is there.
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("It is being made again.") && page.links().iter().any(|link| link.contains("/file")));
    yard.app.run_jobs().await;
    let answer = submit(&yard.app, cookie, "/reports/1/delete", &[]).await.expect(303);
    assert_eq!((answer.location().as_str(), done(&answer)), ("/reports", "report-deleted"));
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("The report was deleted.") && page.says("No longer stored"));
    assert!(page.links().contains(&"/reports/new?kind=site_safety&worksite_id=1".to_owned()));
    let refused = submit(&yard.app, cookie, "/reports/1/remake", &[]).await.expect(409);
    assert!(!refused.text().is_empty());
    open(&yard.app, cookie, "/reports/1/file").await.expect(404);
}

async fn a_report_is_cancelled(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    assert!(open(&yard.app, cookie, "/reports/1").await.expect(200).says("Cancel the report"));
    // A form that was brought back after signing in does nothing.
    submit(&yard.app, cookie, "/reports/1/delete", &[("_resumed", "1")]).await.expect(303);
    assert!(open(&yard.app, cookie, "/reports/1").await.expect(200).says("Waiting"));
    submit(&yard.app, cookie, "/reports/1/delete", &[]).await.expect(303);
    yard.app.run_jobs().await;
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("Failed") && page.says("cancelled before it was finished"));
}

async fn others_read_it_and_do_not_delete_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    let page = open(&yard.app, &member.cookie, "/reports/1").await.expect(200);
    assert!(page.says("Key figures") && !page.says("Delete") && !page.says("Make it again"));
    for path in ["/reports/1/delete", "/reports/1/remake"] {
        submit(&yard.app, &member.cookie, path, &[]).await.expect(403);
    }
    assert!(open(&yard.app, &member.cookie, "/reports/1").await.expect(200).says("Ready"));
}

async fn what_is_not_covered_does_not_exist(app: TestApp) {
    let yard = busy_yard(app).await;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    let covered = yard.restricted("first@example.com", Role::Member, &[1]).await;
    open(&yard.app, &covered.cookie, "/reports/1").await.expect(200);
    let elsewhere = yard.restricted("second@example.com", Role::Member, &[2]).await;
    let nameless = yard.app.sign_in_new_user("view@example.com", Role::Viewer).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    for user in [&elsewhere, &nameless, &stranger] {
        for path in ["/reports/1", "/reports/1/file", "/reports/1/file?format=json"] {
            open(&yard.app, &user.cookie, path).await.expect(404);
        }
        submit(&yard.app, &user.cookie, "/reports/1/delete", &[]).await.expect(404);
        assert!(open(&yard.app, &user.cookie, "/reports").await.expect(200).says("No reports yet"));
    }
    open(&yard.app, &yard.admin.cookie, "/reports/x").await.expect(404);
}

async fn it_speaks_german_and_names_are_never_markup(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    rename_site(&yard, HOSTILE).await;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    for path in ["/reports", "/reports/1", "/reports/new?kind=site_safety", "/reports/site-reports"] {
        assert!(open(&yard.app, cookie, path).await.expect(200).says(HOSTILE), "{path}");
    }
    let german = json!({ "locale": "de-DE" });
    yard.app.patch("/api/v1/admin/brand").cookie(cookie).json(&german).send().await.expect(200);
    let page = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(page.says("Sicherheit am Standort") && page.says("Wichtigste Zahlen") && page.says("PDF öffnen"));
    let list = open(&yard.app, cookie, "/reports").await.expect(200);
    assert!(list.says("Berichte") && list.says("Fertig"));
    assert!(
        open(&yard.app, cookie, "/reports/new").await.expect(200).says("Wovon soll der Bericht handeln?")
    );
}

/// The end of a period is exclusive, and people read the last day.
async fn the_overview_names_the_last_day_of_a_report(app: TestApp) {
    let yard = busy_yard(app).await;
    order_site_safety(&yard, &yard.admin).await.expect(303);
    yard.app.run_jobs().await;
    let page = open(&yard.app, &yard.admin.cookie, "/").await.expect(200);
    assert!(page.says("01/02/2026 to 28/02/2026"), "{}", page.text());
}
