//! Runs of schedules that fail: the schedule says so, its author is notified, and no slot is lost.

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::schedules::{create, periods, shown};

on_both_engines!(
    the_schedule_says_how_its_last_run_ended,
    the_author_is_told_once_of_a_report_that_failed,
    nobody_is_told_of_a_paused_schedule_or_a_cancelled_report,
    a_slot_that_cannot_be_run_does_not_hold_up_others_and_is_retried,
    a_slot_that_is_given_up_is_told,
    a_slot_is_not_made_up_after_a_pause,
);

/// Longer than the time until a job that failed is tried again.
const LATER: Span = Span::minutes(60);
/// After the first slot, which is at 07:30 on the next day.
const AFTER_THE_SLOT: Span = Span::minutes(20 * 60);

/// Returns the state and the reason of the last run.
fn outcome(shown: &Value) -> (Value, Value) {
    (shown["last_run_state"].clone(), shown["last_run_reason"].clone())
}

/// Sets up a schedule about a worksite that its author, bob, does not see any more. Returns its id.
async fn create_that_fails(app: &TestApp, bob: &Account) -> Value {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for name in ["Near", "Far"] {
        let call = app.post("/api/v1/projects").cookie(&admin.cookie).json(&json!({ "name": name }));
        call.send().await.expect(201);
    }
    let site = json!({
        "name": "Quay", "colour": "#ff8800", "kind": "other", "time_zone": "UTC", "project_id": 2,
    });
    let call = app.post("/api/v1/worksites").cookie(&admin.cookie).json(&site);
    let site = call.send().await.expect(201).json()["id"].clone();
    let id = create(app, bob, &json!({ "worksite_id": site })).await;
    let email = EmailAddress::parse("bob@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    id
}

/// Has German texts from now on.
async fn read_german(app: &TestApp, user: &Account) {
    let own = app.get("/api/v2/user_preferences").bearer(&user.jwt).send().await.expect(200).json();
    let change = json!({ "data": {
        "type": "user_preferences", "id": own["data"]["id"], "attributes": { "language": "de" },
    } });
    let call = app.patch("/api/v2/user_preferences").bearer(&user.jwt);
    call.bytes("application/vnd.api+json", change.to_string()).send().await.expect(200);
}

async fn the_schedule_says_how_its_last_run_ended(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &bob, &json!({})).await;
    app.clock.advance(AFTER_THE_SLOT);
    app.app.run_due_schedules().await.unwrap();
    let running = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&running), (json!("running"), Value::Null));
    app.run_jobs().await;
    app.app.run_due_schedules().await.unwrap();
    let done = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&done), (json!("done"), Value::Null));
    assert_eq!(done["last_report_id"], 1);
    // What became of the report later is not the outcome of the run.
    let cookie = app.log_in_v1("bob@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    app.delete("/api/v1/reports/1").cookie(&cookie).send().await.expect(200);
    app.app.run_due_schedules().await.unwrap();
    assert_eq!(shown(&app, "bob@example.com", &id).await, done);
}

async fn the_author_is_told_once_of_a_report_that_failed(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    read_german(&app, &bob).await;
    let id = create_that_fails(&app, &bob).await;
    app.clock.advance(AFTER_THE_SLOT);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(app.run_jobs().await, 1);
    let others = [app.second_instance().await, app.second_instance().await];
    let settle = async |app: &TestApp| app.app.run_due_schedules().await.unwrap();
    tokio::join!(settle(&app), settle(&others[0]), settle(&others[1]));
    let after = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&after), (json!("failed"), json!("unknown_worksite")));
    assert_eq!(after["last_report_id"], 1, "which says why, too");
    assert_eq!(app.run_jobs().await, 1);
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!((mail.to.as_str(), mail.name.as_str()), ("bob@example.com", "bob"));
    assert_eq!(mail.subject, "Yard: Der Bericht konnte nicht erstellt werden");
    for part in ["Zeitraum: 1. März 2026", "Grund: Das, wovon der Bericht", "am 3. März 2026, 07:30"] {
        assert!(mail.text.contains(part), "{}", mail.text);
    }
    assert!(mail.attachments.is_empty());
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    assert_eq!(app.run_jobs().await, 0, "once");
    // The next run fails as well, and is reported again.
    app.clock.advance(Span::minutes(24 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    app.run_jobs().await;
    app.app.run_due_schedules().await.unwrap();
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 2);
}

async fn nobody_is_told_of_a_paused_schedule_or_a_cancelled_report(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create_that_fails(&app, &bob).await;
    let path = format!("/api/v1/report_schedules/{id}");
    let run = async || {
        let call = app.post(&format!("{path}/run")).cookie(&bob.cookie);
        call.send().await.expect(201).json()["id"].clone()
    };
    let report = run().await;
    app.delete(&format!("/api/v1/reports/{report}")).cookie(&bob.cookie).send().await.expect(200);
    app.app.run_due_schedules().await.unwrap();
    let cancelled = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&cancelled), (json!("failed"), json!("cancelled")));
    app.patch(&path).cookie(&bob.cookie).json(&json!({ "paused": true })).send().await.expect(200);
    run().await;
    app.run_jobs().await;
    app.app.run_due_schedules().await.unwrap();
    let failed = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&failed), (json!("failed"), json!("unknown_worksite")));
    app.run_jobs().await;
    assert!(app.mails().is_empty());
}

/// Makes the stored request of a schedule unreadable, and returns what it was.
async fn damage(app: &TestApp, id: &Value) -> String {
    let query = format!("select request from report_schedules where id = {id}");
    let request = testkit::query_raw_sql(app.database(), &query).await.remove(0);
    set_request(app, id, "broken").await;
    request
}

async fn set_request(app: &TestApp, id: &Value, request: &str) {
    let text = format!("update report_schedules set request = '{request}' where id = {id}");
    testkit::execute_raw_sql(app.database(), &text).await.unwrap();
}

async fn a_slot_that_cannot_be_run_does_not_hold_up_others_and_is_retried(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let broken = create(&app, &bob, &json!({})).await;
    create(&app, &bob, &json!({})).await;
    let request = damage(&app, &broken).await;
    app.clock.advance(AFTER_THE_SLOT);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    let next = "select cast(next_run_at - last_slot_at as text) from report_schedules";
    let day_us = (24_i64 * 60 * 60 * 1_000_000).to_string();
    assert_eq!(testkit::query_raw_sql(app.database(), next).await, [day_us.clone(), day_us]);
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 1);
    // When the fault has been mended, the slot is made up with its own period.
    set_request(&app, &broken, &request).await;
    assert_eq!(outcome(&shown(&app, "bob@example.com", &broken).await), (json!("running"), Value::Null));
    app.clock.advance(LATER);
    assert_eq!(app.run_jobs().await, 3, "the slot, its report and the mail");
    assert_eq!(app.mails().len(), 2);
    assert_eq!(periods(&app).await, ["2026-03-01 2026-03-02", "2026-03-01 2026-03-02"]);
    app.app.run_due_schedules().await.unwrap();
    let after = shown(&app, "bob@example.com", &broken).await;
    assert_eq!(outcome(&after), (json!("done"), Value::Null));
    assert_eq!(after["last_slot_at"], "2026-03-02T07:30:00Z");
    assert_eq!(after["next_run_at"], "2026-03-03T07:30:00Z");
}

async fn a_slot_that_is_given_up_is_told(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &bob, &json!({})).await;
    let request = damage(&app, &id).await;
    app.clock.advance(AFTER_THE_SLOT);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    for _ in 0..5 {
        assert_eq!(app.run_jobs().await, 1, "it is tried again");
        app.clock.advance(LATER);
    }
    assert_eq!(app.run_jobs().await, 2, "the last attempt, and the mail");
    set_request(&app, &id, &request).await;
    let after = shown(&app, "bob@example.com", &id).await;
    assert_eq!(outcome(&after), (json!("failed"), json!("internal_error")));
    assert_eq!((&after["last_report_id"], &after["paused"]), (&Value::Null, &json!(false)));
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(mail.to.as_str(), "bob@example.com");
    assert_eq!(mail.subject, "Yard: the report could not be made");
    assert!(!mail.text.contains("Period"), "{}", mail.text);
    assert!(mail.text.contains("Reason: The report could not be made; the log has"), "{}", mail.text);
    // The next slot is run.
    app.clock.advance(Span::minutes(24 * 60));
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 2);
}

async fn a_slot_is_not_made_up_after_a_pause(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &bob, &json!({})).await;
    let request = damage(&app, &id).await;
    app.clock.advance(AFTER_THE_SLOT);
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    set_request(&app, &id, &request).await;
    let cookie = app.log_in_v1("bob@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let call = app.patch(&format!("/api/v1/report_schedules/{id}")).cookie(&cookie);
    call.json(&json!({ "paused": true })).send().await.expect(200);
    assert_eq!(app.run_jobs().await, 1);
    assert!(periods(&app).await.is_empty() && app.mails().is_empty());
}
