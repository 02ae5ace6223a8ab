//! GET and POST /api/v1/visitor_sessions[/{id}], POST …/{id}/check_out

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::insert_worksite;

on_both_engines!(
    a_desk_checks_in_and_out,
    a_kiosk_checks_in_at_its_worksite,
    visits_are_filtered,
    every_wrong_field_of_a_check_in_is_named,
    a_visit_of_another_brand_does_not_exist,
);

const PATH: &str = "/api/v1/visitor_sessions";

async fn a_desk_checks_in_and_out(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    insert_worksite(&app, 7, "North quay", "UTC", None).await;
    let body = json!({ "name": "Grace", "tag_serial": "T-1", "worksite_id": 7, "notes": " \n " });
    let made = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
    let visit = made.json();
    assert_eq!(visit["worksite"], json!({ "id": 7, "name": "North quay" }));
    assert_eq!(visit["checked_in_by"], json!({ "type": "user", "id": 1, "name": "m" }));
    assert_eq!((&visit["notes"], &visit["closed_automatically"]), (&json!(null), &json!(false)));
    assert_eq!(
        app.get(made.header("location")).cookie(&member.cookie).send().await.expect(200).json(),
        visit
    );
    app.clock.advance(Span::minutes(3));
    let out = format!("{}/check_out", made.header("location"));
    let gone = app.post(&out).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!((&gone["state"], &gone["duration_s"]), (&json!("completed"), &json!(180)));
    assert_eq!(
        (&gone["checked_out_by"], &gone["closed_automatically"]),
        (&json!({ "type": "user", "id": 1, "name": "m" }), &json!(false))
    );
    app.clock.advance(Span::minutes(3));
    assert_eq!(app.post(&out).cookie(&member.cookie).send().await.expect(200).json(), gone);
    let tag = app.get("/api/v1/tags/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(tag["state"], "stock");
}

async fn a_kiosk_checks_in_at_its_worksite(app: TestApp) {
    app.ensure_brand("Acme").await;
    insert_worksite(&app, 7, "North quay", "UTC", None).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let check_in = |tag: &str| {
        let body = json!({ "name": "Grace", "tag_serial": tag });
        app.post("/api/v1/tester/visitor_sessions").bearer(&token).json(&body).send()
    };
    assert_eq!(check_in("T-1").await.expect(201).json()["worksite"], json!(null));
    testkit::execute_raw_sql(app.database(), "update tester_devices set worksite_id = 7").await.unwrap();
    let visit = check_in("T-2").await.expect(201).json();
    assert_eq!(visit["worksite"], json!({ "id": 7, "name": "North quay" }));
    // A tester device cannot choose its worksite.
    let body = json!({ "name": "Grace", "tag_serial": "T-3", "worksite_id": 7 });
    let refused = app.post("/api/v1/tester/visitor_sessions").bearer(&token).json(&body).send().await;
    assert_eq!(refused.expect(422).json()["errors"][0]["code"], "unknown_field");
}

async fn visits_are_filtered(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    insert_worksite(&app, 7, "North quay", "Pacific/Kiritimati", None).await;
    for n in 1..=3 {
        let site = if n == 2 { json!(7) } else { json!(null) };
        let body = json!({ "name": format!("V{n}"), "tag_serial": format!("T-{n}"), "worksite_id": site });
        app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(201);
        app.clock.advance(Span::minutes(10));
    }
    app.post(&format!("{PATH}/1/check_out")).cookie(&member.cookie).send().await.expect(200);
    for (query, expected) in [
        ("", vec![3, 2, 1]),
        ("state=active", vec![3, 2]),
        ("state=completed", vec![1]),
        ("worksite_id=7", vec![2]),
        ("worksite_id=8", vec![]),
        ("person_id=3", vec![3]),
        // `from` is inclusive, `to` is exclusive.
        ("from=2026-03-01T12:10:30Z", vec![3, 2]),
        ("to=2026-03-01T12:10:30Z", vec![1]),
        ("from=2026-03-01T13:10:30%2B01:00&to=2026-03-01T12:10:30.000001Z", vec![2]),
        // Days are those of the worksite, where it is already tomorrow, or of the brand.
        ("from=2026-03-02", vec![2]),
        ("to=2026-03-02", vec![3, 1]),
        ("from=2026-03-01&to=2026-03-02T00:00:00Z", vec![3, 2, 1]),
    ] {
        let path = format!("{PATH}?include_total=true&{query}");
        let list = app.get(&path).cookie(&member.cookie).send().await.expect(200).json();
        let ids: Vec<i64> =
            list["data"].as_array().unwrap().iter().map(|v| v["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
        assert_eq!(list["page"]["total"], expected.len(), "{query}");
    }
    // A cursor stays good although another worksite brings another time zone.
    let days = format!("{PATH}?from=2026-03-01&to=2026-03-03&limit=1");
    let page = app.get(&days).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(page["data"][0]["id"], 3);
    insert_worksite(&app, 8, "South quay", "Asia/Tokyo", None).await;
    let next = format!("{days}&cursor={}", page["page"]["next"].as_str().unwrap());
    let page = app.get(&next).cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(page["data"][0]["id"], 2);
    for query in ["state=gone", "worksite_id=x", "from=yesterday", "to=2026-03", "q=x"] {
        app.get(&format!("{PATH}?{query}")).cookie(&member.cookie).send().await.expect(400);
    }
    // A period must not end before it starts. The first access token has expired by now.
    let member = app.sign_in_new_user("n@example.com", Role::Member).await;
    for (from, to) in [
        ("2026-03-02", "2026-03-01"),
        ("2026-03-01T12:00:01Z", "2026-03-01T12:00:00Z"),
        ("2026-03-04", "2026-03-01T12:00:00Z"),
    ] {
        let path = format!("{PATH}?from={from}&to={to}");
        let v1 = app.get(&path).cookie(&member.cookie).send().await.expect(400);
        assert_eq!((v1.code().as_str(), &v1.json()["errors"][0]["field"]), ("out_of_range", &json!("to")));
        let path = format!("/api/v2/visitor_sessions?filter[from]={from}&filter[to]={to}");
        let v2 = app.get(&path).bearer(&member.jwt).send().await.expect(400);
        assert_eq!(v2.code(), "out_of_range");
        assert_eq!(v2.json()["errors"][0]["source"], json!({ "parameter": "filter[to]" }));
        let empty = format!("{PATH}?from={to}&to={to}");
        app.get(&empty).cookie(&member.cookie).send().await.expect(200);
    }
}

async fn every_wrong_field_of_a_check_in_is_named(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    insert_worksite(&app, 7, "Gone", "UTC", None).await;
    let sql = "update worksites set archived_at = 1 where id = 7";
    testkit::execute_raw_sql(app.database(), sql).await.unwrap();
    app.ensure_brand("Other").await;
    let sql =
        "insert into worksites (id, brand_id, name, name_key, colour, kind, time_zone, version, created_at,
        updated_at) values (8, 2, 'x', 'x', '#112233', 'other', 'UTC', 1, 1, 1)";
    testkit::execute_raw_sql(app.database(), sql).await.unwrap();
    let with = |field: &str, value: Value| {
        let mut body = json!({ "name": "Grace", "tag_serial": "T-1" });
        body[field] = value;
        body
    };
    for (body, field, code) in [
        (with("worksite_id", json!(7)), "worksite_id", "unknown_worksite"),
        (with("worksite_id", json!(8)), "worksite_id", "unknown_worksite"),
        (with("worksite_id", json!(9)), "worksite_id", "unknown_worksite"),
        (with("worksite_id", json!("x")), "worksite_id", "wrong_type"),
        (with("person_id", json!(1)), "person_id", "ambiguous"),
        (with("notes", json!("a\u{7}")), "notes", "control_character"),
        (with("notes", json!("x".repeat(4_001))), "notes", "too_long"),
        (with("expected_until", json!("2026-03-01T12:00:30Z")), "expected_until", "bad_time"),
        (with("checked_in_at", json!("2026-03-01T11:00:00Z")), "checked_in_at", "unknown_field"),
    ] {
        let refused = app.post(PATH).cookie(&member.cookie).json(&body).send().await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
}

async fn a_visit_of_another_brand_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("m@example.com", Role::Member).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "o@example.com", Role::Admin).await;
    let body = json!({ "name": "Grace", "tag_serial": "T-1" });
    app.post(PATH).cookie(&ours.cookie).json(&body).send().await.expect(201);
    app.get(&format!("{PATH}/1")).cookie(&theirs.cookie).send().await.expect(404);
    app.patch(&format!("{PATH}/1")).cookie(&theirs.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
    app.post(&format!("{PATH}/1/check_out")).cookie(&theirs.cookie).send().await.expect(404);
    assert_eq!(app.get(PATH).cookie(&theirs.cookie).send().await.expect(200).json()["data"], json!([]));
}
