//! POST /api/v1/reports/{id}/remake

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{
    all_bodies, blobs, busy_yard, count_objects, create_ready_report, download, february, file_key, get,
    incursions_body, post, remake, rows_of,
};
use crate::pdf;
use crate::v1::insights::{Yard, incursion};

on_both_engines!(
    a_remake_says_the_same_after_the_facts_changed,
    every_kind_says_the_same_again,
    a_remake_has_the_names_of_now,
    a_remake_of_what_is_being_made_changes_nothing,
    the_files_stay_until_there_is_a_new_one,
    a_file_with_the_same_bytes_stays,
    a_file_that_is_missing_is_replaced,
    only_its_author_or_who_manages_the_brand_has_it_made_again,
    a_remake_that_fails_leaves_the_report_as_it_was,
);

async fn a_remake_says_the_same_after_the_facts_changed(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("pdf")).await;
    let id = &done["id"];
    let text = pdf::text(&download(&yard, &yard.admin, id, "").await.expect(200).body);
    let data = download(&yard, &yard.admin, id, "?format=json").await.expect(200).json();
    assert_eq!(data["figures"]["incursions"].as_array().unwrap().len(), 4);

    let later = ["2026-02-26T10:00:00Z", "2026-02-27T10:00:00Z"].map(|at| incursion(&yard, at, 40));
    yard.facts.add_incursions(later.to_vec()).await;
    let review = yard.app.post("/api/v1/incursions/1/review").cookie(&yard.admin.cookie);
    review.json(&json!({ "state": "dismissed", "comment": "A drill" })).send().await.expect(200);
    yard.app.clock.advance(Span::minutes(10));
    let again = remake(&yard, &yard.admin, id).await.expect(200).json();
    assert_eq!((&again["state"], &again["percent"]), (&json!("queued"), &json!(0)));
    assert_eq!(yard.app.run_jobs().await, 1);

    let remade = get(&yard, &yard.admin, id).await.expect(200).json();
    assert_eq!(remade["state"], "ready");
    for field in ["seq", "time_zones", "program", "expires_at", "from", "to"] {
        assert_eq!(remade[field], done[field], "{field}");
    }
    assert_eq!(pdf::text(&download(&yard, &yard.admin, id, "").await.expect(200).body), text);
    assert_eq!(download(&yard, &yard.admin, id, "?format=json").await.expect(200).json(), data);
    // A new one knows what has changed.
    let new = create_ready_report(&yard, &yard.admin, &incursions_body("json")).await;
    assert_eq!(rows_of(&yard, &yard.admin, &new["id"]).await.len(), 5);
}

async fn every_kind_says_the_same_again(app: TestApp) {
    let yard = busy_yard(app).await;
    for body in all_bodies() {
        let id = &create_ready_report(&yard, &yard.admin, &body).await["id"];
        let files = async || {
            let data = download(&yard, &yard.admin, id, "?format=json").await.expect(200).json();
            (data, download(&yard, &yard.admin, id, "?format=pdf").await.expect(200).body)
        };
        let before = files().await;
        yard.app.clock.advance(Span::minutes(1));
        remake(&yard, &yard.admin, id).await.expect(200);
        yard.app.run_jobs().await;
        assert_eq!(files().await, before, "{body}");
    }
}

async fn a_remake_has_the_names_of_now(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("json")).await["id"];
    let machines = async || {
        let file = download(&yard, &yard.admin, id, "").await.expect(200).json();
        file["names"]["machine"]["1"].clone()
    };
    assert_eq!(machines().await, "Crane 1");
    let path = "/api/v1/machines/1";
    let rename = yard.app.patch(path).cookie(&yard.admin.cookie).json(&json!({ "name": "Big crane" }));
    rename.send().await.expect(200);
    assert_eq!(machines().await, "Crane 1", "a file stays as it is");
    remake(&yard, &yard.admin, id).await.expect(200);
    yard.app.run_jobs().await;
    assert_eq!(machines().await, "Big crane");
}

async fn a_remake_of_what_is_being_made_changes_nothing(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    assert_eq!(remake(&yard, &yard.admin, &asked["id"]).await.expect(200).json(), asked);
    assert_eq!(yard.app.run_jobs().await, 1);
}

async fn rename_crane(yard: &Yard, name: &str) {
    let path = "/api/v1/machines/1";
    let rename = yard.app.patch(path).cookie(&yard.admin.cookie).json(&json!({ "name": name }));
    rename.send().await.expect(200);
}

async fn the_files_stay_until_there_is_a_new_one(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let id = &done["id"];
    let name_in = async |query: &str, name: &str| {
        download(&yard, &yard.admin, id, query).await.expect(200).text().contains(name)
    };
    assert!(name_in("?format=json", "Crane 1").await);
    rename_crane(&yard, "Big crane").await;
    let queued = remake(&yard, &yard.admin, id).await.expect(200).json();
    assert_eq!(queued["state"], "queued");
    for field in ["download", "size_bytes", "sha256", "expires_at"] {
        assert_eq!(queued[field], done[field], "{field}");
    }
    assert_eq!(count_objects(&yard), 3, "the figures and both files");
    for query in ["", "?format=csv", "?format=json"] {
        assert!(name_in(query, "Crane 1").await, "{query}");
    }
    assert_eq!(download(&yard, &yard.admin, id, "?format=pdf").await.expect(409).code(), "not_ready");
    yard.app.run_jobs().await;
    assert_eq!(count_objects(&yard), 2, "the other format is made again when it is asked for");
    for query in ["", "?format=json"] {
        assert!(name_in(query, "Big crane").await, "{query}");
    }
}

async fn a_file_with_the_same_bytes_stays(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let key = file_key(&yard, 1, "csv").await;
    yard.app.clock.advance(Span::minutes(1));
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    yard.app.run_jobs().await;
    assert_eq!(file_key(&yard, 1, "csv").await, key);
    assert_eq!(get(&yard, &yard.admin, &done["id"]).await.expect(200).json()["sha256"], done["sha256"]);
    assert_eq!(count_objects(&yard), 2);
    rename_crane(&yard, "Big crane").await;
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    yard.app.run_jobs().await;
    assert_ne!(file_key(&yard, 1, "csv").await, key);
    assert_eq!(count_objects(&yard), 2);
}

async fn a_file_that_is_missing_is_replaced(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    let whole = download(&yard, &yard.admin, id, "").await.expect(200).body;
    blobs(&yard).delete(&file_key(&yard, 1, "csv").await).await.unwrap();
    remake(&yard, &yard.admin, id).await.expect(200);
    assert_eq!(download(&yard, &yard.admin, id, "").await.expect(409).code(), "not_ready");
    yard.app.run_jobs().await;
    assert_eq!(download(&yard, &yard.admin, id, "").await.expect(200).body, whole);
}

async fn only_its_author_or_who_manages_the_brand_has_it_made_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let author = yard.app.sign_in_new_user("author@example.com", Role::Member).await;
    let colleague = yard.app.sign_in_new_user("colleague@example.com", Role::Member).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    // It names nobody, so that everyone sees it.
    let summary = json!({ "kind": "project_summary", "project_id": 1, "filters": february() });
    let id = &create_ready_report(&yard, &author, &summary).await["id"];
    let refuse = async || {
        for user in [&colleague, &viewer] {
            get(&yard, user, id).await.expect(200);
            assert_eq!(remake(&yard, user, id).await.expect(403).code(), "not_yours");
        }
    };
    refuse().await;
    for user in [&author, &yard.admin] {
        assert_eq!(remake(&yard, user, id).await.expect(200).json()["state"], "queued");
        // Not even that nothing happens.
        refuse().await;
        yard.app.run_jobs().await;
    }
    let log = yard.app.get("/api/v1/admin/audit_log?action=report.remade").cookie(&yard.admin.cookie);
    assert_eq!(log.send().await.expect(200).json()["data"].as_array().unwrap().len(), 2);
}

async fn a_remake_that_fails_leaves_the_report_as_it_was(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({ "kind": "site_safety", "format": "pdf", "worksite_id": 1, "filters": february() });
    let done = create_ready_report(&yard, &yard.admin, &body).await;
    let file = download(&yard, &yard.admin, &done["id"], "").await.expect(200).body;
    rename_crane(&yard, "Big crane").await;
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    // Here the document has too many pages.
    let strict = yard.app.second_instance_with(|config| config.reports.max_pages = 1).await;
    assert_eq!(strict.run_jobs().await, 1);
    let shown = get(&yard, &yard.admin, &done["id"]).await.expect(200).json();
    for field in ["state", "percent", "sha256", "download", "finished_at", "expires_at"] {
        assert_eq!(shown[field], done[field], "{field}");
    }
    assert_eq!((&shown["reason"], &shown["reason_text"]), (&Value::Null, &Value::Null));
    assert_eq!(download(&yard, &yard.admin, &done["id"], "").await.expect(200).body, file);
    // The next one can succeed.
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    yard.app.run_jobs().await;
    let text = pdf::text(&download(&yard, &yard.admin, &done["id"], "").await.expect(200).body);
    assert!(text.contains("Big crane"), "{text}");
}
