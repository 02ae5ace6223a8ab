//! GET /api/v1/worksites/{id}/assignments, PUT and DELETE …/machines/{machine_id}

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{assign, create_machine, create_project, create_site, field_errors, get, restrict};

on_both_engines!(
    a_machine_is_assigned_and_sent_away,
    doing_so_twice_is_fine,
    a_move_ends_the_time_elsewhere,
    a_move_in_the_past_rewrites_what_lies_after_it,
    a_body_is_optional_but_must_be_right,
    what_is_archived_takes_no_part,
    fifty_at_once_never_overlap,
    assignments_are_paged_the_newest_first,
    a_restricted_member_assigns_within_their_projects,
);

async fn set_up(app: &TestApp) -> Account {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    for name in ["East", "West"] {
        create_site(app, &ada, name, None).await;
    }
    create_machine(app, &ada, "Crane").await;
    ada
}

/// Returns start and end of a worksite's assignments, oldest first.
async fn assignment_periods(app: &TestApp, user: &Account, site: i64) -> Vec<(Value, Value)> {
    let body = get(app, user, &format!("/{site}/assignments?limit=500")).await.expect(200).json();
    let mut rows: Vec<_> =
        body["data"].as_array().unwrap().iter().map(|row| (row["from"].clone(), row["to"].clone())).collect();
    rows.sort_by_key(|(from, _)| domain::Timestamp::parse(from.as_str().unwrap()).unwrap());
    rows
}

async fn a_machine_is_assigned_and_sent_away(app: TestApp) {
    let ada = set_up(&app).await;
    let made = assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(200).json();
    let expected = json!({
        "id": 1, "relation": "assigned", "machine": { "id": 1, "name": "Crane" }, "from": "2026-03-01T12:00:30Z", "to": null,
        "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(made, expected);
    let shown = app.get("/api/v1/machines/1").cookie(&ada.cookie).send().await.expect(200);
    assert_eq!((&shown.json()["worksite"]["name"], shown.header("etag")), (&json!("East"), "\"2\""));
    app.clock.advance(Span::minutes(5));
    let ended = assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(200).json();
    assert_eq!(ended["to"], "2026-03-01T12:05:30Z");
    assert_eq!(get(&app, &ada, "/1/assignments").await.json()["data"], json!([ended]));
}

async fn doing_so_twice_is_fine(app: TestApp) {
    let ada = set_up(&app).await;
    assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(404);
    let first = assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(200).json();
    app.clock.advance(Span::minutes(5));
    for from in ["", "2026-03-01T12:01:00Z"] {
        assert_eq!(assign(&app, &ada, Method::PUT, (1, 1), from).await.expect(200).json(), first);
    }
    let ended = assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(200).json();
    app.clock.advance(Span::minutes(5));
    assert_eq!(assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(200).json(), ended);
    // Repeating it at the same instant loses nothing.
    let again = assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(200).json();
    let ended = assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(200).json();
    assert_eq!(ended["from"], again["from"]);
    assert_eq!(ended["to"], "2026-03-01T12:10:30.000001Z");
    assert_eq!(assignment_periods(&app, &ada, 1).await.len(), 2);
}

async fn a_move_ends_the_time_elsewhere(app: TestApp) {
    let ada = set_up(&app).await;
    assign(&app, &ada, Method::PUT, (1, 1), "2026-02-01T00:00:00Z").await.expect(200);
    assign(&app, &ada, Method::PUT, (2, 1), "").await.expect(200);
    let expected = [(json!("2026-02-01T00:00:00Z"), json!("2026-03-01T12:00:30Z"))];
    assert_eq!(assignment_periods(&app, &ada, 1).await, expected);
    assert_eq!(assignment_periods(&app, &ada, 2).await, [(json!("2026-03-01T12:00:30Z"), json!(null))]);
    // An earlier assignment elsewhere does not end the present one.
    let ended = assign(&app, &ada, Method::DELETE, (1, 1), "").await.expect(200).json();
    assert_eq!(ended["to"], "2026-03-01T12:00:30Z");
    assert_eq!(assignment_periods(&app, &ada, 2).await, [(json!("2026-03-01T12:00:30Z"), json!(null))]);
}

async fn a_move_in_the_past_rewrites_what_lies_after_it(app: TestApp) {
    let ada = set_up(&app).await;
    for (site, from) in [(1, "2026-01-01"), (2, "2026-01-10"), (1, "2026-01-20"), (2, "2026-01-30")] {
        assign(&app, &ada, Method::PUT, (site, 1), &format!("{from}T00:00:00Z")).await.expect(200);
    }
    assert_eq!(
        (assignment_periods(&app, &ada, 1).await.len(), assignment_periods(&app, &ada, 2).await.len()),
        (2, 2)
    );
    // The assignment at that time is cut there, and later ones are superseded.
    assign(&app, &ada, Method::PUT, (1, 1), "2026-01-15T00:00:00Z").await.expect(200);
    let expected = [
        (json!("2026-01-01T00:00:00Z"), json!("2026-01-10T00:00:00Z")),
        (json!("2026-01-15T00:00:00Z"), json!(null)),
    ];
    assert_eq!(assignment_periods(&app, &ada, 1).await, expected);
    let expected = [(json!("2026-01-10T00:00:00Z"), json!("2026-01-15T00:00:00Z"))];
    assert_eq!(assignment_periods(&app, &ada, 2).await, expected);
    // Where it was already, the assignment continues.
    assign(&app, &ada, Method::PUT, (1, 1), "2026-01-05T00:00:00Z").await.expect(200);
    assert_eq!(assignment_periods(&app, &ada, 1).await, [(json!("2026-01-01T00:00:00Z"), json!(null))]);
    assert_eq!(assignment_periods(&app, &ada, 2).await, []);
    // A machine can leave at a time in the past.
    let left = json!({ "worksite_id": null, "effective_from": "2026-02-01T00:00:00Z" });
    app.patch("/api/v1/machines/1").cookie(&ada.cookie).json(&left).send().await.expect(200);
    assert_eq!(
        assignment_periods(&app, &ada, 1).await,
        [(json!("2026-01-01T00:00:00Z"), json!("2026-02-01T00:00:00Z"))]
    );
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let rewritten = rows.iter().filter(|row| row.action == "machine.assigned").nth(4).unwrap();
    let details: Value = serde_json::from_str(&rewritten.details).unwrap();
    let sites = |when: &str| -> Vec<Value> {
        details[when].as_array().unwrap().iter().map(|row| row["worksite_id"].clone()).collect()
    };
    assert_eq!(
        (sites("before"), sites("after")),
        (vec![json!(2), json!(1), json!(2)], vec![json!(2), json!(1)])
    );
}

async fn a_body_is_optional_but_must_be_right(app: TestApp) {
    let ada = set_up(&app).await;
    let put = || app.request(Method::PUT, "/api/v1/worksites/1/assignments/machines/1").cookie(&ada.cookie);
    for (body, expected) in [
        (json!({ "effective_from": "soon" }), "effective_from: invalid_time"),
        (json!({ "effective_from": "2026-03-01T12:00:31Z" }), "effective_from: bad_time"),
        (json!({ "effective_from": "2021-01-01T00:00:00Z" }), "effective_from: bad_time"),
        (json!({ "from": "2026-01-01T00:00:00Z" }), "from: unknown_field"),
    ] {
        assert_eq!(field_errors(&put().json(&body).send().await.expect(422)), [expected]);
    }
    put().bytes("application/json", "").send().await.expect(400);
    put().bytes("text/plain", "x").send().await.expect(415);
    put().json(&json!([])).send().await.expect(422);
    assert_eq!(assignment_periods(&app, &ada, 1).await, []);
    put().json(&json!({ "effective_from": null })).send().await.expect(200);
    for path in ["/api/v1/worksites/1/assignments/machines/9", "/api/v1/worksites/9/assignments/machines/1"] {
        app.request(Method::PUT, path).cookie(&ada.cookie).json(&json!({ "x": 1 })).send().await.expect(404);
    }
    app.request(Method::PUT, "/api/v1/worksites/1/assignments/machines/x")
        .cookie(&ada.cookie)
        .send()
        .await
        .expect(404);
}

async fn what_is_archived_takes_no_part(app: TestApp) {
    let ada = set_up(&app).await;
    app.post("/api/v1/machines/1/archive").cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(409).code(), "machine_archived");
    app.post("/api/v1/machines/1/restore").cookie(&ada.cookie).send().await.expect(200);
    assign(&app, &ada, Method::PUT, (1, 1), "").await.expect(200);
}

async fn fifty_at_once_never_overlap(app: TestApp) {
    let ada = set_up(&app).await;
    let other = app.second_instance().await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let place = if n % 2 == 0 { &app } else { &other };
        let path = format!("/api/v1/worksites/{}/assignments/machines/1", n % 3 % 2 + 1);
        let request = place.request(Method::PUT, &path).cookie(&ada.cookie);
        let request = match n % 5 {
            0 => request,
            day => request.json(&json!({ "effective_from": format!("2026-02-0{day}T00:00:00Z") })),
        };
        work.spawn(request.send());
    }
    for reply in work.join_all().await {
        reply.expect(200);
    }
    let mut all = assignment_periods(&app, &ada, 1).await;
    all.extend(assignment_periods(&app, &ada, 2).await);
    // By time: as text, a fraction of a second comes before the whole second.
    all.sort_by_key(|(from, _)| domain::Timestamp::parse(from.as_str().unwrap()).unwrap());
    assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0), "{all:?}");
    assert!(all.last().unwrap().1.is_null());
}

async fn assignments_are_paged_the_newest_first(app: TestApp) {
    let ada = set_up(&app).await;
    for n in 2..=7 {
        create_machine(&app, &ada, &format!("Crane {n}")).await;
    }
    for id in 1..=7 {
        assign(&app, &ada, Method::PUT, (1, id), "").await.expect(200);
    }
    assign(&app, &ada, Method::PUT, (2, 3), "").await.expect(200);
    let (mut seen, mut query) = (Vec::new(), "/1/assignments?limit=3".to_owned());
    loop {
        let body = get(&app, &ada, &query).await.expect(200).json();
        let rows = body["data"].as_array().unwrap().iter();
        seen.extend(rows.map(|row| row["machine"]["id"].as_i64().unwrap()));
        match body["page"]["next"].as_str() {
            Some(next) => query = format!("/1/assignments?limit=3&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
    for (query, total) in [("open=true", 6), ("open=false", 1), ("limit=1", 7)] {
        let body = get(&app, &ada, &format!("/1/assignments?include_total=true&{query}")).await.expect(200);
        assert_eq!(body.json()["page"]["total"], total, "{query}");
    }
    get(&app, &ada, "/1/assignments?open=maybe").await.expect(400);
}

async fn a_restricted_member_assigns_within_their_projects(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for name in ["North", "South"] {
        create_project(&app, &ada, name).await;
    }
    for (name, of) in [("North 1", 1), ("North 2", 1), ("South 1", 2)] {
        create_site(&app, &ada, name, Some(of)).await;
    }
    for name in ["Crane", "Loader"] {
        create_machine(&app, &ada, name).await;
    }
    restrict(&app, &bob, &[1]).await;
    // They cannot see a machine without a worksite.
    assign(&app, &bob, Method::PUT, (1, 1), "").await.expect(404);
    assign(&app, &ada, Method::PUT, (3, 1), "2026-01-01T00:00:00Z").await.expect(200);
    assign(&app, &ada, Method::PUT, (1, 1), "2026-02-01T00:00:00Z").await.expect(200);
    assign(&app, &bob, Method::PUT, (3, 1), "").await.expect(404);
    assign(&app, &bob, Method::DELETE, (3, 1), "").await.expect(404);
    let reply = assign(&app, &bob, Method::PUT, (2, 1), "2026-01-15T00:00:00Z").await.expect(403);
    assert_eq!(reply.code(), "restricted");
    assign(&app, &bob, Method::PUT, (2, 1), "2026-02-15T00:00:00Z").await.expect(200);
    // Without a worksite, the machine would be out of their sight.
    let reply = assign(&app, &bob, Method::DELETE, (2, 1), "").await.expect(403);
    assert_eq!(reply.code(), "restricted");
    assign(&app, &ada, Method::DELETE, (2, 1), "").await.expect(200);
    // The machine moved out of their sight, but its earlier assignment stays visible.
    assert_eq!(assignment_periods(&app, &bob, 2).await.len(), 1);
    assign(&app, &bob, Method::DELETE, (2, 1), "").await.expect(200);
}
