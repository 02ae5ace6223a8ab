//! /account/password_resets

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::links;

on_both_engines!(
    a_forgotten_password_is_replaced_by_mail,
    the_answer_does_not_tell_who_has_an_account,
    mails_do_not_flood_a_mailbox,
    a_reset_opens_once_and_for_an_hour,
    asking_counts_as_a_login,
);

const PATH: &str = "/account/password_resets";
const NEW: &str = "seven grey otters row";

async fn ask(app: &TestApp, email: &str) {
    app.post(PATH).json(&json!({ "email": email })).send().await.expect(200);
    app.run_jobs().await;
}

async fn a_forgotten_password_is_replaced_by_mail(app: TestApp) {
    let grace = app.signed_in("grace@example.com", Role::Member).await;
    ask(&app, "GRACE@example.com").await;
    let link = links(&app, "grace@example.com").remove(0);
    let refused = app.post(&link).json(&json!({ "password": "short" })).send().await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "password_too_short");
    // Until then everything is as it was.
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(200);
    app.post(&link).json(&json!({ "password": NEW })).send().await.expect(200);
    app.run_jobs().await;
    assert_eq!(app.mails().last().unwrap().subject, "Your password was changed at Acme");
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&grace.jwt).send().await.expect(401);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(401);
    app.log_in_v1("grace@example.com", NEW).await.expect(201);
    app.post(&link).json(&json!({ "password": testkit::PASSWORD })).send().await.expect(404);
}

async fn the_answer_does_not_tell_who_has_an_account(app: TestApp) {
    app.user("grace@example.com", Role::Member).await;
    app.user("gone@example.com", Role::Member).await;
    let gone = domain::Email::parse("gone@example.com").unwrap();
    app.app.set_access(&gone, None, Some(domain::UserState::Deactivated)).await.unwrap();
    let mut answers = Vec::new();
    for email in ["grace@example.com", "gone@example.com", "nobody@example.com"] {
        let before = testkit::count_rows(app.database()).await;
        let reply = app.post(PATH).json(&json!({ "email": email })).send().await.expect(200);
        let mut after = testkit::count_rows(app.database()).await;
        // The same work for everyone: one more job.
        *after.get_mut("jobs").unwrap() -= 1;
        assert_eq!(after, before, "{email}");
        answers.push(reply.json());
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 1);
    for body in [json!({}), json!({ "email": "x" }), json!({ "email": "a@b\r\nBcc: c@d" })] {
        app.post(PATH).json(&body).send().await.expect(422);
    }
}

async fn mails_do_not_flood_a_mailbox(app: TestApp) {
    app.user("grace@example.com", Role::Member).await;
    for _ in 0..5 {
        ask(&app, "grace@example.com").await;
    }
    assert_eq!(app.mails().len(), 1);
    app.clock.advance(Span::minutes(5));
    ask(&app, "grace@example.com").await;
    let links = links(&app, "grace@example.com");
    assert_eq!(links.len(), 2);
    // The second takes the place of the first.
    app.post(&links[0]).json(&json!({ "password": NEW })).send().await.expect(404);
    app.post(&links[1]).json(&json!({ "password": NEW })).send().await.expect(200);
    app.run_jobs().await;
}

async fn a_reset_opens_once_and_for_an_hour(app: TestApp) {
    app.user("grace@example.com", Role::Member).await;
    ask(&app, "grace@example.com").await;
    let link = links(&app, "grace@example.com").remove(0);
    app.clock.advance(Span::minutes(60));
    app.post(&link).json(&json!({ "password": NEW })).send().await.expect(404);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(201);
}

async fn asking_counts_as_a_login(app: TestApp) {
    let reply = app.post(PATH).json(&json!({ "email": "grace@example.com" })).send().await.expect(200);
    assert!(
        reply.header("ratelimit-policy").starts_with("\"login\""),
        "{}",
        reply.header("ratelimit-policy")
    );
    app.run_jobs().await;
}
