//! /links/reports: files behind the signed links in mails.

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

on_both_engines!(
    whoever_has_the_link_downloads_the_file,
    a_part_of_the_file_is_enough,
    a_link_that_was_altered_does_not_exist,
    a_link_expires,
    a_link_ends_with_its_report,
    a_link_outlives_its_schedule,
    a_link_has_its_file_while_the_report_is_made_again,
    after_an_erasure_the_file_is_not_ready_for_a_moment,
    a_browser_gets_a_page_that_says_what_happened,
);

/// A report whose link was mailed.
struct Linked {
    app: TestApp,
    author: Account,
    schedule: Value,
    report: Value,
    /// Path of the link.
    path: String,
}

/// Has a schedule mail a link to its report.
async fn linked(app: TestApp) -> Linked {
    let author = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let body = json!({
        "name": "Yard", "kind": "incursions", "format": "csv", "cadence": "daily", "time": "07:30",
        "recipients": ["ada@example.com"], "paused": true,
    });
    let call = app.post("/api/v1/report_schedules").cookie(&author.cookie).json(&body);
    let schedule = call.send().await.expect(201).json()["id"].clone();
    // Here every file is too large to be attached.
    let small = app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
    let run = small.post(&format!("/api/v1/report_schedules/{schedule}/run")).cookie(&author.cookie);
    let report = run.send().await.expect(201).json()["id"].clone();
    small.run_jobs().await;
    let text = small.mails().remove(0).text;
    let (_, rest) = text.split_once("http://127.0.0.1:8080").unwrap_or_else(|| panic!("{text}"));
    let path = rest.split_whitespace().next().unwrap().to_owned();
    Linked { app, author, schedule, report, path }
}

async fn whoever_has_the_link_downloads_the_file(app: TestApp) {
    let there = linked(app).await;
    assert!(there.path.starts_with(&format!("/links/reports/1.{}.csv.", there.report)), "{}", there.path);
    let reply = there.app.get(&there.path).send().await.expect(200);
    let path = format!("/api/v1/reports/{}/download", there.report);
    let own = there.app.get(&path).cookie(&there.author.cookie).send().await.expect(200);
    assert_eq!(reply.body, own.body);
    for name in ["content-type", "content-disposition", "etag", "accept-ranges"] {
        assert_eq!(reply.header(name), own.header(name), "{name}");
        assert_ne!(reply.header(name), "", "{name}");
    }
    assert!(reply.header("content-disposition").starts_with("attachment"));
    assert!(reply.header("ratelimit-policy").starts_with("\"read\""));
    // Other credentials change nothing, and other methods do not exist.
    there.app.get(&there.path).cookie("x").send().await.expect(200);
    there.app.post(&there.path).send().await.expect(405);
}

async fn a_part_of_the_file_is_enough(app: TestApp) {
    let there = linked(app).await;
    let whole = there.app.get(&there.path).send().await.expect(200);
    let part = there.app.get(&there.path).header("range", "bytes=1-4").send().await.expect(206);
    assert_eq!(part.body, whole.body[1..5]);
    let range = format!("bytes 1-4/{}", whole.body.len());
    assert_eq!(part.header("content-range"), range);
    there.app.get(&there.path).header("range", "bytes=9999999-").send().await.expect(416);
    let tag = whole.header("etag");
    there.app.get(&there.path).header("if-none-match", tag).send().await.expect(304);
    let head = there.app.request(Method::HEAD, &there.path).send().await.expect(200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), whole.body.len().to_string());
}

async fn a_link_that_was_altered_does_not_exist(app: TestApp) {
    let there = linked(app).await;
    let token = there.path.strip_prefix("/links/reports/").unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let [brand, report, format, expires, code] = parts.as_slice() else { panic!("{token}") };
    let later = (expires.parse::<i64>().unwrap() + 1).to_string();
    let other_code: String = code.chars().rev().collect();
    for altered in [
        format!("2.{report}.{format}.{expires}.{code}"),
        format!("{brand}.2.{format}.{expires}.{code}"),
        format!("{brand}.{report}.json.{expires}.{code}"),
        format!("{brand}.{report}.{format}.{later}.{code}"),
        format!("{brand}.{report}.{format}.{expires}.{other_code}"),
        format!("{brand}.{report}.{format}.{expires}."),
        format!("{brand}.{report}.{format}.{expires}"),
        format!("{token}x"),
        format!("0{token}"),
        "x".to_owned(),
        "%00".to_owned(),
    ] {
        let reply = there.app.get(&format!("/links/reports/{altered}")).send().await;
        assert_eq!(reply.expect(404).code(), "not_found", "{altered}");
    }
    there.app.get(&there.path).send().await.expect(200);
    let unknown = there.app.get("/links/other").send().await.expect(404);
    assert_eq!(unknown.code(), "no_such_path");
}

async fn a_link_expires(app: TestApp) {
    let there = linked(app).await;
    there.app.clock.advance(Span::seconds(14 * 24 * 60 * 60 - 1));
    there.app.get(&there.path).send().await.expect(200);
    there.app.clock.advance(Span::seconds(1));
    assert_eq!(there.app.get(&there.path).send().await.expect(404).code(), "link_expired");
    // Whoever made the link up learns nothing.
    let forged = format!("{}x", there.path);
    assert_eq!(there.app.get(&forged).send().await.expect(404).code(), "not_found");
}

async fn a_link_ends_with_its_report(app: TestApp) {
    let there = linked(app).await;
    let path = format!("/api/v1/reports/{}", there.report);
    there.app.delete(&path).cookie(&there.author.cookie).send().await.expect(200);
    assert_eq!(there.app.get(&there.path).send().await.expect(404).code(), "report_expired");
}

async fn a_link_outlives_its_schedule(app: TestApp) {
    let there = linked(app).await;
    let path = format!("/api/v1/report_schedules/{}", there.schedule);
    there.app.delete(&path).cookie(&there.author.cookie).send().await.expect(200);
    there.app.get(&there.path).send().await.expect(200);
}

async fn a_link_has_its_file_while_the_report_is_made_again(app: TestApp) {
    let there = linked(app).await;
    let before = there.app.get(&there.path).send().await.expect(200).body;
    let path = format!("/api/v1/reports/{}/remake", there.report);
    there.app.post(&path).cookie(&there.author.cookie).send().await.expect(200);
    assert_eq!(there.app.get(&there.path).send().await.expect(200).body, before);
    there.app.run_jobs().await;
    assert_eq!(there.app.get(&there.path).send().await.expect(200).body, before);
}

/// Resets the report as the erasure of someone in it does.
async fn reset(there: &Linked) {
    let reset = "delete from report_files; update reports set state = 'queued', generation = generation + 1";
    testkit::execute_raw_sql(there.app.database(), reset).await.unwrap();
}

async fn after_an_erasure_the_file_is_not_ready_for_a_moment(app: TestApp) {
    let there = linked(app).await;
    reset(&there).await;
    assert_eq!(there.app.get(&there.path).send().await.expect(409).code(), "not_ready");
}

async fn a_browser_gets_a_page_that_says_what_happened(app: TestApp) {
    let there = linked(app).await;
    let open = async |path: &str, language: &str, status: u16| {
        let call = there.app.get(path).header("accept-language", language);
        let call = call.header("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
        let reply = call.send().await.expect(status);
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert!(reply.header("content-security-policy").starts_with("default-src 'none'"));
        reply.text()
    };
    // A file is a file, whoever asks.
    let call = there.app.get(&there.path).header("accept", "text/html");
    assert!(call.send().await.expect(200).header("content-type").starts_with("text/csv"));
    let forged = format!("{}x", there.path);
    let page = open(&forged, "fr, en;q=0.5", 404).await;
    assert!(page.contains("<html lang=\"en\">") && page.contains("This link does not exist."), "{page}");
    assert!(open(&forged, "de-AT, en;q=0.5", 404).await.contains("Diesen Link gibt es nicht."));

    reset(&there).await;
    assert!(open(&there.path, "de", 409).await.contains("wird gerade neu erstellt"));
    assert!(open(&there.path, "en", 409).await.contains("is being made again"));
    let path = format!("/api/v1/reports/{}", there.report);
    there.app.delete(&path).cookie(&there.author.cookie).send().await.expect(200);
    assert!(open(&there.path, "de", 404).await.contains("wurde gelöscht oder ist abgelaufen"));
    assert!(open(&there.path, "en", 404).await.contains("was deleted or has expired"));
    there.app.clock.advance(Span::minutes(14 * 24 * 60));
    assert!(open(&there.path, "de", 404).await.contains("Dieser Link ist abgelaufen."));
    assert!(open(&there.path, "en", 404).await.contains("This link has expired."));
    // A program gets what it can read.
    let call = there.app.get(&there.path).header("accept", "application/problem+json, text/html;q=0.5");
    assert_eq!(call.send().await.expect(404).code(), "link_expired");
}
