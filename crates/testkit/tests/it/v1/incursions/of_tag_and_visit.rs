//! GET /api/v1/tags/{id}/incursions, GET /api/v1/tester/visitor_sessions/{id}/incursions

use domain::{DeviceKind, Review, Role, Span, TagId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{Yard, ids};

on_both_engines!(
    a_tag_has_all_its_incursions_within_what_the_caller_sees,
    a_visit_has_the_incursions_of_its_tag_while_the_visitor_had_it,
    a_tag_is_shown_with_how_often_it_came_near,
);

async fn a_tag_has_all_its_incursions_within_what_the_caller_sees(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows =
        vec![yard.row(3, Some(1)), yard.row(60 * 24 * 300, Some(2)), yard.row(1, None), yard.row(2, Some(1))];
    rows[0].review = Review::Dismissed;
    rows[2].operator_tag = Some(TagId(1));
    rows[2].tag = TagId(2);
    yard.facts.add_incursions(rows).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    let get = |user: &testkit::Account, rest: &str| {
        yard.app.get(&format!("/api/v1/tags/{rest}")).cookie(&user.cookie).send()
    };
    let list = get(&yard.admin, "1/incursions?include_total=true&limit=2").await.expect(200).json();
    assert_eq!((ids(&list), &list["page"]["total"]), (vec![4, 1], &json!(3)));
    let next = list["page"]["next"].as_str().unwrap();
    let rest = get(&yard.admin, &format!("1/incursions?limit=2&cursor={next}")).await.expect(200).json();
    assert_eq!(ids(&rest), [2]);
    assert_eq!(ids(&get(&some, "1/incursions").await.expect(200).json()), [4, 1]);
    assert_eq!(ids(&get(&yard.admin, "3/incursions").await.expect(200).json()), [0; 0]);
    get(&yard.admin, "99/incursions").await.expect(404);
    get(&yard.admin, "1/incursions?zone=danger").await.expect(400);
}

async fn a_visit_has_the_incursions_of_its_tag_while_the_visitor_had_it(app: TestApp) {
    let yard = Yard::new(app).await;
    let token = yard.app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let post = |path: &str, body: Value| {
        yard.app.post(&format!("/api/v1/tester/visitor_sessions{path}")).bearer(&token).json(&body).send()
    };
    let visit = post("", json!({ "name": "Eve", "tag_serial": "V-1" })).await.expect(201).json();
    let came_at = yard.app.clock.now();
    let (tag, assignment) = (TagId(visit["tag"]["id"].as_i64().unwrap()), 4);
    let path = "/api/v1/tester/visitor_sessions/1/incursions";
    let add = async |seconds: &[i64]| {
        let rows = seconds
            .iter()
            .map(|s| yard.facts.incursion(domain::BaseStationId(1), tag, came_at + Span::seconds(*s)));
        yard.facts.add_incursions(rows.collect()).await;
    };
    let shown = async || ids(&yard.app.get(path).bearer(&token).send().await.expect(200).json());
    add(&[-1, 0, 60, 120, 180]).await;
    assert_eq!(shown().await, [5, 4, 3, 2]);
    // Who reviewed one is not named at a gate.
    let review = yard.app.post("/api/v1/incursions/5/review").cookie(&yard.admin.cookie);
    review.json(&json!({ "state": "confirmed" })).send().await.expect(200);
    let list = yard.app.get(path).bearer(&token).send().await.expect(200).json();
    let by = &list["data"][0]["review"]["by"];
    assert_eq!((&by["type"], &by["name"]), (&json!("user"), &json!(null)));
    // The tag was returned early and worn by someone else.
    yard.app.clock.advance(Span::seconds(150));
    let end = yard.app.delete(&format!("/api/v1/tester/tag_assignments/{assignment}")).bearer(&token);
    let ended = end.send().await.expect(200).json();
    assert_eq!(ended["tag"]["serial"], "V-1");
    assert_eq!(shown().await, [4, 3, 2]);
    yard.app.clock.advance(Span::seconds(60));
    post("/1/check_out", json!({})).await.expect(200);
    assert_eq!(shown().await, [4, 3, 2]);
    let other = yard.app.issue_token("Other", DeviceKind::Tester, "Gate 1").await;
    yard.app.get(path).bearer(&other).send().await.expect(404);
    let second = post("", json!({ "name": "Flo", "tag_serial": "V-1" })).await.expect(201).json();
    yard.app.clock.advance(Span::seconds(60));
    let left_at = yard.app.clock.now();
    post("/2/check_out", json!({})).await.expect(200);
    assert_eq!(second["id"], 2);
    // The end is exclusive.
    let rows =
        [0, 1].map(|s| yard.facts.incursion(domain::BaseStationId(1), tag, left_at - Span::seconds(s)));
    yard.facts.add_incursions(rows.into()).await;
    let of_second = yard.app.get("/api/v1/tester/visitor_sessions/2/incursions").bearer(&token).send().await;
    assert_eq!(ids(&of_second.expect(200).json()), [7]);
    // The wearer of the tag is corrected meanwhile.
    yard.app.run_jobs().await;
}

async fn a_tag_is_shown_with_how_often_it_came_near(app: TestApp) {
    let yard = Yard::new(app).await;
    let days = 60 * 24;
    let mut rows = vec![
        yard.row(31 * days, Some(1)),
        yard.row(29 * days, Some(1)),
        yard.row(30 * days, Some(2)),
        yard.row(5, None),
        yard.row(1, Some(1)),
    ];
    rows[4].review = Review::FalseDetection;
    yard.facts.add_incursions(rows).await;
    let some = yard.restricted("some@example.com", Role::Viewer, &[1]).await;
    for (user, count, last_at) in
        [(&yard.admin, 3, "2026-03-01T11:55:37Z"), (&some, 1, "2026-01-31T12:00:37Z")]
    {
        let get = |path: &str| yard.app.get(path).cookie(&user.cookie).send();
        let list = get("/api/v1/tags").await.expect(200).json();
        let expected = json!({ "last_30_days": count, "last_at": last_at });
        assert_eq!(list["data"][0]["incursions"], expected);
        assert_eq!(list["data"][1]["incursions"], json!({ "last_30_days": 0, "last_at": null }));
        assert_eq!(get("/api/v1/tags/1").await.expect(200).json()["incursions"], expected);
    }
}
