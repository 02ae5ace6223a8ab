//! GET /api/v1/alert_firings

use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    all_firings_are_filtered,
    days_are_those_of_the_brand,
    a_restricted_reader_sees_what_they_see_all_of,
    what_is_another_brands_does_not_exist,
    bad_filters_are_refused,
);

const PATH: &str = "/api/v1/alert_firings";

/// Returns the alerts and the machines of the firings in a list.
async fn list(world: &AlertWorld, user: &Account, query: &str) -> Vec<(i64, Value)> {
    let reply = world.send(user, Method::GET, &format!("{PATH}?{query}"), None).await.expect(200).json();
    let row = |row: &Value| (row["alert"]["id"].as_i64().unwrap(), row["machine"]["id"].clone());
    reply["data"].as_array().unwrap().iter().map(row).collect()
}

/// A world in which an alert about counts has fired for machines 1 and 3, and one about long incursions for machine 2, and their ids.
async fn fired(app: TestApp) -> (AlertWorld, i64, i64) {
    let world = AlertWorld::new(app).await;
    let machines = json!({ "split_by": "machine", "threshold": 2, "severity": "critical" });
    let by_machine = world.rule(&machines).await;
    let longest = json!({ "metric": "long_incursion", "threshold": 5, "split_by": "machine" });
    let long = world.rule(&longest).await;
    for machine in [1, 3] {
        for _ in 0..2 {
            world.incursion(machine, &json!({})).await;
        }
    }
    let start = world.app.clock.now();
    world.advance_minutes(1);
    let ended = json!({ "started_at": start, "ended_at": world.app.clock.now() });
    world.incursion(2, &ended).await;
    world.advance_minutes(1);
    world.mails().await;
    (world, by_machine, long)
}

async fn all_firings_are_filtered(app: TestApp) {
    let (world, by_machine, long) = fired(app).await;
    let admin = &world.admin;
    let sorted = async |query: &str| {
        let mut found = list(&world, admin, query).await;
        found.sort_by_key(|(rule, machine)| (*rule, machine.as_i64()));
        found
    };
    let (first, third) = ((by_machine, json!(1)), (by_machine, json!(3)));
    let second = (long, json!(2));
    assert_eq!(sorted("").await, [first.clone(), third.clone(), second.clone()]);
    for (query, expected) in [
        (format!("alert_id={long}"), vec![&second]),
        (format!("alert_id={long}&alert_id={by_machine}"), vec![&first, &third, &second]),
        ("severity=critical".to_owned(), vec![&first, &third]),
        ("severity=info&severity=warning".to_owned(), vec![&second]),
        ("metric=long_incursion".to_owned(), vec![&second]),
        ("machine_id=3".to_owned(), vec![&third]),
        ("machine_id=99".to_owned(), vec![]),
        ("state=fired".to_owned(), vec![&first, &third, &second]),
        ("state=held&state=cleared".to_owned(), vec![]),
        ("to=2026-03-01T12:02:00Z".to_owned(), vec![]),
    ] {
        let expected: Vec<(i64, Value)> = expected.into_iter().cloned().collect();
        assert_eq!(sorted(&query).await, expected, "{query}");
    }
    let page = world.get(&format!("{PATH}?limit=2&include_total=true")).await;
    assert_eq!((&page["page"]["total"], page["data"].as_array().unwrap().len()), (&json!(3), 2));
    let next = page["page"]["next"].as_str().unwrap();
    assert_eq!(list(&world, admin, &format!("limit=2&cursor={next}")).await.len(), 1);
    // The windows move on, and everything clears.
    world.advance_minutes(70);
    world.mails().await;
    assert_eq!(list(&world, admin, "state=cleared").await.len(), 3);
    assert_eq!(list(&world, admin, "state=fired&state=held").await.len(), 0);
}

async fn days_are_those_of_the_brand(app: TestApp) {
    let (world, ..) = fired(app).await;
    // They fired at noon on 1 March by UTC, when it was 2 March in Kiritimati.
    for (zone, query, count) in [
        ("UTC", "from=2026-03-01&to=2026-03-02", 3),
        ("UTC", "from=2026-03-02", 0),
        ("Pacific/Kiritimati", "from=2026-03-01&to=2026-03-02", 0),
        ("Pacific/Kiritimati", "from=2026-03-02", 3),
        ("Pacific/Kiritimati", "from=2026-03-01T12:00:00Z&to=2026-03-03", 3),
    ] {
        world.patch("admin/brand", &json!({ "time_zone": zone })).await;
        assert_eq!(list(&world, &world.admin, query).await.len(), count, "{zone} {query}");
    }
    world.app.run_jobs().await;
}

async fn a_restricted_reader_sees_what_they_see_all_of(app: TestApp) {
    let (world, by_machine, long) = fired(app).await;
    // The alerts count everything, so that the reader does not see them, but two of their firings.
    let seen = list(&world, &world.restricted, "").await;
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.contains(&(by_machine, json!(1))) && seen.contains(&(long, json!(2))), "{seen:?}");
    let total = format!("{PATH}?include_total=true");
    let total = world.send(&world.restricted, Method::GET, &total, None).await.expect(200).json();
    assert_eq!(total["page"]["total"], 2);
    for firing in world.firings(by_machine).await {
        let path = format!("/api/v1/alerts/{by_machine}/firings/{}", firing["id"]);
        let status = if firing["machine"]["id"] == 1 { 200 } else { 404 };
        world.send(&world.restricted, Method::GET, &path, None).await.expect(status);
    }
    // A firing of all machines together shows the other project too.
    let all = world.rule(&json!({ "threshold": 4 })).await;
    world.mails().await;
    assert_eq!(list(&world, &world.admin, &format!("alert_id={all}")).await.len(), 1);
    assert_eq!(list(&world, &world.restricted, &format!("alert_id={all}")).await.len(), 0);
}

async fn what_is_another_brands_does_not_exist(app: TestApp) {
    let (world, by_machine, _) = fired(app).await;
    let firing = world.firings(by_machine).await[0]["id"].clone();
    let stranger =
        world.app.sign_in_new_user_in_brand("Other", "stranger@example.com", domain::Role::Admin).await;
    assert_eq!(list(&world, &stranger, "").await.len(), 0);
    let path = format!("/api/v1/alerts/{by_machine}/firings/{firing}");
    world.send(&stranger, Method::GET, &path, None).await.expect(404);
}

async fn bad_filters_are_refused(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for (query, field, code) in [
        ("state=open", "state", "invalid_state"),
        ("severity=bad", "severity", "invalid_severity"),
        ("metric=speed", "metric", "invalid_metric"),
        ("alert_id=x", "alert_id", "invalid_id"),
        ("machine_id=1&machine_id=2", "machine_id", "repeated_parameter"),
        ("from=yesterday", "from", "invalid_time"),
        ("from=2026-03-02&to=2026-03-01", "to", "out_of_range"),
        ("sort=fired_at", "sort", "unknown_parameter"),
    ] {
        let path = format!("{PATH}?{query}");
        let refused = world.send(&world.admin, Method::GET, &path, None).await.expect(400).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{query}");
    }
}
