//! The job that makes a report: what happens when things change, or workers are killed, while it runs.

use std::time::Duration;

use app::jobs::{AttemptEnd, Job as _, LeaseStatus, ReportBuild};
use domain::{BrandId, ReportId, Role, Span, Timestamp};
use serde_json::{Value, json};
use store::JobCounts;
use testkit::{Database, Engine, Process, TestApp, on_both_engines};

use crate::program;
use crate::v1::insights::Yard;
use crate::v1::reports::{
    PATH, blobs, busy_yard, count_objects, download, figures_key, get, incursions_body, post,
};

on_both_engines!(
    an_author_who_is_deactivated_meanwhile_gets_none,
    access_that_changes_meanwhile_starts_it_again,
    erasures_use_up_no_attempts,
    a_run_that_was_superseded_leaves_no_file,
    figures_that_are_stored_are_not_computed_again,
    figures_that_are_missing_are_computed_again_before_it_was_ready,
    a_retention_that_is_shortened_meanwhile_counts,
    a_worker_that_lost_its_lease_changes_nothing,
    a_fault_of_the_objects_is_survived,
    a_report_waits_for_the_history,
    killed_workers_leave_one_file,
);

const LEASE: Span = Span::seconds(60);
/// Longer than the time until a job that failed is tried again.
const LATER: Span = Span::minutes(60);

/// Has the database change something itself after a statement of the job, in the same transaction: a moment that no other caller
/// could hit reliably.
pub(super) struct Meanwhile<'a>(&'a Database);

impl<'a> Meanwhile<'a> {
    pub(super) async fn after(database: &'a Database, event: &str, condition: &str, statement: &str) -> Self {
        let statements = if database.url().starts_with("sqlite:") {
            format!("create trigger meanwhile after {event} when {condition} begin {statement}; end")
        } else {
            format!(
                "create function meanwhile() returns trigger language plpgsql as
                     $$ begin {statement}; return null; end $$;
                 create trigger meanwhile after {event} for each row when ({condition}) execute function meanwhile()"
            )
        };
        testkit::execute_raw_sql(database, &statements).await.unwrap();
        Self(database)
    }

    async fn end(self, table: &str) {
        let statements = match self.0.url().starts_with("sqlite:") {
            true => "drop trigger meanwhile".to_owned(),
            false => format!("drop trigger meanwhile on {table}; drop function meanwhile()"),
        };
        testkit::execute_raw_sql(self.0, &statements).await.unwrap();
    }
}

/// Returns how many attempts the jobs of a kind took.
pub(super) async fn attempts(database: &Database, kind: &str) -> Vec<String> {
    let query = format!("select cast(attempts as text) from jobs where kind = '{kind}' order by id");
    testkit::query_raw_sql(database, &query).await
}

async fn state_of(yard: &Yard, id: &Value) -> (Value, Value) {
    let shown = get(yard, &yard.admin, id).await.expect(200).json();
    (shown["state"].clone(), shown["reason"].clone())
}

async fn an_author_who_is_deactivated_meanwhile_gets_none(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = &post(&yard, &member, &incursions_body("csv")).await.expect(201).json()["id"];
    Meanwhile::after(
        yard.app.database(),
        "update of figures_upload on reports",
        "new.figures_upload is not null",
        "update users set state = 'deactivated' where email = 'member@example.com'",
    )
    .await;
    assert_eq!(yard.app.run_jobs().await, 1);
    assert_eq!(state_of(&yard, asked).await, (json!("failed"), json!("user_deactivated")));
    let files = testkit::query_raw_sql(yard.app.database(), "select upload from report_files").await;
    assert_eq!(files, [""; 0]);
    // The figures belong to nothing any more.
    yard.app.clock.advance(Span::minutes(2 * 24 * 60));
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 0);
}

async fn access_that_changes_meanwhile_starts_it_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let asked = &post(&yard, &member, &incursions_body("json")).await.expect(201).json()["id"];
    let demotion = Meanwhile::after(
        yard.app.database(),
        "update of state on reports",
        "new.state = 'running'",
        "update users set role = 'viewer' where email = 'member@example.com'",
    )
    .await;
    assert_eq!(yard.app.run_jobs().await, 2, "it is run again at once");
    demotion.end("reports").await;
    assert_eq!(state_of(&yard, asked).await.0, "ready");
    assert_eq!(attempts(yard.app.database(), ReportBuild::KIND).await, ["1"]);
    assert_eq!(count_objects(&yard), 2, "what was computed with more is not stored");
    let file = download(&yard, &yard.admin, asked, "").await.expect(200).json();
    assert_eq!(file["names"]["pedestrian"]["1"], "Person 1");
}

async fn erasures_use_up_no_attempts(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = &post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json()["id"];
    // More often than a report is tried when it fails.
    Meanwhile::after(
        yard.app.database(),
        "update of state on reports",
        "new.state = 'running' and new.generation < 12",
        "update reports set state = 'queued', generation = generation + 1 where id = 1",
    )
    .await;
    assert_eq!(yard.app.run_jobs().await, 7);
    assert_eq!(state_of(&yard, asked).await, (json!("ready"), Value::Null));
    assert_eq!(attempts(yard.app.database(), ReportBuild::KIND).await, ["1"]);
    assert_eq!(count_objects(&yard), 2);
}

async fn a_run_that_was_superseded_leaves_no_file(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = &post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json()["id"];
    let erasure = Meanwhile::after(
        yard.app.database(),
        "insert on report_files",
        "new.report_id > 0",
        "update reports set generation = generation + 1 where id = 1",
    )
    .await;
    assert_eq!(yard.app.run_jobs().await, 11, "after ten repeats, it waits");
    assert_eq!(state_of(&yard, asked).await.0, "running");
    assert_eq!(count_objects(&yard), 1, "only the figures");
    erasure.end("report_files").await;
    yard.app.clock.advance(Span::seconds(10));
    assert_eq!(yard.app.run_jobs().await, 1);
    assert_eq!(state_of(&yard, asked).await.0, "ready");
    assert_eq!(count_objects(&yard), 2);
}

async fn figures_that_are_stored_are_not_computed_again(app: TestApp) {
    let yard = busy_yard(app).await;
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    let interruption = Meanwhile::after(
        yard.app.database(),
        "insert on report_files",
        "new.report_id > 0",
        "update reports set generation = generation + 1 where id = 1",
    )
    .await;
    yard.app.run_jobs().await;
    interruption.end("report_files").await;
    yard.facts.add_incursions(vec![yard.row(60 * 24 * 3, Some(1))]).await;
    yard.app.clock.advance(LATER);
    yard.app.run_jobs().await;
    let cookie =
        yard.app.log_in_v1("admin@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let path = format!("{PATH}/1/download?format=json");
    let file = yard.app.get(&path).cookie(&cookie).send().await.expect(200).json();
    assert_eq!(file["figures"]["incursions"].as_array().unwrap().len(), 4);
}

async fn figures_that_are_missing_are_computed_again_before_it_was_ready(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = &post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json()["id"];
    let interruption = Meanwhile::after(
        yard.app.database(),
        "insert on report_files",
        "new.report_id > 0",
        "update reports set generation = generation + 1 where id = 1",
    )
    .await;
    yard.app.run_jobs().await;
    interruption.end("report_files").await;
    blobs(&yard).delete(&figures_key(&yard, 1).await).await.unwrap();
    // The first run finds that they are missing, and the second computes them.
    for state in ["running", "ready"] {
        yard.app.clock.advance(Span::seconds(10));
        assert_eq!(yard.app.run_jobs().await, 1);
        assert_eq!(state_of(&yard, asked).await, (json!(state), Value::Null));
    }
    download(&yard, &yard.admin, asked, "?format=json").await.expect(200);
}

async fn a_retention_that_is_shortened_meanwhile_counts(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = &post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json()["id"];
    Meanwhile::after(
        yard.app.database(),
        "insert on report_files",
        "new.report_id > 0",
        "update brands set keep_incursions_days = 30",
    )
    .await;
    yard.app.run_jobs().await;
    let done = get(&yard, &yard.admin, asked).await.expect(200).json();
    let at = |field: &str| Timestamp::parse(done[field].as_str().unwrap()).unwrap().seconds();
    assert_eq!((at("expires_at") - at("finished_at")) / (24 * 60 * 60), 30);
}

async fn a_report_waits_for_the_history(app: TestApp) {
    let yard = busy_yard(app).await;
    let loaded = app::LoadingHistory { complete_from: domain::Day::parse("2026-02-22").unwrap(), percent: 8 };
    yard.app.app.note_loading_history(BrandId(1), loaded);
    let asked = &post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json()["id"];
    // More often than a report that fails is tried, and without its waits, which become longer.
    for _ in 0..6 {
        assert_eq!(yard.app.run_jobs().await, 1);
        assert_eq!(state_of(&yard, asked).await, (json!("queued"), json!(null)));
        yard.app.clock.advance(Span::seconds(5));
    }
    yard.app.app.note_complete_history(BrandId(1));
    yard.app.run_jobs().await;
    assert_eq!(state_of(&yard, asked).await.0, "ready");
    assert_eq!(attempts(yard.app.database(), ReportBuild::KIND).await, ["1"]);
}

async fn a_worker_that_lost_its_lease_changes_nothing(app: TestApp) {
    let yard = busy_yard(app).await;
    let asked = post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201).json();
    let slow = yard.app.app.claim_job(&[ReportBuild::KIND], "slow", LEASE).await.unwrap().unwrap();
    yard.app.clock.advance(LEASE);
    assert_eq!(yard.app.run_jobs().await, 1, "another takes it over and does it");
    let done = get(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    let job = ReportBuild { brand: BrandId(1), report: ReportId(1) };
    let lost = AttemptEnd::Finished(LeaseStatus::Lost);
    assert_eq!(yard.app.app.build_report(&slow, &job).await.unwrap(), lost);
    assert_eq!(yard.app.app.fail_report(&slow, &job, "late").await.unwrap(), LeaseStatus::Lost);
    assert_eq!(get(&yard, &yard.admin, &asked["id"]).await.expect(200).json(), done);
    assert_eq!(done["state"], "ready");
    assert_eq!(count_objects(&yard), 2);
}

async fn a_fault_of_the_objects_is_survived(app: TestApp) {
    let yard = busy_yard(app).await;
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    // A file in place of the folder.
    let folder = yard.app.config.data.join("blobs").join("reports");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::fs::write(&folder, b"").unwrap();
    for _ in 0..5 {
        assert_eq!(yard.app.run_jobs().await, 1, "it is tried as often as any job");
        yard.app.clock.advance(LATER);
    }
    std::fs::remove_file(&folder).unwrap();
    assert_eq!(yard.app.run_jobs().await, 1);
    assert_eq!(count_objects(&yard), 2);
}

async fn killed_workers_leave_one_file(engine: Engine) {
    const KILLS: u64 = 5;
    let yard = Yard::new(TestApp::start(engine).await).await;
    yard.facts.add_incursions((1..=1_000).map(|minutes| yard.row(minutes, Some(1))).collect()).await;
    let body = json!({ "kind": "incursions", "format": "pdf" });
    let asked = &post(&yard, &yard.admin, &body).await.expect(201).json()["id"];
    let settings = [
        ("KEEPCLEAR__JOBS__LEASE_S", "1"),
        ("KEEPCLEAR__JOBS__POLL_INTERVAL_MS", "20"),
        ("KEEPCLEAR__JOBS__MAX_ATTEMPTS", "1000"),
    ];
    let worker = || Process::start_worker(program(), yard.app.database(), &settings);
    let generation = async || {
        let found = testkit::query_raw_sql(
            yard.app.database(),
            "select cast(generation as text) from reports where id = 1 and state = 'running'",
        )
        .await;
        found.first().map_or(0, |generation| generation.parse::<u64>().unwrap())
    };
    for life in 0..KILLS {
        let before = generation().await;
        let doomed = worker();
        // Each begins the report anew after the lease of the one before, unless that one has finished it.
        while generation().await == before && yard.app.app.job_counts().await.unwrap() != JobCounts::default()
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(life * 150)).await;
        doomed.stop("-KILL");
    }
    let last = worker();
    while yard.app.app.job_counts().await.unwrap() != JobCounts::default() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(last.stop("-TERM").0.success());
    assert_eq!(state_of(&yard, asked).await.0, "ready");
    let files = testkit::query_raw_sql(yard.app.database(), "select upload from report_files").await;
    assert_eq!(files.len(), 1);
    let file = download(&yard, &yard.admin, asked, "").await.expect(200);
    crate::pdf::check(&file.body);
    let checked = Process::run(program(), yard.app.database(), &["check"], "");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    // Whatever killed workers have left is removed; their clocks are the real one.
    yard.app.clock.advance(Span::minutes(100 * 365 * 24 * 60));
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 2, "the figures and the file");
}
