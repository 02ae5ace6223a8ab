//! /reports/schedules

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{HOSTILE, done, get, rename_site};
use crate::console::{Page, open, submit};
use crate::v1::insights::Yard;
use crate::v1::reports::busy_yard;

on_both_engines!(
    a_schedule_is_set_up_once_and_shown,
    a_schedule_is_changed_and_keeps_what_the_form_does_not_show,
    stale_forms_and_faults_are_shown,
    a_schedule_is_paused_resumed_run_and_deleted,
    everybody_has_their_own,
    names_are_never_markup,
);

const NEW: &str = "/reports/schedules/new?kind=site_safety";

/// Every Tuesday at half past seven, about worksite 1.
fn weekly<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![
        ("name", "Yard, weekly"),
        ("worksite_id", "1"),
        ("format", "pdf"),
        ("paper", "a4"),
        ("cadence", "weekly"),
        ("weekday", "2"),
        // Left over from another cadence.
        ("day_of_month", "5"),
        ("time", "07:30"),
        ("period", ""),
        ("recipients", "ada@example.com\nbob@example.com\nADA@example.com"),
    ];
    fields.retain(|(name, _)| !more.iter().any(|(given, _)| given == name));
    fields.extend(more);
    fields
}

async fn set_up(yard: &Yard, user: &Account, more: &[(&str, &str)]) -> Page {
    submit(&yard.app, &user.cookie, NEW, &weekly(more)).await
}

async fn stored(yard: &Yard, id: i64) -> Value {
    get(yard, &format!("/api/v1/report_schedules/{id}?all=true")).await
}

async fn a_schedule_is_set_up_once_and_shown(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    assert!(open(&yard.app, cookie, "/reports/schedules").await.expect(200).says("No schedules yet"));
    let kinds = open(&yard.app, cookie, "/reports/schedules/new").await.expect(200).links();
    assert!(kinds.contains(&NEW.to_owned()) && !kinds.iter().any(|link| link.contains("kind=site_report")));
    let form = open(&yard.app, cookie, NEW).await.expect(200);
    assert_eq!(form.field("recipients").as_deref(), Some("admin@example.com"));
    assert!(form.field("filters.from").is_none(), "the schedule sets the days");
    let once = form.field("_once").unwrap();
    for _ in 0..2 {
        let answer = set_up(&yard, &yard.admin, &[("_once", once.as_str())]).await.expect(303);
        assert_eq!(
            (answer.location().as_str(), done(&answer)),
            ("/reports/schedules/1", "report-schedule-created")
        );
    }
    let schedule = stored(&yard, 1).await;
    for (name, value) in [
        ("cadence", json!("weekly")),
        ("weekday", json!(2)),
        ("day_of_month", json!(null)),
        ("time", json!("07:30")),
        ("period", json!("previous_week")),
        ("worksite_id", json!(1)),
        ("recipients", json!(["ada@example.com", "bob@example.com"])),
    ] {
        assert_eq!(schedule[name], value, "{name}");
    }
    let page = open(&yard.app, cookie, "/reports/schedules/1").await.expect(200);
    assert!(page.says("Every Tuesday at 07:30 (UTC)") && page.says("Site 1") && page.says("the week before"));
    assert!(page.says("ada@example.com") && page.says("bob@example.com") && page.says("not yet"));
    let list = open(&yard.app, cookie, "/reports/schedules").await.expect(200);
    assert!(list.says("Yard, weekly") && list.says("2 addresses") && list.says("1 row"));
    let none = open(&yard.app, cookie, "/reports/schedules?q=yard&paused=true").await.expect(200);
    assert!(none.says("No schedules match"));
}

async fn a_schedule_is_changed_and_keeps_what_the_form_does_not_show(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    let body = json!({
        "name": "All", "kind": "incursions", "format": "csv", "cadence": "daily", "time": "06:00",
        "filters": { "zone": ["danger"], "tag_id": [1] }, "recipients": ["ada@example.com"],
    });
    yard.app.post("/api/v1/report_schedules").cookie(cookie).json(&body).send().await.expect(201);
    let path = "/reports/schedules/1/edit";
    let form = open(&yard.app, cookie, path).await.expect(200);
    assert_eq!(form.field("filters.zone").as_deref(), Some("danger"));
    assert_eq!(form.field("time").as_deref(), Some("06:00"));
    let version = form.field("_version").unwrap();
    let paper = form.field("paper").unwrap();
    let fields = [
        ("name", "All of it"),
        ("format", "csv"),
        ("paper", paper.as_str()),
        ("filters.zone", "danger"),
        ("filters.acknowledged", "false"),
        ("cadence", "monthly"),
        ("day_of_month", "3"),
        ("time", "06:15"),
        ("period", "last_28_days"),
        ("zone_worksite_id", "2"),
        ("recipients", "cyd@example.com"),
        ("_version", version.as_str()),
    ];
    let answer = submit(&yard.app, cookie, path, &fields).await.expect(303);
    assert_eq!(
        (answer.location().as_str(), done(&answer)),
        ("/reports/schedules/1", "report-schedule-saved")
    );
    let schedule = stored(&yard, 1).await;
    assert_eq!(schedule["filters"], json!({ "zone": ["danger"], "tag_id": [1], "acknowledged": false }));
    assert_eq!((&schedule["cadence"], &schedule["day_of_month"]), (&json!("monthly"), &json!(3)));
    assert_eq!((&schedule["name"], &schedule["period"]), (&json!("All of it"), &json!("last_28_days")));
    assert_eq!(
        (&schedule["zone_worksite_id"], &schedule["recipients"]),
        (&json!(2), &json!(["cyd@example.com"]))
    );
    let page = open(&yard.app, cookie, "/reports/schedules/1").await.expect(200);
    assert!(page.says("On day 3 of every month at 06:15 (UTC)") && page.says("the four weeks before"));
}

async fn stale_forms_and_faults_are_shown(app: TestApp) {
    let yard = busy_yard(app).await;
    let missing = set_up(&yard, &yard.admin, &[("worksite_id", "")]).await.expect(422);
    assert!(missing.fault("worksite_id").is_some());
    let wrong = [("time", "7:30"), ("recipients", "ada@example.com\nnobody"), ("weekday", "")];
    let page = set_up(&yard, &yard.admin, &wrong).await.expect(422);
    for name in ["time", "recipients", "weekday"] {
        assert!(page.fault(name).is_some(), "{name}");
    }
    assert_eq!(page.field("name").as_deref(), Some("Yard, weekly"));
    assert_eq!(page.field("recipients").as_deref(), Some("ada@example.com\nnobody"));
    set_up(&yard, &yard.admin, &[]).await.expect(303);
    let path = "/reports/schedules/1/edit";
    let stale = weekly(&[("name", "Mine"), ("_version", "0")]);
    let page = submit(&yard.app, &yard.admin.cookie, path, &stale).await.expect(412);
    assert_eq!(page.field("name").as_deref(), Some("Mine"));
    assert_eq!(stored(&yard, 1).await["name"], "Yard, weekly");
}

async fn a_schedule_is_paused_resumed_run_and_deleted(app: TestApp) {
    let yard = busy_yard(app).await;
    let (cookie, page) = (&yard.admin.cookie, "/reports/schedules/1");
    set_up(&yard, &yard.admin, &[]).await.expect(303);
    let paused = submit(&yard.app, cookie, "/reports/schedules/1/pause", &[]).await.expect(303);
    assert_eq!((paused.location().as_str(), done(&paused)), (page, "report-schedule-paused"));
    let shown = open(&yard.app, cookie, page).await.expect(200);
    assert!(
        shown.says("Someone paused it.") && shown.says("none while it is paused") && shown.says("Resume")
    );
    submit(&yard.app, cookie, "/reports/schedules/1/resume", &[]).await.expect(303);
    assert_eq!(stored(&yard, 1).await["paused"], false);
    let run = submit(&yard.app, cookie, "/reports/schedules/1/run", &[]).await.expect(303);
    assert_eq!(done(&run), "report-schedule-run");
    let shown = open(&yard.app, cookie, page).await.expect(200);
    assert!(shown.says("The report is being made") && shown.links().contains(&"/reports/1".to_owned()));
    yard.app.run_jobs().await;
    assert_eq!(yard.app.mails().len(), 2);
    let reports = open(&yard.app, cookie, "/reports?schedule_id=1").await.expect(200);
    assert!(
        reports.links().contains(&"/reports/1".to_owned()) && reports.says("Only those of one schedule.")
    );
    let report = open(&yard.app, cookie, "/reports/1").await.expect(200);
    assert!(report.links().contains(&page.to_owned()));
    submit(&yard.app, cookie, "/reports/schedules/1/delete", &[("_version", "0")]).await.expect(412);
    let deleted = submit(&yard.app, cookie, "/reports/schedules/1/delete", &[]).await.expect(303);
    assert_eq!(
        (deleted.location().as_str(), done(&deleted)),
        ("/reports/schedules", "report-schedule-deleted")
    );
    open(&yard.app, cookie, page).await.expect(404);
}

async fn everybody_has_their_own(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("mem@example.com", Role::Member).await;
    let other = yard.app.sign_in_new_user("other@example.com", Role::Member).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    set_up(&yard, &member, &[]).await.expect(303);
    for user in [&other, &stranger] {
        assert!(
            open(&yard.app, &user.cookie, "/reports/schedules").await.expect(200).says("No schedules yet")
        );
        for path in ["/reports/schedules/1", "/reports/schedules/1/edit"] {
            open(&yard.app, &user.cookie, path).await.expect(404);
        }
        for act in ["pause", "resume", "run", "delete"] {
            let path = format!("/reports/schedules/1/{act}");
            submit(&yard.app, &user.cookie, &path, &[]).await.expect(404);
        }
    }
    // Those who manage the brand see the schedules of all.
    let all = open(&yard.app, &yard.admin.cookie, "/reports/schedules").await.expect(200);
    assert!(all.says("Yard, weekly"));
    let own = open(&yard.app, &yard.admin.cookie, "/reports/schedules?mine=true").await.expect(200);
    assert!(own.says("No schedules match"));
    let paused = submit(&yard.app, &yard.admin.cookie, "/reports/schedules/1/pause", &[]).await;
    paused.expect(303);
}

async fn names_are_never_markup(app: TestApp) {
    let yard = busy_yard(app).await;
    rename_site(&yard, HOSTILE).await;
    set_up(&yard, &yard.admin, &[("name", HOSTILE)]).await.expect(303);
    for path in ["/reports/schedules", "/reports/schedules/1", "/reports/schedules/1/edit"] {
        assert!(open(&yard.app, &yard.admin.cookie, path).await.expect(200).says(HOSTILE), "{path}");
    }
}
