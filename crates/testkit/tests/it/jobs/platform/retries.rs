//! Retries of jobs that fail, and jobs that are given up.

use domain::{LinkPurpose, Span, UserState};
use jobs::Outcome;
use mail::Transport;
use store::JobCounts;
use testbed::{SmtpBehaviour, SmtpServer};
use testkit::{Engine, TestApp, on_both_engines};

use crate::jobs::{enqueue, issue, user};

on_both_engines!(
    a_mail_is_tried_again_with_longer_and_longer_waits_and_arrives,
    a_mail_that_is_refused_for_good_is_given_up,
    attempts_come_to_an_end,
    what_is_repeated_does_not_count_for_a_while,
    what_waits_is_never_given_up,
    a_panic_is_tried_again,
    what_kills_its_workers_is_given_up,
    a_payload_of_another_version_is_given_up
);

/// Starts an application that sends mail through a server.
async fn app_with_smtp(engine: Engine, server: &SmtpServer) -> TestApp {
    TestApp::start_with(engine, |config| {
        config.mail.transport = Transport::Smtp;
        config.mail.smtp.host = "127.0.0.1".to_owned();
        config.mail.smtp.port = server.address().port();
        config.mail.smtp.security = mail::Security::None;
        config.jobs.max_attempts = 5;
        config.jobs.backoff_base_s = 10;
        config.jobs.max_backoff_s = 30;
    })
    .await
}

async fn counts(app: &TestApp) -> JobCounts {
    app.app.job_counts().await.unwrap()
}

const NO_JOBS: JobCounts = JobCounts { waiting: 0, running: 0, failed: 0 };

async fn a_mail_is_tried_again_with_longer_and_longer_waits_and_arrives(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let app = app_with_smtp(engine, &server).await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    issue(&app, &ada, LinkPurpose::Invitation).await;
    server.queue_behaviours([
        SmtpBehaviour::RefuseGreeting("421 busy"),
        SmtpBehaviour::RefuseRecipient("450 greylisted"),
        SmtpBehaviour::DropAfterMessage,
        SmtpBehaviour::RefuseMessage("451 no room"),
    ]);
    assert_eq!(app.run_jobs().await, 1);
    for longest in [10, 20, 30, 30] {
        assert_eq!(counts(&app).await, JobCounts { waiting: 1, ..NO_JOBS });
        // Between half of the wait and the whole wait, at random.
        app.clock.advance(Span::millis(longest * 500 - 1));
        assert_eq!(app.run_jobs().await, 0, "too early");
        app.clock.advance(Span::millis(longest * 500 + 1));
        assert_eq!(app.run_jobs().await, 1);
    }
    assert_eq!(counts(&app).await, NO_JOBS);
    let received = server.received();
    let taken: Vec<bool> = received.iter().map(|message| message.is_accepted).collect();
    assert_eq!(taken, [false, false, true]);
    for message in &received {
        assert_eq!(message.header("Message-ID"), received[0].header("Message-ID"));
        assert_eq!(message.text, received[0].text, "repeated mails can be recognised");
    }
    assert!(received[0].header("Message-ID").ends_with("@127.0.0.1>"), "{}", received[0].text);
}

async fn a_mail_that_is_refused_for_good_is_given_up(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let app = app_with_smtp(engine, &server).await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    issue(&app, &ada, LinkPurpose::Invitation).await;
    server.queue_behaviours([SmtpBehaviour::RefuseRecipient("550 ada@example.com is not here")]);
    assert_eq!(app.run_jobs().await, 1);
    assert_eq!(counts(&app).await, JobCounts { failed: 1, ..NO_JOBS });
    // The stored error has the server's text, but not the recipient.
    let mask = "update jobs set state = 'done' where last_error like '%… is not here%'";
    testkit::execute_raw_sql(app.database(), mask).await.unwrap();
    assert_eq!(counts(&app).await, NO_JOBS);
}

async fn attempts_come_to_an_end(engine: Engine) {
    let server = SmtpServer::start().unwrap();
    let app = app_with_smtp(engine, &server).await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    issue(&app, &ada, LinkPurpose::Invitation).await;
    server.set_default_behaviour(SmtpBehaviour::RefuseData("451 never"));
    for _ in 0..5 {
        assert_eq!(app.run_jobs().await, 1);
        app.clock.advance(Span::seconds(30));
    }
    assert_eq!(app.run_jobs().await, 0);
    assert_eq!(counts(&app).await, JobCounts { failed: 1, ..NO_JOBS });
}

async fn what_is_repeated_does_not_count_for_a_while(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.jobs.max_attempts = 3).await;
    app.allow_leftover_jobs();
    enqueue(&app, "chase").await;
    let runner = app.new_runner().with_handler("chase", async |_, lease| {
        assert!(lease.attempt() == 1 || lease.repeats() >= 100, "{lease:?}");
        Outcome::Repeat
    });
    assert_eq!(runner.run_due().await.unwrap(), 11, "ten times at once");
    assert_eq!(counts(&app).await, JobCounts { waiting: 1, ..NO_JOBS });
    app.clock.advance(Span::seconds(9));
    assert_eq!(runner.run_due().await.unwrap(), 0, "then it waits");
    let mut runs = 11;
    while counts(&app).await.failed == 0 {
        app.clock.advance(Span::minutes(60));
        runs += runner.run_due().await.unwrap();
    }
    assert_eq!(runs, 103, "it is given up after a hundred repeats and three attempts");
}

async fn what_waits_is_never_given_up(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.jobs.max_attempts = 3).await;
    enqueue(&app, "wait").await;
    let runner = app.new_runner().with_handler("wait", async |_, lease| {
        assert_eq!(lease.attempt(), 1);
        if lease.repeats() < 120 { Outcome::Wait } else { Outcome::Done }
    });
    for _ in 0..120 {
        assert_eq!(runner.run_due().await.unwrap(), 1);
        app.clock.advance(Span::seconds(4));
        assert_eq!(runner.run_due().await.unwrap(), 0, "too early");
        app.clock.advance(Span::seconds(1));
    }
    assert_eq!(counts(&app).await, JobCounts { waiting: 1, ..NO_JOBS });
    assert_eq!(runner.run_due().await.unwrap(), 1);
    assert_eq!(counts(&app).await, NO_JOBS);
}

async fn a_panic_is_tried_again(app: TestApp) {
    enqueue(&app, "stumble").await;
    let runner = app.new_runner().with_handler("stumble", async |_, lease| {
        assert!(lease.attempt() > 1, "the first attempt fails");
        Outcome::Done
    });
    assert_eq!(runner.run_due().await.unwrap(), 1);
    assert_eq!(counts(&app).await, JobCounts { waiting: 1, ..NO_JOBS });
    app.clock.advance(Span::seconds(10));
    assert_eq!(runner.run_due().await.unwrap(), 1);
    assert_eq!(counts(&app).await, NO_JOBS);
}

async fn what_kills_its_workers_is_given_up(app: TestApp) {
    app.allow_leftover_jobs();
    enqueue(&app, "explode").await;
    let lease = Span::seconds(60);
    let most = app.config.jobs.max_attempts;
    for _ in 0..most {
        assert!(app.app.claim_job(&["explode"], "dead soon", lease).await.unwrap().is_some());
        app.clock.advance(lease);
    }
    let runner = app.new_runner().with_handler("explode", async |_, _| panic!("it is never started"));
    assert_eq!(runner.run_due().await.unwrap(), 1);
    assert_eq!(counts(&app).await, JobCounts { failed: 1, ..NO_JOBS });
}

async fn a_payload_of_another_version_is_given_up(app: TestApp) {
    app.allow_leftover_jobs();
    enqueue(&app, <app::jobs::AccountMail as app::jobs::Job>::KIND).await;
    assert_eq!(app.run_jobs().await, 1);
    assert_eq!(counts(&app).await, JobCounts { failed: 1, ..NO_JOBS });
}
