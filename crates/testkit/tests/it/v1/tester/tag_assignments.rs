//! /api/v1/tester/tag_assignments

use std::collections::HashMap;

use domain::{DeviceKind, Random, Role, Span};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(
    a_tag_is_handed_out_and_taken_back,
    a_tag_that_is_out_is_refused_unless_it_is_replaced,
    ending_an_assignment_twice_is_fine,
    another_brands_tags_people_and_assignments_do_not_exist,
    every_wrong_field_is_named,
    fifty_at_once_leave_one_open,
    sixteen_clients_never_leave_two_open_on_a_tag,
    assignments_are_listed_the_newest_first,
    a_test_by_a_clock_that_is_ahead_is_of_who_got_the_tag_meanwhile,
);

const PATH: &str = "/api/v1/tester/tag_assignments";

async fn person(app: &TestApp, token: &str, name: &str) -> i64 {
    let body = json!({ "kind": "staff", "name": name });
    let made = app.post("/api/v1/tester/people_assets").bearer(token).json(&body).send().await.expect(201);
    made.json()["id"].as_i64().unwrap()
}

async fn assign(app: &TestApp, token: &str, body: &Value) -> Reply {
    app.post(PATH).bearer(token).json(body).send().await
}

async fn a_tag_is_handed_out_and_taken_back(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ada = person(&app, &token, "Ada").await;
    let made = assign(&app, &token, &json!({ "tag_serial": " TAG-1 ", "person_id": ada })).await.expect(201);
    let body = made.json();
    assert_eq!(app.get(made.header("location")).bearer(&token).send().await.expect(200).json(), body);
    assert_eq!(body["tag"], json!({ "id": 1, "serial": "TAG-1" }));
    assert_eq!(body["person"], json!({ "id": ada, "name": "Ada", "kind": "staff" }));
    assert_eq!(body["assigned_by"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
    assert_eq!((&body["ended_at"], &body["ended_by"]), (&json!(null), &json!(null)));

    let view = || app.get("/api/v1/tester/tags/tag-1").bearer(&token).send();
    let seen = view().await.expect(200).json();
    assert_eq!((&seen["state"], &seen["person"]["name"]), (&json!("assigned"), &json!("Ada")));
    app.clock.advance(Span::minutes(30));
    let ended = app.delete(made.header("location")).bearer(&token).send().await.expect(200).json();
    assert_eq!(ended["ended_at"], "2026-03-01T12:30:30Z");
    assert_eq!(ended["ended_by"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
    let seen = view().await.expect(200).json();
    assert_eq!((&seen["state"], &seen["person"]), (&json!("stock"), &json!(null)));
    // By its id, too.
    assign(&app, &token, &json!({ "tag_id": 1, "person_id": ada })).await.expect(201);
}

async fn a_tag_that_is_out_is_refused_unless_it_is_replaced(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let (ada, bob) = (person(&app, &token, "Ada").await, person(&app, &token, "Bob").await);
    let first = assign(&app, &token, &json!({ "tag_serial": "TAG-1", "person_id": ada })).await.expect(201);
    for (tag, field) in [(json!({ "tag_serial": "tag-1" }), "tag_serial"), (json!({ "tag_id": 1 }), "tag_id")]
    {
        let mut body = tag;
        body["person_id"] = json!(bob);
        let refused = assign(&app, &token, &body).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!("tag_already_assigned")));
    }
    app.clock.advance(Span::minutes(1));
    let body = json!({ "tag_serial": "TAG-1", "person_id": bob, "replace": true });
    let second = assign(&app, &token, &body).await.expect(201).json();
    assert_eq!(second["person"]["name"], "Bob");
    let list = app.get(&format!("{PATH}?tag_id=1")).bearer(&token).send().await.expect(200).json();
    assert_eq!(list["data"][1]["id"], first.json()["id"]);
    // One ends at the instant the other begins.
    assert_eq!(list["data"][1]["ended_at"], list["data"][0]["assigned_at"]);
}

async fn ending_an_assignment_twice_is_fine(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ada = person(&app, &token, "Ada").await;
    let made = assign(&app, &token, &json!({ "tag_serial": "TAG-1", "person_id": ada })).await.expect(201);
    let first = app.delete(made.header("location")).bearer(&token).send().await.expect(200).json();
    app.clock.advance(Span::minutes(1));
    let second = app.delete(made.header("location")).bearer(&token).send().await.expect(200).json();
    assert_eq!(first, second);
}

async fn another_brands_tags_people_and_assignments_do_not_exist(app: TestApp) {
    let ours = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let theirs = app.issue_token("Other", DeviceKind::Tester, "Gate 1").await;
    let (ada, eve) = (person(&app, &ours, "Ada").await, person(&app, &theirs, "Eve").await);
    let made = assign(&app, &ours, &json!({ "tag_serial": "TAG-1", "person_id": ada })).await.expect(201);
    app.delete(made.header("location")).bearer(&theirs).send().await.expect(404);
    app.get("/api/v1/tester/tags/TAG-1").bearer(&theirs).send().await.expect(404);
    for (body, field, code) in [
        (json!({ "tag_id": 1, "person_id": eve }), "tag_id", "unknown_tag"),
        (json!({ "tag_id": 99, "person_id": eve }), "tag_id", "unknown_tag"),
        (json!({ "tag_serial": "X", "person_id": ada }), "person_id", "unknown_person"),
        (json!({ "tag_serial": "X", "person_id": 99 }), "person_id", "unknown_person"),
    ] {
        let error = assign(&app, &theirs, &body).await.expect(422).json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{body}");
    }
    // The same serial is another tag there; and a refused call registers no tag.
    app.get("/api/v1/tester/tags/X").bearer(&theirs).send().await.expect(404);
    assign(&app, &theirs, &json!({ "tag_serial": "TAG-1", "person_id": eve })).await.expect(201);
    let list = app.get(PATH).bearer(&theirs).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
}

async fn every_wrong_field_is_named(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    for (body, faults) in [
        (json!({}), vec!["person_id: required", "tag_serial: required"]),
        (
            json!({ "tag_serial": "a b", "person_id": "x" }),
            vec!["tag_serial: invalid_serial", "person_id: wrong_type"],
        ),
        (json!({ "tag_serial": "a", "tag_id": 1, "person_id": 1 }), vec!["tag_id: ambiguous"]),
        (
            json!({ "tag_id": 1.5, "person_id": 1, "replace": 1 }),
            vec!["tag_id: wrong_type", "replace: wrong_type"],
        ),
        (json!({ "tag_id": 1, "person_id": 1, "assigned_at": "x" }), vec!["assigned_at: unknown_field"]),
    ] {
        let refused = assign(&app, &token, &body).await.expect(422).json();
        let named: Vec<String> = refused["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
            .collect();
        assert_eq!(named, faults, "{body}");
    }
    for query in ["open=maybe", "person_id=x", "tag_id=", "cursor=x"] {
        app.get(&format!("{PATH}?{query}")).bearer(&token).send().await.expect(400);
    }
}

async fn fifty_at_once_leave_one_open(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ada = person(&app, &token, "Ada").await;
    let other = app.second_instance().await;
    let body = json!({ "tag_serial": "TAG-1", "person_id": ada });
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let place = if n % 2 == 0 { &app } else { &other };
        work.spawn(place.post(PATH).bearer(&token).json(&body).send());
    }
    let statuses: Vec<u16> = work.join_all().await.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 422].contains(status)), "{statuses:?}");
}

async fn sixteen_clients_never_leave_two_open_on_a_tag(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let mut people = Vec::new();
    for n in 0..4 {
        people.push(person(&app, &token, &format!("P{n}")).await);
    }
    let app = std::sync::Arc::new(app);
    let mut clients = tokio::task::JoinSet::new();
    for seed in 0..16 {
        let (app, token, people) = (std::sync::Arc::clone(&app), token.clone(), people.clone());
        clients.spawn(async move {
            let random = Random::seeded(seed);
            let mut made = Vec::new();
            for _ in 0..12 {
                let [what, tag, who, _] = random.bytes::<4>();
                if what % 3 == 0 && !made.is_empty() {
                    let id = made[usize::from(who) % made.len()];
                    app.delete(&format!("{PATH}/{id}")).bearer(&token).send().await.expect(200);
                    continue;
                }
                let body = json!({
                    "tag_serial": format!("TAG-{}", tag % 5),
                    "person_id": people[usize::from(who) % people.len()],
                    "replace": what % 3 == 1,
                });
                let reply = app.post(PATH).bearer(&token).json(&body).send().await;
                match reply.status.as_u16() {
                    201 => made.push(reply.json()["id"].as_i64().unwrap()),
                    422 => assert_eq!(reply.json()["errors"][0]["code"], "tag_already_assigned"),
                    other => panic!("{other}: {}", String::from_utf8_lossy(&reply.body)),
                }
            }
            made
        });
    }
    let made: Vec<i64> = clients.join_all().await.into_iter().flatten().collect();
    let list = app.get(&format!("{PATH}?limit=500")).bearer(&token).send().await.expect(200).json();
    let rows = list["data"].as_array().unwrap();
    // Every confirmed assignment is stored, and nothing else.
    let mut ids: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let mut expected = made;
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    let mut open: HashMap<&str, u32> = HashMap::new();
    for row in rows.iter().filter(|row| row["ended_at"].is_null()) {
        *open.entry(row["tag"]["serial"].as_str().unwrap()).or_default() += 1;
    }
    assert!(open.values().all(|count| *count == 1), "{open:?}");
}

async fn assignments_are_listed_the_newest_first(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ada = person(&app, &token, "Ada").await;
    for n in 0..5 {
        let body = json!({ "tag_serial": format!("TAG-{n}"), "person_id": ada });
        assign(&app, &token, &body).await.expect(201);
    }
    app.delete(&format!("{PATH}/3")).bearer(&token).send().await.expect(200);
    let (mut ids, mut path) = (Vec::new(), format!("{PATH}?limit=2&include_total=true"));
    loop {
        let body = app.get(&path).bearer(&token).send().await.expect(200).json();
        assert_eq!(body["page"]["total"], 5);
        ids.extend(body["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()));
        match body["page"]["next"].as_str() {
            Some(next) => path = format!("{PATH}?limit=2&include_total=true&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(ids, [5, 4, 3, 2, 1]);
    for (query, count) in [("open=true", 4), ("open=false", 1), ("tag_id=2", 1), ("person_id=99", 0)] {
        let body = app.get(&format!("{PATH}?{query}")).bearer(&token).send().await.expect(200).json();
        assert_eq!(body["data"].as_array().unwrap().len(), count, "{query}");
    }
}

async fn a_test_by_a_clock_that_is_ahead_is_of_who_got_the_tag_meanwhile(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ada = person(&app, &token, "Ada").await;
    let tested_at = (app.clock.now() + Span::minutes(2)).to_string();
    let test = json!({ "tag_serial": "TAG-1", "passed": true, "tested_at": tested_at });
    app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    assign(&app, &token, &json!({ "tag_serial": "TAG-1", "person_id": ada })).await.expect(201);
    let user = app.sign_in_new_user("grace@example.com", Role::Member).await;
    let tests = app.get("/api/v1/tags/1/tests").cookie(&user.cookie).send().await.expect(200).json();
    assert_eq!(tests["data"][0]["person"]["id"], ada);
}
