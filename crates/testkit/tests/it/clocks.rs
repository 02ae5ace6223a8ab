//! Clocks that are set forward and back, by an hour and by a year: nobody is locked out, nothing that has ended becomes valid again,
//! and no job has two workers at the same time.

use app::jobs::{Lease, LeaseStatus};
use domain::{LinkPurpose, Role, Span};
use serde_json::json;
use store::{NewJob, Projects};
use testkit::{Account, Engine, PASSWORD, Reply, TestApp, on_both_engines};

on_both_engines!(
    limits_count_elapsed_time,
    health_and_signing_in_go_on,
    an_expiry_that_was_noticed_stays,
    an_expiry_is_recorded_later_if_the_database_is_busy,
    links_that_ended_stay_ended,
    ends_that_were_stamped_ahead_are_cut_to_one_length,
    messages_and_requests_for_video_wait_for_one_length,
    a_process_without_workers_finds_what_was_stamped_ahead,
    waits_of_those_who_typed_wrong_are_cut,
    a_token_signed_ahead_is_refreshed_at_once,
    a_lease_is_taken_over_after_its_length_wherever_the_clock_went,
    leases_on_copies_that_were_taken_ahead_are_cut,
    ticks_taken_ahead_are_done_again_when_their_time_comes,
    sessions_stamped_ahead_displace_no_new_one,
    any_settings_of_the_clock
);

const HOUR: Span = Span::minutes(60);
const YEAR: Span = Span::minutes(365 * 24 * 60);
const LEASE: Span = Span::seconds(60);

fn negated(span: Span) -> Span {
    Span::from_micros(-span.micros())
}

/// Forward and back, and back and forward.
fn clock_jumps() -> [Span; 4] {
    [HOUR, YEAR, negated(HOUR), negated(YEAR)]
}

async fn log_in(app: &TestApp, email: &str, password: &str) -> Reply {
    app.post("/api/v1/session").json(&json!({ "email": email, "password": password })).send().await
}

async fn session(app: &TestApp, cookie: &str) -> Reply {
    app.get("/api/v1/session").cookie(cookie).send().await
}

/// Signs in and returns the session cookie.
async fn cookie(app: &TestApp) -> String {
    let cookie = log_in(app, "ada@example.com", PASSWORD).await.expect(201).session_cookie();
    session(app, &cookie).await.expect(200);
    cookie
}

async fn limits_count_elapsed_time(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.probe_per_minute = web::Quota(2)).await;
    let health = || app.get("/health/live").send();
    for jump in clock_jumps() {
        for by in [jump, negated(jump)] {
            health().await.expect(200);
            app.clock.adjust_wall_by(by);
            health().await.expect(200);
            assert_eq!(health().await.expect(429).header("retry-after"), "30");
            app.clock.advance(Span::millis(29_999));
            health().await.expect(429);
            app.clock.advance(Span::millis(1));
            health().await.expect(200);
            app.clock.advance(Span::seconds(60));
        }
    }
}

async fn health_and_signing_in_go_on(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for jump in clock_jumps() {
        for by in [jump, negated(jump)] {
            cookie(&app).await;
            app.clock.adjust_wall_by(by);
            app.get("/health/ready").send().await.expect(200);
            app.get("/health/live").send().await.expect(200);
            cookie(&app).await;
            let login = json!({ "email": "ada@example.com", "password": PASSWORD });
            let reply = app.post("/api/v2/login").json(&login).send().await.expect(200);
            app.get("/api/v2/session").bearer(reply.header("accesstoken")).send().await.expect(200);
        }
    }
}

async fn an_expiry_that_was_noticed_stays(app: TestApp) {
    let Account { cookie, refresh_token, jwt, .. } =
        app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let unseen = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let refresh =
        |app: &TestApp, token: &str| app.post("/api/v2/refresh").header("refreshtoken", token).send();
    app.clock.adjust_wall_by(YEAR);
    assert_eq!(session(&app, &cookie).await.expect(401).code(), "credentials_expired");
    assert_eq!(refresh(&app, &refresh_token).await.expect(401).code(), "invalid_refresh_token");
    app.clock.adjust_wall_by(negated(YEAR));
    // The requests leave it to the background if the database does not answer soon.
    app.app.record_noticed_expiries().await.unwrap();
    let beside = app.second_instance().await;
    for app in [&app, &beside] {
        assert_eq!(session(app, &cookie).await.expect(401).code(), "credentials_expired");
        refresh(app, &refresh_token).await.expect(401);
        app.get("/api/v2/session").bearer(&jwt).send().await.expect(401);
        // No process has seen these sessions expired.
        session(app, &unseen.cookie).await.expect(200);
        app.get("/api/v2/session").bearer(&unseen.jwt).send().await.expect(200);
    }
    refresh(&app, &unseen.refresh_token).await.expect(200);
}

async fn an_expiry_is_recorded_later_if_the_database_is_busy(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let cookie = cookie(&app).await;
    let (_, platform) = app.database().open().await;
    let ended = async || {
        let query = "select cast(id as text) from sessions where ended_at is not null";
        testkit::query_raw_sql(app.database(), query).await
    };
    // Locks all sessions until it is dropped, which rolls it back.
    let mut busy = app.app.store.begin().await.unwrap();
    busy.sessions(&platform).end_all(app.clock.now()).await.unwrap();
    app.clock.adjust_wall_by(YEAR);
    assert_eq!(session(&app, &cookie).await.expect(401).code(), "credentials_expired");
    app.clock.adjust_wall_by(negated(YEAR));
    assert_eq!(session(&app, &cookie).await.expect(401).code(), "credentials_expired");
    assert_eq!(ended().await, [""; 0], "the database is busy");
    drop(busy);
    app.app.record_noticed_expiries().await.unwrap();
    assert_eq!(ended().await.len(), 1);
    let beside = app.second_instance().await;
    for app in [&app, &beside] {
        assert_eq!(session(app, &cookie).await.expect(401).code(), "credentials_expired");
    }
}

async fn links_that_ended_stay_ended(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let user = app.app.all_users(None).await.unwrap().remove(0);
    let issue = async || {
        let mut tx = app.app.store.begin().await.unwrap();
        let purpose = LinkPurpose::PasswordReset;
        let link = app.app.issue_account_link(&mut tx, &user, purpose, None, HOUR).await.unwrap();
        tx.commit().await.unwrap();
        app.app.account_link_secret(&link)
    };
    let opens = async |secret: &str| app.app.check_password_reset(secret).await.is_ok();
    let seen = issue().await;
    assert!(opens(&seen).await);
    app.clock.adjust_wall_by(YEAR);
    assert!(!opens(&seen).await);
    app.clock.adjust_wall_by(negated(YEAR));
    assert!(!opens(&seen).await, "it was seen expired");
    // A replaced link does not become valid again, and one created while the clock was ahead is valid for an hour.
    app.clock.adjust_wall_by(YEAR);
    let (replaced, newest) = (issue().await, issue().await);
    app.clock.adjust_wall_by(negated(YEAR));
    app.run_jobs().await;
    assert!(!opens(&replaced).await);
    assert!(opens(&newest).await);
    app.clock.advance(HOUR);
    assert!(!opens(&newest).await);
}

async fn ends_that_were_stamped_ahead_are_cut_to_one_length(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    app.clock.adjust_wall_by(YEAR);
    let idle = cookie(&app).await;
    let busy = cookie(&app).await;
    app.clock.adjust_wall_by(negated(YEAR));
    // Workers do this every second.
    app.run_jobs().await;
    session(&app, &idle).await.expect(200);
    let sessions = app.get("/api/v1/sessions").cookie(&busy).send().await.expect(200).json();
    let ends: Vec<_> =
        sessions["data"].as_array().unwrap().iter().map(|row| row["expires_at"].clone()).collect();
    let week = (app.clock.now() + Span::minutes(168 * 60)).to_string();
    assert_eq!(ends, [json!(week), json!(week)]);
    app.clock.advance(Span::minutes(480));
    session(&app, &idle).await.expect(401);
}

async fn messages_and_requests_for_video_wait_for_one_length(app: TestApp) {
    app.clock.adjust_wall_by(YEAR);
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let station = crate::video::register_station(&app, &admin, "BS-1").await;
    let post = |path: &str, body: serde_json::Value| {
        let path = format!("/api/v1/base_stations/{station}/{path}");
        app.post(&path).cookie(&admin.cookie).json(&body).send()
    };
    post("messages", json!({ "body": "Stop" })).await.expect(201);
    let (from, to) = (app.clock.now() + Span::minutes(-10), app.clock.now() + Span::minutes(-9));
    post("video_clips", json!({ "from": from, "to": to })).await.expect(201);
    app.clock.adjust_wall_by(negated(YEAR));
    app.run_jobs().await;
    let admin = app.sign_in_new_user("other@example.com", Role::Admin).await;
    let get = |path: String| app.get(&path).cookie(&admin.cookie).send();
    let sent = get(format!("/api/v1/base_stations/{station}/messages")).await.expect(200).json();
    let day = app.clock.now() + Span::minutes(24 * 60);
    assert_eq!(sent["data"][0]["expires_at"], json!(day), "{sent}");
    let clip = get("/api/v1/video_clips/1".to_owned()).await.expect(200).json();
    let week = app.clock.now() + Span::minutes(7 * 24 * 60);
    assert_eq!((&clip["state"], &clip["expires_at"]), (&json!("requested"), &json!(week)), "{clip}");
}

async fn a_process_without_workers_finds_what_was_stamped_ahead(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.create_user("ada@example.com", Role::Viewer).await;
    cookie(&app).await;
    // As if the clock had been ahead by ten years.
    let ahead = "update sessions set created_at = created_at + 315360000000000, expires_at = expires_at + 315360000000000";
    testkit::execute_raw_sql(app.database(), ahead).await.unwrap();
    let ends = async || {
        testkit::query_raw_sql(app.database(), "select cast(expires_at as text) from sessions").await
    };
    let before = ends().await;
    let server =
        testkit::Process::serve(crate::program(), app.database(), &[("KEEPCLEAR__JOBS__WORKERS", "0")]);
    for round in 0.. {
        if ends().await != before {
            break;
        }
        assert!(round < 4_000, "nothing read the clock");
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    drop(server);
}

async fn waits_of_those_who_typed_wrong_are_cut(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for jump in clock_jumps() {
        app.clock.adjust_wall_by(jump);
        for _ in 0..5 {
            log_in(&app, "ada@example.com", "wrong").await.expect(401);
        }
        assert_eq!(log_in(&app, "ada@example.com", PASSWORD).await.expect(429).code(), "too_many_attempts");
        app.clock.adjust_wall_by(negated(jump));
        // Never longer than the longest possible wait, by the monotonic clock.
        app.clock.advance(Span::minutes(17));
        log_in(&app, "ada@example.com", PASSWORD).await.expect(201);
    }
}

async fn a_token_signed_ahead_is_refreshed_at_once(app: TestApp) {
    app.clock.adjust_wall_by(HOUR);
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.adjust_wall_by(negated(HOUR));
    // A token issued in the future is not valid yet, and its intended lifetime cannot be known.
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    let refresh = |token: &str| app.post("/api/v2/refresh").header("refreshtoken", token).send();
    let reply = refresh(&ada.refresh_token).await.expect(200);
    app.get("/api/v2/session").bearer(reply.header("accesstoken")).send().await.expect(200);
    // A refresh in the future does not keep the old token valid for an hour.
    app.clock.adjust_wall_by(HOUR);
    let second = refresh(reply.header("refreshtoken")).await.expect(200);
    app.clock.adjust_wall_by(negated(HOUR));
    let reused = refresh(reply.header("refreshtoken")).await.expect(401);
    assert_eq!(reused.code(), "refresh_token_reused");
    refresh(second.header("refreshtoken")).await.expect(401);
}

async fn enqueue(app: &TestApp) {
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let now = app.clock.now();
    let new = NewJob { kind: "dig", payload: "{}", run_at: now, brand: None };
    tx.jobs(&platform).enqueue(&new, now).await.unwrap();
    tx.commit().await.unwrap();
}

async fn claim(app: &TestApp) -> Option<Lease> {
    app.app.claim_job(&["dig"], "worker", LEASE).await.unwrap()
}

async fn a_lease_is_taken_over_after_its_length_wherever_the_clock_went(app: TestApp) {
    let beside = app.second_instance().await;
    for jump in clock_jumps() {
        for by in [jump, negated(jump)] {
            enqueue(&app).await;
            let held = claim(&app).await.unwrap();
            app.clock.adjust_wall_by(by);
            assert!(claim(&beside).await.is_none(), "{by:?}: the job is leased");
            // After a heartbeat of its holder, the lease lasts its full length again.
            app.clock.advance(Span::seconds(20));
            assert_eq!(app.app.extend_lease(&held, LEASE).await.unwrap(), LeaseStatus::Held);
            app.clock.advance(Span::seconds(59));
            assert!(claim(&beside).await.is_none(), "{by:?}: the job is still leased");
            app.clock.advance(Span::seconds(1));
            let taken = claim(&beside).await.unwrap_or_else(|| panic!("{by:?}: no worker takes it over"));
            assert_eq!(app.app.finish_job(&held).await.unwrap(), LeaseStatus::Lost);
            assert_eq!(beside.app.finish_job(&taken).await.unwrap(), LeaseStatus::Held);
            // One job whose holder never sends a heartbeat, and one that waits for a retry.
            enqueue(&app).await;
            let silent = claim(&app).await.unwrap();
            app.clock.adjust_wall_by(negated(by));
            assert!(claim(&beside).await.is_none());
            app.clock.advance(LEASE);
            let taken = claim(&beside).await.unwrap_or_else(|| panic!("{by:?}: no worker takes it over"));
            assert_eq!(app.app.finish_job(&silent).await.unwrap(), LeaseStatus::Lost);
            assert_eq!(beside.app.retry_job(&taken, LEASE, "later").await.unwrap(), LeaseStatus::Held);
            app.clock.adjust_wall_by(by);
            assert!(by.micros() > 0 || claim(&beside).await.is_none());
            app.clock.advance(LEASE);
            let again = claim(&beside).await.unwrap_or_else(|| panic!("{by:?}: it is not retried"));
            assert_eq!(beside.app.finish_job(&again).await.unwrap(), LeaseStatus::Held);
            app.clock.adjust_wall_by(negated(by));
            assert!(claim(&app).await.is_none());
        }
    }
}

async fn leases_on_copies_that_were_taken_ahead_are_cut(app: TestApp) {
    let brand = app.ensure_brand("Acme").await.id;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand, Projects::All);
    let mut tx = store.begin().await.unwrap();
    tx.warehouse_copies(&platform).add(brand, 1).await.unwrap();
    tx.commit().await.unwrap();
    let take = async |worker: &str| {
        let now = app.clock.now();
        let mut tx = store.begin().await.unwrap();
        let until = now + Span::seconds(15);
        let copy = tx.warehouse_copies(&platform).take(brand, worker, now, until).await.unwrap();
        let until = now + Span::minutes(10);
        let columns = tx.column_manifests(&scope).take(worker, now, until).await.unwrap();
        tx.commit().await.unwrap();
        (copy, columns.is_some())
    };
    app.clock.adjust_wall_by(YEAR);
    assert_eq!(take("one").await, (true, true));
    app.clock.adjust_wall_by(negated(YEAR));
    assert_eq!(take("other").await, (false, false));
    app.run_jobs().await;
    assert_eq!(take("other").await, (true, true));
    app.app.clamp_future_expiries().await.unwrap();
    assert_eq!(take("one").await, (false, false), "a lease of its length stays");
}

async fn ticks_taken_ahead_are_done_again_when_their_time_comes(app: TestApp) {
    let did = async || app.runner().reconcile().await.unwrap();
    assert!(did().await.contains(&"forget_old"));
    app.clock.adjust_wall_by(HOUR);
    assert!(did().await.contains(&"forget_old"));
    app.clock.adjust_wall_by(negated(HOUR));
    assert!(!did().await.contains(&"forget_old"), "this hour's is done");
    app.clock.advance(HOUR);
    assert!(did().await.contains(&"forget_old"));
}

async fn sessions_stamped_ahead_displace_no_new_one(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.max_sessions_per_user = 3).await;
    app.create_user("ada@example.com", Role::Viewer).await;
    app.clock.adjust_wall_by(YEAR);
    for _ in 0..3 {
        cookie(&app).await;
    }
    app.clock.adjust_wall_by(negated(YEAR));
    for _ in 0..3 {
        cookie(&app).await;
    }
}

async fn any_settings_of_the_clock(engine: Engine) {
    set_clock_at_random(engine, 40, 7).await;
}

#[test]
#[ignore = "takes minutes: make soak"]
fn two_thousand_settings_on_sqlite() {
    testkit::run(Engine::Sqlite, |engine: Engine| set_clock_at_random(engine, 2_000, 1));
}

#[test]
#[ignore = "takes minutes: make soak"]
fn two_thousand_settings_on_postgresql() {
    testkit::run(Engine::Postgres, |engine: Engine| set_clock_at_random(engine, 2_000, 2));
}

/// Sets the clock at random while users sign in and out and two processes share the jobs.
async fn set_clock_at_random(engine: Engine, steps: u32, seed: u64) {
    let app = TestApp::start(engine).await;
    let beside = app.second_instance().await;
    app.create_user("ada@example.com", Role::Viewer).await;
    let mut state = seed;
    let mut dice = move |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let (mut living, mut dead) = (Vec::new(), Vec::new());
    let (mut held, mut done, mut enqueued) = (None, 0, 0);
    for _ in 0..steps {
        match dice(4) {
            0 => app.clock.advance(Span::seconds(dice(30) as i64)),
            1 => app.clock.adjust_wall_by(Span::seconds(dice(7_200) as i64 - 3_600)),
            2 => app.clock.adjust_wall_by(if dice(2) == 0 { YEAR } else { negated(YEAR) }),
            _ => {}
        }
        app.get("/health/ready").send().await.expect(200);
        living.push(cookie(&app).await);
        let place = if dice(2) == 0 { &app } else { &beside };
        let tried = living.swap_remove(dice(living.len() as u64) as usize);
        match session(place, &tried).await.status.as_u16() {
            200 => living.push(tried),
            status => {
                assert_eq!(status, 401);
                place.app.record_noticed_expiries().await.unwrap();
                dead.push(tried);
            }
        }
        if !dead.is_empty() {
            session(place, &dead[dice(dead.len() as u64) as usize]).await.expect(401);
        }
        // One process holds a job and renews its lease in time; the other must never get it.
        if held.is_none() {
            enqueue(&app).await;
            enqueued += 1;
            app.clock.advance(Span::seconds(1));
            held = claim(&app).await;
        }
        assert!(held.is_none() || claim(&beside).await.is_none(), "a leased job was claimed again");
        if let Some(lease) = held.take() {
            assert_eq!(app.app.extend_lease(&lease, LEASE).await.unwrap(), LeaseStatus::Held);
            if dice(3) == 0 {
                assert_eq!(app.app.finish_job(&lease).await.unwrap(), LeaseStatus::Held);
                done += 1;
            } else {
                held = Some(lease);
            }
        }
    }
    if let Some(lease) = held {
        assert_eq!(app.app.finish_job(&lease).await.unwrap(), LeaseStatus::Held);
        done += 1;
    }
    // Jobs that wait for a retry or were abandoned wait no longer than one lease.
    app.clock.advance(LEASE);
    while let Some(lease) = claim(&app).await {
        assert_eq!(app.app.finish_job(&lease).await.unwrap(), LeaseStatus::Held);
        done += 1;
    }
    assert_eq!(done, enqueued, "each job was done once");
}
