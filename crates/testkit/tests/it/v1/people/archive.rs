//! POST /api/v1/people/{id}/archive, …/restore

use domain::{Role, Span};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(archiving_sends_a_person_home_and_restoring_brings_them_back);

async fn archiving_sends_a_person_home_and_restoring_brings_them_back(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let post = |path: &str, body| app.post(path).cookie(&member.cookie).json(&body).send();
    post("/api/v1/visitor_sessions", json!({ "name": "Grace", "tag_serial": "T-1" })).await.expect(201);
    post("/api/v1/tag_assignments", json!({ "person_id": 1, "tag_serial": "T-2" })).await.expect(201);
    app.clock.advance(Span::minutes(5));
    let act = |act: &str| app.post(&format!("/api/v1/people/1/{act}")).cookie(&member.cookie).send();
    let archived = act("archive").await.expect(200);
    assert_eq!(archived.json()["archived_at"], "2026-03-01T12:05:30Z");
    assert_eq!(archived.header("etag"), "\"2\"");
    let visit = app.get("/api/v1/visitor_sessions/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(
        (&visit["state"], &visit["checked_out_at"]),
        (&json!("completed"), &json!("2026-03-01T12:05:30Z"))
    );
    let open = app.get("/api/v1/tag_assignments?open=true").cookie(&member.cookie).send().await.expect(200);
    assert_eq!(open.json()["data"], json!([]));
    // Repeating it has no effect, and the first time stays.
    app.clock.advance(Span::minutes(5));
    assert_eq!(act("archive").await.expect(200).json(), archived.json());
    let body = json!({ "person_id": 1, "tag_serial": "T-1" });
    for path in ["/api/v1/tag_assignments", "/api/v1/visitor_sessions"] {
        let refused = post(path, body.clone()).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], "person_archived", "{path}");
    }
    assert!(act("restore").await.expect(200).json()["archived_at"].is_null());
    assert_eq!(act("restore").await.expect(200).header("etag"), "\"3\"");
    post("/api/v1/tag_assignments", body).await.expect(201);
}
