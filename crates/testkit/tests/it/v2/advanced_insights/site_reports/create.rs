//! Requests for site reports: documents, states and what is refused.

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};
use tokio::task::JoinSet;

use super::{JSON_API, PATH, get, lively_site, post, send, sign_in_again, write};
use crate::v1::insights::Yard;

on_both_engines!(
    a_site_report_is_a_document_with_a_state,
    what_cannot_be_is_refused_with_a_pointer,
    a_retry_with_the_same_key_makes_one_report,
    a_retried_document_needs_the_text_no_more,
    deleting_cancels_or_removes_the_text,
    reasons_are_in_the_language_of_the_reader,
    twenty_unfinished_ones_are_enough,
    requests_at_once_do_not_exceed_the_limit,
    lists_are_filtered_sorted_and_paged,
    the_worksite_can_be_included,
    texts_expire_with_the_retention,
);

fn errors(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
    errors.map(|error| (text(&error["source"]["pointer"]), text(&error["code"]))).collect()
}

async fn a_site_report_is_a_document_with_a_state(app: TestApp) {
    let yard = lively_site(app).await;
    let attributes = json!({ "from": "2026-02-01", "to": "2026-03-01" });
    let reply = post(&yard, &yard.admin, &attributes, "1").await.expect(201);
    assert_eq!((reply.header("content-type"), reply.header("location")), (JSON_API, &*format!("{PATH}/1")));
    let document = reply.json();
    let data = &document["data"];
    assert_eq!(
        (&data["type"], &data["links"]["self"]),
        (&json!("site_reports"), &json!(format!("{PATH}/1")))
    );
    let made = &data["attributes"];
    assert_eq!((&made["state"], &made["percent"]), (&json!("queued"), &json!(0)));
    assert_eq!((&made["facts"], &made["sentences"], &made["checks"]), (&json!([]), &json!([]), &Value::Null));
    assert_eq!(
        (&made["language"], &made["from"], &made["to"]),
        (&json!("en"), &json!("2026-02-01"), &json!("2026-03-01"))
    );
    assert_eq!(data["relationships"]["worksite"]["data"], json!({ "type": "worksites", "id": "1" }));
    assert_eq!(data["relationships"]["author"]["data"], json!({ "type": "users", "id": "1" }));
    let queued = get(&yard, &yard.admin, "/1").await.expect(200);
    assert_eq!(queued.header("etag"), reply.header("etag"));
    yard.app.run_jobs().await;
    let done = get(&yard, &yard.admin, "/1").await.expect(200);
    assert_ne!(done.header("etag"), reply.header("etag"));
    let done = done.json();
    let done = &done["data"]["attributes"];
    assert_eq!(
        (&done["state"], &done["percent"], &done["generator"]),
        (&json!("ready"), &json!(100), &json!("rules"))
    );
    assert!(done["expires_at"].as_str() > done["finished_at"].as_str());
    let some = get(&yard, &yard.admin, "/1?fields[site_reports]=state,generator").await.expect(200).json();
    assert_eq!(some["data"]["attributes"], json!({ "state": "ready", "generator": "rules" }));
}

async fn what_cannot_be_is_refused_with_a_pointer(app: TestApp) {
    let yard = lively_site(app).await;
    for (status, attributes, worksite, pointer, code) in [
        (404, json!({}), "99", "/data/relationships/worksite/data", "unknown_worksite"),
        (404, json!({}), "x", "/data/relationships/worksite/data", "unknown_worksite"),
        (422, json!({ "from": "soon" }), "1", "/data/attributes/from", "invalid_time"),
        (
            422,
            json!({ "from": "2026-02-02", "to": "2026-02-01" }),
            "1",
            "/data/attributes/to",
            "out_of_range",
        ),
        (
            422,
            json!({ "from": "2026-02-02", "to": "2026-02-02" }),
            "1",
            "/data/attributes/to",
            "out_of_range",
        ),
        (
            422,
            json!({ "from": "2019-01-01", "to": "2026-02-01" }),
            "1",
            "/data/attributes/from",
            "out_of_range",
        ),
        (422, json!({ "language": "fr" }), "1", "/data/attributes/language", "invalid_language"),
        (422, json!({ "language": 1 }), "1", "/data/attributes/language", "wrong_type"),
        (422, json!({ "generator": "model" }), "1", "/data/attributes/generator", "unknown_field"),
    ] {
        let reply = post(&yard, &yard.admin, &attributes, worksite).await.expect(status);
        assert_eq!(errors(&reply), [(pointer.to_owned(), code.to_owned())], "{attributes}");
    }
    let without = json!({ "type": "site_reports", "attributes": {} });
    let reply = send(&yard, &yard.admin, &without).await.expect(422);
    assert_eq!(errors(&reply), [("/data/relationships/worksite/data".to_owned(), "required".to_owned())]);
    assert_eq!(get(&yard, &yard.admin, "").await.expect(200).json()["data"], json!([]));
    get(&yard, &yard.admin, "/1").await.expect(404);
}

async fn a_retry_with_the_same_key_makes_one_report(app: TestApp) {
    let yard = lively_site(app).await;
    let data = json!({ "data": {
        "type": "site_reports", "attributes": { "language": "de" },
        "relationships": { "worksite": { "data": { "type": "worksites", "id": "1" } } },
    } });
    let call = || {
        let call = yard.app.post(PATH).bearer(&yard.admin.jwt).header("idempotency-key", "once");
        call.bytes(JSON_API, data.to_string()).send()
    };
    let first = call().await.expect(201);
    yard.app.clock.advance(Span::minutes(5));
    assert_eq!(call().await.expect(201).text(), first.text());
    assert_eq!(yard.app.run_jobs().await, 1);
    let list = get(&yard, &yard.admin, "?page[total]=true").await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
}

/// A report that renders a site report has its figures; the site report may go.
async fn a_retried_document_needs_the_text_no_more(app: TestApp) {
    let yard = lively_site(app).await;
    write(&yard, &yard.admin, "en").await;
    let body = json!({ "kind": "site_report", "site_report_id": 1 });
    let call = || yard.app.post("/api/v1/reports").cookie(&yard.admin.cookie).json(&body);
    let send = async || call().header("idempotency-key", "once").send().await.expect(201);
    let first = send().await;
    yard.app.run_jobs().await;
    yard.app.delete(&format!("{PATH}/1")).bearer(&yard.admin.jwt).send().await.expect(200);
    let again = send().await;
    assert_eq!((again.json(), again.header("location")), (first.json(), first.header("location")));
    let refused = call().send().await.expect(422).json();
    assert_eq!(refused["errors"][0]["field"], "site_report_id", "{refused}");
}

async fn reasons_are_in_the_language_of_the_reader(app: TestApp) {
    let yard = Yard::new(app).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Admin).await;
    let path = "/api/v2/user_preferences";
    let found = yard.app.get(path).bearer(&other.jwt).send().await.expect(200).json();
    let preferences = json!({ "data": {
        "type": "user_preferences", "id": found["data"]["id"], "attributes": { "language": "de-CH" },
    } });
    let call = yard.app.patch(path).bearer(&other.jwt).bytes(JSON_API, preferences.to_string());
    call.send().await.expect(200);
    post(&yard, &yard.admin, &json!({}), "1").await.expect(201);
    yard.app.delete(&format!("{PATH}/1")).bearer(&yard.admin.jwt).send().await.expect(200);
    yard.app.run_jobs().await;
    for (user, text) in [
        (&yard.admin, "The report was cancelled before it was finished."),
        (&other, "Der Bericht wurde abgebrochen, bevor er fertig war."),
    ] {
        let one = get(&yard, user, "/1").await.expect(200).json();
        assert_eq!(one["data"]["attributes"]["reason_text"], text);
        let list = get(&yard, user, "").await.expect(200).json();
        assert_eq!(list["data"][0]["attributes"]["reason_text"], text);
    }
}

async fn deleting_cancels_or_removes_the_text(app: TestApp) {
    let yard = lively_site(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let delete = async |user: &Account, id: i64| {
        yard.app.delete(&format!("{PATH}/{id}")).bearer(&user.jwt).send().await
    };
    post(&yard, &yard.admin, &json!({}), "1").await.expect(201);
    let cancelled = delete(&yard.admin, 1).await.expect(200).json()["data"]["attributes"].take();
    assert_eq!((&cancelled["state"], &cancelled["reason"]), (&json!("failed"), &json!("cancelled")));
    assert!(cancelled["reason_text"].as_str().is_some_and(|text| text.ends_with('.')));
    yard.app.run_jobs().await;
    assert_eq!(
        get(&yard, &yard.admin, "/1").await.expect(200).json()["data"]["attributes"]["state"],
        "failed"
    );

    write(&yard, &yard.admin, "en").await;
    assert_eq!(delete(&member, 2).await.expect(403).code(), "not_yours");
    for _ in 0..2 {
        let gone = delete(&yard.admin, 2).await.expect(200).json()["data"]["attributes"].take();
        assert_eq!((&gone["state"], &gone["reason"]), (&json!("expired"), &json!("deleted")));
        assert_eq!((&gone["facts"], &gone["sentences"]), (&json!([]), &json!([])));
    }
    // Whoever manages the brand deletes those of others.
    write(&yard, &member, "en").await;
    delete(&yard.admin, 3).await.expect(200);
}

async fn twenty_unfinished_ones_are_enough(app: TestApp) {
    let yard = Yard::new(app).await;
    for _ in 0..20 {
        post(&yard, &yard.admin, &json!({}), "1").await.expect(201);
    }
    assert_eq!(post(&yard, &yard.admin, &json!({}), "1").await.expect(409).code(), "too_many_reports");
    yard.app.run_jobs().await;
    post(&yard, &yard.admin, &json!({}), "1").await.expect(201);
    yard.app.run_jobs().await;
}

async fn requests_at_once_do_not_exceed_the_limit(app: TestApp) {
    let yard = Yard::new(app).await;
    let body = json!({ "data": {
        "type": "site_reports", "attributes": {},
        "relationships": { "worksite": { "data": { "type": "worksites", "id": "1" } } },
    } });
    let mut work = JoinSet::new();
    for _ in 0..30 {
        let call = yard.app.post(PATH).bearer(&yard.admin.jwt);
        work.spawn(call.bytes(JSON_API, body.to_string()).send());
    }
    let replies = work.join_all().await;
    let created = replies.iter().filter(|reply| reply.status == 201).count();
    let refused = replies.iter().filter(|reply| reply.status == 409).count();
    assert_eq!((created, refused), (20, 10));
    yard.app.run_jobs().await;
}

async fn lists_are_filtered_sorted_and_paged(app: TestApp) {
    let yard = lively_site(app).await;
    for worksite in ["1", "2", "1"] {
        post(&yard, &yard.admin, &json!({}), worksite).await.expect(201);
        yard.app.clock.advance(Span::minutes(1));
    }
    yard.app.run_jobs().await;
    post(&yard, &yard.admin, &json!({}), "1").await.expect(201);
    let ids = async |query: &str| -> Vec<String> {
        let list = get(&yard, &yard.admin, query).await.expect(200).json();
        list["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("").await, ["4", "3", "2", "1"]);
    assert_eq!(ids("?sort=created_at").await, ["1", "2", "3", "4"]);
    assert_eq!(ids("?filter[worksite]=2").await, ["2"]);
    assert_eq!(ids("?filter[state]=queued,running").await, ["4"]);
    assert_eq!(ids("?filter[id]=1,4,99").await, ["4", "1"]);
    let page = get(&yard, &yard.admin, "?page[size]=3&page[total]=true").await.expect(200).json();
    assert_eq!(page["data"].as_array().unwrap().len(), 3);
    assert!(page["links"]["next"].is_string(), "{page}");
    get(&yard, &yard.admin, "?filter[kind]=x").await.expect(400);
    yard.app.run_jobs().await;
}

async fn the_worksite_can_be_included(app: TestApp) {
    let yard = lively_site(app).await;
    write(&yard, &yard.admin, "en").await;
    let document = get(&yard, &yard.admin, "/1?include=worksite").await.expect(200).json();
    assert_eq!(
        (&document["included"][0]["type"], &document["included"][0]["id"]),
        (&json!("worksites"), &json!("1"))
    );
    get(&yard, &yard.admin, "/1?include=author").await.expect(400);
}

async fn texts_expire_with_the_retention(app: TestApp) {
    let yard = lively_site(app).await;
    let report = write(&yard, &yard.admin, "en").await;
    assert!(!report["sentences"].as_array().unwrap().is_empty());
    yard.app.clock.advance(Span::minutes(366 * 24 * 60));
    yard.app.app.expire_reports().await.unwrap();
    let admin = sign_in_again(&yard).await;
    let gone = get(&yard, &admin, "/1").await.expect(200).json();
    let gone = &gone["data"]["attributes"];
    assert_eq!(
        (&gone["state"], &gone["facts"], &gone["sentences"]),
        (&json!("expired"), &json!([]), &json!([]))
    );
}
