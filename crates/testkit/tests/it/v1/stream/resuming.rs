//! `Last-Event-ID`, and readers who are slow.

use std::collections::BTreeMap;

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{PATH, begin, open, resume, sum_incursions};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    what_was_missed_is_counted,
    a_restricted_reader_resumes_with_what_they_see,
    what_is_too_long_ago_is_not_counted,
    what_is_no_id_is_refused,
    a_slow_reader_gets_the_sum,
);

async fn what_was_missed_is_counted(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.admin).await;
    let (_, id) = begin(&mut stream).await;
    drop(stream);
    world.incursions(1, 2).await;
    world.incursions(3, 1).await;
    // This process may know it in memory, the other has to count it.
    let other = world.app.second_instance().await;
    for app in [&world.app, &other] {
        let mut stream = resume(app, &world.admin, &id).await;
        let events = stream.begin().await;
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["alerts", "progress", "devices", "facts"]);
        let facts = &events[3].data;
        assert_eq!(facts["since"].to_string(), id);
        let sums = sum_incursions(&mut stream, Some(facts), 3).await;
        assert_eq!(sums, BTreeMap::from([(1, 2), (2, 1)]));
    }
}

async fn a_restricted_reader_resumes_with_what_they_see(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut stream = open(&world.app, &world.restricted).await;
    let (_, id) = begin(&mut stream).await;
    drop(stream);
    world.incursions(3, 2).await;
    world.incursions(1, 1).await;
    let other = world.app.second_instance().await;
    let mut stream = resume(&other, &world.restricted, &id).await;
    let (facts, _) = begin(&mut stream).await;
    assert_eq!(sum_incursions(&mut stream, Some(&facts), 1).await, BTreeMap::from([(1, 1)]));
}

async fn what_is_too_long_ago_is_not_counted(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 2).await;
    let much = "update brand_counters set last_seq = last_seq + 20000";
    testkit::execute_raw_sql(world.app.database(), much).await.unwrap();
    let mut stream = resume(&world.app, &world.admin, "1").await;
    let (facts, id) = begin(&mut stream).await;
    let seq = facts["seq"].as_i64().unwrap();
    assert_eq!((&facts["since"], &facts["worksites"]), (&json!(seq - 10_000), &json!([])));
    assert_eq!(id, seq.to_string());
    // An id that is ahead is of a database that has been replaced by an older one.
    let mut stream = resume(&world.app, &world.admin, "999999").await;
    let (facts, _) = begin(&mut stream).await;
    assert_eq!((&facts["since"], &facts["seq"]), (&json!(seq), &json!(seq)));
}

async fn what_is_no_id_is_refused(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for text in ["x", "-1", "1.5", "99999999999999999999"] {
        let call = world.app.get(PATH).cookie(&world.admin.cookie).header("last-event-id", text);
        assert_eq!(call.send().await.expect(400).code(), "invalid_header", "{text}");
    }
    let unknown = world.app.get("/api/v1/stream?after_seq=1").cookie(&world.admin.cookie);
    assert_eq!(unknown.send().await.expect(400).code(), "unknown_parameter");
}

async fn a_slow_reader_gets_the_sum(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let mut slow = open(&world.app, &world.admin).await;
    let (first, _) = begin(&mut slow).await;
    let mut fast = open(&world.app, &world.viewer).await;
    begin(&mut fast).await;
    for _ in 0..3 {
        world.incursions(1, 2).await;
        sum_incursions(&mut fast, None, 2).await;
    }
    // One event for all that happened since it last took something.
    let facts = slow.next_of("facts").await;
    let site = json!({
        "worksite_id": 1, "incursions_added": 6, "incursions_changed": 0, "runtime_changed": 0,
    });
    assert_eq!((&facts["since"], &facts["worksites"]), (&first["seq"], &json!([site])));
}
