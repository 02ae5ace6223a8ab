//! /api/v2/visitor_sessions

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::ids;
use crate::ingest::events::BerlinYard;

on_both_engines!(visits_are_listed_with_what_they_are_about, visits_are_those_that_one_sees);

async fn get(yard: &BerlinYard, user: &Account, rest: &str) -> Reply {
    yard.app.get(&format!("/api/v2/visitor_sessions{rest}")).bearer(&user.jwt).send().await
}

/// Two visits, the first of which has ended.
async fn visited_yard(app: TestApp) -> BerlinYard {
    let yard = BerlinYard::set_up(app).await;
    for (name, tag) in [("Vera", "V-1"), ("Vic", "V-2")] {
        let visit = json!({ "name": name, "tag_serial": tag, "company": "Plums", "worksite_id": 1 });
        yard.post("visitor_sessions", visit).await;
    }
    let end = yard.app.post("/api/v1/visitor_sessions/1/check_out").cookie(&yard.admin.cookie);
    end.send().await.expect(200);
    yard
}

async fn visits_are_listed_with_what_they_are_about(app: TestApp) {
    let yard = visited_yard(app).await;
    let path = "?include=person,tag,worksite&fields[people]=name&fields[tags]=serial&fields[worksites]=name";
    let document = get(&yard, &yard.admin, path).await.expect(200).json();
    assert_eq!(ids(&document["data"]), ["2", "1"]);
    let attributes = &document["data"][0]["attributes"];
    assert_eq!((&attributes["state"], &attributes["company"]), (&json!("active"), &json!("Plums")));
    let included = document["included"].as_array().unwrap().iter();
    let included: Vec<Value> = included.map(|one| one["attributes"].clone()).collect();
    for part in [json!({ "name": "Vera" }), json!({ "serial": "V-2" }), json!({ "name": "Yard" })] {
        assert!(included.contains(&part), "{part}");
    }
    for (query, expected) in [
        ("filter[state]=completed", &["1"][..]),
        ("filter[worksite]=1&sort=checked_in_at", &["1", "2"]),
        ("filter[person]=3", &["1"]),
        ("filter[person]=4,3&filter[state]=active,completed", &["2", "1"]),
        ("filter[worksite]=1,7&filter[state]=active", &["2"]),
        ("filter[worksite]=7,8", &[]),
        ("filter[to]=2026-01-01T00:00:00Z", &[]),
    ] {
        let document = get(&yard, &yard.admin, &format!("?{query}")).await.expect(200).json();
        assert_eq!(ids(&document["data"]), expected, "{query}");
    }
}

async fn visits_are_those_that_one_sees(app: TestApp) {
    let yard = visited_yard(app).await;
    yard.post("projects", json!({ "name": "South" })).await;
    let theirs = yard.restricted("theirs@example.com", Role::Member, &[2]).await;
    assert_eq!(get(&yard, &theirs, "").await.expect(200).json()["data"], json!([]));
    get(&yard, &theirs, "/1").await.expect(404);
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let reply = get(&yard, &viewer, "/1?include=person").await.expect(200);
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    assert!(!text.contains("Vera") && !text.contains("Plums"), "{text}");
}
