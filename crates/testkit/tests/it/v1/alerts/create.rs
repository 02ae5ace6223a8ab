//! POST /api/v1/alerts

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, create, faults, get, post, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    an_alert_shows_everything,
    users_and_addresses_are_recipients,
    hours_are_shown_as_they_were_given,
    one_that_is_disabled_says_so,
    thresholds_are_exact,
    the_scope_is_what_the_owner_sees,
    creating_twice_with_one_key_is_creating_once,
    the_two_hundred_and_first_is_refused,
);

async fn an_alert_shows_everything(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let reply = post(&app, &user, &too_many("Yard")).await.expect(201);
    assert_eq!(reply.header("location"), format!("{PATH}/1"));
    assert_eq!(reply.header("etag"), "\"1\"");
    let made = reply.json();
    let expected = json!({
        "id": 1, "name": "Yard", "owner": { "type": "user", "id": 1, "name": "bob" }, "former_owner": null,
        "owner_left_at": null, "metric": "incursions", "unit": "count", "comparison": "above", "threshold": 3,
        "window_minutes": 60, "window": null, "minimum_count": null,
        "scope": {
            "project_ids": [], "worksite_ids": [], "machine_ids": [], "person_ids": [], "tag_ids": [],
            "base_station_ids": [], "zones": [],
        },
        "split_by": "none", "active_hours": null, "outside_hours": "hold", "cool_down_minutes": 60,
        "severity": "warning",
        "recipients": [{
            "id": 1, "user_id": null, "name": null, "email": "ada@example.com", "unsubscribed_at": null,
            "refused_at": null, "refused_reason": null,
        }],
        "notify_on_clear": false, "enabled": true, "status": "ok", "status_reason": null, "judged_at": null,
        "open_firings": 0, "project_ids": null, "created_at": "2026-03-01T12:00:30Z",
        "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(made, expected);
    let shown = get(&app, &user, &made["id"]).await.expect(200);
    assert_eq!((shown.json(), shown.header("etag")), (expected, "\"1\""));
}

async fn users_and_addresses_are_recipients(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    app.create_user("eve@example.com", Role::Viewer).await;
    let recipients = json!([{ "user_id": 2 }, { "email": "ada@example.com" }, { "user_id": 1 }]);
    let made = create(&app, &bob, &with(too_many("Yard"), &json!({ "recipients": recipients }))).await;
    let shown: Vec<Value> = made["recipients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["user_id"], one["name"], one["email"]]))
        .collect();
    // A member does not learn who the others are.
    let expected = [json!([2, null, null]), json!([null, null, "ada@example.com"]), json!([1, "bob", null])];
    assert_eq!(shown, expected);
    // 50 are as many as there can be.
    let address = |number: i64| json!({ "email": format!("u{number}@example.com") });
    let many: Vec<Value> = (0..50).map(address).collect();
    let made = create(&app, &bob, &with(too_many("Yard"), &json!({ "recipients": many }))).await;
    assert_eq!(made["recipients"].as_array().unwrap().len(), 50);
}

async fn hours_are_shown_as_they_were_given(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let hours = json!({ "days": [1, 2, 7], "from": "22:00", "to": "06:00", "time_zone": "Europe/Berlin" });
    let more = json!({ "active_hours": hours, "outside_hours": "drop", "notify_on_clear": true });
    let made = create(&app, &bob, &with(too_many("Night"), &more)).await;
    assert_eq!((&made["active_hours"], &made["outside_hours"]), (&hours, &json!("drop")));
    assert_eq!(made["notify_on_clear"], true);
    let without_zone = json!({ "active_hours": { "days": [7, 1, 7], "from": "00:00", "to": "00:00" } });
    let made = create(&app, &bob, &with(too_many("Days"), &without_zone)).await;
    let expected = json!({ "days": [1, 7], "from": "00:00", "to": "00:00", "time_zone": null });
    assert_eq!(made["active_hours"], expected);
}

async fn one_that_is_disabled_says_so(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let made = create(&app, &bob, &with(too_many("Yard"), &json!({ "enabled": false }))).await;
    assert_eq!((&made["enabled"], &made["status"]), (&json!(false), &json!("disabled")));
    assert_eq!(made["status_reason"], "by_user");
}

async fn thresholds_are_exact(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (metric, threshold, shown) in [
        ("acknowledgement_rate", json!(0.8), json!(0.8)),
        ("acknowledgement_rate", json!(0.99), json!(0.99)),
        ("incursions_per_runtime_hour", json!(0.123_456_7), json!(0.123_457)),
        ("incursions_per_runtime_hour", json!(10_000), json!(10_000)),
        ("long_incursion", json!(2.5), json!(2.5)),
        ("incursions", json!(1_000_000), json!(1_000_000)),
        ("visitor_overstay", json!(0), json!(0)),
    ] {
        let more = json!({ "metric": metric, "threshold": threshold });
        let made = create(&app, &bob, &with(too_many(metric), &more)).await;
        assert_eq!(made["threshold"], shown, "{metric} {threshold}");
        assert_eq!(get(&app, &bob, &made["id"]).await.expect(200).json(), made);
    }
}

async fn the_scope_is_what_the_owner_sees(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let scope = json!({
        "project_ids": [2, 1], "worksite_ids": [1], "machine_ids": [2, 1, 1], "person_ids": [3],
        "tag_ids": [4], "base_station_ids": [1], "zones": ["danger"],
    });
    let id = world.rule(&json!({ "scope": scope })).await;
    let shown = world.get(&format!("{PATH}/{id}")).await;
    let expected = with(scope, &json!({ "project_ids": [1, 2], "machine_ids": [1, 2] }));
    assert_eq!((&shown["scope"], &shown["project_ids"]), (&expected, &Value::Null));

    let near = world.rule_of(&world.restricted, &json!({ "scope": { "worksite_ids": [1] } })).await;
    assert_eq!(world.get(&format!("{PATH}/{near}")).await["project_ids"], json!([1]));
    for (list, id, code) in [
        ("project_ids", 2, "unknown_project"),
        ("worksite_ids", 2, "unknown_worksite"),
        ("machine_ids", 3, "unknown_machine"),
        ("base_station_ids", 3, "unknown_base_station"),
    ] {
        let body = with(too_many("Far"), &json!({ "scope": { list: [id] } }));
        let refused = world.send(&world.restricted, Method::POST, PATH, Some(&body)).await.expect(422);
        assert_eq!(faults(&refused), [(format!("scope.{list}"), code.to_owned())]);
    }
}

async fn creating_twice_with_one_key_is_creating_once(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let send = async || {
        let call = app.post(PATH).cookie(&user.cookie).header("idempotency-key", "k-1");
        call.json(&too_many("Yard")).send().await.expect(201)
    };
    let (first, again) = (send().await, send().await);
    assert_eq!((first.json(), first.header("etag")), (again.json(), again.header("etag")));
    assert_eq!(testkit::query_raw_sql(app.database(), "select name from alert_rules").await, ["Yard"]);
}

async fn the_two_hundred_and_first_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let other = app.sign_in_new_user("eve@example.com", Role::Member).await;
    let first = create(&app, &user, &too_many("Yard 0")).await;
    for number in 1..200 {
        create(&app, &user, &too_many(&format!("Yard {number}"))).await;
    }
    assert_eq!(post(&app, &user, &too_many("One more")).await.expect(409).code(), "too_many_alerts");
    create(&app, &other, &too_many("Another's")).await;
    super::delete(&app, &user, &first["id"]).await.expect(200);
    create(&app, &user, &too_many("In its place")).await;
}
