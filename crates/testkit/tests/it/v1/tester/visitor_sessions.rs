//! /api/v1/tester/visitor_sessions

use domain::{DeviceKind, Span};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(
    a_repeat_is_answered_as_it_was_then,
    coming_and_going_at_once_is_fine,
    hosts_whose_clocks_differ_can_end_what_the_other_began,
    twenty_check_ins_with_one_new_email_make_one_visitor,
    a_visitor_comes_and_goes,
    visits_are_sorted_and_read_by_version,
    a_visitor_is_found_again_by_email_or_id,
    checking_in_is_all_or_nothing,
    every_wrong_field_is_named,
    another_brands_visit_does_not_exist,
    twenty_check_ins_of_one_visitor_leave_one,
);

const PATH: &str = "/api/v1/tester/visitor_sessions";

async fn check_in(app: &TestApp, token: &str, body: &Value) -> Reply {
    app.post(PATH).bearer(token).json(body).send().await
}

async fn a_visitor_comes_and_goes(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let body = json!({
        "name": "Grace", "tag_serial": "TAG-1", "company": "Plums & Co", "notes": "sees Ada\nneeds boots",
        "expected_until": "2026-03-01T16:00:00Z",
    });
    let made = check_in(&app, &token, &body).await.expect(201);
    let visit = made.json();
    assert_eq!(app.get(made.header("location")).bearer(&token).send().await.expect(200).json(), visit);
    assert_eq!(visit["person"], json!({ "id": 1, "name": "Grace", "kind": "visitor" }));
    assert_eq!((&visit["state"], &visit["duration_s"]), (&json!("active"), &json!(0)));
    assert_eq!((&visit["company"], &visit["notes"]), (&json!("Plums & Co"), &json!("sees Ada\nneeds boots")));
    assert_eq!(visit["checked_in_by"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
    let tag = || app.get("/api/v1/tester/tags/TAG-1").bearer(&token).send();
    assert_eq!(tag().await.expect(200).json()["person"]["name"], "Grace");
    app.clock.advance(Span::minutes(61));
    let list = |state: &'static str| {
        app.get(&format!("{PATH}?state={state}&include_total=true")).bearer(&token).send()
    };
    let here = list("active").await.expect(200).json();
    assert_eq!((&here["page"]["total"], &here["data"][0]["duration_s"]), (&json!(1), &json!(3660)));

    let out = format!("{}/check_out", made.header("location"));
    let gone = app.post(&out).bearer(&token).send().await.expect(200).json();
    assert_eq!((&gone["state"], &gone["duration_s"]), (&json!("completed"), &json!(3660)));
    assert_eq!(gone["checked_out_at"], "2026-03-01T13:01:30Z");
    assert_eq!(tag().await.expect(200).json()["state"], "stock");
    // Repeating it has no effect.
    app.clock.advance(Span::minutes(5));
    assert_eq!(app.post(&out).bearer(&token).send().await.expect(200).json(), gone);
    assert_eq!(list("active").await.expect(200).json()["page"]["total"], 0);
    assert_eq!(list("completed").await.expect(200).json()["page"]["total"], 1);
    app.get(&format!("{PATH}?state=gone")).bearer(&token).send().await.expect(400);
}

async fn visits_are_sorted_and_read_by_version(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let get = |query: &str| app.get(&format!("{PATH}?{query}")).bearer(&token).send();
    let ids = |page: &Value| -> Vec<i64> {
        page["data"].as_array().unwrap().iter().map(|visit| visit["id"].as_i64().unwrap()).collect()
    };
    for number in 1..=3 {
        let body = json!({ "name": format!("Visitor {number}"), "tag_serial": format!("TAG-{number}") });
        check_in(&app, &token, &body).await.expect(201);
        app.clock.advance(Span::minutes(1));
    }
    let begun = get("after_version=0").await.expect(200).json();
    assert_eq!(ids(&begun), [1, 2, 3]);
    app.post(&format!("{PATH}/1/check_out")).bearer(&token).send().await.expect(200);
    for (sort, expected) in
        [("checked_in_at", [1, 2, 3]), ("-checked_in_at", [3, 2, 1]), ("-updated_at", [1, 3, 2])]
    {
        let page = get(&format!("sort={sort}")).await.expect(200).json();
        assert_eq!(ids(&page), expected, "{sort}");
    }
    let later = get(&format!("after_version={}", begun["page"]["registry_version"])).await.expect(200);
    assert_eq!(ids(&later.json()), [1]);
    for (query, code) in [
        ("sort=name", "invalid_sort"),
        ("after_version=0&state=active", "not_with_after_version"),
        ("after_version=-1", "out_of_range"),
    ] {
        assert_eq!(get(query).await.expect(400).json()["errors"][0]["code"], code, "{query}");
    }
}

async fn a_visitor_is_found_again_by_email_or_id(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let staff = json!({ "kind": "staff", "name": "Ada", "email": "grace@example.com" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&staff).send().await.expect(201);
    let mut people = Vec::new();
    for body in [
        json!({ "name": "Grace", "email": "Grace@Example.com", "tag_serial": "TAG-1" }),
        json!({ "name": "G. Hopper", "email": "grace@example.com", "tag_serial": "TAG-2" }),
        json!({ "person_id": 2, "tag_serial": "TAG-3" }),
        json!({ "name": "Grace", "tag_serial": "TAG-4" }),
    ] {
        let made = check_in(&app, &token, &body).await.expect(201);
        people.push(made.json()["person"]["id"].as_i64().unwrap());
        app.post(&format!("{}/check_out", made.header("location"))).bearer(&token).send().await.expect(200);
    }
    // A staff member with the same email address is another person; an equal name alone matches nobody.
    assert_eq!(people, [2, 2, 2, 3]);
}

async fn checking_in_is_all_or_nothing(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    check_in(&app, &token, &json!({ "name": "Grace", "tag_serial": "TAG-1" })).await.expect(201);
    // The tag is in use: no visitor is created.
    let refused = check_in(&app, &token, &json!({ "name": "Eve", "tag_serial": "TAG-1" })).await.expect(422);
    assert_eq!(refused.json()["errors"][0]["code"], "tag_already_assigned");
    // The visitor is checked in: a second tag is neither assigned nor registered.
    let refused = check_in(&app, &token, &json!({ "person_id": 1, "tag_serial": "TAG-2" })).await.expect(422);
    assert_eq!(refused.json()["errors"][0]["code"], "already_checked_in");
    app.get("/api/v1/tester/tags/TAG-2").bearer(&token).send().await.expect(404);
    let people = app.get("/api/v1/tester/people_assets?include_total=true").bearer(&token).send().await;
    assert_eq!(people.expect(200).json()["page"]["total"], 1);
    // Checking out works although the tag was returned before.
    app.delete("/api/v1/tester/tag_assignments/1").bearer(&token).send().await.expect(200);
    app.post(&format!("{PATH}/1/check_out")).bearer(&token).send().await.expect(200);
}

async fn every_wrong_field_is_named(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let staff = json!({ "kind": "staff", "name": "Ada" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&staff).send().await.expect(201);
    for (body, field, code) in [
        (json!({ "tag_serial": "T" }), "name", "required"),
        (json!({ "name": "G" }), "tag_serial", "required"),
        (json!({ "name": "G", "person_id": 1, "tag_serial": "T" }), "person_id", "ambiguous"),
        (json!({ "person_id": 1, "tag_serial": "T" }), "person_id", "not_a_visitor"),
        (json!({ "person_id": 99, "tag_serial": "T" }), "person_id", "unknown_person"),
        (json!({ "name": "G", "email": "x", "tag_serial": "T" }), "email", "invalid_email"),
        (json!({ "name": "G", "tag_serial": "T", "notes": "x".repeat(4_001) }), "notes", "too_long"),
        (json!({ "name": "G", "tag_serial": "T", "notes": "\u{1b}[2J" }), "notes", "control_character"),
        (
            json!({ "name": "G", "tag_serial": "T", "expected_until": "2026-03-01T12:00:30Z" }),
            "expected_until",
            "bad_time",
        ),
        (json!({ "name": "G", "tag_serial": "T", "state": "completed" }), "state", "unknown_field"),
    ] {
        let error = check_in(&app, &token, &body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
}

async fn another_brands_visit_does_not_exist(app: TestApp) {
    let ours = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let theirs = app.issue_token("Other", DeviceKind::Tester, "Gate 1").await;
    let body = json!({ "name": "Grace", "email": "g@example.com", "tag_serial": "TAG-1" });
    check_in(&app, &ours, &body).await.expect(201);
    app.post(&format!("{PATH}/1/check_out")).bearer(&theirs).send().await.expect(404);
    let list = app.get(PATH).bearer(&theirs).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]));
    // Neither the email address nor the serial matches records of another brand.
    let made = check_in(&app, &theirs, &body).await.expect(201).json();
    assert_ne!(made["person"]["id"], 1);
}

async fn twenty_check_ins_of_one_visitor_leave_one(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let person = json!({ "kind": "visitor", "name": "Grace" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    let other = app.second_instance().await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..20 {
        let place = if n % 2 == 0 { &app } else { &other };
        let body = json!({ "person_id": 1, "tag_serial": format!("TAG-{n}") });
        work.spawn(place.post(PATH).bearer(&token).json(&body).send());
    }
    let statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 422].contains(status)), "{statuses:?}");
    let open =
        app.get("/api/v1/tester/tag_assignments?open=true").bearer(&token).send().await.expect(200).json();
    assert_eq!(open["data"].as_array().unwrap().len(), 1);
}

async fn a_repeat_is_answered_as_it_was_then(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let body = json!({ "name": "Grace", "tag_serial": "TAG-1", "expected_until": "2026-03-01T12:10:00Z" });
    let send = || app.post(PATH).bearer(&token).header("idempotency-key", "k-1").json(&body).send();
    let first = send().await.expect(201).json();
    app.clock.advance(Span::minutes(30));
    assert_eq!(send().await.expect(201).json(), first);
}

async fn coming_and_going_at_once_is_fine(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let other = app.second_instance().await;
    for round in 0..5 {
        let body = json!({ "name": "Grace", "email": "g@example.com", "tag_serial": format!("TAG-{round}") });
        let made = check_in(&app, &token, &body).await.expect(201);
        let out = format!("{}/check_out", made.header("location"));
        let mut work = tokio::task::JoinSet::new();
        for n in 0..6 {
            let place = if n % 2 == 0 { &app } else { &other };
            work.spawn(place.post(&out).bearer(&token).send());
            let again =
                json!({ "name": "Grace", "email": "g@example.com", "tag_serial": format!("X-{round}-{n}") });
            work.spawn(place.post(PATH).bearer(&token).json(&again).send());
        }
        for reply in work.join_all().await {
            let status = reply.status.as_u16();
            let body = reply.json();
            match status {
                // Whoever ends it, all callers see the end.
                200 => assert_eq!(body["state"], "completed", "{body}"),
                201 => assert_eq!(body["state"], "active", "{body}"),
                422 => assert_eq!(body["errors"][0]["code"], "already_checked_in", "{body}"),
                other => panic!("{other}: {body}"),
            }
        }
        let here = app.get(&format!("{PATH}?state=active")).bearer(&token).send().await.expect(200).json();
        for visit in here["data"].as_array().unwrap() {
            app.post(&format!("{PATH}/{}/check_out", visit["id"])).bearer(&token).send().await.expect(200);
        }
    }
}

async fn hosts_whose_clocks_differ_can_end_what_the_other_began(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    check_in(&app, &token, &json!({ "name": "Grace", "tag_serial": "TAG-1" })).await.expect(201);
    app.clock.advance(Span::seconds(-5));
    let here = app.get(&format!("{PATH}/1")).bearer(&token).send().await.expect(200).json();
    assert_eq!(here["duration_s"], 0, "a duration is never negative");
    let gone = app.post(&format!("{PATH}/1/check_out")).bearer(&token).send().await.expect(200).json();
    assert_eq!((&gone["checked_out_at"], &gone["duration_s"]), (&gone["checked_in_at"], &json!(0)));
    app.clock.advance(Span::seconds(5));
    let assign = |replace: bool| {
        let body = json!({ "tag_serial": "TAG-2", "person_id": 1, "replace": replace });
        app.post("/api/v1/tester/tag_assignments").bearer(&token).json(&body).send()
    };
    let first = assign(false).await.expect(201).json();
    app.clock.advance(Span::seconds(-5));
    assert_eq!(assign(true).await.expect(201).json()["assigned_at"], first["assigned_at"]);
}

async fn twenty_check_ins_with_one_new_email_make_one_visitor(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let other = app.second_instance().await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..20 {
        let place = if n % 2 == 0 { &app } else { &other };
        let body = json!({ "name": "Grace", "email": "g@example.com", "tag_serial": format!("TAG-{n}") });
        work.spawn(place.post(PATH).bearer(&token).json(&body).send());
    }
    let statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    let people = app.get("/api/v1/tester/people_assets?include_total=true").bearer(&token).send().await;
    assert_eq!(people.expect(200).json()["page"]["total"], 1);
}
