//! /reports/site-reports

use domain::Role;
use serde_json::Value;
use testkit::{TestApp, on_both_engines};

use super::{done, get};
use crate::console::{Page, open, submit};
use crate::v1::insights::Yard;
use crate::v1::reports::busy_yard;

on_both_engines!(
    a_site_report_is_ordered_and_read_with_its_facts,
    a_site_report_becomes_a_document,
    faults_stand_beside_their_fields,
    a_site_report_is_cancelled_or_deleted_by_its_author,
    other_projects_and_brands_do_not_exist,
);

const PATH: &str = "/reports/site-reports";

async fn order(yard: &Yard, more: &[(&str, &str)]) -> Page {
    let mut fields =
        vec![("worksite_id", "1"), ("from", "2026-02-01"), ("to", "2026-02-28"), ("language", "en")];
    fields.extend(more);
    submit(&yard.app, &yard.admin.cookie, PATH, &fields).await
}

/// Returns the attributes that the API shows.
async fn written(yard: &Yard) -> Value {
    let call = yard.app.get("/api/v2/advanced_insights/site_reports/1").bearer(&yard.admin.jwt);
    call.send().await.expect(200).json()["data"]["attributes"].take()
}

async fn a_site_report_is_ordered_and_read_with_its_facts(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    let list = open(&yard.app, cookie, PATH).await.expect(200);
    assert!(list.says("Nothing was written yet"));
    let once = list.field("_once").unwrap();
    for _ in 0..2 {
        let answer = order(&yard, &[("_once", once.as_str())]).await.expect(303);
        assert_eq!(
            (answer.location().as_str(), done(&answer)),
            ("/reports/site-reports/1", "site-report-ordered")
        );
    }
    let waiting = open(&yard.app, cookie, "/reports/site-reports/1").await.expect(200);
    assert!(waiting.says("Waiting") && waiting.reply.text().contains("http-equiv=\"refresh\""));
    yard.app.run_jobs().await;
    let page = open(&yard.app, cookie, "/reports/site-reports/1").await.expect(200);
    let report = written(&yard).await;
    let sentences = report["sentences"].as_array().unwrap();
    assert!(!sentences.is_empty(), "{report}");
    for sentence in sentences {
        assert!(page.says(sentence["text"].as_str().unwrap()), "{sentence}: {}", page.text());
    }
    // Each fact is on the page, below the sentence that tells it or among the others.
    let facts = report["facts"].as_array().unwrap();
    assert!(!facts.is_empty(), "{report}");
    for fact in facts {
        assert!(page.says(fact["text"].as_str().unwrap()), "{fact}");
    }
    assert!(page.reply.text().contains("<details><summary>The"), "facts are one click away");
    assert!(page.says("How sure") && page.says("written by fixed rules"));
    let behind = "/incursions?period=custom&from=2026-02-01&to=2026-03-01&worksite_id=1";
    assert!(page.links().iter().any(|link| link == behind), "{:?}", page.links());
    let list = open(&yard.app, cookie, "/reports/site-reports?site_id=1&state=ready").await.expect(200);
    assert!(list.says("Site 1") && list.says("rules") && list.says("1 row"));
    assert!(open(&yard.app, cookie, "/reports/site-reports?site_id=2").await.expect(200).says("match"));
}

async fn a_site_report_becomes_a_document(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    order(&yard, &[]).await.expect(303);
    yard.app.run_jobs().await;
    let page = open(&yard.app, cookie, "/reports/site-reports/1").await.expect(200);
    let once = page.field("_once").unwrap();
    let fields = [("format", "pdf"), ("_once", once.as_str())];
    for _ in 0..2 {
        let answer = submit(&yard.app, cookie, "/reports/site-reports/1/render", &fields).await.expect(303);
        assert_eq!((answer.location().as_str(), done(&answer)), ("/reports/1", "report-ordered"));
    }
    yard.app.run_jobs().await;
    let report = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(report.says("Ready") && report.links().contains(&"/reports/site-reports/1".to_owned()));
    assert_eq!(get(&yard, "/api/v1/reports/1").await["site_report_id"], 1);
    // The form of reports offers it too, and tells it from one about the same days in another language.
    let german = [("worksite_id", "1"), ("from", "2026-02-01"), ("to", "2026-02-28"), ("language", "de")];
    submit(&yard.app, cookie, PATH, &german).await.expect(303);
    yard.app.run_jobs().await;
    let form = open(&yard.app, cookie, "/reports/new?kind=site_report").await.expect(200);
    assert!(form.says("Site 1, 01/02/2026 to 28/02/2026, English (no. 1)"));
    assert!(form.says("Site 1, 01/02/2026 to 28/02/2026, German (no. 2)"));
}

async fn faults_stand_beside_their_fields(app: TestApp) {
    let yard = busy_yard(app).await;
    let fields = [("worksite_id", ""), ("from", "2026-02-10"), ("language", "fr")];
    let page = submit(&yard.app, &yard.admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("worksite_id").is_some() && page.fault("language").is_some());
    assert_eq!(page.field("from").as_deref(), Some("2026-02-10"));
    let fields = [("worksite_id", "1"), ("from", "2026-02-10"), ("to", "2026-02-01")];
    let page = submit(&yard.app, &yard.admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("to").is_some() && page.says("Nothing was written yet"));
}

async fn a_site_report_is_cancelled_or_deleted_by_its_author(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    order(&yard, &[]).await.expect(303);
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    submit(&yard.app, &member.cookie, "/reports/site-reports/1/delete", &[]).await.expect(403);
    submit(&yard.app, cookie, "/reports/site-reports/1/delete", &[]).await.expect(303);
    yard.app.run_jobs().await;
    assert!(open(&yard.app, cookie, "/reports/site-reports/1").await.expect(200).says("There is no text"));
    order(&yard, &[]).await.expect(303);
    yard.app.run_jobs().await;
    let shown = open(&yard.app, &member.cookie, "/reports/site-reports/2").await.expect(200);
    assert!(!shown.says("Delete") && shown.says("Make the document"));
    let deleted = submit(&yard.app, cookie, "/reports/site-reports/2/delete", &[]).await.expect(303);
    assert_eq!((deleted.location().as_str(), done(&deleted)), (PATH, "site-report-deleted"));
    let gone = open(&yard.app, cookie, "/reports/site-reports/2").await.expect(200);
    assert!(gone.says("There is no text") && !gone.says("Make the document"));
}

async fn other_projects_and_brands_do_not_exist(app: TestApp) {
    let yard = busy_yard(app).await;
    order(&yard, &[]).await.expect(303);
    yard.app.run_jobs().await;
    let elsewhere = yard.restricted("second@example.com", Role::Admin, &[2]).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    for user in [&elsewhere, &stranger] {
        open(&yard.app, &user.cookie, "/reports/site-reports/1").await.expect(404);
        for act in ["render", "delete"] {
            let path = format!("/reports/site-reports/1/{act}");
            submit(&yard.app, &user.cookie, &path, &[]).await.expect(404);
        }
    }
    // Viewers read it without names.
    let viewer = yard.app.sign_in_new_user("view@example.com", Role::Viewer).await;
    let page = open(&yard.app, &viewer.cookie, "/reports/site-reports/1").await.expect(200);
    assert!(!page.says("Ada"));
}
