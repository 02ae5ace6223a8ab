//! Writes repeated with the same `Idempotency-Key`.

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(
    a_repeat_from_another_process_is_not_refused_by_the_first,
    a_repeat_gets_the_same_answer_and_makes_nothing,
    another_body_under_the_same_key_is_refused,
    keys_belong_to_their_caller_and_path,
    a_refusal_is_not_kept,
    an_answer_is_kept_for_a_day,
    twenty_at_once_make_one,
);

async fn post(app: &TestApp, cookie: &str, key: &str, body: &Value) -> Reply {
    app.post("/api/v1/projects").cookie(cookie).header("idempotency-key", key).json(body).send().await
}

async fn count(app: &TestApp, cookie: &str) -> Value {
    let list = app.get("/api/v1/projects?include_total=true").cookie(cookie).send().await.expect(200);
    list.json()["page"]["total"].clone()
}

async fn a_repeat_gets_the_same_answer_and_makes_nothing(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let body = json!({ "name": "Bridge" });
    let first = post(&app, &ada.cookie, "k-1", &body).await.expect(201);
    app.clock.advance(Span::minutes(5));
    let other = app.second_instance().await;
    for place in [&app, &other] {
        let again = post(place, &ada.cookie, "k-1", &body).await.expect(201);
        assert_eq!((again.json(), again.header("location")), (first.json(), first.header("location")));
        assert_eq!(again.header("etag"), first.header("etag"));
    }
    // The version is the one that was created, also after a change.
    let path = first.header("location");
    assert_eq!(app.get(path).cookie(&ada.cookie).send().await.header("etag"), first.header("etag"));
    let change = app.patch(path).cookie(&ada.cookie).header("if-match", first.header("etag"));
    let changed = change.json(&json!({ "name": "Viaduct" })).send().await.expect(200);
    assert_ne!(changed.header("etag"), first.header("etag"));
    let again = post(&app, &ada.cookie, "k-1", &body).await.expect(201);
    assert_eq!(again.header("etag"), first.header("etag"));
    assert_eq!(count(&app, &ada.cookie).await, 1);
    post(&app, &ada.cookie, "k-2", &body).await.expect(201);
    assert_eq!(count(&app, &ada.cookie).await, 2);
}

async fn another_body_under_the_same_key_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada.cookie, "k-1", &json!({ "name": "Bridge" })).await.expect(201);
    let refused = post(&app, &ada.cookie, "k-1", &json!({ "name": "Tunnel" })).await.expect(422);
    assert_eq!(refused.code(), "idempotency_key_reused");
    for key in ["", "a b", "é", &"k".repeat(256)] {
        let refused = post(&app, &ada.cookie, key, &json!({ "name": "Bridge" })).await.expect(400);
        assert_eq!(refused.json()["errors"][0]["field"], "Idempotency-Key");
    }
    assert_eq!(count(&app, &ada.cookie).await, 1);
}

async fn keys_belong_to_their_caller_and_path(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    post(&app, &ada.cookie, "k-1", &json!({ "name": "Bridge" })).await.expect(201);
    post(&app, &bob.cookie, "k-1", &json!({ "name": "Tunnel" })).await.expect(201);
    let person = json!({ "kind": "staff", "name": "Ada" });
    let path = "/api/v1/tester/people_assets";
    let add = || app.post(path).bearer(&token).header("idempotency-key", "k-1").json(&person).send();
    assert_eq!(add().await.expect(201).json(), add().await.expect(201).json());
    assert_eq!(count(&app, &ada.cookie).await, 2);
}

async fn a_refusal_is_not_kept(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada.cookie, "k-1", &json!({ "name": "" })).await.expect(422);
    post(&app, &ada.cookie, "k-1", &json!({ "name": "Bridge" })).await.expect(201);
}

async fn an_answer_is_kept_for_a_day(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let body = json!({ "name": "Bridge" });
    post(&app, &ada.cookie, "k-1", &body).await.expect(201);
    app.clock.advance(Span::minutes(24 * 60));
    let cookie = app.log_in_v1(&ada.email, testkit::PASSWORD).await.expect(201).session_cookie();
    post(&app, &cookie, "k-1", &body).await.expect(201);
    assert_eq!(count(&app, &cookie).await, 1);
    app.clock.advance(Span::seconds(1));
    post(&app, &cookie, "k-1", &body).await.expect(201);
    assert_eq!(count(&app, &cookie).await, 2);
}

async fn twenty_at_once_make_one(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let other = app.second_instance().await;
    let body = json!({ "name": "Bridge" });
    let mut work = tokio::task::JoinSet::new();
    for n in 0..20 {
        let place = if n % 2 == 0 { &app } else { &other };
        let request = place.post("/api/v1/projects").cookie(&ada.cookie).header("idempotency-key", "k-1");
        work.spawn(request.json(&body).send());
    }
    let mut made = 0;
    for reply in work.join_all().await {
        match reply.status.as_u16() {
            201 => made += 1,
            409 => assert_eq!(reply.code(), "still_running"),
            other => panic!("{other}: {}", String::from_utf8_lossy(&reply.body)),
        }
    }
    assert!(made >= 1);
    assert_eq!(count(&app, &ada.cookie).await, 1);
}

async fn a_repeat_from_another_process_is_not_refused_by_the_first(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let person = json!({ "kind": "staff", "name": "Ada" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);
    let places = [
        app.second_instance().await,
        app.second_instance().await,
        app.second_instance().await,
        app.second_instance().await,
    ];
    for round in 0..5 {
        let body = json!({ "tag_serial": format!("TAG-{round}"), "person_id": 1 });
        let key = format!("k-{round}");
        let mut work = tokio::task::JoinSet::new();
        for place in &places {
            let request = place.post("/api/v1/tester/tag_assignments").bearer(&token);
            work.spawn(request.header("idempotency-key", &key).json(&body).send());
        }
        let bodies: Vec<Value> =
            work.join_all().await.into_iter().map(|reply| reply.expect(201).json()).collect();
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    }
}
