//! /api/v1/session/second_factor, and its effect on signing in to both API versions.

use domain::{EmailAddress, Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Engine, PASSWORD, Reply, TestApp, on_both_engines};

on_both_engines!(
    adding_one_takes_a_right_code_and_ends_the_other_sessions,
    logins_of_both_versions_take_a_code,
    a_code_works_once_in_all_processes,
    a_used_code_never_works_again_wherever_the_clock_goes,
    a_clock_that_was_ahead_locks_nobody_out,
    used_codes_are_remembered_within_a_bound,
    a_recovery_code_stands_in_once,
    right_passwords_without_a_right_code_count_as_guesses,
    a_proof_takes_a_code_too,
    where_it_is_enforced_it_must_be_added_first,
    an_admin_resets_that_of_a_user_and_it_is_recorded,
    the_command_line_resets_that_of_the_last_admin,
    a_seed_is_sealed_and_codes_are_hashed,
    a_password_reset_does_not_get_around_it,
);

const PATH: &str = "/api/v1/session/second_factor";

/// Adds a second factor in the V1 session of an account and returns its secret and recovery codes.
async fn enrol_second_factor(app: &TestApp, cookie: &str) -> (String, Vec<String>) {
    // The mails about it are tested below.
    app.allow_leftover_jobs();
    let begun = app.post(PATH).cookie(cookie).send().await.expect(201).json();
    let secret = begun["secret"].as_str().unwrap().to_owned();
    let call = app.post(&format!("{PATH}/confirm")).cookie(cookie);
    let done = call.json(&json!({ "otp": app.otp(&secret) })).send().await.expect(200).json();
    let codes = done["recovery_codes"].as_array().unwrap().iter();
    let codes = codes.map(|code| code.as_str().unwrap().to_owned()).collect();
    // The code that confirmed it is used up.
    app.clock.advance(Span::seconds(30));
    (secret, codes)
}

async fn log_in(app: &TestApp, path: &str, account: &Account, otp: &str) -> Reply {
    let body = json!({ "email": account.email, "password": PASSWORD, "otp": otp });
    app.post(path).json(&body).send().await
}

async fn state(app: &TestApp, cookie: &str) -> Value {
    app.get(PATH).cookie(cookie).send().await.expect(200).json()
}

async fn adding_one_takes_a_right_code_and_ends_the_other_sessions(app: TestApp) {
    let ada = app.sign_in_new_user("ada+x@example.com", Role::Viewer).await;
    let none = json!({
        "required": false, "enabled": false, "enabled_at": null, "pending": false, "recovery_codes_left": 0,
    });
    assert_eq!(state(&app, &ada.cookie).await, none);
    let confirm = async |otp: &str| {
        let call = app.post(&format!("{PATH}/confirm")).cookie(&ada.cookie);
        call.json(&json!({ "otp": otp })).send().await
    };
    assert_eq!(confirm("123456").await.expect(409).code(), "second_factor_not_begun");
    let first = app.post(PATH).cookie(&ada.cookie).send().await.expect(201).json();
    let reply = app.post(PATH).cookie(&ada.cookie).send().await.expect(201);
    assert_eq!(reply.header("location"), PATH);
    let secret = reply.json()["secret"].as_str().unwrap().to_owned();
    let address = format!(
        "otpauth://totp/Keepclear:ada%2Bx%40example.com?secret={secret}&issuer=Keepclear&algorithm=SHA1&digits=6&period=30"
    );
    assert_eq!(reply.json()["otpauth_url"], address);
    assert_eq!((secret.len(), state(&app, &ada.cookie).await["pending"].clone()), (32, json!(true)));
    // Until it is confirmed, logins do not need it.
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
    for wrong in [app.otp(first["secret"].as_str().unwrap()), "000000".to_owned(), String::new()] {
        let refused = confirm(&wrong).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("otp"), &json!("wrong_code")));
    }
    let code = app.otp(&secret);
    let done = confirm(&format!("{} {}", &code[..3], &code[3..])).await.expect(200).json();
    assert_eq!((&done["enabled"], &done["recovery_codes_left"]), (&json!(true), &json!(10)));
    assert_eq!(done["recovery_codes"].as_array().unwrap().len(), 10);
    app.run_jobs().await;
    let shown = state(&app, &ada.cookie).await;
    assert_eq!((&shown["enabled"], shown.get("recovery_codes")), (&json!(true), None));
    // Sessions opened without it have ended, except this one.
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    assert_eq!(app.post(PATH).cookie(&ada.cookie).send().await.expect(409).code(), "second_factor_exists");
    assert_eq!(confirm(&app.otp(&secret)).await.expect(409).code(), "second_factor_not_begun");
    // The code that confirmed it cannot be used again.
    log_in(&app, "/api/v1/session", &ada, &code).await.expect(401);
    // After its removal, logins do not need it; removing it twice is fine.
    for _ in 0..2 {
        assert_eq!(app.delete(PATH).cookie(&ada.cookie).send().await.expect(200).json(), none);
    }
    app.run_jobs().await;
    let subjects: Vec<String> = app.mails().into_iter().map(|mail| mail.subject).collect();
    assert_eq!(subjects, ["A second factor was added at Acme", "Your second factor was removed at Acme"]);
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
}

async fn logins_of_both_versions_take_a_code(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    // Users without a second factor may still send a code.
    log_in(&app, "/api/v1/session", &ada, "123456").await.expect(201);
    let cookie = app.log_in_v1(&ada.email, PASSWORD).await.expect(201).session_cookie();
    let (secret, _) = enrol_second_factor(&app, &cookie).await;
    for (path, status) in [("/api/v1/session", 201), ("/api/v2/login", 200)] {
        for missing in [json!({}), json!({ "otp": null }), json!({ "otp": " " })] {
            let mut body = missing;
            body["email"] = json!(ada.email);
            body["password"] = json!(PASSWORD);
            let reply = app.post(path).json(&body).send().await.expect(401);
            assert_eq!(reply.code(), "otp_required");
            // Only those who know the password learn whether there is a second factor.
            body["password"] = json!("a guess");
            let reply = app.post(path).with_address("192.0.2.1").json(&body).send().await.expect(401);
            assert_eq!(reply.code(), "invalid_credentials");
            app.clock.advance(Span::minutes(20));
        }
        for wrong in ["000000", "abcd-efgh-2345-6789", "x"] {
            let reply = log_in(&app, path, &ada, wrong).await.expect(401);
            assert_eq!(reply.code(), "invalid_credentials");
            app.clock.advance(Span::minutes(20));
        }
        log_in(&app, path, &ada, &app.otp(&secret)).await.expect(status);
        let again = log_in(&app, path, &ada, &app.otp(&secret)).await.expect(401);
        assert_eq!(again.code(), "invalid_credentials");
        // As a form, and with a clock that is half a minute off.
        app.clock.advance(Span::seconds(60));
        let code = app.otp(&secret);
        app.clock.advance(Span::seconds(30));
        let form = format!("email=ada%40example.com&password=plum+wagon+sixty+tiles&otp={code}");
        let call = app.post(path).bytes("application/x-www-form-urlencoded", form);
        call.send().await.expect(status);
        app.clock.advance(Span::seconds(60));
    }
}

async fn a_code_works_once_in_all_processes(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    let other = app.second_instance().await;
    let body = json!({ "email": ada.email, "password": PASSWORD, "otp": app.otp(&secret) });
    let mut logins = tokio::task::JoinSet::new();
    for n in 0..12 {
        let place = if n % 2 == 0 { &app } else { &other };
        logins.spawn(place.post("/api/v2/login").with_address(&format!("192.0.2.{n}")).json(&body).send());
    }
    let statuses: Vec<u16> = logins.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 11, "{statuses:?}");
}

async fn a_used_code_never_works_again_wherever_the_clock_goes(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    let other = app.second_instance().await;
    let code = app.otp(&secret);
    log_in(&app, "/api/v2/login", &ada, &code).await.expect(200);
    let mut tries = 0;
    for by in [30, 3_600, 365 * 86_400] {
        for by in [-by, by] {
            app.clock.adjust_wall_by(Span::seconds(by));
            // Workers correct timestamps in the future; that does not make a code valid again.
            app.run_jobs().await;
            other.run_jobs().await;
            for place in [&app, &other] {
                // From a new address each time, so that failed attempts cause no wait.
                tries += 1;
                let body = json!({ "email": ada.email, "password": PASSWORD, "otp": code });
                let call = place.post("/api/v2/login").with_address(&format!("192.0.2.{tries}"));
                call.json(&body).send().await.expect(401);
            }
        }
    }
}

async fn a_clock_that_was_ahead_locks_nobody_out(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    let right = app.clock.now();
    for ahead in [60, 3_600, 5 * 365 * 86_400] {
        app.clock.adjust_wall_by(Span::seconds(ahead));
        let there = app.otp(&secret);
        log_in(&app, "/api/v2/login", &ada, &there).await.expect(200);
        app.clock.adjust_wall_by(Span::seconds(-ahead));
        // Immediately, without a worker.
        let here = app.otp(&secret);
        log_in(&app, "/api/v2/login", &ada, &here).await.expect(200);
        log_in(&app, "/api/v2/login", &ada, &here).await.expect(401);
        // A code used while the clock was ahead is still used up when its time comes.
        app.clock.adjust_wall_by(Span::seconds(ahead));
        log_in(&app, "/api/v2/login", &ada, &there).await.expect(401);
        app.clock.adjust_wall_by(Span::seconds(-ahead));
        app.clock.advance(Span::minutes(20));
    }
    assert_eq!(app.clock.now(), right + Span::minutes(60), "the clock is right again");
}

async fn used_codes_are_remembered_within_a_bound(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    // As if a code had been used every half minute before.
    let step = app.clock.now().seconds() / 30;
    let many = format!(
        "with recursive n (n) as (select 2 union all select n + 1 from n where n < 4097)
         insert into used_code_steps (user_id, step) select f.user_id, {step} - n.n from second_factors f, n"
    );
    testkit::execute_raw_sql(app.database(), &many).await.unwrap();
    let code = app.otp(&secret);
    log_in(&app, "/api/v2/login", &ada, &code).await.expect(200);
    let kept = "select cast(count(*) as text) from used_code_steps";
    assert_eq!(testkit::query_raw_sql(app.database(), kept).await, ["4096"]);
    // A code older than the recorded ones is not accepted either.
    app.clock.adjust_wall_by(Span::seconds(-4_100 * 30));
    log_in(&app, "/api/v2/login", &ada, &app.otp(&secret)).await.expect(401);
    app.clock.adjust_wall_by(Span::seconds(4_102 * 30));
    log_in(&app, "/api/v2/login", &ada, &app.otp(&secret)).await.expect(200);
    // The records are deleted with the second factor.
    app.delete(PATH).cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(testkit::query_raw_sql(app.database(), kept).await, ["0"]);
}

async fn a_recovery_code_stands_in_once(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (_, codes) = enrol_second_factor(&app, &ada.cookie).await;
    log_in(&app, "/api/v1/session", &ada, &codes[0]).await.expect(201);
    log_in(&app, "/api/v1/session", &ada, &codes[0]).await.expect(401);
    // In the form in which people copy it.
    log_in(&app, "/api/v2/login", &ada, &codes[1].replace('-', " ").to_uppercase()).await.expect(200);
    assert_eq!(state(&app, &ada.cookie).await["recovery_codes_left"], 8);
    let left = testkit::query_raw_sql(
        app.database(),
        "select details from audit_log where action = 'user.recovery_code_used' order by id",
    )
    .await;
    assert_eq!(left, ["{\"left\":9}", "{\"left\":8}"]);
    // The recovery codes are deleted with the second factor.
    app.delete(PATH).cookie(&ada.cookie).send().await.expect(200);
    let (_, _) = enrol_second_factor(&app, &ada.cookie).await;
    log_in(&app, "/api/v1/session", &ada, &codes[2]).await.expect(401);
}

async fn right_passwords_without_a_right_code_count_as_guesses(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    for _ in 0..3 {
        log_in(&app, "/api/v1/session", &ada, "000000").await.expect(401);
    }
    for _ in 0..2 {
        app.log_in_v2(&ada.email, PASSWORD).await.expect(401);
    }
    let reply = log_in(&app, "/api/v1/session", &ada, &app.otp(&secret)).await.expect(429);
    assert_eq!(reply.code(), "too_many_attempts");
    // From another address the owner can sign in.
    let body = json!({ "email": ada.email, "password": PASSWORD, "otp": app.otp(&secret) });
    app.post("/api/v1/session").with_address("192.0.2.9").json(&body).send().await.expect(201);
}

async fn a_proof_takes_a_code_too(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, codes) = enrol_second_factor(&app, &ada.cookie).await;
    app.clock.advance(Span::minutes(15));
    let removal = app.delete(PATH).cookie(&ada.cookie).send().await.expect(403);
    assert_eq!(removal.code(), "proof_required");
    let prove =
        async |body: Value| app.post("/api/v1/session/proof").cookie(&ada.cookie).json(&body).send().await;
    assert_eq!(prove(json!({ "password": PASSWORD })).await.expect(401).code(), "otp_required");
    let wrong = prove(json!({ "password": PASSWORD, "otp": "000000" })).await.expect(401);
    assert_eq!(wrong.code(), "invalid_credentials");
    let code = app.otp(&secret);
    let proven = prove(json!({ "password": PASSWORD, "otp": code })).await.expect(200);
    // It is used up for logins as well.
    log_in(&app, "/api/v2/login", &ada, &code).await.expect(401);
    let jwt = log_in(&app, "/api/v2/login", &ada, &codes[0]).await.expect(200);
    let body = json!({ "password": PASSWORD, "otp": codes[1] });
    let by_jwt = app.post("/api/v2/session/proof").bearer(jwt.header("accesstoken")).json(&body);
    by_jwt.send().await.expect(200);
    app.delete(PATH).cookie(&proven.session_cookie()).send().await.expect(200);
}

async fn where_it_is_enforced_it_must_be_added_first(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "theirs@example.com", Role::Member).await;
    let require = json!({ "second_factor_required": ["member", "viewer", "member"] });
    let brand = app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&require).send().await;
    assert_eq!(brand.expect(200).json()["second_factor_required"], json!(["viewer", "member"]));
    // Open sessions lose access immediately, and so do new ones; contract/second_factor.rs tests all operations.
    let projects = async |cookie: &str| app.get("/api/v1/projects").cookie(cookie).send().await;
    let again = app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
    assert_eq!(again.json()["second_factor_due"], true);
    for cookie in [&ada.cookie, &again.session_cookie()] {
        assert_eq!(projects(cookie).await.expect(403).code(), "second_factor_required");
    }
    let by_jwt = app.get("/api/v2/projects").bearer(&ada.jwt).send().await.expect(403);
    assert_eq!(by_jwt.code(), "second_factor_required");
    assert_eq!(by_jwt.header("content-type"), "application/vnd.api+json");
    app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(200);
    // Other roles and brands are not affected.
    for account in [&admin, &theirs] {
        projects(&account.cookie).await.expect(200);
        let who = app.get("/api/v1/session").cookie(&account.cookie).send().await.expect(200).json();
        assert_eq!(who["second_factor_due"], false);
    }
    assert_eq!(state(&app, &ada.cookie).await["required"], true);
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    projects(&ada.cookie).await.expect(200);
    let jwt = log_in(&app, "/api/v2/login", &ada, &app.otp(&secret)).await.expect(200);
    assert_eq!(jwt.json()["second_factor_due"], false);
    app.get("/api/v2/projects").bearer(jwt.header("accesstoken")).send().await.expect(200);
    // Removing it restricts the session again.
    app.delete(PATH).cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(projects(&ada.cookie).await.expect(403).code(), "second_factor_required");
    let relaxed = json!({ "second_factor_required": [] });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&relaxed).send().await.expect(200);
    projects(&ada.cookie).await.expect(200);
    for wrong in [json!(null), json!("admin"), json!(["root"]), json!([1])] {
        let body = json!({ "second_factor_required": wrong });
        app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&body).send().await.expect(422);
    }
}

async fn an_admin_resets_that_of_a_user_and_it_is_recorded(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "theirs@example.com", Role::Admin).await;
    enrol_second_factor(&app, &ada.cookie).await;
    let users = app.get("/api/v1/admin/users").cookie(&admin.cookie).send().await.expect(200).json();
    let users = users["data"].as_array().unwrap().clone();
    let of = |email: &str| users.iter().find(|user| user["email"] == email).unwrap();
    assert_eq!(of("admin@example.com")["second_factor"], false);
    assert_eq!(of(&ada.email)["second_factor"], true);
    let path = format!("/api/v1/admin/users/{}/second_factor", of(&ada.email)["id"]);
    app.delete(&path).cookie(&theirs.cookie).send().await.expect(404);
    for _ in 0..2 {
        let reply = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!((&reply["second_factor"], &reply["email"]), (&json!(false), &json!(ada.email)));
    }
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
    let log = app.get("/api/v1/admin/audit_log").cookie(&admin.cookie).send().await.expect(200).json();
    let acts: Vec<_> = log["data"].as_array().unwrap().iter().map(|row| row["action"].clone()).collect();
    let count = |action: &str| acts.iter().filter(|known| *known == action).count();
    assert_eq!((count("user.second_factor_added"), count("user.second_factor_reset")), (1, 1), "{acts:?}");
}

async fn the_command_line_resets_that_of_the_last_admin(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    enrol_second_factor(&app, &admin.cookie).await;
    assert_eq!(app.log_in_v1(&admin.email, PASSWORD).await.expect(401).code(), "otp_required");
    let email = EmailAddress::parse(&admin.email).unwrap();
    assert!(app.app.reset_second_factor_by_email(&email).await.unwrap());
    assert!(!app.app.reset_second_factor_by_email(&email).await.unwrap());
    app.log_in_v1(&admin.email, PASSWORD).await.expect(201);
}

async fn a_seed_is_sealed_and_codes_are_hashed(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, codes) = enrol_second_factor(&app, &ada.cookie).await;
    // 20 bytes, and the overhead of sealing.
    let lengths =
        testkit::query_raw_sql(app.database(), "select cast(length(secret) as text) from second_factors")
            .await;
    assert_eq!(lengths, ["53"]);
    let hashes =
        testkit::query_raw_sql(app.database(), "select cast(length(hash) as text) from recovery_codes").await;
    assert_eq!(hashes, vec!["32"; 10]);
    for text in [secret.as_str(), &codes[0], &codes[0].replace('-', "")] {
        assert_eq!(testkit::find_tables_with_text(app.database(), text).await, [""; 0], "{text}");
    }
    // A secret copied into another user's row does not work.
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    enrol_second_factor(&app, &bob.cookie).await;
    let swap = "update second_factors set secret = (select secret from second_factors where user_id = 1) where user_id = 2";
    testkit::execute_raw_sql(app.database(), swap).await.unwrap();
    let reply = log_in(&app, "/api/v1/session", &bob, &app.otp(&secret)).await;
    assert_eq!(reply.status, 500);
    let change = json!({ "current_password": PASSWORD, "new_password": "another wagon full of plums" });
    let call = app.request(Method::PUT, "/api/v1/session/password").cookie(&ada.cookie).json(&change);
    call.send().await.expect(200);
}

async fn a_password_reset_does_not_get_around_it(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (secret, _) = enrol_second_factor(&app, &ada.cookie).await;
    app.run_jobs().await;
    app.post("/account/password_resets").json(&json!({ "email": ada.email })).send().await.expect(200);
    app.run_jobs().await;
    let path = crate::account::links(&app, &ada.email).pop().unwrap();
    let new = "seven grey otters row";
    app.post(&path).json(&json!({ "password": new })).send().await.expect(200);
    assert_eq!(app.log_in_v1(&ada.email, new).await.expect(401).code(), "otp_required");
    let body = json!({ "email": ada.email, "password": new, "otp": app.otp(&secret) });
    app.post("/api/v1/session").json(&body).send().await.expect(201);
}
