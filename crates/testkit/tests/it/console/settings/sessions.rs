//! /settings/sessions

use domain::Role;
use testkit::{PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{open, submit};

on_both_engines!(
    sessions_are_listed_and_ended,
    all_other_sessions_are_ended_at_once,
    sessions_of_others_do_not_exist,
);

const PATH: &str = "/settings/sessions";

async fn sessions_are_listed_and_ended(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let other = app.log_in_v1(&vic.email, PASSWORD).await.expect(201).session_cookie();
    let page = open(&app, &vic.cookie, PATH).await.expect(200);
    assert!(page.says("3 rows") && page.says("This session") && page.says("A program that calls the API"));
    let list = app.get("/api/v1/sessions").cookie(&other).send().await.expect(200).json();
    let rows = list["data"].as_array().unwrap();
    let current = rows.iter().find(|row| row["current"] == true).unwrap()["id"].clone();
    // The current one has no button: signing out ends it.
    assert_eq!(page.reply.text().matches("/end\"").count(), 2);
    let ended = submit(&app, &vic.cookie, &format!("{PATH}/{current}/end"), &[]).await.expect(303);
    assert_eq!((ended.location().as_str(), done(&ended).as_str()), (PATH, "session-ended"));
    app.get("/api/v1/session").cookie(&other).send().await.expect(401);
    app.get("/api/v1/session").cookie(&vic.cookie).send().await.expect(200);
    submit(&app, &vic.cookie, &format!("{PATH}/{current}/end"), &[]).await.expect(404);
    assert!(open(&app, &vic.cookie, PATH).await.expect(200).says("2 rows"));
    // A form that was brought back after signing in is shown, and ends nothing.
    let brought = submit(&app, &vic.cookie, &format!("{PATH}/end-others"), &[("_resumed", "1")]).await;
    assert!(brought.expect(200).says("2 rows"));
}

async fn all_other_sessions_are_ended_at_once(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Viewer).await;
    let other = app.log_in_v1(&vic.email, PASSWORD).await.expect(201).session_cookie();
    let ended = submit(&app, &vic.cookie, &format!("{PATH}/end-others"), &[]).await.expect(303);
    assert_eq!(done(&ended), "other-sessions-ended");
    app.get("/api/v1/session").cookie(&other).send().await.expect(401);
    app.get("/api/v2/session").bearer(&vic.jwt).send().await.expect(401);
    app.get("/api/v1/session").cookie(&eve.cookie).send().await.expect(200);
    assert!(open(&app, &vic.cookie, PATH).await.expect(200).says("1 row"));
}

async fn sessions_of_others_do_not_exist(app: TestApp) {
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Admin).await;
    let list = app.get("/api/v1/sessions").cookie(&vic.cookie).send().await.expect(200).json();
    let id = &list["data"][0]["id"];
    submit(&app, &eve.cookie, &format!("{PATH}/{id}/end"), &[]).await.expect(404);
    app.get("/api/v1/session").cookie(&vic.cookie).send().await.expect(200);
    open(&app, "", PATH).await.expect(303);
}
