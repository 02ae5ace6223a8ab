//! Visits that close automatically.

use domain::{DeviceKind, Role, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::insert_worksite;

on_both_engines!(
    a_visit_closes_at_its_limit_and_says_so,
    a_visit_closes_at_the_midnight_of_its_place,
    visits_stay_open_unless_the_brand_wants_them_closed,
    closers_in_many_processes_close_each_visit_once,
    a_person_who_is_found_to_have_left_earlier_is_believed,
);

async fn patch_brand(app: &TestApp, change: &Value) {
    app.create_user("admin@example.com", Role::Admin).await;
    let admin = app.log_in_v1("admin@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    app.patch("/api/v1/admin/brand").cookie(&admin).json(change).send().await.expect(200);
}

async fn move_to(app: &TestApp, time: &str) {
    app.clock.advance(Timestamp::parse(time).unwrap() - app.clock.now());
}

async fn check_in(app: &TestApp, token: &str, body: &Value) -> Value {
    app.post("/api/v1/tester/visitor_sessions").bearer(token).json(body).send().await.expect(201).json()
}

async fn get_visit(app: &TestApp, token: &str, id: i64) -> Value {
    let path = format!("/api/v1/tester/visitor_sessions/{id}");
    app.get(&path).bearer(token).send().await.expect(200).json()
}

async fn a_visit_closes_at_its_limit_and_says_so(app: TestApp) {
    patch_brand(&app, &json!({ "closes_visits": true, "visit_limit_minutes": 30 })).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let body = json!({ "name": "Grace", "tag_serial": "T-1", "expected_until": "2026-03-01T16:00:00Z" });
    check_in(&app, &token, &body).await;
    move_to(&app, "2026-03-01T16:29:59.999999Z").await;
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 0);
    // The job runs late; the visit still ended at its limit, so a later test has no wearer.
    move_to(&app, "2026-03-01T16:40:00Z").await;
    let test = json!({ "tag_serial": "T-1", "passed": true });
    app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 1);
    let closed = get_visit(&app, &token, 1).await;
    assert_eq!((&closed["state"], &closed["closed_automatically"]), (&json!("completed"), &json!(true)));
    assert_eq!(closed["checked_out_at"], "2026-03-01T16:30:00Z");
    assert_eq!(closed["checked_out_by"], json!({ "type": "service", "id": null, "name": null }));
    assert_eq!(closed["updated_at"], "2026-03-01T16:40:00Z");
    let assignment =
        app.get("/api/v1/tester/tag_assignments/1").bearer(&token).send().await.expect(200).json();
    assert_eq!(
        (&assignment["ended_at"], &assignment["ended_by"]),
        (&closed["checked_out_at"], &closed["checked_out_by"])
    );
    let admin = app.log_in_v1("admin@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let tests = app.get("/api/v1/tags/1/tests").cookie(&admin).send().await.expect(200).json();
    assert_eq!(tests["data"][0]["person"], json!(null));
    let log = app.get("/api/v1/admin/audit_log?action=visitor_session.ended").cookie(&admin).send().await;
    let row = log.expect(200).json()["data"][0].clone();
    assert_eq!(row["actor"]["type"], "service");
    // Repeating it does nothing.
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 0);
}

async fn a_visit_closes_at_the_midnight_of_its_place(app: TestApp) {
    patch_brand(&app, &json!({ "closes_visits": true, "time_zone": "America/Los_Angeles" })).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    insert_worksite(&app, 1, "Auckland", "Pacific/Auckland", None).await;
    insert_worksite(&app, 2, "Berlin", "Europe/Berlin", None).await;
    // One hour before midnight in Berlin, in the night when clocks go forward there.
    move_to(&app, "2026-03-28T22:00:00Z").await;
    let mut expected = Vec::new();
    for (n, (site, midnight)) in
        [(Some(1), "2026-03-29T11:00:00Z"), (Some(2), "2026-03-28T23:00:00Z"), (None, "2026-03-29T07:00:00Z")]
            .iter()
            .enumerate()
    {
        let site = site.map_or("null".to_owned(), |id: i64| id.to_string());
        let sql = format!("update tester_devices set worksite_id = {site}");
        testkit::execute_raw_sql(app.database(), &sql).await.unwrap();
        check_in(&app, &token, &json!({ "name": format!("V{n}"), "tag_serial": format!("T-{n}") })).await;
        expected.push(*midnight);
    }
    // The next day has only 23 hours in Berlin.
    move_to(&app, "2026-03-29T21:59:00Z").await;
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 3);
    for (n, midnight) in expected.iter().enumerate() {
        let closed = get_visit(&app, &token, n as i64 + 1).await;
        assert_eq!(closed["checked_out_at"], *midnight, "{closed}");
    }
    testkit::execute_raw_sql(app.database(), "update tester_devices set worksite_id = 2").await.unwrap();
    check_in(&app, &token, &json!({ "name": "Late", "tag_serial": "T-2" })).await;
    move_to(&app, "2026-03-29T22:00:00Z").await;
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 1);
    assert_eq!(get_visit(&app, &token, 4).await["checked_out_at"], "2026-03-29T22:00:00Z");
}

async fn visits_stay_open_unless_the_brand_wants_them_closed(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let other = app.issue_token("Other", DeviceKind::Tester, "Gate 1").await;
    for (n, token) in [&token, &other].into_iter().enumerate() {
        check_in(&app, token, &json!({ "name": format!("V{n}"), "tag_serial": "T-1" })).await;
    }
    app.clock.advance(Span::minutes(3 * 24 * 60));
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 0);
    patch_brand(&app, &json!({ "closes_visits": true })).await;
    assert_eq!(app.app.close_overdue_visits().await.unwrap(), 1);
    assert_eq!(get_visit(&app, &token, 1).await["state"], "completed");
    assert_eq!(get_visit(&app, &other, 2).await["state"], "active");
}

async fn closers_in_many_processes_close_each_visit_once(app: TestApp) {
    patch_brand(&app, &json!({ "closes_visits": true })).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for n in 0..20 {
        check_in(&app, &token, &json!({ "name": format!("V{n}"), "tag_serial": format!("T-{n}") })).await;
    }
    app.clock.advance(Span::minutes(24 * 60));
    let mut closers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let place = app.second_instance().await;
        closers.spawn(async move { place.app.close_overdue_visits().await.unwrap() });
    }
    let closed: u64 = closers.join_all().await.into_iter().sum();
    assert_eq!(closed, 20);
    let list =
        app.get("/api/v1/tester/visitor_sessions?limit=500").bearer(&token).send().await.expect(200).json();
    for visit in list["data"].as_array().unwrap() {
        assert_eq!(visit["checked_out_at"], "2026-03-02T00:00:00Z");
    }
}

async fn a_person_who_is_found_to_have_left_earlier_is_believed(app: TestApp) {
    patch_brand(&app, &json!({ "closes_visits": true })).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    check_in(&app, &token, &json!({ "name": "Grace", "tag_serial": "T-1" })).await;
    app.clock.advance(Span::minutes(24 * 60));
    app.app.close_overdue_visits().await.unwrap();
    let admin = app.log_in_v1("admin@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let fix = json!({ "checked_out_at": "2026-03-01T15:00:00Z" });
    let request = app.patch("/api/v1/visitor_sessions/1").cookie(&admin).json(&fix);
    let visit = request.send().await.expect(200).json();
    assert_eq!(
        (&visit["closed_automatically"], &visit["checked_out_by"]["type"]),
        (&json!(false), &json!("user"))
    );
}
