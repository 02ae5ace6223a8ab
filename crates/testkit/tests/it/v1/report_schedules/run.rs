//! POST /api/v1/report_schedules/{id}/run

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, create, create_site, daily, get, patch, run, sign_in_again, with};

on_both_engines!(
    a_report_is_made_and_mailed_now,
    a_run_by_hand_takes_no_slot,
    its_period_is_that_before_today_by_the_local_clock,
    it_covers_only_days_that_are_over_everywhere,
    what_is_unfinished_is_limited,
    whoever_runs_it_has_asked_for_it,
    concurrent_runs_stay_within_the_limit,
    without_recipients_there_is_no_run,
);

async fn a_report_is_made_and_mailed_now(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &with(daily("Yard"), &json!({ "paused": true }))).await["id"];
    let reply = run(&app, &user, id).await.expect(201);
    let report = reply.json();
    assert_eq!(reply.header("location"), format!("/api/v1/reports/{}", report["id"]));
    let shown = app.get(reply.header("location")).cookie(&user.cookie).send().await.expect(200);
    assert_ne!(reply.header("etag"), "");
    assert_eq!(shown.header("etag"), reply.header("etag"));
    assert_eq!((&report["schedule_id"], &report["state"]), (id, &json!("queued")));
    assert_eq!((&report["from"], &report["to"]), (&json!("2026-02-28"), &json!("2026-03-01")));
    app.run_jobs().await;
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!((mail.to.as_str(), mail.attachments.len()), ("ada@example.com", 1));
    let log = app.get("/api/v1/admin/audit_log?action=report_schedule.run");
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let log = log.cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(log["data"][0]["details"]["report"], report["id"]);
    assert_eq!(log["data"][0]["actor"]["name"], "bob");
}

async fn a_run_by_hand_takes_no_slot(app: TestApp) {
    let mut user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    app.clock.advance(Span::minutes(20 * 60));
    sign_in_again(&app, &mut user).await;
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 1);
    let before = get(&app, &user, id).await.expect(200).json();
    app.clock.advance(Span::minutes(60));
    let report = run(&app, &user, id).await.expect(201).json();
    let after = get(&app, &user, id).await.expect(200).json();
    assert_eq!(after["last_report_id"], report["id"]);
    assert_eq!(after["last_run_at"], "2026-03-02T09:00:30Z");
    for member in ["next_run_at", "last_slot_at", "paused"] {
        assert_eq!(after[member], before[member], "{member}");
    }
    app.run_jobs().await;
}

async fn its_period_is_that_before_today_by_the_local_clock(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    // It is past midnight there, on Monday.
    let site = create_site(&app, &user, "Pacific/Auckland", None).await;
    let more = json!({ "worksite_id": site, "period": "previous_day" });
    let id = &create(&app, &user, &with(daily("Yard"), &more)).await["id"];
    for (period, from, to) in [
        ("previous_day", "2026-03-01", "2026-03-02"),
        ("previous_week", "2026-02-23", "2026-03-02"),
        ("previous_month", "2026-02-01", "2026-03-01"),
        ("last_7_days", "2026-02-23", "2026-03-02"),
        ("last_28_days", "2026-02-02", "2026-03-02"),
    ] {
        patch(&app, &user, id, &json!({ "period": period })).await.expect(200);
        let report = run(&app, &user, id).await.expect(201).json();
        assert_eq!((&report["from"], &report["to"]), (&json!(from), &json!(to)), "{period}");
    }
    app.run_jobs().await;
}

async fn it_covers_only_days_that_are_over_everywhere(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    // It is Monday there, and Sunday here.
    let auckland = create_site(&app, &user, "Pacific/Auckland", None).await;
    let denver = create_site(&app, &user, "America/Denver", None).await;
    let clock = json!({ "zone_worksite_id": auckland });
    for (more, from, to) in [
        (json!({ "worksite_id": auckland }), "2026-03-01", "2026-03-02"),
        (json!({ "worksite_id": denver }), "2026-02-28", "2026-03-01"),
        (json!({ "filters": { "worksite_id": [auckland, denver] } }), "2026-02-28", "2026-03-01"),
        (json!({}), "2026-02-28", "2026-03-01"),
        (json!({ "period": "previous_week", "worksite_id": denver }), "2026-02-16", "2026-02-23"),
    ] {
        let made = create(&app, &user, &with(daily("Yard"), &with(clock.clone(), &more))).await;
        let report = run(&app, &user, &made["id"]).await.expect(201).json();
        assert_eq!((&report["from"], &report["to"]), (&json!(from), &json!(to)), "{more}");
    }
    app.run_jobs().await;
}

async fn what_is_unfinished_is_limited(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    for _ in 0..20 {
        run(&app, &user, id).await.expect(201);
    }
    assert_eq!(run(&app, &user, id).await.expect(409).code(), "too_many_reports");
    app.run_jobs().await;
    assert_eq!(app.mails().len(), 20);
    run(&app, &user, id).await.expect(201);
    app.run_jobs().await;
}

async fn whoever_runs_it_has_asked_for_it(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let id = &create(&app, &bob, &daily("Yard")).await["id"];
    let path = format!("{PATH}/{id}/run?all=true");
    for _ in 0..20 {
        let made = app.post(&path).cookie(&admin.cookie).send().await.expect(201).json();
        assert_eq!(made["author"]["id"], 1, "it is the author's all the same");
    }
    let refused = app.post(&path).cookie(&admin.cookie).send().await;
    assert_eq!(refused.expect(409).code(), "too_many_reports");
    // The author has asked for none of them.
    run(&app, &bob, id).await.expect(201);
    app.run_jobs().await;
}

async fn concurrent_runs_stay_within_the_limit(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let mut ids = Vec::new();
    for name in ["Yard", "Gate", "Depot", "Quay"] {
        ids.push(create(&app, &bob, &daily(name)).await["id"].clone());
    }
    for _ in 0..18 {
        run(&app, &bob, &ids[0]).await.expect(201);
    }
    let mut work = tokio::task::JoinSet::new();
    for id in &ids {
        work.spawn(app.post(&format!("{PATH}/{id}/run")).cookie(&bob.cookie).send());
    }
    let mut statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 409, 409]);
    app.run_jobs().await;
}

async fn without_recipients_there_is_no_run(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let person = json!({ "kind": "staff", "name": "Ada", "email": "ADA@example.com" });
    let call = app.post("/api/v1/people").cookie(&admin.cookie).json(&person);
    let person = call.send().await.expect(201).json()["id"].clone();
    let id = &create(&app, &admin, &daily("Yard")).await["id"];
    let path = format!("/api/v1/people/{person}/erase");
    app.post(&path).cookie(&admin.cookie).send().await.expect(200);
    let paused = get(&app, &admin, id).await.expect(200).json();
    assert_eq!((&paused["paused_reason"], &paused["recipients"]), (&json!("no_recipients"), &json!([])));
    assert_eq!(paused["next_run_at"], Value::Null);
    assert_eq!(run(&app, &admin, id).await.expect(409).code(), "no_recipients");
    let refused = patch(&app, &admin, id, &json!({ "paused": false })).await.expect(422).json();
    assert_eq!(refused["errors"][0]["field"], "recipients");
    let again = json!({ "paused": false, "recipients": ["bob@example.com"] });
    let resumed = patch(&app, &admin, id, &again).await.expect(200).json();
    assert_eq!(resumed["next_run_at"], "2026-03-02T07:30:00Z");
}
