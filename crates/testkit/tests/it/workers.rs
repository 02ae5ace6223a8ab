//! The real program as a worker, in separate processes that end in various ways.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::{AuditFilter, LinkPurpose, PageRequest, Role, Span, User};
use store::{JobCounts, Projects};
use testbed::{SmtpBehaviour, SmtpServer};
use testkit::{Engine, Process, TestApp, on_both_engines};

use crate::program;

on_both_engines!(fifty_killed_workers_lose_nothing_and_do_nothing_twice);

const KILLS: usize = 50;
const JOBS_PER_RUN: usize = 3;

/// Valid until long after the real time of these processes, which tests cannot change.
const LINK_LIFETIME: Span = Span::minutes(100 * 365 * 24 * 60);

/// Returns the settings of a worker that sends mail through this server.
pub fn settings(server: &SmtpServer) -> Vec<(&'static str, String)> {
    [
        ("KEEPCLEAR__MAIL__TRANSPORT", "smtp"),
        ("KEEPCLEAR__MAIL__SMTP__HOST", "127.0.0.1"),
        ("KEEPCLEAR__MAIL__SMTP__PORT", &server.address().port().to_string()),
        ("KEEPCLEAR__MAIL__SMTP__SECURITY", "none"),
        ("KEEPCLEAR__MAIL__SMTP__COMMAND_TIMEOUT_S", "2"),
        ("KEEPCLEAR__JOBS__WORKERS", "3"),
        ("KEEPCLEAR__JOBS__LEASE_S", "1"),
        ("KEEPCLEAR__JOBS__POLL_INTERVAL_MS", "20"),
        ("KEEPCLEAR__JOBS__MAX_ATTEMPTS", "1000"),
        ("KEEPCLEAR__JOBS__MAX_BACKOFF_S", "10"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}

fn worker(app: &TestApp, settings: &[(&'static str, String)]) -> Process {
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, &**value)).collect();
    Process::start_worker(program(), app.database(), &settings)
}

pub async fn create_users(app: &TestApp, count: usize) -> Vec<User> {
    for number in 0..count {
        app.create_user(&format!("user-{number}@example.com"), Role::Member).await;
    }
    let brand = app.ensure_brand("Acme").await;
    app.app.all_users(Some(&brand)).await.unwrap()
}

pub async fn issue(app: &TestApp, user: &User) {
    let mut tx = app.app.store.begin().await.unwrap();
    app.app.issue_account_link(&mut tx, user, LinkPurpose::PasswordReset, None, LINK_LIFETIME).await.unwrap();
    tx.commit().await.unwrap();
}

/// Waits until all jobs that can be done are done.
pub async fn wait_until_done(app: &TestApp) -> JobCounts {
    loop {
        let counts = app.app.job_counts().await.unwrap();
        if (counts.waiting, counts.running) == (0, 0) {
            return counts;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Asserts that each user was sent a mail, that repeated mails can be recognised, and that each effect on rows happened once. Returns the
/// number of mails.
pub async fn check_mails(app: &TestApp, server: &SmtpServer, users: &[User]) -> usize {
    // Each mail arrived, and repeated mails can be recognised.
    let received = server.received();
    let mut mails: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for message in &received {
        mails.entry(message.header("Message-ID")).or_default().push(message);
    }
    assert_eq!(mails.len(), users.len());
    for (id, copies) in &mails {
        assert!(copies.iter().any(|copy| copy.is_accepted), "{id} was never accepted");
        assert!(copies.iter().all(|copy| copy.text == copies[0].text), "{id}: {copies:#?}");
    }
    // Each effect on rows happened once.
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(users[0].brand, Projects::All);
    let filter = AuditFilter { action: Some("mail.sent".to_owned()), ..AuditFilter::default() };
    let page = PageRequest { limit: 1_000, after: None };
    let rows =
        store.read().await.unwrap().audits_of(&scope).page(&filter, (None, None), &page).await.unwrap().rows;
    let jobs: BTreeSet<&str> = rows.iter().map(|entry| entry.row.details.as_str()).collect();
    assert_eq!((rows.len(), jobs.len()), (users.len(), users.len()));
    received.len()
}

async fn fifty_killed_workers_lose_nothing_and_do_nothing_twice(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let app = TestApp::start(engine).await;
    let settings = settings(&server);
    let users = create_users(&app, KILLS * JOBS_PER_RUN).await;
    for (life, users) in users.chunks(JOBS_PER_RUN).enumerate() {
        for user in users {
            issue(&app, user).await;
        }
        // Every third one is killed after the server has read a message and not yet answered, the others at any moment.
        if life % 3 == 0 {
            server.queue_behaviours([SmtpBehaviour::StallAfterMessage]);
        }
        let seen = server.received().len();
        let worker = worker(&app, &settings);
        assert!(server.wait_for_messages(seen + 1 + life % 3), "a worker works");
        std::thread::sleep(Duration::from_micros(life as u64 * 1_370 % 9_000));
        let (status, _) = worker.stop("-KILL");
        assert!(!status.success());
    }
    let last = worker(&app, &settings);
    assert_eq!(wait_until_done(&app).await, JobCounts::default());
    let (status, log) = last.stop("-TERM");
    assert!(status.success(), "{log}");

    let copies = check_mails(&app, &server, &users).await;
    assert!(copies > users.len(), "some workers were killed while sending a mail");
    let checked = Process::run(program(), app.database(), &["check"], "");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn a_worker_that_is_told_to_stop_ends_what_it_has_in_hand() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        app.allow_leftover_jobs();
        let server = SmtpServer::start().unwrap();
        issue(&app, &create_users(&app, 1).await[0]).await;
        server.queue_behaviours([SmtpBehaviour::StallAfterMessage]);
        let mut settings = settings(&server);
        // A lease that ended meanwhile would let another of its workers send the mail.
        settings.push(("KEEPCLEAR__JOBS__LEASE_S", "60".to_owned()));
        let worker = worker(&app, &settings);
        assert!(server.wait_for_messages(1));
        let (status, log) = worker.stop("-TERM");
        assert!(status.success(), "{log}");
        assert!(log.contains("will be retried"), "{log}");
        assert!(!log.contains("user-0@example.com"), "{log}");
        let waiting = JobCounts { waiting: 1, ..JobCounts::default() };
        assert_eq!(
            app.app.job_counts().await.unwrap(),
            waiting,
            "the job does not have to wait for its lease to end"
        );
    });
}

#[test]
fn a_newcomer_finds_mails_in_the_data_folder() {
    testkit::run(Engine::Sqlite, |app: TestApp| async move {
        let server = Process::serve(program(), app.database(), &[]);
        issue(&app, &create_users(&app, 1).await[0]).await;
        assert_eq!(wait_until_done(&app).await, JobCounts::default());
        let files = std::fs::read_dir(app.database().folder().join("mail")).unwrap();
        let texts: Vec<String> =
            files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
        let [text] = texts.as_slice() else { panic!("{texts:?}") };
        let link = format!("http://{}/password-resets/", server.address);
        assert!(text.contains(&link) && text.contains("Subject: A new password for Acme"), "{text}");
    });
}
