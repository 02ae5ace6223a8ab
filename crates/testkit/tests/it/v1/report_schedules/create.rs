//! POST /api/v1/report_schedules

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, create, create_site, create_view, daily, faults, get, post, with};

on_both_engines!(
    a_schedule_says_when_it_runs,
    it_runs_by_the_clock_of_a_worksite,
    weeks_and_months_have_their_days,
    one_that_is_paused_has_no_next_run,
    what_cannot_be_is_refused_by_field,
    an_address_counts_once,
    an_address_that_no_mail_can_be_sent_to_is_refused,
    creating_twice_with_one_key_is_creating_once,
    a_retry_gets_its_response_even_if_the_view_is_gone,
    the_hundred_and_first_is_refused,
    a_saved_view_is_copied,
    what_is_restricted_cannot_be_named,
);

async fn a_schedule_says_when_it_runs(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let reply = post(&app, &user, &daily("Yard")).await.expect(201);
    assert_eq!(reply.header("location"), format!("{PATH}/1"));
    assert_eq!(reply.header("etag"), "\"1\"");
    let made = reply.json();
    // It is noon on 1 March 2026.
    let expected = json!({
        "id": 1, "name": "Yard", "author": { "type": "user", "id": 1, "name": "bob" }, "kind": "incursions",
        "format": "csv", "project_id": null, "worksite_id": null, "machine_id": null, "person_id": null,
        "filters": null, "pivot": null, "saved_view_id": null, "paper": "a4", "period": "previous_day",
        "cadence": "daily", "weekday": null, "day_of_month": null, "time": "07:30", "zone_worksite_id": null,
        "time_zone": "UTC", "recipients": ["ada@example.com"], "paused": false, "paused_reason": null,
        "next_run_at": "2026-03-02T07:30:00Z", "last_slot_at": null, "last_run_at": null,
        "last_report_id": null, "last_run_state": null, "last_run_reason": null,
        "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(made, expected);
    let shown = get(&app, &user, &made["id"]).await.expect(200);
    assert_eq!((shown.json(), shown.header("etag")), (expected, "\"1\""));
    let later = with(daily("Later"), &json!({ "time": "12:01" }));
    assert_eq!(create(&app, &user, &later).await["next_run_at"], "2026-03-01T12:01:00Z");
}

async fn it_runs_by_the_clock_of_a_worksite(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let berlin = create_site(&app, &user, "Europe/Berlin", None).await;
    let tokyo = create_site(&app, &user, "Asia/Tokyo", None).await;
    for (more, zone, next) in [
        (json!({}), "UTC", "2026-03-02T07:30:00Z"),
        (json!({ "zone_worksite_id": berlin }), "Europe/Berlin", "2026-03-02T06:30:00Z"),
        (json!({ "worksite_id": berlin }), "Europe/Berlin", "2026-03-02T06:30:00Z"),
        // The day before is over in Tokyo, but ends half an hour later in Berlin.
        (json!({ "worksite_id": berlin, "zone_worksite_id": tokyo }), "Asia/Tokyo", "2026-03-01T23:00:00Z"),
        (json!({ "worksite_id": 2, "zone_worksite_id": berlin }), "Europe/Berlin", "2026-03-02T06:30:00Z"),
    ] {
        let made = create(&app, &user, &with(daily("Yard"), &more)).await;
        assert_eq!((&made["time_zone"], &made["next_run_at"]), (&json!(zone), &json!(next)), "{more}");
        assert_eq!(made["zone_worksite_id"], more["zone_worksite_id"]);
    }
}

async fn weeks_and_months_have_their_days(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (more, period, next) in [
        (json!({ "cadence": "weekly", "weekday": 1 }), "previous_week", "2026-03-02T07:30:00Z"),
        // Sunday, whose slot is over for today.
        (json!({ "cadence": "weekly", "weekday": 7 }), "previous_week", "2026-03-08T07:30:00Z"),
        (json!({ "cadence": "monthly", "day_of_month": 1 }), "previous_month", "2026-04-01T07:30:00Z"),
        (json!({ "cadence": "monthly", "day_of_month": 28 }), "previous_month", "2026-03-28T07:30:00Z"),
    ] {
        let made = create(&app, &user, &with(daily("Yard"), &more)).await;
        assert_eq!((&made["period"], &made["next_run_at"]), (&json!(period), &json!(next)), "{more}");
        assert_eq!((&made["weekday"], &made["day_of_month"]), (&more["weekday"], &more["day_of_month"]));
    }
    let long = with(daily("Yard"), &json!({ "period": "last_28_days" }));
    assert_eq!(create(&app, &user, &long).await["period"], "last_28_days");
}

async fn one_that_is_paused_has_no_next_run(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let made = create(&app, &user, &with(daily("Yard"), &json!({ "paused": true }))).await;
    assert_eq!((&made["paused"], &made["paused_reason"]), (&json!(true), &json!("by_user")));
    assert_eq!(made["next_run_at"], Value::Null);
}

async fn what_cannot_be_is_refused_by_field(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let many: Vec<String> = (0..51).map(|number| format!("u{number}@example.com")).collect();
    let period = json!({ "from": "2026-02-01", "to": "2026-03-01" });
    let pivot = json!({ "measures": ["incursions"], "filters": { "from": "2026-02-01" } });
    for (more, field, code) in [
        (json!({ "name": " " }), "name", "required"),
        (json!({ "recipients": [] }), "recipients", "required"),
        (json!({ "recipients": null }), "recipients", "required"),
        (json!({ "recipients": "ada@example.com" }), "recipients", "wrong_type"),
        (json!({ "recipients": many }), "recipients", "too_many"),
        (json!({ "recipients": ["ada@example.com", "nobody"] }), "recipients.1", "invalid_email"),
        (json!({ "time": "24:00" }), "time", "invalid_time_of_day"),
        (json!({ "time": "7:30" }), "time", "invalid_time_of_day"),
        (json!({ "time": 450 }), "time", "wrong_type"),
        (json!({ "cadence": "yearly" }), "cadence", "invalid_cadence"),
        (json!({ "cadence": "weekly" }), "weekday", "required"),
        (json!({ "cadence": "weekly", "weekday": 8 }), "weekday", "out_of_range"),
        (json!({ "weekday": 1 }), "weekday", "not_allowed"),
        (json!({ "cadence": "monthly" }), "day_of_month", "required"),
        (json!({ "cadence": "monthly", "day_of_month": 29 }), "day_of_month", "out_of_range"),
        (json!({ "day_of_month": 1 }), "day_of_month", "not_allowed"),
        (json!({ "period": "yesterday" }), "period", "invalid_period"),
        (json!({ "kind": "poem" }), "kind", "invalid_kind"),
        (json!({ "kind": "site_report", "format": "pdf" }), "kind", "not_allowed"),
        (json!({ "kind": "site_safety", "format": "pdf" }), "worksite_id", "required"),
        (json!({ "kind": "pivot" }), "pivot", "required"),
        (json!({ "format": "docx" }), "format", "invalid_format"),
        (json!({ "paper": "a3" }), "paper", "invalid_paper"),
        (json!({ "filters": { "colour": "red" } }), "filters.colour", "unknown_field"),
        (json!({ "filters": period }), "filters.from", "not_allowed"),
        (json!({ "kind": "pivot", "pivot": pivot }), "pivot.filters.from", "not_allowed"),
        (json!({ "saved_view_id": 99, "kind": "pivot" }), "saved_view_id", "unknown_saved_view"),
        (json!({ "worksite_id": 99 }), "worksite_id", "unknown_worksite"),
        (json!({ "machine_id": 99 }), "machine_id", "unknown_machine"),
        (json!({ "zone_worksite_id": 99 }), "zone_worksite_id", "unknown_worksite"),
        (json!({ "next_run_at": "2026-03-01T08:00:00Z" }), "next_run_at", "unknown_field"),
    ] {
        let refused = post(&app, &user, &with(daily("Yard"), &more)).await.expect(422);
        let expected = (field.to_owned(), code.to_owned());
        assert!(faults(&refused).contains(&expected), "{more}: {}", refused.text());
    }
    let several = json!({ "kind": "poem", "cadence": "weekly", "recipients": [], "time": "noon" });
    let refused = post(&app, &user, &several).await.expect(422);
    let fields: Vec<String> = faults(&refused).into_iter().map(|(field, _)| field).collect();
    for field in ["name", "kind", "time", "recipients", "weekday"] {
        assert!(fields.iter().any(|one| one == field), "{field}: {fields:?}");
    }
    assert!(testkit::query_raw_sql(app.database(), "select name from report_schedules").await.is_empty());
}

async fn an_address_counts_once(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let more = json!({ "recipients": ["Ada@Example.com", "bob@example.com", " ada@example.com"] });
    let made = create(&app, &user, &with(daily("Yard"), &more)).await;
    assert_eq!(made["recipients"], json!(["Ada@Example.com", "bob@example.com"]));
    // Fifty are not too many.
    let fifty: Vec<String> = (0..50).map(|number| format!("u{number}@example.com")).collect();
    let made = create(&app, &user, &with(daily("All"), &json!({ "recipients": fifty }))).await;
    assert_eq!(made["recipients"].as_array().map(Vec::len), Some(50));
}

async fn an_address_that_no_mail_can_be_sent_to_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let long = format!("{}@b.test", "a".repeat(65));
    for bad in ["a@[127.0.0.1]", "..@b.test", ".@b.test", "\\@b.test", "a\u{301}@b.test", &long] {
        let more = json!({ "recipients": ["ada@example.com", bad] });
        let refused = post(&app, &user, &with(daily("Yard"), &more)).await.expect(422);
        assert_eq!(faults(&refused), [("recipients.1".to_owned(), "invalid_email".to_owned())], "{bad}");
    }
    // What is odd but can be sent to is sent.
    let odd = ["o'neil+x@mail-2.example.com", "jörg@bücher.example", "a@localhost"];
    let made = create(&app, &user, &with(daily("Yard"), &json!({ "recipients": odd }))).await;
    super::run(&app, &user, &made["id"]).await.expect(201);
    assert_eq!(app.run_jobs().await, 4);
    assert_eq!(app.mails().len(), 3);
}

async fn creating_twice_with_one_key_is_creating_once(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let send = async || {
        let call = app.post(PATH).cookie(&user.cookie).header("idempotency-key", "k-1");
        call.json(&daily("Yard")).send().await.expect(201)
    };
    let (first, again) = (send().await, send().await);
    assert_eq!((first.json(), first.header("etag")), (again.json(), again.header("etag")));
    assert_eq!(testkit::query_raw_sql(app.database(), "select name from report_schedules").await, ["Yard"]);
}

async fn a_retry_gets_its_response_even_if_the_view_is_gone(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let view = create_view(&app, &user, "machine").await;
    let new = with(daily("By machine"), &json!({ "kind": "pivot", "saved_view_id": view }));
    let send =
        async || app.post(PATH).cookie(&user.cookie).header("idempotency-key", "k-1").json(&new).send().await;
    let first = send().await.expect(201).json();
    app.delete(&format!("/api/v2/saved_views/{view}")).bearer(&user.jwt).send().await.expect(200);
    assert_eq!(send().await.expect(201).json(), first);
}

async fn the_hundred_and_first_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let other = app.sign_in_new_user("eve@example.com", Role::Member).await;
    for number in 0..100 {
        create(&app, &user, &daily(&format!("Yard {number}"))).await;
    }
    assert_eq!(post(&app, &user, &daily("One more")).await.expect(409).code(), "too_many_schedules");
    create(&app, &other, &daily("Another's")).await;
}

async fn a_saved_view_is_copied(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let view = create_view(&app, &user, "machine").await;
    let more = json!({ "kind": "pivot", "saved_view_id": view });
    let made = create(&app, &user, &with(daily("By machine"), &more)).await;
    assert_eq!((&made["saved_view_id"], &made["pivot"]["rows"]), (&json!(view), &json!(["machine"])));
    // The schedule does not need the view any more.
    app.delete(&format!("/api/v2/saved_views/{view}")).bearer(&user.jwt).send().await.expect(200);
    assert_eq!(get(&app, &user, &made["id"]).await.expect(200).json(), made);
    let report = super::run(&app, &user, &made["id"]).await.expect(201).json();
    app.run_jobs().await;
    let path = format!("/api/v1/reports/{}/download", report["id"]);
    let file = app.get(&path).cookie(&user.cookie).send().await.expect(200).text();
    assert!(file.to_lowercase().contains("machine"), "{file}");

    let both = with(more, &json!({ "pivot": { "measures": ["incursions"] } }));
    let refused = post(&app, &user, &with(daily("Both"), &both)).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "ambiguous".to_owned())]);
}

async fn what_is_restricted_cannot_be_named(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for name in ["Near", "Far"] {
        let call = app.post("/api/v1/projects").cookie(&admin.cookie).json(&json!({ "name": name }));
        call.send().await.expect(201);
    }
    let near = create_site(&app, &admin, "Europe/Berlin", Some(1)).await;
    let far = create_site(&app, &admin, "Asia/Tokyo", Some(2)).await;
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let email = domain::EmailAddress::parse("bob@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[domain::ProjectId(1)])).await.unwrap();
    for field in ["worksite_id", "zone_worksite_id"] {
        create(&app, &user, &with(daily("Near"), &json!({ field: near }))).await;
        let refused = post(&app, &user, &with(daily("Far"), &json!({ field: far }))).await.expect(422);
        assert_eq!(faults(&refused), [(field.to_owned(), "unknown_worksite".to_owned())]);
    }
}
