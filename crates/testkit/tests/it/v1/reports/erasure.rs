//! Reports that name someone who is erased.

use domain::{PersonId, Role, TagId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{
    blobs, busy_yard, count_objects, create_ready_report, download, file_key, get, incursions_body, post,
};
use crate::pdf;
use crate::v1::insights::{Yard, incursion};

on_both_engines!(
    files_with_the_name_go_at_once_and_are_made_again_without_it,
    a_report_that_was_not_begun_never_has_the_name,
    a_filter_names_people_too,
);

async fn erase(yard: &Yard, person: i64) {
    let path = format!("/api/v1/people/{person}/erase");
    yard.app.post(&path).cookie(&yard.admin.cookie).send().await.expect(200);
}

async fn files_with_the_name_go_at_once_and_are_made_again_without_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let mut of_bob = incursion(&yard, "2026-02-26T10:00:00Z", 5);
    of_bob.tag = TagId(2);
    of_bob.attribution.pedestrian = Some(PersonId(2));
    yard.facts.add_incursions(vec![of_bob]).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let with_filter = |field: &str, id: i64| {
        let mut body = incursions_body("json");
        body["filters"][field] = json!([id]);
        body
    };
    let named = create_ready_report(&yard, &yard.admin, &incursions_body("pdf")).await;
    download(&yard, &yard.admin, &named["id"], "?format=json").await.expect(200);
    let other = create_ready_report(&yard, &yard.admin, &with_filter("pedestrian_id", 2)).await;
    let nameless = create_ready_report(&yard, &viewer, &incursions_body("json")).await;
    let before = pdf::text(&download(&yard, &yard.admin, &named["id"], "").await.expect(200).body);
    assert!(before.contains("Ada") && before.contains("Bob"), "{before}");
    let removed = file_key(&yard, 1, "pdf").await;
    assert_eq!(count_objects(&yard), 7);

    erase(&yard, 1).await;
    assert_eq!(count_objects(&yard), 5, "both files of the first report are gone");
    assert_eq!(blobs(&yard).head(&removed).await.unwrap(), None);
    assert_eq!(get(&yard, &yard.admin, &named["id"]).await.expect(200).json()["state"], "queued");
    assert_eq!(download(&yard, &yard.admin, &named["id"], "").await.expect(409).code(), "not_ready");
    for (user, report) in [(&yard.admin, &other), (&viewer, &nameless)] {
        assert_eq!(get(&yard, user, &report["id"]).await.expect(200).json(), *report);
        download(&yard, user, &report["id"], "").await.expect(200);
    }

    yard.app.run_jobs().await;
    let remade = get(&yard, &yard.admin, &named["id"]).await.expect(200).json();
    for field in ["state", "seq", "expires_at", "names_people"] {
        assert_eq!(remade[field], named[field], "{field}");
    }
    let after = pdf::text(&download(&yard, &yard.admin, &named["id"], "").await.expect(200).body);
    assert!(!after.contains("Ada") && after.contains("Person 1") && after.contains("Bob"), "{after}");
    let data = download(&yard, &yard.admin, &named["id"], "?format=json").await.expect(200);
    assert_eq!(data.json()["names"]["pedestrian"], json!({ "1": "Person 1", "2": "Bob" }));
    // Erasing the other one finds the reports that still name him.
    erase(&yard, 2).await;
    for report in [&named, &other] {
        assert_eq!(get(&yard, &yard.admin, &report["id"]).await.expect(200).json()["state"], "queued");
    }
    yard.app.run_jobs().await;
    for report in [&named, &other] {
        let data = download(&yard, &yard.admin, &report["id"], "?format=json").await.expect(200).text();
        assert!(!data.contains("Bob"), "{data}");
    }
}

async fn a_report_that_was_not_begun_never_has_the_name(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    erase(&yard, 1).await;
    yard.app.run_jobs().await;
    let csv = download(&yard, &yard.admin, &asked["id"], "").await.expect(200).text();
    assert!(!csv.contains("Ada") && csv.contains("Person 1"), "{csv}");
}

async fn a_filter_names_people_too(app: TestApp) {
    let yard = busy_yard(app).await;
    // There are no facts about Cyd, and the table of a summary names nobody.
    let bodies: [Value; 2] = [
        json!({ "kind": "project_summary", "format": "pdf", "project_id": 1, "person_id": 3 }),
        json!({ "kind": "person", "format": "pdf", "person_id": 3 }),
    ];
    let mut reports = Vec::new();
    for body in &bodies {
        let done = create_ready_report(&yard, &yard.admin, body).await;
        assert_eq!(done["names_people"], true);
        let text = pdf::text(&download(&yard, &yard.admin, &done["id"], "").await.expect(200).body);
        assert!(text.contains("Cyd"), "{text}");
        reports.push(done);
    }
    erase(&yard, 3).await;
    yard.app.run_jobs().await;
    for report in &reports {
        let text = pdf::text(&download(&yard, &yard.admin, &report["id"], "").await.expect(200).body);
        assert!(!text.contains("Cyd") && text.contains("Person 3"), "{text}");
    }
}
