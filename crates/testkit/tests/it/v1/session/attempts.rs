//! Limits on guessing passwords.

use std::collections::BTreeMap;

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, Reply, TestApp, on_both_engines};

on_both_engines!(
    many_guesses_at_once_are_many,
    nobody_learns_from_waiting_who_has_an_account,
    unknown_accounts_leave_a_bounded_number_of_rows,
    a_password_changed_during_a_login_wins,
    an_address_that_keeps_failing_must_wait,
    signing_in_wipes_the_slate_of_that_address,
    ten_thousand_wrong_passwords_from_strangers_lock_nobody_out,
    logins_are_limited_per_address,
    behind_a_trusted_proxy_the_client_counts
);

async fn attempt(app: &TestApp, from: &str, password: &str) -> Reply {
    let body = json!({ "email": "ada@example.com", "password": password });
    app.post("/api/v1/session").with_address(from).json(&body).send().await
}

async fn an_address_that_keeps_failing_must_wait(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for _ in 0..5 {
        attempt(&app, "192.0.2.1", "wrong").await.expect(401);
    }
    let before = app.app.password_hash_count();
    // Even with the right password, and without computing a hash: the clock stands at 12:00:30.
    let reply = attempt(&app, "192.0.2.1", PASSWORD).await.expect(429);
    assert_eq!(reply.code(), "too_many_attempts");
    assert_eq!(reply.header("retry-after"), "90");
    assert_eq!(app.app.password_hash_count(), before);
    attempt(&app, "192.0.2.2", PASSWORD).await.expect(201);
    app.clock.advance(Span::seconds(89));
    attempt(&app, "192.0.2.1", PASSWORD).await.expect(429);
    app.clock.advance(Span::seconds(1));
    attempt(&app, "192.0.2.1", PASSWORD).await.expect(201);
}

async fn signing_in_wipes_the_slate_of_that_address(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for _ in 0..3 {
        for _ in 0..4 {
            attempt(&app, "192.0.2.1", "wrong").await.expect(401);
        }
        attempt(&app, "192.0.2.1", PASSWORD).await.expect(201);
    }
}

async fn ten_thousand_wrong_passwords_from_strangers_lock_nobody_out(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let (mut refused, mut limited) = (0, 0);
    for n in 0..10_000 {
        let from = format!("198.51.{}.{}", n % 10, n % 20);
        match attempt(&app, &from, "guess").await.status.as_u16() {
            401 => refused += 1,
            429 => limited += 1,
            other => panic!("{other}"),
        }
    }
    // Twenty addresses with five guesses each; the rest were refused without computing a hash.
    assert_eq!((refused, limited), (100, 9_900));
    attempt(&app, "192.0.2.7", PASSWORD).await.expect(201);
    // Open sessions stay valid, and the wait of the guessing addresses ends too.
    app.clock.advance(Span::minutes(17));
    attempt(&app, "198.51.0.0", PASSWORD).await.expect(201);
}

async fn logins_are_limited_per_address(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.login_per_minute = web::Quota(3)).await;
    app.create_user("ada@example.com", Role::Viewer).await;
    for left in [2, 1, 0] {
        let reply = attempt(&app, "192.0.2.1", PASSWORD).await.expect(201);
        assert_eq!(reply.header("ratelimit"), format!("\"login\";r={left};t={}", (3 - left) * 20));
        assert_eq!(reply.header("ratelimit-policy"), "\"login\";q=3;w=60");
    }
    let reply = attempt(&app, "192.0.2.1", PASSWORD).await.expect(429);
    assert_eq!((reply.code().as_str(), reply.header("retry-after")), ("rate_limited", "20"));
    // Refresh calls count in the same limit; another address does not.
    app.post("/api/v2/refresh").with_address("192.0.2.1").send().await.expect(429);
    attempt(&app, "192.0.2.2", PASSWORD).await.expect(201);
    app.clock.advance(Span::millis(19_999));
    attempt(&app, "192.0.2.1", PASSWORD).await.expect(429);
    app.clock.advance(Span::millis(1));
    attempt(&app, "192.0.2.1", PASSWORD).await.expect(201);
}

async fn behind_a_trusted_proxy_the_client_counts(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.limits.login_per_minute = web::Quota(1);
        config.server.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
    })
    .await;
    app.create_user("ada@example.com", Role::Viewer).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    let through = |peer: &'static str, client: &'static str| {
        app.post("/api/v1/session").with_address(peer).header("x-forwarded-for", client).json(&body).send()
    };
    through("10.0.0.1", "192.0.2.1").await.expect(201);
    through("10.0.0.1", "192.0.2.2").await.expect(201);
    through("10.0.0.1", "192.0.2.1").await.expect(429);
    // Values that a client writes into the header before the proxy are ignored, and so are headers from untrusted peers.
    through("10.0.0.1", "192.0.2.99, 192.0.2.2").await.expect(429);
    through("203.0.113.1", "192.0.2.3").await.expect(201);
    through("203.0.113.1", "192.0.2.4").await.expect(429);
}

async fn many_guesses_at_once_are_many(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let other = app.second_instance().await;
    let mut guesses = tokio::task::JoinSet::new();
    for n in 0..30 {
        let place = if n % 2 == 0 { &app } else { &other };
        let body = json!({ "email": "ada@example.com", "password": "guess" });
        guesses.spawn(place.post("/api/v1/session").with_address("192.0.2.1").json(&body).send());
    }
    let statuses: Vec<u16> = guesses.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 25, "{statuses:?}");
}

async fn a_password_changed_during_a_login_wins(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let email = domain::EmailAddress::parse("ada@example.com").unwrap();
    let mut work = tokio::task::JoinSet::new();
    for n in 0..20 {
        let body = json!({ "email": "ada@example.com", "password": PASSWORD });
        let from = format!("192.0.2.{n}");
        work.spawn(app.post("/api/v1/session").with_address(&from).json(&body).send());
    }
    app.app
        .set_password(&email, "another wagon full of plums", app::PasswordLifetime::Permanent)
        .await
        .unwrap();
    app.run_jobs().await;
    // Sessions opened with the old password have ended, and none was opened afterwards.
    for reply in work.join_all().await {
        if reply.status == 201 {
            app.get("/api/v1/session").cookie(&reply.session_cookie()).send().await.expect(401);
        } else {
            let code = reply.expect(401).code();
            assert!(["invalid_credentials", "session_ended"].contains(&code.as_str()), "{code}");
        }
    }
    attempt(&app, "192.0.2.99", PASSWORD).await.expect(401);
    attempt(&app, "192.0.2.98", "another wagon full of plums").await.expect(201);
}

/// Returns everything by which a caller can distinguish responses.
fn observable_response(reply: &Reply) -> (u16, Vec<(String, String)>, Value) {
    let own = ["x-request-id"];
    let mut headers: Vec<(String, String)> = reply
        .headers
        .iter()
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    let mut body = reply.json();
    body["request_id"] = Value::Null;
    (reply.status.as_u16(), headers, body)
}

async fn nobody_learns_from_waiting_who_has_an_account(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    // The same attempts at the same times, each from an address of its own.
    let accounts = ["ada@example.com", "nobody@example.com", "Tr0ub4dor&3"];
    let mut seen = vec![Vec::new(); accounts.len()];
    for round in 0..40 {
        for (n, email) in accounts.iter().enumerate() {
            let from = format!("192.0.2.{}", n + 1);
            let body = json!({ "email": email, "password": "wrong" });
            let reply = app.post("/api/v1/session").with_address(&from).json(&body).send().await;
            seen[n].push(observable_response(&reply));
        }
        app.clock.advance(Span::seconds(5 + 7 * round));
    }
    let statuses: Vec<u16> = seen[0].iter().map(|(status, ..)| *status).collect();
    assert!(statuses.contains(&401) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

async fn unknown_accounts_leave_a_bounded_number_of_rows(app: TestApp) {
    let before = testkit::count_rows(app.database()).await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..10_000 {
        let body = json!({ "email": format!("made-up-{n}@example.com"), "password": "x" });
        let reply = app.post("/api/v1/session").with_address("192.0.2.1").json(&body).send();
        work.spawn(async move { reply.await.status.as_u16() });
        if work.len() >= 8 {
            let status = work.join_next().await.unwrap().unwrap();
            // Some share a bucket and wait as one account.
            assert!(status == 401 || status == 429, "{status}");
        }
    }
    work.join_all().await;
    let grown = |after: &BTreeMap<String, i64>| -> i64 {
        after.iter().map(|(table, count)| count - before.get(table).unwrap_or(&0)).sum()
    };
    let after = testkit::count_rows(app.database()).await;
    assert!(grown(&after) <= 4096 + 16, "{after:?}");
    assert_eq!(testkit::find_tables_with_text(app.database(), "made-up").await, [""; 0]);
    // The counts are deleted when they no longer matter; one row of the audit log stays.
    app.clock.advance(Span::minutes(20));
    app.app.audit_failed_logins().await.unwrap();
    let later = testkit::count_rows(app.database()).await;
    assert_eq!((later["login_throttle"], later["login_refusals"]), (0, 0));
    assert!(grown(&later) <= 8, "{later:?}");
}
