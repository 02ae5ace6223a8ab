//! /account/password_resets

use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, TestApp, on_both_engines};

use super::links;

on_both_engines!(
    a_forgotten_password_is_replaced_by_mail,
    the_answer_does_not_tell_who_has_an_account,
    the_answer_waits_for_nothing_that_an_account_causes,
    strangers_leave_nothing_behind,
    a_greedy_address_leaves_room_to_others,
    mails_do_not_flood_a_mailbox,
    whoever_asks_for_someone_else_leaves_them_a_link_that_opens,
    a_reset_opens_once_and_for_an_hour,
    asking_counts_as_a_login,
);

const PATH: &str = "/account/password_resets";
const NEW_PASSWORD: &str = "seven grey otters row";

async fn request_reset(app: &TestApp, email: &str) {
    app.post(PATH).json(&json!({ "email": email })).send().await.expect(200);
    app.run_jobs().await;
}

async fn a_forgotten_password_is_replaced_by_mail(app: TestApp) {
    let grace = app.sign_in_new_user("grace@example.com", Role::Member).await;
    request_reset(&app, "GRACE@example.com").await;
    let link = links(&app, "grace@example.com").remove(0);
    let refused = app.post(&link).json(&json!({ "password": "short" })).send().await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "password_too_short");
    // Nothing changes until then.
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(200);
    app.post(&link).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(200);
    app.run_jobs().await;
    assert_eq!(app.mails().last().unwrap().subject, "Your password was changed at Acme");
    app.get("/api/v1/session").cookie(&grace.cookie).send().await.expect(401);
    app.get("/api/v2/session").bearer(&grace.jwt).send().await.expect(401);
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(401);
    app.log_in_v1("grace@example.com", NEW_PASSWORD).await.expect(201);
    app.post(&link).json(&json!({ "password": testkit::PASSWORD })).send().await.expect(404);
}

async fn the_answer_does_not_tell_who_has_an_account(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    app.create_user("gone@example.com", Role::Member).await;
    let gone = domain::EmailAddress::parse("gone@example.com").unwrap();
    app.app.set_access(&gone, None, Some(domain::UserState::Deactivated)).await.unwrap();
    let mut answers = Vec::new();
    for email in ["grace@example.com", "gone@example.com", "nobody@example.com"] {
        let before = testkit::count_rows(app.database()).await;
        let reply = app.post(PATH).json(&json!({ "email": email })).send().await.expect(200);
        assert_eq!(app.run_jobs().await > 0, email == "grace@example.com");
        let after = testkit::count_rows(app.database()).await;
        assert_eq!(after == before, email != "grace@example.com", "{email}");
        answers.push(reply.json());
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(app.mails().len(), 1);
    for body in [json!({}), json!({ "email": "x" }), json!({ "email": "a@b\r\nBcc: c@d" })] {
        app.post(PATH).json(&body).send().await.expect(422);
    }
}

/// Blocks what a reset request for a known account writes, until the returned transaction is dropped.
async fn block_reset_writes(app: &TestApp) -> store::Tx {
    let (store, platform) = app.database().open().await;
    let user = app.app.all_users(None).await.unwrap().remove(0);
    let mut tx = store.begin().await.unwrap();
    tx.users(&platform).by_id_locked(user.id).await.unwrap();
    tx
}

async fn the_answer_waits_for_nothing_that_an_account_causes(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    let held = block_reset_writes(&app).await;
    for email in ["grace@example.com", "nobody@example.com", "grace@example.com"] {
        app.post(PATH).json(&json!({ "email": email })).send().await.expect(200);
    }
    assert!(app.mails().is_empty());
    drop(held);
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 1);
}

async fn strangers_leave_nothing_behind(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    let before = testkit::count_rows(app.database()).await;
    for number in 0..200 {
        let body = json!({ "email": format!("Walrus{number}@example.net") });
        app.post(PATH).with_address(&format!("192.0.2.{number}")).json(&body).send().await.expect(200);
        if number % 50 == 0 {
            assert_eq!(
                testkit::find_tables_with_text(app.database(), "walrus").await,
                [""; 0],
                "while it waits"
            );
        }
    }
    app.run_jobs().await;
    assert_eq!(testkit::count_rows(app.database()).await, before);
    assert_eq!(testkit::find_tables_with_text(app.database(), "walrus").await, [""; 0]);
    // Users with an account still get their mail.
    request_reset(&app, "grace@example.com").await;
    assert_eq!(links(&app, "grace@example.com").len(), 1);
}

async fn a_greedy_address_leaves_room_to_others(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.login_per_minute = web::Quota(10_000)).await;
    app.create_user("grace@example.com", Role::Member).await;
    let held = block_reset_writes(&app).await;
    let ask_from = async |address: &str, email: &str| {
        app.post(PATH).with_address(address).json(&json!({ "email": email })).send().await
    };
    // The request for Grace waits for her locked row.
    let mut refused = 0;
    for _ in 0..200 {
        let reply = ask_from("192.0.2.1", "grace@example.com").await;
        if reply.status == 503 {
            assert_eq!((reply.code().as_str(), reply.header("retry-after")), ("too_busy", "5"));
            refused += 1;
        } else {
            reply.expect(200);
        }
    }
    assert!(refused >= 160, "{refused}");
    ask_from("192.0.2.2", "nobody@example.com").await.expect(200);
    drop(held);
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 1);
    ask_from("192.0.2.1", "nobody@example.com").await.expect(200);
}

async fn mails_do_not_flood_a_mailbox(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    for _ in 0..5 {
        request_reset(&app, "grace@example.com").await;
    }
    assert_eq!(app.mails().len(), 1);
    app.clock.advance(Span::minutes(5));
    request_reset(&app, "grace@example.com").await;
    let links = links(&app, "grace@example.com");
    assert_eq!(links.len(), 2);
    // The second link replaces the first.
    app.post(&links[0]).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(404);
    app.post(&links[1]).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(200);
    app.run_jobs().await;
}

async fn whoever_asks_for_someone_else_leaves_them_a_link_that_opens(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    for _ in 0..59 {
        request_reset(&app, "grace@example.com").await;
        app.clock.advance(Span::minutes(1));
    }
    let links = links(&app, "grace@example.com");
    assert_eq!(links.len(), 3);
    app.post(&links[2]).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(200);
    app.run_jobs().await;
}

async fn a_reset_opens_once_and_for_an_hour(app: TestApp) {
    app.create_user("grace@example.com", Role::Member).await;
    request_reset(&app, "grace@example.com").await;
    let link = links(&app, "grace@example.com").remove(0);
    app.clock.advance(Span::minutes(60));
    app.post(&link).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(404);
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
