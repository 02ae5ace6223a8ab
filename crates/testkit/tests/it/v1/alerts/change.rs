//! PATCH and DELETE /api/v1/alerts/{id}

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, create, delete, faults, get, patch, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    what_is_left_out_stays,
    null_restores_the_default,
    another_metric_drops_what_does_not_fit,
    the_two_kinds_of_windows_replace_each_other,
    recipients_who_stay_keep_their_ids,
    what_cannot_be_is_refused_by_field,
    a_change_of_an_older_version_is_refused,
    what_was_read_can_be_sent_back_even_if_it_is_gone,
    a_deleted_alert_is_gone,
);

async fn what_is_left_out_stays(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &bob, &too_many("Yard")).await["id"];
    app.clock.advance(Span::seconds(60));
    let hours = json!({ "days": [1, 2], "from": "07:00", "to": "18:00", "time_zone": null });
    for change in [
        json!({ "name": "Gate" }),
        json!({ "threshold": 5 }),
        json!({ "comparison": "below", "threshold": 0 }),
        json!({ "window_minutes": 120 }),
        json!({ "split_by": "machine" }),
        json!({ "active_hours": hours, "outside_hours": "drop" }),
        json!({ "cool_down_minutes": 0, "severity": "critical" }),
        json!({ "notify_on_clear": true }),
        json!({ "active_hours": null }),
    ] {
        let shown = get(&app, &bob, id).await.expect(200).json();
        let reply = patch(&app, &bob, id, &change).await.expect(200);
        let expected = with(with(shown, &change), &json!({ "updated_at": "2026-03-01T12:01:30Z" }));
        assert_eq!(reply.json(), expected, "{change}");
        assert_eq!(get(&app, &bob, id).await.expect(200).header("etag"), reply.header("etag"));
    }
    // What changes nothing makes no version.
    let version = patch(&app, &bob, id, &json!({ "name": "Gate", "threshold": 0.0 })).await.expect(200);
    let again = patch(&app, &bob, id, &json!({})).await.expect(200);
    assert_eq!((version.header("etag"), again.header("etag")), ("\"10\"", "\"10\""));
    let disabled = patch(&app, &bob, id, &json!({ "enabled": false })).await.expect(200).json();
    assert_eq!((&disabled["status"], &disabled["status_reason"]), (&json!("disabled"), &json!("by_user")));
    let enabled = patch(&app, &bob, id, &json!({ "enabled": true })).await.expect(200).json();
    assert_eq!((&enabled["status"], &enabled["status_reason"]), (&json!("ok"), &Value::Null));
}

async fn null_restores_the_default(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let more = json!({
        "window_minutes": 600, "split_by": "machine", "cool_down_minutes": 0, "severity": "info",
        "scope": { "zones": ["danger"] }, "notify_on_clear": true,
    });
    let made = create(&app, &bob, &with(too_many("Yard"), &more)).await;
    let nulls = json!({
        "window_minutes": null, "split_by": null, "cool_down_minutes": null, "severity": null, "scope": null,
        "notify_on_clear": null,
    });
    let changed = patch(&app, &bob, &made["id"], &nulls).await.expect(200).json();
    let usual = create(&app, &bob, &too_many("Usual")).await;
    for name in ["window_minutes", "split_by", "cool_down_minutes", "severity", "scope", "notify_on_clear"] {
        assert_eq!(changed[name], usual[name], "{name}");
    }
}

async fn another_metric_drops_what_does_not_fit(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let more = json!({ "window_minutes": 30, "split_by": "machine", "comparison": "below" });
    let id = &create(&app, &bob, &with(too_many("Yard"), &more)).await["id"];
    let rate = json!({ "metric": "acknowledgement_rate", "threshold": 0.7 });
    let changed = patch(&app, &bob, id, &rate).await.expect(200).json();
    let shown = ["comparison", "window_minutes", "minimum_count", "split_by"].map(|name| &changed[name]);
    assert_eq!(json!(shown), json!(["below", 1_440, 10, "none"]));
    // What is given with it counts.
    let more = json!({ "metric": "incursions", "threshold": 4, "split_by": "worksite", "window": "week" });
    let changed = patch(&app, &bob, id, &more).await.expect(200).json();
    let members = ["comparison", "window_minutes", "window", "minimum_count", "split_by"];
    let shown = members.map(|name| &changed[name]);
    assert_eq!(json!(shown), json!(["above", null, "week", null, "worksite"]));
    // The threshold stays, and the new metric does not have it.
    let refused = patch(&app, &bob, id, &json!({ "metric": "base_station_silent" })).await.expect(422);
    assert_eq!(faults(&refused), [("threshold".to_owned(), "out_of_range".to_owned())]);
}

async fn the_two_kinds_of_windows_replace_each_other(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let made = create(&app, &bob, &too_many("Yard")).await;
    let windows = |shown: &Value| (shown["window_minutes"].clone(), shown["window"].clone());
    let day = patch(&app, &bob, &made["id"], &json!({ "window": "day" })).await.expect(200).json();
    assert_eq!(windows(&day), (Value::Null, json!("day")));
    let hour = patch(&app, &bob, &made["id"], &json!({ "window_minutes": 60 })).await.expect(200).json();
    assert_eq!(windows(&hour), (json!(60), Value::Null));
    // Also if everything is sent back with the other kind.
    let whole = with(hour, &json!({ "window": "week" }));
    let week = patch(&app, &bob, &made["id"], &whole).await.expect(200).json();
    assert_eq!(windows(&week), (Value::Null, json!("week")));
    let both = json!({ "window": "day", "window_minutes": 30 });
    let refused = patch(&app, &bob, &made["id"], &both).await.expect(422);
    assert_eq!(faults(&refused), [("window".to_owned(), "ambiguous".to_owned())]);
}

async fn recipients_who_stay_keep_their_ids(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = &create(&app, &bob, &too_many("Yard")).await["id"];
    let ids = |shown: &Value| -> Vec<Value> {
        shown["recipients"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
    };
    let both = json!({ "recipients": [{ "user_id": 1 }, { "email": "Ada@example.com" }] });
    let changed = patch(&app, &bob, id, &both).await.expect(200).json();
    assert_eq!(ids(&changed), [json!(1), json!(2)]);
    let one = json!({ "recipients": [{ "user_id": 1 }] });
    assert_eq!(ids(&patch(&app, &bob, id, &one).await.expect(200).json()), [json!(2)]);
    // Who comes back is someone new.
    let changed = patch(&app, &bob, id, &both).await.expect(200).json();
    assert_eq!(ids(&changed), [json!(2), json!(3)]);
}

async fn what_cannot_be_is_refused_by_field(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let before = create(&app, &bob, &too_many("Yard")).await;
    for (more, field, code) in [
        (json!({ "name": null }), "name", "required"),
        (json!({ "metric": null }), "metric", "required"),
        (json!({ "threshold": null }), "threshold", "required"),
        (json!({ "threshold": 0 }), "threshold", "out_of_range"),
        (json!({ "recipients": null }), "recipients", "required"),
        (json!({ "recipients": [] }), "recipients", "required"),
        (json!({ "recipients": [{ "user_id": 99 }] }), "recipients.0.user_id", "unknown_user"),
        (json!({ "scope": { "machine_ids": [99] } }), "scope.machine_ids", "unknown_machine"),
        (json!({ "minimum_count": 5 }), "minimum_count", "not_allowed"),
        (json!({ "window_minutes": 3 }), "window_minutes", "out_of_range"),
        (json!({ "open_firings": 7, "surprise": 1 }), "surprise", "unknown_field"),
        (json!({ "id": 7 }), "id", "read_only"),
        (json!({ "created_at": "2020-01-01T00:00:00Z" }), "created_at", "read_only"),
    ] {
        let refused = patch(&app, &bob, &before["id"], &more).await.expect(422);
        let expected = (field.to_owned(), code.to_owned());
        assert!(faults(&refused).contains(&expected), "{more}: {}", refused.text());
    }
    assert_eq!(get(&app, &bob, &before["id"]).await.expect(200).json(), before);
}

async fn a_change_of_an_older_version_is_refused(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let id = create(&app, &bob, &too_many("Yard")).await["id"].clone();
    let send = async |etag: &str, name: &str| {
        let call = app.patch(&format!("{PATH}/{id}")).cookie(&bob.cookie).header("if-match", etag);
        call.json(&json!({ "name": name })).send().await
    };
    assert_eq!(send("\"1\"", "Gate").await.expect(200).header("etag"), "\"2\"");
    assert_eq!(send("\"1\"", "Yard").await.expect(412).code(), "stale");
    // Even if it would change nothing.
    assert_eq!(send("\"1\"", "Gate").await.expect(412).code(), "stale");
    send("\"2\"", "Yard").await.expect(200);
    let call = app.delete(&format!("{PATH}/{id}")).cookie(&bob.cookie).header("if-match", "\"2\"");
    assert_eq!(call.send().await.expect(412).code(), "stale");
    let call = app.delete(&format!("{PATH}/{id}")).cookie(&bob.cookie).header("if-match", "\"3\"");
    call.send().await.expect(200);
}

async fn what_was_read_can_be_sent_back_even_if_it_is_gone(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let recipients = json!([{ "user_id": 3 }, { "email": "ada@example.com" }]);
    let more = json!({ "scope": { "machine_ids": [3] }, "recipients": recipients });
    let id = json!(world.rule(&more).await);
    world.post("machines/3/archive", &json!({})).await;
    world.post("admin/users/3/deactivate", &json!({})).await;
    world.restrict(&world.member, Some(&[1])).await;
    let (app, member) = (&world.app, &world.member);
    let shown = get(app, member, &id).await.expect(200).json();
    assert_eq!(patch(app, member, &id, &shown).await.expect(200).json(), shown);
    let renamed = patch(app, member, &id, &json!({ "name": "Gate" })).await.expect(200).json();
    assert_eq!((&renamed["name"], &renamed["recipients"]), (&json!("Gate"), &shown["recipients"]));
    // What is judged otherwise is checked again.
    let refused = patch(app, member, &id, &json!({ "threshold": 4 })).await.expect(422);
    assert_eq!(faults(&refused), [("scope.machine_ids".to_owned(), "unknown_machine".to_owned())]);
    world.app.run_jobs().await;
}

async fn a_deleted_alert_is_gone(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let made = create(&app, &bob, &too_many("Yard")).await;
    assert_eq!(delete(&app, &bob, &made["id"]).await.expect(200).json(), made);
    for reply in [
        get(&app, &bob, &made["id"]).await,
        patch(&app, &bob, &made["id"], &json!({ "name": "Gate" })).await,
        delete(&app, &bob, &made["id"]).await,
        app.get(&format!("{PATH}/{}/firings", made["id"])).cookie(&bob.cookie).send().await,
        app.post(&format!("{PATH}/{}/test", made["id"])).cookie(&bob.cookie).send().await,
    ] {
        reply.expect(404);
    }
    let list = app.get(PATH).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]));
    let addresses = testkit::query_raw_sql(app.database(), "select email from alert_recipients").await;
    assert!(addresses.is_empty(), "{addresses:?}");
}
