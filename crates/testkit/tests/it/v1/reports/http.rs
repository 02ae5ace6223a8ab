//! What /api/v1/reports shows: records, lists and files.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{
    PATH, busy_yard, create_ready_report, delete, download, february, get, incursions_body, post, remake,
};
use crate::v1::insights::Yard;

on_both_engines!(
    a_report_has_a_place_and_a_version,
    lists_are_filtered_and_paged,
    files_have_names_types_and_ranges,
    what_is_gone_says_why,
    it_says_so_in_the_language_of_the_reader,
);

async fn a_report_has_a_place_and_a_version(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({
        "kind": "site_safety", "worksite_id": 1, "project_id": 1, "machine_id": 1, "person_id": 1, "paper": "letter",
        "filters": february(),
    });
    let reply = post(&yard, &yard.admin, &body).await.expect(201);
    let made = reply.json();
    let path = format!("{PATH}/{}", made["id"]);
    assert_eq!(reply.header("location"), path);
    assert_eq!((&made["format"], &made["formats"]), (&json!("pdf"), &json!(["pdf", "json"])));
    for (field, id) in [("project_id", 1), ("worksite_id", 1), ("machine_id", 1), ("person_id", 1)] {
        assert_eq!(made[field], id, "{field}");
    }
    assert_eq!((&made["schedule_id"], &made["site_report_id"]), (&Value::Null, &Value::Null));
    assert_eq!((&made["author"]["type"], &made["names_people"]), (&json!("user"), &json!(true)));
    let etag = reply.header("etag").to_owned();
    let call = |known: &str| yard.app.get(&path).cookie(&yard.admin.cookie).header("if-none-match", known);
    assert_eq!(call(&etag).send().await.expect(304).header("etag"), etag);
    yard.app.run_jobs().await;
    let done = call(&etag).send().await.expect(200);
    assert_ne!(done.header("etag"), etag);
    let shown = done.json();
    assert_eq!(shown["download"], format!("{path}/download"));
    let subject = "project_1-worksite_1-machine_1-person_1";
    let name = format!("site_safety-{subject}-2026-02-01-to-2026-02-28-{}.pdf", made["id"]);
    assert_eq!(shown["file_name"], name);
    assert_eq!((&shown["reason"], &shown["reason_text"]), (&Value::Null, &Value::Null));
    // A change that answers has the version that a read has.
    let again = remake(&yard, &yard.admin, &made["id"]).await.expect(200);
    assert_eq!(again.header("etag"), get(&yard, &yard.admin, &made["id"]).await.expect(200).header("etag"));
    yard.app.run_jobs().await;
}

/// Returns the ids of a list.
async fn ids(yard: &Yard, user: &Account, query: &str) -> Vec<i64> {
    let list = yard.app.get(&format!("{PATH}{query}")).cookie(&user.cookie).send().await.expect(200).json();
    list["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

async fn lists_are_filtered_and_paged(app: TestApp) {
    let yard = busy_yard(app).await;
    let admin = &yard.admin;
    let other = yard.app.sign_in_new_user("bob@example.com", Role::Admin).await;
    for body in [
        incursions_body("csv"),
        json!({ "kind": "site_safety", "worksite_id": 1, "format": "json", "filters": february() }),
        json!({ "kind": "machine", "machine_id": 2, "format": "json", "filters": february() }),
    ] {
        create_ready_report(&yard, admin, &body).await;
    }
    let theirs = create_ready_report(&yard, &other, &incursions_body("json")).await["id"].as_i64().unwrap();
    assert_eq!(theirs, 4);
    delete(&yard, admin, &json!(1)).await.expect(200);
    for (query, expected) in [
        ("", vec![4, 3, 2, 1]),
        ("?kind=incursions", vec![4, 1]),
        ("?kind=machine&kind=site_safety", vec![3, 2]),
        ("?state=expired", vec![1]),
        ("?state=ready&kind=incursions", vec![4]),
        ("?state=queued&state=running", vec![]),
        ("?worksite_id=1", vec![2]),
        ("?worksite_id=2", vec![]),
        ("?machine_id=2", vec![3]),
        ("?project_id=1", vec![]),
        ("?person_id=1", vec![]),
        ("?schedule_id=1", vec![]),
        ("?mine=true", vec![3, 2, 1]),
        ("?mine=false&limit=2", vec![4, 3]),
    ] {
        assert_eq!(ids(&yard, admin, query).await, expected, "{query}");
    }
    let first = yard.app.get(&format!("{PATH}?limit=3&include_total=true")).cookie(&admin.cookie);
    let first = first.send().await.expect(200).json();
    assert_eq!(first["page"]["total"], 4);
    let cursor = first["page"]["next"].as_str().unwrap();
    assert_eq!(ids(&yard, admin, &format!("?limit=3&cursor={cursor}")).await, [1]);
    for (query, code) in [
        ("?kind=people", "invalid_kind"),
        ("?state=done", "invalid_state"),
        ("?worksite_id=one", "invalid_id"),
        ("?mine=yes", "invalid_flag"),
        ("?sort=name", "unknown_parameter"),
        ("?limit=0", "out_of_range"),
        ("?cursor=x", "invalid_cursor"),
    ] {
        let reply = yard.app.get(&format!("{PATH}{query}")).cookie(&admin.cookie).send().await;
        assert_eq!(reply.expect(400).code(), code, "{query}");
    }
}

async fn files_have_names_types_and_ranges(app: TestApp) {
    let yard = busy_yard(app).await;
    let made = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let path = format!("{PATH}/{}/download", made["id"]);
    let call = |method: Method, query: &str| {
        yard.app.request(method, &format!("{path}{query}")).cookie(&yard.admin.cookie)
    };
    let whole = call(Method::GET, "").send().await.expect(200);
    assert_eq!(whole.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(whole.header("accept-ranges"), "bytes");
    let etag = format!("\"{}\"", made["sha256"].as_str().unwrap());
    assert_eq!(whole.header("etag"), etag);
    assert_eq!(whole.header("content-length"), whole.body.len().to_string());
    let name = format!("attachment; filename=\"{}\"", made["file_name"].as_str().unwrap());
    assert_eq!(whole.header("content-disposition"), name);

    let head = call(Method::HEAD, "").send().await.expect(200);
    assert_eq!((head.body.len(), head.header("content-length")), (0, whole.header("content-length")));
    call(Method::GET, "").header("if-none-match", &etag).send().await.expect(304);
    let part = call(Method::GET, "").header("range", "bytes=3-9").send().await.expect(206);
    assert_eq!(part.body, whole.body[3..10]);
    assert_eq!(part.header("content-range"), format!("bytes 3-9/{}", whole.body.len()));
    let other = call(Method::GET, "").header("range", "bytes=3-9").header("if-range", "\"x\"");
    assert_eq!(other.send().await.expect(200).body, whole.body);
    call(Method::GET, "").header("range", "bytes=9999999-").send().await.expect(416);

    // Another format is another file, also for a HEAD that comes first.
    for (format, media_type) in [
        ("json", "application/json"),
        ("pdf", "application/pdf"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ] {
        let query = format!("?format={format}");
        let head = call(Method::HEAD, &query).send().await.expect(200);
        let file = call(Method::GET, &query).send().await.expect(200);
        assert_eq!(file.header("content-type"), media_type);
        assert_eq!(
            (head.header("etag"), head.header("content-length")),
            (file.header("etag"), file.body.len().to_string().as_str(),)
        );
        assert_ne!(file.header("etag"), etag);
        assert!(file.header("content-disposition").ends_with(&format!(".{format}\"")));
        assert_eq!(file.header("content-encoding"), "");
    }
    let refused = call(Method::GET, "?format=doc").send().await.expect(400);
    assert_eq!(refused.code(), "invalid_format");
    assert_eq!(call(Method::GET, "?form=pdf").send().await.expect(400).code(), "unknown_parameter");
    yard.app.get(&format!("{PATH}/99/download")).cookie(&yard.admin.cookie).send().await.expect(404);
}

async fn what_is_gone_says_why(app: TestApp) {
    let yard = busy_yard(app).await;
    let waiting = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    let cancelled = delete(&yard, &yard.admin, &waiting["id"]).await.expect(200).json();
    assert_eq!((&cancelled["state"], &cancelled["reason"]), (&json!("failed"), &json!("cancelled")));
    assert_eq!(cancelled["reason_text"], "The report was cancelled before it was finished.");
    assert_eq!(download(&yard, &yard.admin, &waiting["id"], "").await.expect(404).code(), "report_failed");
    yard.app.run_jobs().await;
    let ready = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let deleted = delete(&yard, &yard.admin, &ready["id"]).await.expect(200);
    let shown = deleted.json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &json!("deleted")));
    assert_eq!(shown["reason_text"], "The report was deleted.");
    for field in ["download", "size_bytes", "sha256"] {
        assert_eq!(shown[field], Value::Null, "{field}");
    }
    assert_eq!(download(&yard, &yard.admin, &ready["id"], "").await.expect(404).code(), "report_expired");
    assert_eq!(remake(&yard, &yard.admin, &ready["id"]).await.expect(409).code(), "no_figures");
    let again = delete(&yard, &yard.admin, &ready["id"]).await.expect(200);
    assert_eq!((again.json(), again.header("etag")), (shown, deleted.header("etag")));
}

async fn it_says_so_in_the_language_of_the_reader(app: TestApp) {
    let yard = busy_yard(app).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Admin).await;
    let path = "/api/v2/user_preferences";
    let found = yard.app.get(path).bearer(&other.jwt).send().await.expect(200).json();
    let preferences = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": { "language": "de" },
    } });
    let call = yard.app.patch(path).bearer(&other.jwt);
    call.bytes("application/vnd.api+json", preferences.to_string()).send().await.expect(200);
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await["id"];
    delete(&yard, &yard.admin, id).await.expect(200);
    for (user, text) in [(&yard.admin, "The report was deleted."), (&other, "Der Bericht wurde gelöscht.")] {
        assert_eq!(get(&yard, user, id).await.expect(200).json()["reason_text"], text);
        assert_eq!(delete(&yard, user, id).await.expect(200).json()["reason_text"], text);
        let list = yard.app.get(PATH).cookie(&user.cookie).send().await.expect(200).json();
        assert_eq!(list["data"][0]["reason_text"], text);
        let document = yard.app.get(&format!("/api/v2/reports/{id}")).bearer(&user.jwt).send().await;
        assert_eq!(document.expect(200).json()["data"]["attributes"]["reason_text"], text);
    }
}
