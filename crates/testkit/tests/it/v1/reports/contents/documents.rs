//! Every kind of document, as a screen reader finds it, and as it is read in German.

use domain::ReportKind;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::languages::prefer;
use super::{Document, document, february, kiosk, month, refill_quota, test_tag};
use crate::v1::insights::Yard;

on_both_engines!(every_kind_has_a_structure, every_kind_has_german_texts);

/// Words of English texts that are no German ones, and in no name of the yard.
const ENGLISH: &str = "the of and with were than from that which this are by not is to incursions machine machines people \
    previous period rate tags worksites";

/// A document of a kind: what it is about, and its title in German.
struct Wanted {
    kind: &'static str,
    body: Value,
    german: &'static str,
}

/// The month, with a tag that was tested, and with a visitor, who came at noon of 1 March.
pub(super) async fn full_month(app: TestApp) -> Yard {
    let yard = month(app).await;
    let kiosk = kiosk(&yard).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-20T06:30:00Z", true).await;
    let visit = json!({ "name": "Grace", "tag_serial": "V-1", "worksite_id": 1 });
    let check_in = yard.app.post("/api/v1/visitor_sessions").cookie(&yard.admin.cookie).json(&visit);
    check_in.send().await.expect(201);
    yard
}

/// The day of the visit.
pub(super) fn first_of_march() -> Value {
    json!({ "filters": { "from": "2026-03-01", "to": "2026-03-02" } })
}

pub(super) fn pivot() -> Value {
    json!({ "pivot": {
        "rows": ["worksite", "machine"], "columns": ["zone"],
        "measures": ["incursions", "acknowledgement_rate"], "filters": february(),
    } })
}

/// Has a site report about February written in a language, and returns its id.
async fn write_site_report(yard: &Yard, language: &str) -> Value {
    let attributes = json!({ "from": "2026-02-01", "to": "2026-03-01", "language": language });
    let relationships = json!({ "worksite": { "data": { "type": "worksites", "id": "1" } } });
    let data = json!({ "type": "site_reports", "attributes": attributes, "relationships": relationships });
    let call = yard.app.post("/api/v2/advanced_insights/site_reports").bearer(&yard.admin.jwt);
    let call = call.bytes("application/vnd.api+json", json!({ "data": data }).to_string());
    let made = call.send().await.expect(201).json();
    yard.app.run_jobs().await;
    json!(made["data"]["id"].as_str().unwrap().parse::<i64>().unwrap())
}

/// Returns a document of every kind.
async fn wanted(yard: &Yard, language: &str) -> Vec<Wanted> {
    let site_report = write_site_report(yard, language).await;
    let of = |kind, body, german| Wanted { kind, body, german };
    let all = vec![
        of("site_safety", json!({ "worksite_id": 1 }), "Sicherheit am Standort"),
        of("project_summary", json!({ "project_id": 1 }), "Projektübersicht"),
        of("machine", json!({ "machine_id": 1 }), "Maschinenbericht"),
        of("person", json!({ "person_id": 1 }), "Personenbericht"),
        of("tag_test_compliance", json!({}), "Einhaltung der Transpondertests"),
        of("visitor_log", first_of_march(), "Besucherliste"),
        of("incursions", json!({}), "Annäherungen"),
        of("pivot", pivot(), "Pivot-Tabelle"),
        of("site_report", json!({ "site_report_id": site_report }), "Standortbericht"),
    ];
    let is_there = |kind: &ReportKind| all.iter().any(|wanted| wanted.kind == kind.as_str());
    assert!(ReportKind::ALL.iter().all(is_there));
    all
}

async fn make(yard: &Yard, wanted: &Wanted) -> Document {
    refill_quota(yard);
    document(yard, &yard.admin, wanted.kind, &wanted.body).await
}

async fn every_kind_has_a_structure(app: TestApp) {
    let yard = full_month(app).await;
    for wanted in wanted(&yard, "en").await {
        let report = make(&yard, &wanted).await;
        insta::assert_snapshot!(format!("structure_{}", wanted.kind), report.structure);
        // The text of the other kinds is recorded where they are tested.
        if wanted.kind == "site_report" {
            insta::assert_snapshot!("text_site_report", report.text);
        }
    }
}

async fn every_kind_has_german_texts(app: TestApp) {
    let yard = full_month(app).await;
    prefer(&yard, &json!({ "language": "de" })).await;
    for wanted in wanted(&yard, "de").await {
        let report = make(&yard, &wanted).await;
        report.says(&[wanted.german, "Über diesen Bericht", "Zeitraum"]);
        let words: Vec<&str> = report.in_order.split(|letter: char| !letter.is_alphabetic()).collect();
        let english: Vec<&str> = ENGLISH.split_whitespace().filter(|word| words.contains(word)).collect();
        assert!(english.is_empty(), "{english:?} in {}: {}", wanted.kind, report.text);
        insta::assert_snapshot!(format!("german_{}", wanted.kind), report.text);
    }
}
