//! GET /api/v1/worksites/{id}/terms: changes that apply from a given time

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{create_project, get, new_site, patch, post, restrict, square, terms};

on_both_engines!(
    a_change_begins_a_term,
    a_change_from_the_past_keeps_what_else_was_said_later,
    a_change_before_the_first_term_lets_the_site_begin_then,
    terms_that_say_the_same_are_one,
    terms_are_paged_the_newest_first,
    a_restricted_member_does_not_rewrite_a_time_that_was_not_theirs,
);

type Term = (String, String, Value, Value);

/// Builds a term of start, time zone and project, without a boundary.
fn term(from: &str, zone: &str, project: Option<i64>) -> Term {
    (from.to_owned(), zone.to_owned(), json!(project), Value::Null)
}

async fn a_change_begins_a_term(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    post(&app, &ada, &new_site("East", &json!({}))).await.expect(201);
    app.clock.advance(Span::minutes(10));
    patch(&app, &ada, 1, &json!({ "project_id": 1, "name": "West" })).await.expect(200);
    app.clock.advance(Span::minutes(10));
    patch(&app, &ada, 1, &json!({ "time_zone": "UTC" })).await.expect(200);
    let expected = [
        term("2026-03-01T12:00:30Z", "Europe/Berlin", None),
        term("2026-03-01T12:10:30Z", "Europe/Berlin", Some(1)),
        term("2026-03-01T12:20:30Z", "UTC", Some(1)),
    ];
    assert_eq!(terms(&app, &ada, 1).await, expected);
    // A name has no terms, and two changes at the same instant are one.
    patch(&app, &ada, 1, &json!({ "name": "South" })).await.expect(200);
    patch(&app, &ada, 1, &json!({ "project_id": null })).await.expect(200);
    let last = terms(&app, &ada, 1).await;
    assert_eq!(last[2], term("2026-03-01T12:20:30Z", "UTC", None));
    assert_eq!(last.len(), 3);
}

async fn a_change_from_the_past_keeps_what_else_was_said_later(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_project(&app, &ada, "North").await;
    let from = json!({ "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new_site("East", &from)).await.expect(201);
    let change = json!({ "time_zone": "UTC", "effective_from": "2026-02-01T00:00:00Z" });
    patch(&app, &ada, 1, &change).await.expect(200);
    let change = json!({ "project_id": 1, "effective_from": "2026-01-15T00:00:00Z" });
    let reply = patch(&app, &ada, 1, &change).await.expect(200);
    assert_eq!((&reply.json()["project_id"], &reply.json()["time_zone"]), (&json!(1), &json!("UTC")));
    let expected = [
        term("2026-01-01T00:00:00Z", "Europe/Berlin", None),
        term("2026-01-15T00:00:00Z", "Europe/Berlin", Some(1)),
        term("2026-02-01T00:00:00Z", "UTC", Some(1)),
    ];
    assert_eq!(terms(&app, &ada, 1).await, expected);
    // Later values of the same field are replaced.
    let change = json!({ "time_zone": "Asia/Tokyo", "effective_from": "2026-01-20T00:00:00Z" });
    assert_eq!(patch(&app, &ada, 1, &change).await.expect(200).json()["time_zone"], "Asia/Tokyo");
    let expected = [
        term("2026-01-01T00:00:00Z", "Europe/Berlin", None),
        term("2026-01-15T00:00:00Z", "Europe/Berlin", Some(1)),
        term("2026-01-20T00:00:00Z", "Asia/Tokyo", Some(1)),
    ];
    assert_eq!(terms(&app, &ada, 1).await, expected);
}

async fn a_change_before_the_first_term_lets_the_site_begin_then(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &new_site("East", &json!({}))).await.expect(201);
    // Even one that repeats the present value, because the worksite existed before.
    let change = json!({ "time_zone": "Europe/Berlin", "effective_from": "2026-02-01T00:00:00Z" });
    assert_eq!(patch(&app, &ada, 1, &change).await.expect(200).header("etag"), "\"2\"");
    assert_eq!(terms(&app, &ada, 1).await, [term("2026-02-01T00:00:00Z", "Europe/Berlin", None)]);
    let change = json!({ "boundary": square(13.0, 52.0, 0.01), "effective_from": "2026-01-01T00:00:00Z" });
    let area = patch(&app, &ada, 1, &change).await.expect(200).json()["area_m2"].clone();
    let (from, zone) = ("2026-01-01T00:00:00Z".to_owned(), "Europe/Berlin".to_owned());
    assert_eq!(terms(&app, &ada, 1).await, [(from, zone, Value::Null, area)]);
}

async fn terms_that_say_the_same_are_one(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let from = json!({ "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new_site("East", &from)).await.expect(201);
    let change = |zone: &str, from: &str| json!({ "time_zone": zone, "effective_from": from });
    patch(&app, &ada, 1, &change("UTC", "2026-02-01T00:00:00Z")).await.expect(200);
    patch(&app, &ada, 1, &change("Europe/Berlin", "2026-02-01T00:00:00Z")).await.expect(200);
    assert_eq!(terms(&app, &ada, 1).await, [term("2026-01-01T00:00:00Z", "Europe/Berlin", None)]);
    let same = patch(&app, &ada, 1, &change("Europe/Berlin", "2026-02-10T00:00:00Z")).await.expect(200);
    assert_eq!(same.header("etag"), "\"3\"", "nothing changed");
}

async fn terms_are_paged_the_newest_first(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &new_site("East", &json!({}))).await.expect(201);
    for zone in ["UTC", "Asia/Tokyo", "UTC", "Asia/Tokyo"] {
        app.clock.advance(Span::minutes(1));
        patch(&app, &ada, 1, &json!({ "time_zone": zone })).await.expect(200);
    }
    let (mut seen, mut query) = (Vec::new(), "/1/terms?limit=2&include_total=true".to_owned());
    loop {
        let body = get(&app, &ada, &query).await.expect(200).json();
        seen.extend(body["data"].as_array().unwrap().clone());
        match body["page"]["next"].as_str() {
            Some(next) => query = format!("/1/terms?limit=2&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 5);
    assert!(seen[0]["to"].is_null());
    assert!(seen.windows(2).all(|pair| pair[1]["to"] == pair[0]["from"]), "{seen:?}");
    get(&app, &ada, "/1/terms?cursor=x").await.expect(400);
    get(&app, &ada, "/1/terms?open=true").await.expect(400);
}

async fn a_restricted_member_does_not_rewrite_a_time_that_was_not_theirs(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for name in ["North", "South"] {
        create_project(&app, &ada, name).await;
    }
    let more = json!({ "project_id": 2, "effective_from": "2026-01-01T00:00:00Z" });
    post(&app, &ada, &new_site("East", &more)).await.expect(201);
    let to = json!({ "project_id": 1, "effective_from": "2026-02-01T00:00:00Z" });
    patch(&app, &ada, 1, &to).await.expect(200);
    restrict(&app, &bob, &[1]).await;
    let change = |from: &str| json!({ "time_zone": "UTC", "effective_from": from });
    let reply = patch(&app, &bob, 1, &change("2026-01-15T00:00:00Z")).await.expect(403);
    assert_eq!(reply.code(), "restricted");
    patch(&app, &bob, 1, &change("2026-02-01T00:00:00Z")).await.expect(200);
}
