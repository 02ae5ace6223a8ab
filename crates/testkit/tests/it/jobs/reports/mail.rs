//! Mails with the reports of schedules.

use std::time::Duration;

use app::jobs::{AttemptEnd, LeaseStatus};
use domain::{Role, Span};
use mail::Email;
use serde_json::{Value, json};
use testbed::{SmtpBehaviour, SmtpServer};
use testkit::{Account, Engine, Process, TestApp, on_both_engines};

use crate::program;
use crate::v1::insights::Yard;

on_both_engines!(
    a_mail_carries_the_file_that_can_be_downloaded,
    a_mail_says_what_its_report_is_about_but_names_nobody,
    a_mail_is_in_the_language_of_its_reader,
    a_large_file_is_linked,
    a_link_lives_no_longer_than_its_report,
    who_was_removed_meanwhile_gets_none,
    who_was_deactivated_gets_none,
    a_report_that_failed_or_was_deleted_is_not_mailed,
    a_remake_is_not_mailed,
    a_mail_that_is_sent_again_after_a_crash_is_the_same,
);

/// Creates a paused schedule for tables of incursions, with other members, and returns its id.
pub(super) async fn create(app: &TestApp, user: &Account, more: &Value) -> Value {
    let mut body = json!({
        "name": "Yard, weekly", "kind": "incursions", "format": "csv", "cadence": "weekly", "weekday": 1,
        "time": "07:30", "recipients": ["ada@example.com"], "paused": true,
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let call = app.post("/api/v1/report_schedules").cookie(&user.cookie).json(&body);
    call.send().await.expect(201).json()["id"].clone()
}

/// Starts a run and returns its report.
pub(super) async fn run(app: &TestApp, user: &Account, id: &Value) -> Value {
    let path = format!("/api/v1/report_schedules/{id}/run");
    app.post(&path).cookie(&user.cookie).send().await.expect(201).json()
}

/// Returns the mails that were sent, in the order of their recipients.
fn mails(app: &TestApp) -> Vec<Email> {
    let mut mails = app.mails();
    mails.sort_by_key(|mail| mail.to.to_string());
    mails
}

async fn download(app: &TestApp, user: &Account, report: &Value) -> Vec<u8> {
    let path = format!("/api/v1/reports/{}/download", report["id"]);
    app.get(&path).cookie(&user.cookie).send().await.expect(200).body
}

/// Completes the report that is waiting, and leaves its mails waiting.
pub(super) async fn build(app: &TestApp) {
    let claimed = app.app.claim_job(&["report_build"], "test", Span::minutes(5)).await.unwrap().unwrap();
    let job = claimed.payload().unwrap();
    let end = app.app.build_report(&claimed, &job).await.unwrap();
    assert_eq!(end, AttemptEnd::Finished(LeaseStatus::Held));
}

async fn a_mail_carries_the_file_that_can_be_downloaded(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let recipients = json!({ "recipients": ["ada@example.com", "bob@example.com"] });
    let id = create(&app, &user, &recipients).await;
    let report = run(&app, &user, &id).await;
    app.run_jobs().await;
    let mails = mails(&app);
    let [ada, bob] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!((ada.to.as_str(), ada.name.as_str()), ("ada@example.com", "ada"));
    assert_eq!((bob.to.as_str(), bob.name.as_str()), ("bob@example.com", "bob"));
    // The week before Sunday, 1 March.
    let subject = "Yard, weekly: Incursions, 16 February 2026 to 22 February 2026";
    assert_eq!((ada.subject.as_str(), bob.subject.as_str()), (subject, subject));
    let expected = "Hello,\n\n\
         A scheduled report is ready. It is attached to this mail.\n\n    \
         Report: Incursions\n    \
         Period: 16 February 2026 to 22 February 2026\n    \
         Schedule: Yard, weekly\n\n\
         bob set up this schedule at Acme. If you no longer want to receive these reports, ask bob \
         (bob@example.com).\n\n\
         -- \nSent by Keepclear, the safety service of Acme. Replies to this address are not read.";
    assert_eq!(ada.text.trim_end(), expected);
    assert!(bob.text.starts_with("Hello bob,\n"), "{}", bob.text);
    let file = download(&app, &user, &report).await;
    for mail in [ada, bob] {
        let [attached] = mail.attachments.as_slice() else { panic!("{:?}", mail.attachments) };
        assert_eq!(attached.bytes, file);
        assert_eq!(attached.name, "incursions-2026-02-16-to-2026-02-22-1.csv");
        assert_eq!(attached.content_type, "text/csv; charset=utf-8; header=present");
    }
    assert_ne!(ada.id, bob.id);
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let log = app.get("/api/v1/admin/audit_log?action=report.mailed").cookie(&admin.cookie).send().await;
    let log = log.expect(200);
    assert_eq!(log.json()["data"].as_array().unwrap().len(), 2);
    assert!(!log.text().contains("ada@example.com"), "{}", log.text());
    assert_eq!(app.run_jobs().await, 0, "each is sent once");
}

async fn a_mail_says_what_its_report_is_about_but_names_nobody(app: TestApp) {
    let yard = Yard::new(app).await;
    for (kind, subjects, title) in [
        ("site_safety", json!({ "worksite_id": 1 }), "Site safety: Site 1"),
        ("machine", json!({ "machine_id": 2, "project_id": 1 }), "Machine report: Project 1, Crane 2"),
        ("person", json!({ "person_id": 1 }), "Person report: Person 1"),
    ] {
        let mut more = json!({ "name": kind, "kind": kind, "format": "json" });
        more.as_object_mut().unwrap().extend(subjects.as_object().unwrap().clone());
        let id = create(&yard.app, &yard.admin, &more).await;
        run(&yard.app, &yard.admin, &id).await;
        yard.app.run_jobs().await;
        let mails = yard.app.mails();
        let mail = mails.last().unwrap();
        assert!(mail.subject.starts_with(&format!("{kind}: {title}, ")), "{}", mail.subject);
        assert!(!mail.subject.contains("Ada") && !mail.attachments[0].name.contains("Ada"), "{mail:?}");
    }
}

async fn a_mail_is_in_the_language_of_its_reader(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let english = app.sign_in_new_user("eve@example.com", Role::Viewer).await;
    let brand = app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&json!({ "locale": "de-AT" }));
    brand.send().await.expect(200);
    let own = app.get("/api/v2/user_preferences").bearer(&english.jwt).send().await.expect(200).json();
    let change = json!({ "data": {
        "type": "user_preferences", "id": own["data"]["id"], "attributes": { "language": "en" },
    } });
    let call = app.patch("/api/v2/user_preferences").bearer(&english.jwt);
    call.bytes("application/vnd.api+json", change.to_string()).send().await.expect(200);
    // One who is not known reads the language of the brand, and so does a user of another brand.
    app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Viewer).await;
    let recipients = ["eve@example.com", "ada@example.com", "stranger@example.com"];
    let id = create(&app, &admin, &json!({ "recipients": recipients, "kind": "visitor_log" })).await;
    run(&app, &admin, &id).await;
    app.run_jobs().await;
    let mails = mails(&app);
    let [ada, eve, stranger] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(eve.subject, "Yard, weekly: Visitor log, 16 February 2026 to 22 February 2026");
    assert!(eve.text.starts_with("Hello eve,\n"), "{}", eve.text);
    for mail in [ada, stranger] {
        assert_eq!(mail.subject, "Yard, weekly: Besucherliste, 16. Februar 2026 bis 22. Februar 2026");
        assert!(mail.text.starts_with("Guten Tag,\n"), "{}", mail.text);
        assert!(mail.html.contains("lang=\"de\"") && mail.html.contains("Zeitplan"), "{}", mail.html);
    }
}

async fn a_large_file_is_linked(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    let small = app.second_instance_with(|config| config.reports.max_attachment_mb = 0).await;
    let report = run(&small, &user, &id).await;
    small.run_jobs().await;
    let mails = small.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.attachments.is_empty());
    assert!(mail.text.contains("until 15 March 2026, 12:00 (UTC)"), "{}", mail.text);
    let (_, link) = mail.text.split_once("http://127.0.0.1:8080").unwrap();
    let link = link.split_whitespace().next().unwrap();
    assert!(mail.html.contains(&format!("href=\"http://127.0.0.1:8080{link}\"")), "{}", mail.html);
    let reply = app.get(link).send().await.expect(200);
    assert_eq!(reply.body, download(&app, &user, &report).await);
}

async fn a_link_lives_no_longer_than_its_report(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    let short = app
        .second_instance_with(|config| {
            (config.reports.max_attachment_mb, config.reports.retention_days) = (0, 3);
        })
        .await;
    run(&short, &user, &id).await;
    short.run_jobs().await;
    let mails = short.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.text.contains("until 4 March 2026, 12:00 (UTC)"), "{}", mail.text);
}

async fn who_was_removed_meanwhile_gets_none(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let both = json!({ "recipients": ["ada@example.com", "eve@example.com"] });
    let id = create(&app, &user, &both).await;
    run(&app, &user, &id).await;
    build(&app).await;
    let change = app.patch(&format!("/api/v1/report_schedules/{id}")).cookie(&user.cookie);
    change.json(&json!({ "recipients": ["eve@example.com", "new@example.com"] })).send().await.expect(200);
    assert_eq!(app.run_jobs().await, 2);
    let to: Vec<String> = app.mails().iter().map(|mail| mail.to.to_string()).collect();
    assert_eq!(to, ["eve@example.com"]);
}

async fn who_was_deactivated_gets_none(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    // The user of another brand is someone unknown here.
    app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Viewer).await;
    let both = json!({ "recipients": ["ada@example.com", "eve@example.com"] });
    let id = create(&app, &user, &both).await;
    let deactivation = "update users set state = 'deactivated' where email <> 'bob@example.com'";
    testkit::execute_raw_sql(app.database(), deactivation).await.unwrap();
    run(&app, &user, &id).await;
    app.run_jobs().await;
    let to: Vec<String> = app.mails().iter().map(|mail| mail.to.to_string()).collect();
    assert_eq!(to, ["eve@example.com"]);
}

async fn a_report_that_failed_or_was_deleted_is_not_mailed(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    let report = run(&app, &user, &id).await;
    let delete = async |report: &Value| {
        let path = format!("/api/v1/reports/{}", report["id"]);
        app.delete(&path).cookie(&user.cookie).send().await.expect(200);
    };
    delete(&report).await;
    app.run_jobs().await;
    let report = run(&app, &user, &id).await;
    build(&app).await;
    delete(&report).await;
    assert_eq!(app.run_jobs().await, 1);
    assert!(app.mails().is_empty());
}

async fn a_remake_is_not_mailed(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    let report = run(&app, &user, &id).await;
    app.run_jobs().await;
    let path = format!("/api/v1/reports/{}/remake", report["id"]);
    app.post(&path).cookie(&user.cookie).send().await.expect(200);
    assert_eq!(app.run_jobs().await, 1);
    assert_eq!(app.mails().len(), 1);
}

async fn a_mail_that_is_sent_again_after_a_crash_is_the_same(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let app = TestApp::start(engine).await;
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    run(&app, &user, &id).await;
    let port = server.address().port().to_string();
    let settings = [
        ("KEEPCLEAR__MAIL__TRANSPORT", "smtp"),
        ("KEEPCLEAR__MAIL__SMTP__HOST", "127.0.0.1"),
        ("KEEPCLEAR__MAIL__SMTP__PORT", port.as_str()),
        ("KEEPCLEAR__MAIL__SMTP__SECURITY", "none"),
        // Long enough that a worker on a busy machine keeps its job, and the mail is not sent a third time.
        ("KEEPCLEAR__JOBS__LEASE_S", "5"),
        ("KEEPCLEAR__JOBS__POLL_INTERVAL_MS", "20"),
    ];
    // The first worker is killed after the server has read the message and not yet answered.
    server.queue_behaviours([SmtpBehaviour::StallAfterMessage]);
    let worker = Process::start_worker(program(), app.database(), &settings);
    assert!(server.wait_for_messages(1), "a worker works");
    let (status, _) = worker.stop("-KILL");
    assert!(!status.success());
    let worker = Process::start_worker(program(), app.database(), &settings);
    assert!(server.wait_for_messages(2), "another takes over");
    loop {
        let counts = app.app.job_counts().await.unwrap();
        if (counts.waiting, counts.running) == (0, 0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (status, log) = worker.stop("-TERM");
    assert!(status.success(), "{log}");
    let received = server.received();
    let [first, again] = received.as_slice() else { panic!("{received:?}") };
    assert!(again.is_accepted && again.text.contains("filename"), "{}", again.text);
    assert_eq!(first.header("Message-ID"), again.header("Message-ID"));
    assert_eq!(first.text, again.text);
}
