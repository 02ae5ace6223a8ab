//! A report from its request to its deletion.

use std::sync::mpsc;

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::{
    PATH, all_bodies, blobs, busy_yard, count_objects, create_ready_report, delete, download, file_key, get,
    incursions_body, post, remake, rows_of,
};
use crate::pdf;
use crate::v1::insights::incursion;

on_both_engines!(
    a_file_is_not_there_before_it_is,
    another_format_says_the_same,
    a_file_that_is_missing_is_made_again,
    what_is_cancelled_is_not_made,
    what_is_deleted_goes,
    only_its_author_or_who_manages_the_brand_deletes_it,
    a_repeat_makes_nothing_new,
    what_its_workers_gave_up_is_told,
);

async fn a_file_is_not_there_before_it_is(app: TestApp) {
    let yard = busy_yard(app).await;
    let reply = post(&yard, &yard.admin, &incursions_body("pdf")).await.expect(201);
    let asked = reply.json();
    assert_eq!(reply.header("location"), format!("{PATH}/{}", asked["id"]));
    for field in [
        "size_bytes",
        "sha256",
        "seq",
        "time_zones",
        "program",
        "download",
        "finished_at",
        "expires_at",
        "reason",
    ] {
        assert_eq!(asked[field], Value::Null, "{field}");
    }
    assert_eq!((&asked["kind"], &asked["format"]), (&json!("incursions"), &json!("pdf")));
    assert_eq!((&asked["state"], &asked["percent"]), (&json!("queued"), &json!(0)));
    assert_eq!(download(&yard, &yard.admin, &asked["id"], "").await.expect(409).code(), "not_ready");
    assert_eq!(
        download(&yard, &yard.admin, &asked["id"], "?format=json").await.expect(409).code(),
        "not_ready"
    );
    yard.app.clock.advance(Span::seconds(1));
    assert_eq!(yard.app.run_jobs().await, 1);
    let done = get(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    assert_eq!((&done["state"], &done["percent"]), (&json!("ready"), &json!(100)));
    assert_eq!((&done["created_at"], &done["updated_at"]), (&asked["created_at"], &done["finished_at"]));
    assert_eq!((&done["from"], &done["to"]), (&json!("2026-02-01"), &json!("2026-03-01")));
    let list = yard.app.get("/api/v1/incursions").cookie(&yard.admin.cookie).send().await.expect(200).json();
    assert_eq!((&done["seq"], &done["time_zones"]), (&list["seq"], &json!(["UTC"])));
    assert!(done["program"].as_str().unwrap().starts_with("Keepclear "), "{done}");
    let file = download(&yard, &yard.admin, &asked["id"], "").await.expect(200);
    assert!(file.body.starts_with(b"%PDF-"));
    assert_eq!(done["size_bytes"], file.body.len());
    assert_eq!(done["sha256"], crate::video::sha256(&file.body));
    assert_eq!(count_objects(&yard), 2, "the figures and a file");
}

async fn another_format_says_the_same(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    yard.facts.add_incursions(vec![incursion(&yard, "2026-02-26T10:00:00Z", 40)]).await;
    let csv = download(&yard, &yard.admin, id, "").await.expect(200).text();
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert_eq!(rows_of(&yard, &yard.admin, id).await.len(), 4);
    let first = download(&yard, &yard.admin, id, "?format=pdf").await.expect(200);
    assert_eq!(count_objects(&yard), 4, "the figures and a file for each format");
    // It was stored when it was made.
    yard.app.clock.advance(Span::minutes(1));
    let second = download(&yard, &yard.admin, id, "?format=pdf").await.expect(200);
    assert_eq!(first.header("etag"), second.header("etag"));
    assert_eq!(first.body, second.body);
    assert_eq!(count_objects(&yard), 4);
}

async fn a_file_that_is_missing_is_made_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    let whole = download(&yard, &yard.admin, id, "").await.expect(200).body;
    let key = file_key(&yard, 1, "csv").await;
    blobs(&yard).delete(&key).await.unwrap();
    assert_eq!(count_objects(&yard), 1);
    assert_eq!(download(&yard, &yard.admin, id, "").await.expect(200).body, whole);
    assert_eq!(count_objects(&yard), 2);
    assert_ne!(file_key(&yard, 1, "csv").await, key);
    // With another name in it, it has another length than was announced.
    let path = "/api/v1/machines/1";
    let rename = yard.app.patch(path).cookie(&yard.admin.cookie).json(&json!({ "name": "Big crane" }));
    rename.send().await.expect(200);
    blobs(&yard).delete(&file_key(&yard, 1, "csv").await).await.unwrap();
    assert_eq!(download(&yard, &yard.admin, id, "").await.expect(409).code(), "not_ready");
    assert!(download(&yard, &yard.admin, id, "").await.expect(200).text().contains("Big crane"));
}

async fn what_is_cancelled_is_not_made(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    let ended = delete(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("failed"), &json!("cancelled")));
    assert!(ended["reason_text"].as_str().is_some_and(|text| text.ends_with('.')), "{ended}");
    assert_eq!(yard.app.run_jobs().await, 1);
    assert_eq!(get(&yard, &yard.admin, &asked["id"]).await.expect(200).json(), ended);
    assert_eq!(download(&yard, &yard.admin, &asked["id"], "").await.expect(404).code(), "report_failed");
    assert_eq!(remake(&yard, &yard.admin, &asked["id"]).await.expect(409).code(), "no_figures");
    assert_eq!(delete(&yard, &yard.admin, &asked["id"]).await.expect(200).json(), ended, "twice is fine");
    assert_eq!(count_objects(&yard), 0);
}

async fn what_is_deleted_goes(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    download(&yard, &yard.admin, &done["id"], "?format=json").await.expect(200);
    assert_eq!(count_objects(&yard), 3);
    let ended = delete(&yard, &yard.admin, &done["id"]).await.expect(200).json();
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("expired"), &json!("deleted")));
    assert_eq!((&ended["download"], &ended["size_bytes"]), (&Value::Null, &Value::Null));
    assert_eq!(count_objects(&yard), 0);
    assert_eq!(download(&yard, &yard.admin, &done["id"], "").await.expect(404).code(), "report_expired");
    assert_eq!(remake(&yard, &yard.admin, &done["id"]).await.expect(409).code(), "no_figures");
    for action in ["report.requested", "report.deleted"] {
        let path = format!("/api/v1/admin/audit_log?action={action}");
        let log = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json();
        assert_eq!(log["data"][0]["target"], json!({ "kind": "report", "id": done["id"] }), "{action}");
    }
}

async fn only_its_author_or_who_manages_the_brand_deletes_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let author = yard.app.sign_in_new_user("author@example.com", Role::Member).await;
    let colleague = yard.app.sign_in_new_user("colleague@example.com", Role::Member).await;
    let first = &create_ready_report(&yard, &author, &incursions_body("csv")).await["id"];
    let second = &create_ready_report(&yard, &author, &incursions_body("csv")).await["id"];
    get(&yard, &colleague, first).await.expect(200);
    assert_eq!(delete(&yard, &colleague, first).await.expect(403).code(), "not_yours");
    for (user, id) in [(&author, first), (&yard.admin, second)] {
        assert_eq!(delete(&yard, user, id).await.expect(200).json()["state"], "expired");
    }
}

async fn a_repeat_makes_nothing_new(app: TestApp) {
    let yard = busy_yard(app).await;
    let send = |body: Value| {
        let call = yard.app.post(PATH).cookie(&yard.admin.cookie).header("idempotency-key", "once");
        call.json(&body).send()
    };
    let first = send(incursions_body("csv")).await.expect(201);
    let second = send(incursions_body("csv")).await.expect(201);
    assert_eq!((first.json(), first.header("location")), (second.json(), second.header("location")));
    assert_eq!(send(incursions_body("xlsx")).await.expect(422).code(), "idempotency_key_reused");
    assert_eq!(yard.app.run_jobs().await, 1);
}

async fn what_its_workers_gave_up_is_told(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    let given_up = "update jobs set state = 'failed', finished_at = 0";
    testkit::execute_raw_sql(yard.app.database(), given_up).await.unwrap();
    yard.app.allow_leftover_jobs();
    yard.app.runner().reconcile().await.unwrap();
    let shown = get(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("failed"), &json!("given_up")));
    // One that has been ready is as it was.
    let kept = get(&yard, &yard.admin, &done["id"]).await.expect(200).json();
    for field in ["state", "seq", "sha256", "download", "reason", "reason_text"] {
        assert_eq!(kept[field], done[field], "{field}");
    }
    download(&yard, &yard.admin, &done["id"], "").await.expect(200);
}

/// Returns the data and the text of a report of each kind.
fn files_on(engine: Engine) -> Vec<(Value, String)> {
    let (send, receive) = mpsc::channel();
    testkit::run(engine, |app: TestApp| async move {
        let yard = busy_yard(app).await;
        for body in all_bodies() {
            let id = &create_ready_report(&yard, &yard.admin, &body).await["id"];
            let data = download(&yard, &yard.admin, id, "?format=json").await.expect(200).json();
            let document = download(&yard, &yard.admin, id, "?format=pdf").await.expect(200);
            send.send((data, pdf::text(&document.body))).unwrap();
        }
    });
    receive.iter().collect()
}

#[test]
fn the_same_facts_give_the_same_figures_on_both_engines() {
    let (sqlite, postgres) = (files_on(Engine::Sqlite), files_on(Engine::Postgres));
    assert_eq!(sqlite.len(), all_bodies().len());
    for (left, right) in sqlite.iter().zip(&postgres) {
        assert_eq!(left, right);
    }
}
