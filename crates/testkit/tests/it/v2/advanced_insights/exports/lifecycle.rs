//! An export from its request to its expiry.

use blobs::{Blobs, Key, Upload};
use domain::{BrandId, ExportId, Random, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines, query_raw_sql};

use super::reading::ndjson;
use super::{
    PATH, busy_yard, count_objects, create_finished_export, delete, download, export_file, get,
    incursions_body, post,
};

on_both_engines!(
    a_file_is_not_there_before_it_is,
    an_export_waits_for_the_history,
    a_file_can_be_fetched_in_parts_and_has_its_name,
    files_go_when_they_were_kept_long_enough,
    what_is_cancelled_is_not_made,
    a_file_that_is_deleted_goes,
    the_list_has_the_newest_first,
    a_repeat_makes_nothing_new,
    what_its_workers_gave_up_is_told,
    erasing_a_person_takes_files_with_names_away,
    files_that_belong_to_nothing_go_after_a_day,
);

const DAY: Span = Span::minutes(24 * 60);

async fn a_file_is_not_there_before_it_is(app: TestApp) {
    let yard = busy_yard(app).await;
    let reply = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    let asked = reply.json();
    assert_eq!(reply.header("location"), format!("{PATH}/{}", asked["id"]));
    for field in ["size_bytes", "sha256", "rows", "seq", "download", "finished_at", "expires_at", "reason"] {
        assert_eq!(asked[field], Value::Null, "{field}");
    }
    assert_eq!((&asked["kind"], &asked["format"]), (&json!("incursions"), &json!("csv")));
    assert_eq!(asked["updated_at"], asked["created_at"]);
    assert_eq!(download(&yard, &yard.admin, &asked["id"]).await.expect(409).code(), "not_ready");
    yard.app.clock.advance(Span::seconds(1));
    yard.app.run_jobs().await;
    let done = get(&yard, &yard.admin, &asked["id"]).await;
    assert_eq!((&done["created_at"], &done["updated_at"]), (&asked["created_at"], &done["finished_at"]));
    assert_eq!((&done["rows"], &done["state"]), (&json!(4), &json!("done")));
    let seq =
        yard.app.get("/api/v1/incursions").cookie(&yard.admin.cookie).send().await.json()["seq"].clone();
    assert_eq!(done["seq"], seq);
    assert_eq!((&done["from"], &done["to"]), (&asked["from"], &asked["to"]));
}

async fn an_export_waits_for_the_history(app: TestApp) {
    let yard = busy_yard(app).await;
    let loaded = app::LoadingHistory { complete_from: domain::Day::parse("2026-02-22").unwrap(), percent: 8 };
    yard.app.app.note_loading_history(BrandId(1), loaded);
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    let state = async || query_raw_sql(yard.app.database(), "select state from exports").await;
    // More often than an export that fails is tried, and without its waits, which become longer.
    for _ in 0..6 {
        assert_eq!(yard.app.run_jobs().await, 1);
        assert_eq!(state().await, ["queued"]);
        yard.app.clock.advance(Span::seconds(5));
    }
    yard.app.app.note_complete_history(BrandId(1));
    yard.app.run_jobs().await;
    assert_eq!(state().await, ["done"]);
}

async fn a_file_can_be_fetched_in_parts_and_has_its_name(app: TestApp) {
    let yard = busy_yard(app).await;
    for (format, media_type) in [
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("csv", "text/csv; charset=utf-8; header=present"),
        ("ndjson", "application/x-ndjson"),
        ("parquet", "application/vnd.apache.parquet"),
    ] {
        let body = json!({ "kind": "incursions", "format": format, "filters": { "from": "2026-02-01", "to": "2026-03-01" } });
        let done = create_finished_export(&yard, &yard.admin, &body).await;
        let name = format!("incursions-2026-02-01-to-2026-03-01-{}.{format}", done["id"]);
        assert_eq!((&done["file_name"], &done["content_type"]), (&json!(name), &json!(media_type)));
        let whole = download(&yard, &yard.admin, &done["id"]).await.expect(200);
        assert_eq!(whole.header("content-type"), media_type);
        assert_eq!(whole.header("content-disposition"), format!("attachment; filename=\"{name}\""));
        assert_eq!(whole.header("etag"), format!("\"{}\"", done["sha256"].as_str().unwrap()));
        let path = done["download"].as_str().unwrap();
        let part = yard.app.get(path).bearer(&yard.admin.jwt).header("range", "bytes=2-9").send().await;
        let part = part.expect(206);
        assert_eq!(part.body, &whole.body[2..10]);
        assert_eq!(part.header("content-range"), format!("bytes 2-9/{}", whole.body.len()));
        let known = yard.app.get(path).bearer(&yard.admin.jwt).header("if-none-match", whole.header("etag"));
        known.send().await.expect(304);
        let packed =
            yard.app.get(path).bearer(&yard.admin.jwt).header("accept-encoding", "gzip").send().await;
        assert_eq!(packed.expect(200).body, whole.body, "ranges refer to the stored bytes");
    }
}

async fn files_go_when_they_were_kept_long_enough(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_finished_export(&yard, &yard.admin, &incursions_body("csv")).await;
    assert_eq!(count_objects(&yard), 1);
    let days = async |days: i64| {
        yard.app.clock.advance(Span::from_micros(DAY.micros() * days));
        yard.app.runner().reconcile().await.unwrap();
    };
    days(6).await;
    assert_eq!(count_objects(&yard), 1);
    days(1).await;
    assert_eq!(count_objects(&yard), 0);
    let login = yard.app.log_in_v2("admin@example.com", testkit::PASSWORD).await.expect(200);
    let jwt = login.header("accesstoken");
    let path = format!("{PATH}/{}", done["id"]);
    let shown = yard.app.get(&path).bearer(jwt).send().await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &Value::Null));
    assert_eq!((&shown["download"], &shown["rows"]), (&Value::Null, &json!(4)));
    let gone = yard.app.get(&format!("{path}/download")).bearer(jwt).send().await.expect(404);
    assert_eq!(gone.code(), "export_expired");
    days(91).await;
    let login = yard.app.log_in_v2("admin@example.com", testkit::PASSWORD).await.expect(200);
    yard.app.get(&path).bearer(login.header("accesstoken")).send().await.expect(404);
}

async fn what_is_cancelled_is_not_made(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    let ended = delete(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("failed"), &json!("cancelled")));
    assert_eq!(yard.app.run_jobs().await, 1);
    assert_eq!(get(&yard, &yard.admin, &asked["id"]).await, ended);
    assert_eq!(download(&yard, &yard.admin, &asked["id"]).await.expect(404).code(), "export_failed");
    assert_eq!(delete(&yard, &yard.admin, &asked["id"]).await.expect(200).json(), ended, "twice is fine");
    assert_eq!(count_objects(&yard), 0);
}

async fn a_file_that_is_deleted_goes(app: TestApp) {
    let yard = busy_yard(app).await;
    let done = create_finished_export(&yard, &yard.admin, &incursions_body("csv")).await;
    let ended = delete(&yard, &yard.admin, &done["id"]).await.expect(200).json();
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("expired"), &json!("deleted")));
    assert_eq!(count_objects(&yard), 0);
    assert_eq!(download(&yard, &yard.admin, &done["id"]).await.expect(404).code(), "export_expired");
    let log = yard.app.get("/api/v1/admin/audit_log?action=export.deleted").cookie(&yard.admin.cookie);
    assert_eq!(log.send().await.expect(200).json()["data"][0]["target"]["id"], done["id"]);
}

async fn the_list_has_the_newest_first(app: TestApp) {
    let yard = busy_yard(app).await;
    let first = create_finished_export(&yard, &yard.admin, &incursions_body("csv")).await;
    let second = create_finished_export(&yard, &yard.admin, &incursions_body("xlsx")).await;
    let list = yard.app.get(&format!("{PATH}?include_total=true")).bearer(&yard.admin.jwt).send().await;
    let list = list.expect(200).json();
    assert_eq!(list["data"], json!([second, first]));
    assert_eq!(list["page"]["total"], 2);
}

async fn a_repeat_makes_nothing_new(app: TestApp) {
    let yard = busy_yard(app).await;
    let send = |body: Value| {
        let call = yard.app.post(PATH).bearer(&yard.admin.jwt).header("idempotency-key", "once");
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
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    testkit::execute_raw_sql(yard.app.database(), "update jobs set state = 'failed', finished_at = 0")
        .await
        .unwrap();
    yard.app.allow_leftover_jobs();
    yard.app.runner().reconcile().await.unwrap();
    let shown = get(&yard, &yard.admin, &asked["id"]).await;
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("failed"), &json!("given_up")));
}

async fn erasing_a_person_takes_files_with_names_away(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let by_zone = json!({ "rows": ["zone"], "measures": ["incursions"] });
    let by_person = json!({ "rows": ["pedestrian"], "measures": ["incursions"] });
    let pivot = |pivot: &Value| json!({ "kind": "pivot", "format": "csv", "pivot": pivot });
    let named = [
        create_finished_export(&yard, &yard.admin, &incursions_body("xlsx")).await,
        create_finished_export(&yard, &yard.admin, &pivot(&by_person)).await,
    ];
    let zones = create_finished_export(&yard, &yard.admin, &pivot(&by_zone)).await;
    let nameless = create_finished_export(&yard, &viewer, &incursions_body("csv")).await;
    let waiting = post(&yard, &yard.admin, &incursions_body("ndjson")).await.expect(201).json();
    assert_eq!(count_objects(&yard), 4);
    yard.app.post("/api/v1/people/1/erase").cookie(&yard.admin.cookie).send().await.expect(200);
    assert_eq!(count_objects(&yard), 2);
    for gone in &named {
        let shown = get(&yard, &yard.admin, &gone["id"]).await;
        assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &json!("person_erased")));
    }
    download(&yard, &yard.admin, &zones["id"]).await.expect(200);
    download(&yard, &viewer, &nameless["id"]).await.expect(200);
    // A file written now does not contain the name.
    yard.app.run_jobs().await;
    let lines = ndjson(&download(&yard, &yard.admin, &waiting["id"]).await.expect(200).body);
    assert!(lines.iter().all(|line| line["pedestrian"] == "Person 1"), "{lines:?}");
}

async fn files_that_belong_to_nothing_go_after_a_day(app: TestApp) {
    let yard = busy_yard(app).await;
    let bytes = export_file(&yard, &yard.admin, &incursions_body("csv")).await;
    // Leftovers: another attempt at the same export, and an export that never existed.
    let blobs = Blobs::new(&yard.app.config.blobs, &yard.app.config.data).unwrap();
    for export in [1, 987] {
        let upload = Upload::begin(yard.app.clock.now(), &Random::System);
        let mut writer = blobs.writer(&Key::Export(BrandId(1), ExportId(export), upload));
        writer.write(b"x").await.unwrap();
        writer.finish().await.unwrap();
    }
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 3, "they may belong to an export in progress");
    yard.app.clock.advance(Span::from_micros(DAY.micros() * 2));
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 1);
    let login = yard.app.log_in_v2("admin@example.com", testkit::PASSWORD).await.expect(200);
    let path = format!("{PATH}/1/download");
    let kept = yard.app.get(&path).bearer(login.header("accesstoken")).send().await.expect(200);
    assert_eq!(kept.body, bytes);
}
