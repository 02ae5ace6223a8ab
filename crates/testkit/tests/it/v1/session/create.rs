//! POST /api/v1/session

use domain::Role;
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

on_both_engines!(
    signing_in_sets_a_cookie_that_opens_v1,
    a_form_does_as_well_as_json,
    the_email_may_be_typed_in_any_case,
    an_address_that_an_earlier_version_accepted_still_signs_in,
    wrong_and_unknown_look_alike_and_cost_one_hash_each,
    people_who_may_not_come_in_look_like_strangers,
    a_cookie_from_before_is_never_taken_over,
    every_wrong_field_is_named,
    cross_site_writes_are_refused,
    an_old_hash_is_replaced_at_login,
    over_https_the_cookie_is_secure
);

async fn signing_in_sets_a_cookie_that_opens_v1(app: TestApp) {
    app.create_user("ada@example.com", Role::Admin).await;
    let reply = app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
    assert_eq!(reply.header("location"), "/api/v1/session");
    assert_eq!(reply.header("cache-control"), "no-store");
    let cookie = reply.header("set-cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
    assert_eq!(reply.session_cookie().len(), 43, "256 bits");
    let body = reply.json();
    assert_eq!(body["user"]["email"], "ada@example.com");
    assert_eq!(body["user"]["role"], "admin");
    assert_eq!(body["brand"]["name"], "Acme");
    assert!(body["permissions"].as_array().unwrap().contains(&json!("manage_users")));
    let again = app.get("/api/v1/session").cookie(&reply.session_cookie()).send().await.expect(200);
    assert_eq!(again.json(), body);
}

async fn an_address_that_an_earlier_version_accepted_still_signs_in(app: TestApp) {
    app.create_user("ada@example.com", Role::Admin).await;
    let text = "update users set email = 'Ada..L@[127.0.0.1]', email_key = 'ada..l@[127.0.0.1]'";
    testkit::execute_raw_sql(app.database(), text).await.unwrap();
    let cookie = app.log_in_v1("ada..L@[127.0.0.1]", PASSWORD).await.expect(201).session_cookie();
    let shown = app.get("/api/v1/session").cookie(&cookie).send().await.expect(200).json();
    assert_eq!(shown["user"]["email"], "Ada..L@[127.0.0.1]");
}

async fn over_https_the_cookie_is_secure(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.server.public_url = "https://safety.example.com".to_owned();
    })
    .await;
    app.create_user("ada@example.com", Role::Viewer).await;
    let reply = app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
    let cookie = reply.header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-keepclear_session=") && cookie.ends_with("; Secure"), "{cookie}");
    assert!(reply.header("strict-transport-security").starts_with("max-age="));
    let pair = cookie.split(';').next().unwrap();
    app.get("/api/v1/session").header("cookie", pair).send().await.expect(200);
    // The name without the prefix, which another host could have set, is not accepted.
    let plain = pair.trim_start_matches("__Host-");
    app.get("/api/v1/session").header("cookie", plain).send().await.expect(401);
}

async fn a_form_does_as_well_as_json(app: TestApp) {
    app.create_user("ada+x@example.com", Role::Viewer).await;
    let form = format!("email=ada%2Bx%40example.com&password={}", PASSWORD.replace(' ', "+"));
    let media_type = "application/x-www-form-urlencoded; charset=UTF-8";
    app.post("/api/v1/session").bytes(media_type, form.clone()).send().await.expect(201);
    let twice =
        app.post("/api/v1/session").bytes(media_type, format!("{form}&email=x")).send().await.expect(400);
    assert_eq!(twice.code(), "broken_form");
}

async fn the_email_may_be_typed_in_any_case(app: TestApp) {
    app.create_user("Ada@Example.com", Role::Viewer).await;
    let reply = app.log_in_v1("  aDA@example.COM ", PASSWORD).await.expect(201);
    assert_eq!(reply.json()["user"]["email"], "Ada@Example.com");
}

async fn wrong_and_unknown_look_alike_and_cost_one_hash_each(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let mut bodies = Vec::new();
    for (email, password) in [
        ("ada@example.com", "wrong horse battery staple"),
        ("nobody@example.com", PASSWORD),
        ("not an email", PASSWORD),
        ("ada@example.com", ""),
    ] {
        let before = app.app.password_hash_count();
        let reply = app.log_in_v1(email, password).await.expect(401);
        assert_eq!(app.app.password_hash_count() - before, 1, "{email}");
        assert_eq!(reply.header("www-authenticate"), "Session realm=\"keepclear\"");
        assert_eq!(reply.header("set-cookie"), "");
        let mut body = reply.json();
        body["request_id"] = json!("");
        bodies.push(body);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    let before = app.app.password_hash_count();
    app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
    assert_eq!(app.app.password_hash_count() - before, 1);
}

async fn people_who_may_not_come_in_look_like_strangers(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let email = domain::EmailAddress::parse("ada@example.com").unwrap();
    app.app.set_access(&email, None, Some(domain::UserState::Deactivated)).await.unwrap();
    assert_eq!(app.log_in_v1("ada@example.com", PASSWORD).await.expect(401).code(), "invalid_credentials");
    // Open sessions end immediately.
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(401);
    app.app.set_access(&email, None, Some(domain::UserState::Active)).await.unwrap();
    app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
}

async fn a_cookie_from_before_is_never_taken_over(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    // A cookie planted by an attacker stays invalid, and the victim gets a new one.
    let planted = "A".repeat(43);
    let login = json!({ "email": "ada@example.com", "password": PASSWORD });
    let reply = app.post("/api/v1/session").cookie(&planted).json(&login).send().await.expect(201);
    let first = reply.session_cookie();
    assert_ne!(first, planted);
    app.get("/api/v1/session").cookie(&planted).send().await.expect(401);
    // A real session ends when its cookie is replaced.
    let second =
        app.post("/api/v1/session").cookie(&first).json(&login).send().await.expect(201).session_cookie();
    app.get("/api/v1/session").cookie(&first).send().await.expect(401);
    app.get("/api/v1/session").cookie(&second).send().await.expect(200);
}

async fn every_wrong_field_is_named(app: TestApp) {
    let body = json!({ "password": 7, "pasword": "x", "email": "a\u{0}b" });
    let reply = app.post("/api/v1/session").json(&body).send().await.expect(422);
    let errors = reply.json()["errors"].clone();
    let named: Vec<(&str, &str)> = errors
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        named,
        [("email", "control_character"), ("password", "wrong_type"), ("pasword", "unknown_field")]
    );
    let missing = app.post("/api/v1/session").json(&json!({})).send().await.expect(422).json();
    assert_eq!(missing["errors"].as_array().unwrap().len(), 2);
    let unknown = app.post("/api/v1/session?next=/").json(&json!({})).send().await.expect(400);
    assert_eq!(unknown.json()["errors"][0]["field"], "next");
}

async fn cross_site_writes_are_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let reply =
            app.delete("/api/v1/session").cookie(&ada.cookie).header(name, value).send().await.expect(403);
        assert_eq!(reply.code(), "cross_site_request");
        // A cross-site login as another user is refused too.
        let login = json!({ "email": "ada@example.com", "password": PASSWORD });
        app.post("/api/v1/session").header(name, value).json(&login).send().await.expect(403);
    }
    // Cross-site reads change nothing, and same-origin pages may write.
    let read = app.get("/api/v1/session").cookie(&ada.cookie).header("sec-fetch-site", "cross-site");
    read.send().await.expect(200);
    let own = app.delete("/api/v1/session").cookie(&ada.cookie).header("origin", "http://127.0.0.1:8080");
    own.send().await.expect(200);
}

async fn an_old_hash_is_replaced_at_login(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let stronger = {
        let mut config = app.config.clone();
        config.auth.argon2.iterations = 2;
        server::Application::with_store(
            app.database().open().await,
            &config,
            app.clock.clone(),
            domain::Random::System,
        )
        .await
        .unwrap()
    };
    let hashes = || stronger.edge.app.password_hash_count();
    let origin = app::Origin { address: "127.0.0.1".parse().unwrap(), request_id: "test".into() };
    let credentials =
        app::Credentials { email: "ada@example.com".to_owned(), password: PASSWORD.to_owned(), otp: None };
    for cost in [2, 1] {
        let before = hashes();
        stronger.edge.app.log_in_with_cookie(&credentials, None, &origin).await.unwrap();
        assert_eq!(hashes() - before, cost);
    }
}
