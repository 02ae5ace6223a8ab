//! The language, formats and paper of a report.

use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{document, month, refill_quota};
use crate::pdf;
use crate::v1::insights::{Yard, set_time_zone};

on_both_engines!(
    a_report_is_in_the_language_and_the_formats_of_its_author,
    time_zones_are_named_in_german,
    the_paper_is_that_of_the_request_or_of_the_region,
);

pub(super) async fn prefer(yard: &Yard, attributes: &Value) {
    let path = "/api/v2/user_preferences";
    let found = yard.app.get(path).bearer(&yard.admin.jwt).send().await.expect(200).json();
    let body = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": attributes,
    } });
    let call = yard.app.request(Method::PATCH, path).bearer(&yard.admin.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(200);
}

async fn a_report_is_in_the_language_and_the_formats_of_its_author(app: TestApp) {
    let yard = month(app).await;
    prefer(&yard, &json!({ "language": "de-AT", "date_format": "YYYY-MM-DD" })).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&[
        "Sicherheit am Standort",
        "2026-02-01 bis 2026-02-28, Zeitzone UTC",
        "Die Annäherungen je Betriebsstunde stiegen von 2,40 auf 9,00.",
        "Crane 1 war an 30 von 45 Annäherungen beteiligt.",
        "Prüfen Sie die Zonengrößen und den Arbeitsbereich von Crane 1.",
        "Die meisten Annäherungen fielen auf Montag, 07:00 bis 08:00 Uhr: 6 von 45.",
        "Methode und Begriffe",
        "Seite 1 von",
    ]);
    report.does_not_say(&["Incursions", "Page 1", "acknowledged"]);
    insta::assert_snapshot!("text", report.text);
}

async fn time_zones_are_named_in_german(app: TestApp) {
    let yard = month(app).await;
    prefer(&yard, &json!({ "language": "de" })).await;
    let report = document(&yard, &yard.admin, "incursions", &json!({})).await;
    report.says(&[", Zeitzone UTC"]);
    // Worksite 2 has incursions, too.
    set_time_zone(&yard, "2", "Australia/Brisbane").await;
    refill_quota(&yard);
    let report = document(&yard, &yard.admin, "incursions", &json!({})).await;
    report.says(&[", Zeitzonen Australia/Brisbane und UTC"]);
    report.does_not_say(&["Zeitzone Australia"]);
}

async fn the_paper_is_that_of_the_request_or_of_the_region(app: TestApp) {
    let yard = month(app).await;
    let size = async |paper: Option<&str>| {
        refill_quota(&yard);
        let mut more = json!({ "worksite_id": 1 });
        if let Some(paper) = paper {
            more["paper"] = json!(paper);
        }
        let said = pdf::properties(&document(&yard, &yard.admin, "site_safety", &more).await.bytes);
        said.lines().find(|line| line.starts_with("Page size")).unwrap_or_default().to_owned()
    };
    assert!(size(None).await.contains("A4"));
    assert!(size(Some("letter")).await.contains("letter"));
    prefer(&yard, &json!({ "language": "en-US" })).await;
    assert!(size(None).await.contains("letter"));
    assert!(size(Some("a4")).await.contains("A4"));
}
