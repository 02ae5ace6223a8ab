//! /sign-in and /sign-out

use domain::{Role, Span};
use serde_json::json;
use testkit::{PASSWORD, TestApp, on_both_engines};

use crate::console::{Page, open, submit};

on_both_engines!(
    signing_in_leads_to_the_page_that_was_asked_for,
    strangers_do_not_choose_where_it_leads,
    whatever_is_wrong_gets_the_same_answer,
    a_second_factor_is_asked_for_in_the_second_step,
    who_keeps_failing_must_wait,
    signing_out_ends_the_session,
    strangers_are_addressed_in_the_language_of_their_browser,
);

async fn signing_in_leads_to_the_page_that_was_asked_for(app: TestApp) {
    app.create_user("ada@example.com", Role::Admin).await;
    let asked = open(&app, "", "/settings/tags?q=a%20b").await.expect(303).location();
    assert!(asked.starts_with("/sign-in?next="), "{asked}");
    let page = open(&app, "", &asked).await.expect(200);
    assert!(page.says("Please sign in to see this page."));
    let next = page.field("_next").unwrap();
    let fields = [("email", " Ada@example.com "), ("password", PASSWORD), ("_next", next.as_str())];
    let signed_in = submit(&app, "", "/sign-in", &fields).await.expect(303);
    assert_eq!(signed_in.location(), "/settings/tags?q=a+b");
    let cookie = signed_in.reply.session_cookie();
    assert!(signed_in.reply.header("set-cookie").contains("HttpOnly; SameSite=Lax"));
    open(&app, &cookie, &signed_in.location()).await.expect(200);
    // Who is signed in is not asked again.
    assert_eq!(open(&app, &cookie, &asked).await.expect(303).location(), "/settings/tags?q=a+b");
    assert_eq!(open(&app, &cookie, "/sign-in").await.expect(303).location(), "/");
    // Signing in again ends the session whose cookie is replaced.
    let fields = [("email", "ada@example.com"), ("password", PASSWORD)];
    assert_eq!(submit(&app, &cookie, "/sign-in", &fields).await.expect(303).location(), "/");
    app.get("/api/v1/session").cookie(&cookie).send().await.expect(401);
}

async fn strangers_do_not_choose_where_it_leads(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for next in [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/\tevil",
        "/sign-out",
        "/sign-in?next=/",
    ] {
        let fields = [("email", "ada@example.com"), ("password", PASSWORD), ("_next", next)];
        assert_eq!(submit(&app, "", "/sign-in", &fields).await.expect(303).location(), "/", "{next}");
    }
    let page = open(&app, "", "/sign-in?next=%2F%2Fevil.example&email=%22%3E%3Cb%3E").await.expect(200);
    assert_eq!((page.field("_next"), page.field("email").as_deref()), (None, Some("")));
}

async fn whatever_is_wrong_gets_the_same_answer(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let mut texts = Vec::new();
    for email in ["ada@example.com", "nobody@example.com", "not an address"] {
        let fields = [("email", email), ("password", "wrong wagon sixty tiles")];
        let page = submit(&app, "", "/sign-in", &fields).await.expect(401);
        assert_eq!(page.field("email").as_deref(), Some(email));
        assert_eq!(page.field("password").as_deref(), Some(""));
        assert!(!page.reply.text().contains("wagon") && page.reply.header("set-cookie").is_empty());
        texts.push(page.text());
    }
    assert!(texts[0].contains("is wrong.") && texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let fields = [("email", "ada@example.com"), ("password", "")];
    let page = submit(&app, "", "/sign-in", &fields).await.expect(422);
    assert!(page.fault("password").is_some() && page.fault("email").is_none());
    assert_eq!(page.field("email").as_deref(), Some("ada@example.com"));
}

async fn a_second_factor_is_asked_for_in_the_second_step(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let path = "/api/v1/session/second_factor";
    let begun = app.post(path).cookie(&ada.cookie).send().await.expect(201).json();
    let secret = begun["secret"].as_str().unwrap();
    let confirm = app.post(&format!("{path}/confirm")).cookie(&ada.cookie);
    confirm.json(&json!({ "otp": app.otp(secret) })).send().await.expect(200);
    app.run_jobs().await;
    app.clock.advance(Span::seconds(30));
    let fields = [("email", "ada@example.com"), ("password", PASSWORD), ("_next", "/settings")];
    let page = submit(&app, "", "/sign-in", &fields).await.expect(401);
    assert!(page.says("Your account has a second factor."), "{}", page.text());
    assert_eq!((page.field("otp").as_deref(), page.field("password").as_deref()), (Some(""), Some("")));
    assert_eq!(page.field("_next").as_deref(), Some("/settings"));
    let step = async |otp: &str| {
        let fields: Vec<_> = fields.into_iter().chain([("otp", otp)]).collect();
        submit(&app, "", "/sign-in", &fields).await
    };
    let wrong = step("000000").await.expect(401);
    assert!(wrong.says("or the code is wrong.") && wrong.field("otp").is_some());
    let signed_in = step(&app.otp(secret)).await.expect(303);
    assert_eq!(signed_in.location(), "/settings");
    open(&app, &signed_in.reply.session_cookie(), "/settings").await.expect(200);
}

async fn who_keeps_failing_must_wait(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    let attempt = async |password: &str| {
        submit(&app, "", "/sign-in", &[("email", "ada@example.com"), ("password", password)]).await
    };
    for _ in 0..5 {
        attempt("wrong").await.expect(401);
    }
    let page = attempt(PASSWORD).await.expect(429);
    assert_eq!(page.reply.header("retry-after"), "90");
    assert!(page.says("Please wait 90 seconds"), "{}", page.text());
    assert_eq!(page.field("email").as_deref(), Some("ada@example.com"));
    app.clock.advance(Span::seconds(90));
    attempt(PASSWORD).await.expect(303);
}

async fn signing_out_ends_the_session(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let out = submit(&app, &ada.cookie, "/sign-out", &[]).await.expect(303);
    assert_eq!(out.location(), "/sign-in");
    assert_eq!(out.reply.session_cookie(), "");
    assert_eq!(out.reply.header("clear-site-data"), "\"cache\", \"storage\"");
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    // The next page says so once.
    let call =
        app.get("/sign-in").header("accept", "text/html").header("cookie", "keepclear_done=signed-out");
    let page = Page { reply: call.send().await }.expect(200);
    assert!(page.says("You are signed out."));
    assert!(page.reply.header("set-cookie").starts_with("keepclear_done=; "));
    // What another tab fetches by itself does not use it up.
    let request =
        app.get("/sign-in").header("accept", "text/html").header("cookie", "keepclear_done=signed-out");
    let fetched = Page { reply: request.header("sec-fetch-dest", "empty").send().await }.expect(200);
    assert!(!fetched.says("You are signed out.") && fetched.reply.header("set-cookie").is_empty());
    // Doing it again is fine, without signing in for it.
    assert_eq!(submit(&app, &ada.cookie, "/sign-out", &[]).await.expect(303).location(), "/sign-in");
}

async fn strangers_are_addressed_in_the_language_of_their_browser(app: TestApp) {
    let call = app.get("/sign-in").header("accept", "text/html").header("accept-language", "de-AT,en;q=0.5");
    let page = Page { reply: call.send().await }.expect(200);
    assert!(page.says("Anmelden") && page.says("Passwort vergessen?"));
    assert_eq!(page.reply.header("content-language"), "de");
}
