//! The slots of schedules: each is run once, and with the rights that the author has then.

use std::sync::Arc;

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};
use tokio::task::JoinSet;

use crate::v1::reports::{busy_yard, download};

on_both_engines!(
    a_slot_is_run_when_it_has_come,
    a_slot_is_run_once_however_many_workers,
    missed_slots_are_made_up_once,
    the_period_is_that_of_the_slot,
    a_run_waits_until_its_last_day_is_over_everywhere,
    a_run_waits_for_a_worksite_that_was_added_meanwhile,
    many_that_are_due_at_once_are_all_run,
    an_author_who_sees_less_sends_less,
    an_author_without_the_permission_pauses_the_schedule,
    a_worksite_that_moves_to_another_zone_is_followed,
);

/// Creates a daily table of incursions with other members, and returns its id.
pub(super) async fn create(app: &TestApp, user: &Account, more: &Value) -> Value {
    let mut body = json!({
        "name": "Yard", "kind": "incursions", "format": "csv", "cadence": "daily", "time": "07:30",
        "recipients": ["ada@example.com"],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let call = app.post("/api/v1/report_schedules").cookie(&user.cookie).json(&body);
    call.send().await.expect(201).json()["id"].clone()
}

/// Returns a schedule as its author sees it, who signs in anew because the clock was moved.
pub(super) async fn shown(app: &TestApp, email: &str, id: &Value) -> Value {
    let cookie = app.log_in_v1(email, testkit::PASSWORD).await.expect(201).session_cookie();
    app.get(&format!("/api/v1/report_schedules/{id}")).cookie(&cookie).send().await.expect(200).json()
}

/// Adds a worksite in this time zone, and returns its id.
async fn create_site(app: &TestApp, admin: &Account, time_zone: &str) -> Value {
    let site = json!({ "name": time_zone, "colour": "#ff8800", "kind": "other", "time_zone": time_zone });
    let call = app.post("/api/v1/worksites").cookie(&admin.cookie).json(&site);
    call.send().await.expect(201).json()["id"].clone()
}

/// Returns the periods of all reports.
pub(super) async fn periods(app: &TestApp) -> Vec<String> {
    let query = "select from_cut || ' ' || to_cut from reports order by id";
    testkit::query_raw_sql(app.database(), query).await
}

async fn a_slot_is_run_when_it_has_come(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    // It is 12:00:30 on 1 March; the slot is at 07:30 on 2 March.
    app.clock.advance(Span::seconds(19 * 3_600 + 29 * 60 + 29));
    app.runner().reconcile().await.unwrap();
    assert!(periods(&app).await.is_empty());
    app.clock.advance(Span::seconds(20));
    let did = app.runner().reconcile().await.unwrap();
    assert!(did.contains(&"run_report_schedules"), "{did:?}");
    assert_eq!(periods(&app).await, ["2026-03-01 2026-03-02"]);
    let after = shown(&app, "bob@example.com", &id).await;
    assert_eq!(after["next_run_at"], "2026-03-03T07:30:00Z");
    assert_eq!(after["last_slot_at"], "2026-03-02T07:30:00Z");
    assert_eq!(after["last_run_at"], "2026-03-02T07:30:19Z");
    assert_eq!(after["last_report_id"], 1);
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 1);
    app.clock.advance(Span::seconds(40));
    app.runner().reconcile().await.unwrap();
    assert_eq!(app.run_jobs().await, 0, "the slot has been run");
}

async fn a_slot_is_run_once_however_many_workers(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for _ in 0..5 {
        create(&app, &user, &json!({})).await;
    }
    let others = [app.second_instance().await, app.second_instance().await];
    app.clock.advance(Span::minutes(20 * 60));
    let mut workers = JoinSet::new();
    for app in [&app, &others[0], &others[1], &app, &others[0]] {
        let app = Arc::clone(&app.app);
        workers.spawn(async move { app.run_due_schedules().await.unwrap() });
    }
    let ran: u64 = workers.join_all().await.into_iter().sum();
    assert_eq!((ran, periods(&app).await.len()), (5, 5));
    // Two of them work on the jobs.
    tokio::join!(app.run_jobs(), others[0].run_jobs());
    assert_eq!(app.mails().len() + others[0].mails().len(), 5);
}

async fn missed_slots_are_made_up_once(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &json!({})).await;
    // The service was down for four days; the next slot is in an hour and a half.
    app.clock.advance(Span::minutes(4 * 24 * 60 + 18 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    assert_eq!(periods(&app).await, ["2026-03-04 2026-03-05"], "that of the last slot");
    let after = shown(&app, "bob@example.com", &id).await;
    assert_eq!(after["last_slot_at"], "2026-03-05T07:30:00Z");
    assert_eq!(after["next_run_at"], "2026-03-06T07:30:00Z");
    app.clock.advance(Span::minutes(90));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(periods(&app).await, ["2026-03-04 2026-03-05", "2026-03-05 2026-03-06"]);
    app.run_jobs().await;
}

async fn the_period_is_that_of_the_slot(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    create(&app, &user, &json!({ "time": "23:59" })).await;
    // Half a minute past midnight.
    app.clock.advance(Span::minutes(12 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(periods(&app).await, ["2026-02-28 2026-03-01"]);
    app.run_jobs().await;
}

async fn a_run_waits_until_its_last_day_is_over_everywhere(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for zone in ["Pacific/Auckland", "America/Denver"] {
        create_site(&app, &admin, zone).await;
    }
    // The clock is the brand's: at four it is 21:00 on the day before in Denver.
    let id = create(&app, &admin, &json!({ "time": "04:00" })).await;
    let local = create(&app, &admin, &json!({ "time": "04:00", "worksite_id": 1 })).await;
    assert_eq!(shown(&app, "admin@example.com", &id).await["next_run_at"], "2026-03-02T07:00:00Z");
    // It is 04:30 on 2 March.
    app.clock.advance(Span::minutes(16 * 60 + 30));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1, "only the one for Auckland, by its clock");
    assert_eq!(shown(&app, "admin@example.com", &local).await["last_slot_at"], "2026-03-01T15:00:00Z");
    app.clock.advance(Span::minutes(2 * 60 + 30));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(periods(&app).await, ["2026-03-01 2026-03-02", "2026-03-01 2026-03-02"]);
    let after = shown(&app, "admin@example.com", &id).await;
    assert_eq!(after["last_slot_at"], "2026-03-02T04:00:00Z");
    assert_eq!(after["last_run_at"], "2026-03-02T07:00:30Z");
    assert_eq!(after["next_run_at"], "2026-03-03T07:00:00Z");
    app.run_jobs().await;
}

async fn a_run_waits_for_a_worksite_that_was_added_meanwhile(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let id = create(&app, &admin, &json!({ "time": "04:00" })).await;
    assert_eq!(shown(&app, "admin@example.com", &id).await["next_run_at"], "2026-03-02T04:00:00Z");
    create_site(&app, &admin, "America/Denver").await;
    app.clock.advance(Span::minutes(16 * 60 + 30));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    let waiting = shown(&app, "admin@example.com", &id).await;
    assert_eq!(waiting["next_run_at"], "2026-03-02T07:00:00Z");
    assert_eq!(waiting["last_run_at"], Value::Null);
    app.clock.advance(Span::minutes(2 * 60 + 30));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(periods(&app).await, ["2026-03-01 2026-03-02"]);
    app.run_jobs().await;
}

async fn many_that_are_due_at_once_are_all_run(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let other = app.sign_in_new_user("eve@example.com", Role::Member).await;
    for _ in 0..55 {
        create(&app, &user, &json!({})).await;
        create(&app, &other, &json!({})).await;
    }
    app.clock.advance(Span::minutes(20 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 110);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    // Each is made, although nobody could request so many.
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 110);
}

async fn an_author_who_sees_less_sends_less(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    let id = create(&yard.app, &member, &json!({ "period": "last_28_days" })).await;
    let send = async || {
        let path = format!("/api/v1/report_schedules/{id}/run");
        let report = yard.app.post(&path).cookie(&member.cookie).send().await.expect(201).json();
        yard.app.run_jobs().await;
        let file = download(&yard, &yard.admin, &report["id"], "?format=json").await.expect(200).json();
        file["figures"]["incursions"].as_array().unwrap().len()
    };
    assert_eq!(send().await, 4);
    let email = EmailAddress::parse("member@example.com").unwrap();
    yard.app.app.restrict_user(&email, Some(&[ProjectId(2)])).await.unwrap();
    assert_eq!(send().await, 1);
    // Also at its next slot.
    yard.app.clock.advance(Span::minutes(20 * 60));
    assert_eq!(yard.app.app.run_due_schedules().await.unwrap(), 1);
    yard.app.run_jobs().await;
    let mails = yard.app.mails();
    let rows = |mail: &mail::Email| String::from_utf8_lossy(&mail.attachments[0].bytes).lines().count();
    assert_eq!(rows(&mails[2]), rows(&mails[1]));
    assert_eq!(rows(&mails[0]), rows(&mails[1]) + 3);
}

async fn an_author_without_the_permission_pauses_the_schedule(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let (id, other) = (create(&app, &user, &json!({})).await, create(&app, &user, &json!({})).await);
    let email = EmailAddress::parse("bob@example.com").unwrap();
    app.app.set_access(&email, Some(Role::Viewer), None).await.unwrap();
    app.clock.advance(Span::minutes(20 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    assert!(periods(&app).await.is_empty());
    let cookie = app.log_in_v1(&admin.email, testkit::PASSWORD).await.expect(201).session_cookie();
    let get = async |path: String| app.get(&path).cookie(&cookie).send().await.expect(200).json();
    for id in [&id, &other] {
        let paused = get(format!("/api/v1/report_schedules/{id}?all=true")).await;
        assert_eq!(paused["paused_reason"], "permission_missing");
        assert_eq!((&paused["next_run_at"], &paused["last_run_at"]), (&Value::Null, &Value::Null));
    }
    let log = get("/api/v1/admin/audit_log?action=report_schedule.paused".to_owned()).await;
    assert_eq!(log["data"][0]["details"]["reason"], "permission_missing");
    assert_eq!(log["data"][0]["actor"]["type"], "service");
}

async fn a_worksite_that_moves_to_another_zone_is_followed(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let site = create_site(&app, &admin, "Europe/Berlin").await;
    let id = create(&app, &admin, &json!({ "worksite_id": site })).await;
    let change = app.patch(&format!("/api/v1/worksites/{site}")).cookie(&admin.cookie);
    change.json(&json!({ "time_zone": "Asia/Tokyo" })).send().await.expect(200);
    app.clock.advance(Span::minutes(20 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    let after = shown(&app, "admin@example.com", &id).await;
    let next_in_tokyo = json!("2026-03-02T22:30:00Z");
    // It was due at 07:30 in Berlin, and is due next at 07:30 in Tokyo.
    assert_eq!(after["last_slot_at"], "2026-03-02T06:30:00Z");
    assert_eq!((&after["time_zone"], &after["next_run_at"]), (&json!("Asia/Tokyo"), &next_in_tokyo));
    app.run_jobs().await;
}
