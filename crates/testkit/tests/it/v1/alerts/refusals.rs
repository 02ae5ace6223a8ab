//! What cannot be an alert.

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, faults, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    what_cannot_be_is_refused_by_field,
    the_scope_must_leave_something,
    recipients_must_be_active_users_or_addresses,
    faults_are_told_together,
);

/// Posts as the member with these members, and asserts that the field is refused with this code.
async fn assert_refused(world: &AlertWorld, more: &Value, field: &str, code: &str) {
    let body = with(too_many("Yard"), more);
    let refused = world.send(&world.member, Method::POST, PATH, Some(&body)).await.expect(422);
    let expected = [(field.to_owned(), code.to_owned())];
    assert_eq!(faults(&refused), expected, "{more}: {}", refused.text());
}

async fn assert_nothing_is_stored(world: &AlertWorld) {
    let rows = testkit::query_raw_sql(world.app.database(), "select name from alert_rules").await;
    assert!(rows.is_empty(), "{rows:?}");
}

async fn what_cannot_be_is_refused_by_field(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let hours = |more: Value| {
        let usual = json!({ "days": [1], "from": "07:00", "to": "18:00" });
        json!({ "active_hours": with(usual, &more) })
    };
    let long =
        |seconds: i64, more: Value| with(json!({ "metric": "long_incursion", "threshold": seconds }), &more);
    for (more, field, code) in [
        (json!({ "name": " " }), "name", "required"),
        (json!({ "name": "x".repeat(101) }), "name", "too_long"),
        (json!({ "metric": "speed" }), "metric", "invalid_metric"),
        (json!({ "metric": null }), "metric", "required"),
        (json!({ "comparison": "equal" }), "comparison", "invalid_comparison"),
        (json!({ "metric": "drift", "comparison": "below" }), "comparison", "not_allowed"),
        (json!({ "threshold": "3" }), "threshold", "wrong_type"),
        (json!({ "threshold": null }), "threshold", "required"),
        (json!({ "threshold": 1e308 }), "threshold", "out_of_range"),
        (json!({ "window_minutes": 43_201 }), "window_minutes", "out_of_range"),
        (json!({ "window_minutes": 1_i64 << 53 }), "window_minutes", "out_of_range"),
        (json!({ "window_minutes": "60" }), "window_minutes", "wrong_type"),
        // Such an incursion has left the window before it is known.
        (long(600, json!({ "window_minutes": 11 })), "window_minutes", "out_of_range"),
        (long(86_400, json!({ "window_minutes": 60 })), "window_minutes", "out_of_range"),
        (long(86_400, json!({ "window": "day" })), "window", "out_of_range"),
        // Every rate is 1 or less.
        (json!({ "metric": "acknowledgement_rate", "threshold": 1 }), "threshold", "out_of_range"),
        (json!({ "window": "month" }), "window", "invalid_window"),
        (json!({ "window": "day", "window_minutes": 60 }), "window", "ambiguous"),
        (json!({ "window": "day", "comparison": "below" }), "comparison", "not_allowed"),
        (json!({ "metric": "tag_test_overdue", "window_minutes": 60 }), "window_minutes", "not_allowed"),
        (json!({ "metric": "visitor_overstay", "window": "day" }), "window", "not_allowed"),
        (json!({ "minimum_count": 5 }), "minimum_count", "not_allowed"),
        (json!({ "minimum_count": -1 }), "minimum_count", "out_of_range"),
        (json!({ "scope": [] }), "scope", "wrong_type"),
        (json!({ "scope": { "machines": [1] } }), "scope.machines", "unknown_field"),
        (json!({ "scope": { "machine_ids": ["1"] } }), "scope.machine_ids.0", "wrong_type"),
        (json!({ "scope": { "zones": ["safe"] } }), "scope.zones.0", "invalid_zone"),
        (json!({ "metric": "drift", "scope": { "person_ids": [1] } }), "scope.person_ids", "not_allowed"),
        (json!({ "metric": "repeat_pair", "scope": { "tag_ids": [1] } }), "scope.tag_ids", "not_allowed"),
        (json!({ "split_by": "colour" }), "split_by", "invalid_split"),
        (json!({ "split_by": "pair" }), "split_by", "not_allowed"),
        (json!({ "metric": "drift", "split_by": "person" }), "split_by", "not_allowed"),
        (json!({ "active_hours": "always" }), "active_hours", "wrong_type"),
        (hours(json!({ "days": [] })), "active_hours.days", "required"),
        (hours(json!({ "days": [0] })), "active_hours.days.0", "invalid_day"),
        (hours(json!({ "from": "25:00" })), "active_hours.from", "invalid_time_of_day"),
        (hours(json!({ "to": null })), "active_hours.to", "required"),
        (hours(json!({ "time_zone": "Mars/Olympus" })), "active_hours.time_zone", "invalid_time_zone"),
        (json!({ "outside_hours": "wait" }), "outside_hours", "invalid_outside_hours"),
        (json!({ "cool_down_minutes": -1 }), "cool_down_minutes", "out_of_range"),
        (json!({ "cool_down_minutes": 10_081 }), "cool_down_minutes", "out_of_range"),
        (json!({ "severity": "bad" }), "severity", "invalid_severity"),
        (json!({ "notify_on_clear": "yes" }), "notify_on_clear", "wrong_type"),
        (json!({ "enabled": 1 }), "enabled", "wrong_type"),
        (json!({ "status": "ok" }), "status", "unknown_field"),
    ] {
        assert_refused(&world, &more, field, code).await;
    }
    assert_nothing_is_stored(&world).await;
}

async fn the_scope_must_leave_something(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for (scope, field, code) in [
        (json!({ "project_ids": [99] }), "scope.project_ids", "unknown_project"),
        (json!({ "worksite_ids": [1, 99] }), "scope.worksite_ids", "unknown_worksite"),
        (json!({ "machine_ids": [99] }), "scope.machine_ids", "unknown_machine"),
        (json!({ "person_ids": [99] }), "scope.person_ids", "unknown_person"),
        (json!({ "tag_ids": [i64::MAX] }), "scope.tag_ids", "unknown_tag"),
        (json!({ "base_station_ids": [-1] }), "scope.base_station_ids", "unknown_base_station"),
        // The depot is in the other project.
        (json!({ "project_ids": [1], "worksite_ids": [2] }), "scope", "empty_scope"),
    ] {
        assert_refused(&world, &json!({ "scope": scope }), field, code).await;
    }
    let many: Vec<i64> = (0..201).collect();
    let more = json!({ "scope": { "machine_ids": many } });
    assert_refused(&world, &more, "scope.machine_ids", "too_many").await;
    world.rule(&json!({ "scope": { "project_ids": [1], "worksite_ids": [2, 1] } })).await;

    // Cem only ever met the machine of the other project, and Ada one of this.
    world.incursion(3, &json!({ "tag": "TAG-3" })).await;
    world.incursion(1, &json!({ "tag": "TAG-1" })).await;
    let tests = json!({ "metric": "tag_test_overdue", "threshold": 30 });
    let of = |people: &[i64]| with(tests.clone(), &json!({ "scope": { "person_ids": people } }));
    world.rule_of(&world.restricted, &of(&[3, 1])).await;
    let body = with(too_many("Far"), &of(&[3]));
    let refused = world.send(&world.restricted, Method::POST, PATH, Some(&body)).await.expect(422);
    assert_eq!(faults(&refused), [("scope".to_owned(), "empty_scope".to_owned())]);

    // Whoever sees no project has nothing to watch.
    world.restrict(&world.restricted, Some(&[])).await;
    let refused = world.send(&world.restricted, Method::POST, PATH, Some(&too_many("None"))).await;
    assert_eq!(faults(&refused.expect(422)), [("scope".to_owned(), "empty_scope".to_owned())]);
}

async fn recipients_must_be_active_users_or_addresses(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.app.create_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    world.post("admin/users/3/deactivate", &json!({})).await;
    let address = |number: i64| json!({ "email": format!("u{number}@example.com") });
    let many: Vec<Value> = (0..51).map(address).collect();
    for (recipients, field, code) in [
        (json!([]), "recipients", "required"),
        (Value::Null, "recipients", "required"),
        (json!("ada@example.com"), "recipients", "wrong_type"),
        (json!(many), "recipients", "too_many"),
        (json!([{ "email": "nobody" }]), "recipients.0.email", "invalid_email"),
        (json!([{ "email": "a@b.c\r\nBcc: x@y.z" }]), "recipients.0.email", "control_character"),
        (json!([{ "user_id": 1 }, { "user_id": 1 }]), "recipients.1", "duplicate"),
        (json!([{ "email": "a@b.c" }, { "email": "A@b.c" }]), "recipients.1", "duplicate"),
        (json!([{ "user_id": 1, "email": "a@b.c" }]), "recipients.0.email", "ambiguous"),
        (json!([{ "user_id": 1 }, { "user_id": 99 }]), "recipients.1.user_id", "unknown_user"),
        // Of another brand, and deactivated.
        (json!([{ "user_id": 5 }]), "recipients.0.user_id", "unknown_user"),
        (json!([{ "user_id": 3 }]), "recipients.0.user_id", "unknown_user"),
    ] {
        assert_refused(&world, &json!({ "recipients": recipients }), field, code).await;
    }
    assert_nothing_is_stored(&world).await;
    world.app.run_jobs().await;
}

async fn faults_are_told_together(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let body = json!({
        "metric": "poem", "threshold": "x", "severity": "bad", "recipients": [],
        "active_hours": { "days": [9] }, "colour": "red",
    });
    let refused = world.send(&world.member, Method::POST, PATH, Some(&body)).await.expect(422);
    let fields: Vec<String> = faults(&refused).into_iter().map(|(field, _)| field).collect();
    for field in ["name", "metric", "threshold", "severity", "recipients", "active_hours.days.0", "colour"] {
        assert!(fields.iter().any(|one| one == field), "{field}: {fields:?}");
    }
    let body = with(too_many("Yard"), &json!({ "scope": { "machine_ids": [98], "tag_ids": [99] } }));
    let refused = world.send(&world.member, Method::POST, PATH, Some(&body)).await.expect(422);
    let fields: Vec<String> = faults(&refused).into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["scope.machine_ids", "scope.tag_ids"]);
}
