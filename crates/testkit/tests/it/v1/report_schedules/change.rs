//! PATCH /api/v1/report_schedules/{id}

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, create, create_site, create_view, daily, faults, get, patch, sign_in_again, with};

on_both_engines!(
    what_is_left_out_stays,
    the_next_run_follows_the_time,
    another_cadence_drops_its_day,
    it_is_paused_and_resumed,
    another_kind_drops_the_pivot,
    a_pivot_and_a_saved_view_replace_each_other,
    recipients_are_replaced,
    what_cannot_be_is_refused_by_field,
    only_what_is_changed_is_checked,
    addresses_of_an_earlier_version_stay_until_they_are_changed,
    a_change_of_an_older_version_is_refused,
    concurrent_changes_do_not_undo_each_other,
    what_was_read_can_be_sent_back_even_if_it_is_gone,
);

async fn what_is_left_out_stays(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let filters = json!({ "zone": ["danger"], "min_duration_s": 5 });
    let before = create(&app, &user, &with(daily("Yard"), &json!({ "filters": filters }))).await;
    let id = &before["id"];
    app.clock.advance(Span::seconds(60));
    for (more, changed) in [
        (json!({ "name": "Gate" }), json!({ "name": "Gate" })),
        (json!({ "format": "xlsx" }), json!({ "format": "xlsx" })),
        (json!({ "format": null }), json!({ "format": "pdf" })),
        (json!({ "period": "last_7_days" }), json!({ "period": "last_7_days" })),
        (json!({ "period": null }), json!({ "period": "previous_day" })),
        (json!({ "paper": "letter" }), json!({ "paper": "letter" })),
        (json!({ "filters": { "zone": ["warning"] } }), json!({ "filters": { "zone": ["warning"] } })),
        (json!({ "filters": null }), json!({ "filters": null })),
    ] {
        let shown = get(&app, &user, id).await.expect(200).json();
        let reply = patch(&app, &user, id, &more).await.expect(200);
        let expected = with(with(shown, &changed), &json!({ "updated_at": "2026-03-01T12:01:30Z" }));
        assert_eq!(reply.json(), expected, "{more}");
        assert_eq!(get(&app, &user, id).await.expect(200).header("etag"), reply.header("etag"));
    }
    // What changes nothing makes no version.
    let version = patch(&app, &user, id, &json!({ "name": "Gate" })).await.expect(200);
    let again = patch(&app, &user, id, &json!({})).await.expect(200);
    assert_eq!(version.header("etag"), again.header("etag"));
}

async fn the_next_run_follows_the_time(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let berlin = create_site(&app, &user, "Europe/Berlin", None).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    for (more, next) in [
        (json!({ "time": "18:00" }), "2026-03-01T18:00:00Z"),
        (json!({ "zone_worksite_id": berlin }), "2026-03-01T17:00:00Z"),
        (json!({ "name": "Gate" }), "2026-03-01T17:00:00Z"),
        (json!({ "cadence": "weekly", "weekday": 3 }), "2026-03-04T17:00:00Z"),
        (json!({ "zone_worksite_id": null }), "2026-03-04T18:00:00Z"),
        (json!({ "worksite_id": berlin }), "2026-03-04T17:00:00Z"),
        (json!({ "weekday": 7 }), "2026-03-01T17:00:00Z"),
    ] {
        let changed = patch(&app, &user, id, &more).await.expect(200).json();
        assert_eq!(changed["next_run_at"], next, "{more}");
    }
}

async fn another_cadence_drops_its_day(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let weekly = with(daily("Yard"), &json!({ "cadence": "weekly", "weekday": 3 }));
    let id = &create(&app, &user, &weekly).await["id"];
    let days = |shown: &Value| (shown["weekday"].clone(), shown["day_of_month"].clone());
    let monthly = json!({ "cadence": "monthly", "day_of_month": 15 });
    let changed = patch(&app, &user, id, &monthly).await.expect(200).json();
    assert_eq!(days(&changed), (Value::Null, json!(15)));
    let changed = patch(&app, &user, id, &json!({ "cadence": "daily" })).await.expect(200).json();
    assert_eq!(days(&changed), (Value::Null, Value::Null));
    // The period was chosen when the schedule was created, and stays.
    assert_eq!(changed["period"], "previous_week");
    let refused = patch(&app, &user, id, &json!({ "cadence": "weekly" })).await.expect(422);
    assert_eq!(faults(&refused), [("weekday".to_owned(), "required".to_owned())]);
}

async fn it_is_paused_and_resumed(app: TestApp) {
    let mut user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    let paused = patch(&app, &user, id, &json!({ "paused": true })).await.expect(200).json();
    assert_eq!((&paused["paused"], &paused["paused_reason"]), (&json!(true), &json!("by_user")));
    assert_eq!(paused["next_run_at"], Value::Null);
    // Slots that pass meanwhile are not made up.
    app.clock.advance(Span::minutes(3 * 24 * 60));
    sign_in_again(&app, &mut user).await;
    assert_eq!(app.app.run_due_schedules().await.unwrap(), 0);
    let still = patch(&app, &user, id, &json!({ "time": "08:00" })).await.expect(200).json();
    assert_eq!((&still["next_run_at"], &still["paused"]), (&Value::Null, &json!(true)));
    let resumed = patch(&app, &user, id, &json!({ "paused": false })).await.expect(200).json();
    assert_eq!((&resumed["paused"], &resumed["paused_reason"]), (&json!(false), &Value::Null));
    assert_eq!(resumed["next_run_at"], "2026-03-05T08:00:00Z");
}

async fn another_kind_drops_the_pivot(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let pivot = json!({ "rows": ["machine"], "measures": ["incursions"], "sort": "-incursions" });
    let made = create(&app, &user, &with(daily("Yard"), &json!({ "kind": "pivot", "pivot": pivot }))).await;
    let shown = json!({
        "rows": ["machine"], "columns": [], "measures": ["incursions"], "filters": {}, "sort": "-incursions",
        "limit": 1000, "totals": true,
    });
    assert_eq!(made["pivot"], shown);
    let changed = patch(&app, &user, &made["id"], &json!({ "kind": "visitor_log" })).await.expect(200).json();
    assert_eq!((&changed["kind"], &changed["pivot"]), (&json!("visitor_log"), &Value::Null));
    let refused = patch(&app, &user, &made["id"], &json!({ "kind": "pivot" })).await.expect(422);
    assert_eq!(faults(&refused), [("pivot".to_owned(), "required".to_owned())]);
    // The format stays, and the new kind does not have it.
    let refused = patch(&app, &user, &made["id"], &json!({ "kind": "site_safety" })).await.expect(422);
    assert!(faults(&refused).contains(&("format".to_owned(), "unknown_format".to_owned())));
}

async fn a_pivot_and_a_saved_view_replace_each_other(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let view = create_view(&app, &user, "machine").await;
    let new = with(daily("Yard"), &json!({ "kind": "pivot", "saved_view_id": view }));
    let id = &create(&app, &user, &new).await["id"];
    let pivot = json!({ "pivot": { "measures": ["incursions"] } });
    let changed = patch(&app, &user, id, &pivot).await.expect(200).json();
    assert_eq!((&changed["saved_view_id"], &changed["pivot"]["rows"]), (&Value::Null, &json!([])));
    let back = patch(&app, &user, id, &json!({ "saved_view_id": view })).await.expect(200).json();
    assert_eq!((&back["saved_view_id"], &back["pivot"]["rows"]), (&json!(view), &json!(["machine"])));
    // Whoever sends everything back with another pivot, or another view, has chosen that.
    let other = with(back["pivot"].clone(), &json!({ "rows": ["worksite"] }));
    let changed = patch(&app, &user, id, &with(back.clone(), &json!({ "pivot": other }))).await;
    let changed = changed.expect(200).json();
    assert_eq!((&changed["saved_view_id"], &changed["pivot"]), (&Value::Null, &other));
    let second = create_view(&app, &user, "zone").await;
    let changed = patch(&app, &user, id, &with(changed, &json!({ "saved_view_id": second }))).await;
    let changed = changed.expect(200).json();
    assert_eq!((&changed["saved_view_id"], &changed["pivot"]["rows"]), (&json!(second), &json!(["zone"])));
    let both = json!({ "pivot": other, "saved_view_id": view });
    let refused = patch(&app, &user, id, &both).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "ambiguous".to_owned())]);
    // Without a view, what was copied from it stays.
    let freed = patch(&app, &user, id, &json!({ "saved_view_id": null })).await.expect(200).json();
    assert_eq!((&freed["saved_view_id"], &freed["pivot"]), (&Value::Null, &changed["pivot"]));
}

async fn recipients_are_replaced(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    let both = json!({ "recipients": ["ada@example.com", "bob@example.com"] });
    let changed = patch(&app, &user, id, &both).await.expect(200).json();
    assert_eq!(changed["recipients"], both["recipients"]);
    let one = json!({ "recipients": ["bob@example.com"] });
    let changed = patch(&app, &user, id, &one).await.expect(200).json();
    assert_eq!(changed["recipients"], one["recipients"]);
    // The audit log tells how many there are, not who.
    let path = "/api/v1/admin/audit_log?action=report_schedule.changed";
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(log.json()["data"][0]["details"]["before"]["recipients"], 2);
    assert!(!log.text().contains("ada@example.com"), "{}", log.text());
}

async fn what_cannot_be_is_refused_by_field(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let before = create(&app, &user, &daily("Yard")).await;
    for (more, field, code) in [
        (json!({ "name": null }), "name", "required"),
        (json!({ "kind": null }), "kind", "required"),
        (json!({ "kind": "site_safety", "format": "pdf" }), "worksite_id", "required"),
        (json!({ "recipients": [] }), "recipients", "required"),
        (json!({ "recipients": ["x"] }), "recipients.0", "invalid_email"),
        (json!({ "time": "25:00" }), "time", "invalid_time_of_day"),
        (json!({ "weekday": 1 }), "weekday", "not_allowed"),
        (json!({ "filters": { "to": "2026-03-01" } }), "filters.to", "not_allowed"),
        (json!({ "zone_worksite_id": 99 }), "zone_worksite_id", "unknown_worksite"),
        (json!({ "paused": null }), "paused", "required"),
        (json!({ "last_run_at": null, "surprise": 1 }), "surprise", "unknown_field"),
        (json!({ "id": 7 }), "id", "read_only"),
    ] {
        let refused = patch(&app, &user, &before["id"], &more).await.expect(422);
        let expected = (field.to_owned(), code.to_owned());
        assert!(faults(&refused).contains(&expected), "{more}: {}", refused.text());
    }
    assert_eq!(get(&app, &user, &before["id"]).await.expect(200).json(), before);
}

async fn only_what_is_changed_is_checked(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let person = json!({ "kind": "staff", "name": "Ada", "email": "ada@example.com" });
    let call = app.post("/api/v1/people").cookie(&admin.cookie).json(&person);
    let person = call.send().await.expect(201).json()["id"].clone();
    let id = &create(&app, &admin, &daily("Yard")).await["id"];
    let path = format!("/api/v1/people/{person}/erase");
    app.post(&path).cookie(&admin.cookie).send().await.expect(200);
    let paused = get(&app, &admin, id).await.expect(200).json();
    assert_eq!((&paused["paused_reason"], &paused["recipients"]), (&json!("no_recipients"), &json!([])));
    for more in [json!({ "name": "Gate" }), json!({ "time": "08:00" }), json!({ "format": "xlsx" })] {
        let before = get(&app, &admin, id).await.expect(200).json();
        let changed = patch(&app, &admin, id, &more).await.expect(200).json();
        let updated = with(more, &json!({ "updated_at": changed["updated_at"] }));
        assert_eq!(changed, with(before, &updated));
    }
    let refused = patch(&app, &admin, id, &json!({ "name": "Gate 2", "recipients": [1] })).await.expect(422);
    assert_eq!(faults(&refused), [("recipients.0".to_owned(), "wrong_type".to_owned())]);
}

async fn addresses_of_an_earlier_version_stay_until_they_are_changed(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &user, &daily("Yard")).await["id"];
    let address = "a@[127.0.0.1]";
    let text = format!("update report_recipients set email = '{address}', email_key = '{address}'");
    testkit::execute_raw_sql(app.database(), &text).await.unwrap();
    let shown = get(&app, &user, id).await.expect(200).json();
    assert_eq!(shown["recipients"], json!([address]));
    let renamed = patch(&app, &user, id, &with(shown, &json!({ "name": "Gate" }))).await.expect(200).json();
    assert_eq!((&renamed["name"], &renamed["recipients"]), (&json!("Gate"), &json!([address])));
    let more = json!({ "recipients": ["ada@example.com", address] });
    let refused = patch(&app, &user, id, &more).await.expect(422);
    assert_eq!(faults(&refused), [("recipients.1".to_owned(), "invalid_email".to_owned())]);
    patch(&app, &user, id, &json!({ "recipients": ["ada@example.com"] })).await.expect(200);
}

async fn a_change_of_an_older_version_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &user, &daily("Yard")).await["id"].clone();
    let send = async |etag: &str, name: &str| {
        let call = app.patch(&format!("{PATH}/{id}")).cookie(&user.cookie).header("if-match", etag);
        call.json(&json!({ "name": name })).send().await
    };
    let changed = send("\"1\"", "Gate").await.expect(200);
    assert_eq!(changed.header("etag"), "\"2\"");
    assert_eq!(send("\"1\"", "Yard").await.expect(412).code(), "stale");
    send("\"2\"", "Yard").await.expect(200);
    let call = app.delete(&format!("{PATH}/{id}")).cookie(&user.cookie).header("if-match", "\"2\"");
    assert_eq!(call.send().await.expect(412).code(), "stale");
}

async fn concurrent_changes_do_not_undo_each_other(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let weekly = with(daily("Yard"), &json!({ "cadence": "weekly", "weekday": 1 }));
    let id = &create(&app, &user, &weekly).await["id"];
    for round in 2..=7 {
        let (time, zone) = (format!("0{round}:15"), ["danger", "warning"][round % 2]);
        let format = ["xlsx", "json"][round % 2];
        let changes = [
            json!({ "weekday": round }),
            json!({ "time": time }),
            json!({ "format": format }),
            json!({ "filters": { "zone": [zone] } }),
        ];
        let send = async |more: &Value| patch(&app, &user, id, more).await.expect(200);
        tokio::join!(send(&changes[0]), send(&changes[1]), send(&changes[2]), send(&changes[3]));
        let after = get(&app, &user, id).await.expect(200).json();
        let expected = changes.iter().fold(after.clone(), with);
        assert_eq!(after, expected, "{round}");
    }
}

async fn what_was_read_can_be_sent_back_even_if_it_is_gone(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let view = create_view(&app, &user, "machine").await;
    let new = with(daily("Yard"), &json!({ "kind": "pivot", "saved_view_id": view }));
    let made = create(&app, &user, &new).await;
    app.delete(&format!("/api/v2/saved_views/{view}")).bearer(&user.jwt).send().await.expect(200);
    assert_eq!(patch(&app, &user, &made["id"], &made).await.expect(200).json(), made);
    let renamed = patch(&app, &user, &made["id"], &json!({ "name": "Gate" })).await.expect(200).json();
    assert_eq!(renamed["name"], "Gate");
    // What was copied from the view stays, and so does where it came from.
    for more in [json!({ "format": "xlsx" }), json!({ "paper": "letter" })] {
        let changed = patch(&app, &user, &made["id"], &more).await.expect(200).json();
        assert_eq!(with(changed.clone(), &more), changed);
        for member in ["pivot", "saved_view_id"] {
            assert_eq!((&changed[member], made[member].is_null()), (&made[member], false), "{member}");
        }
    }
    // The definition can be sent as one of its own; the view cannot be copied again.
    let again = json!({ "pivot": null, "saved_view_id": view });
    let refused = patch(&app, &user, &made["id"], &again).await.expect(422);
    assert_eq!(faults(&refused), [("saved_view_id".to_owned(), "unknown_saved_view".to_owned())]);
    let own = with(new, &json!({ "pivot": made["pivot"], "saved_view_id": null }));
    let own = create(&app, &user, &own).await;
    assert_eq!((&own["pivot"], &own["saved_view_id"]), (&made["pivot"], &Value::Null));
}
