//! PATCH /api/v1/tags/{id}

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    a_tag_changes_its_role_and_nothing_else,
    a_retired_tag_is_taken_back_and_not_handed_out,
    a_stale_change_of_a_tag_is_refused,
);

async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let tag = json!({ "serial": "TAG-1" });
    app.post("/api/v1/tags").cookie(&member.cookie).json(&tag).send().await.expect(201);
    member
}

async fn patch(app: &TestApp, member: &Account, change: &Value) -> Reply {
    app.patch("/api/v1/tags/1").cookie(&member.cookie).json(change).send().await
}

async fn a_tag_changes_its_role_and_nothing_else(app: TestApp) {
    let member = set_up(&app).await;
    let reply = patch(&app, &member, &json!({ "role": "operator" })).await.expect(200);
    assert_eq!((&reply.json()["role"], reply.header("etag")), (&json!("operator"), "\"2\""));
    assert_eq!(
        patch(&app, &member, &json!({ "role": "operator" })).await.expect(200).header("etag"),
        "\"2\""
    );
    for (change, code) in [
        (json!({ "serial": "TAG-2" }), "read_only"),
        (json!({ "tag_serial": "TAG-2" }), "unknown_field"),
        (json!({ "role": null }), "required"),
        (json!({ "retired": "yes" }), "wrong_type"),
    ] {
        let refused = patch(&app, &member, &change).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{change}");
    }
}

async fn a_retired_tag_is_taken_back_and_not_handed_out(app: TestApp) {
    let member = set_up(&app).await;
    let post = |path: &str, body: Value| app.post(path).cookie(&member.cookie).json(&body).send();
    post("/api/v1/people", json!({ "kind": "staff", "name": "Ada" })).await.expect(201);
    let assign = json!({ "tag_id": 1, "person_id": 1 });
    post("/api/v1/tag_assignments", assign.clone()).await.expect(201);
    app.clock.advance(Span::minutes(1));
    let retired = patch(&app, &member, &json!({ "retired": true })).await.expect(200).json();
    assert_eq!((&retired["state"], &retired["flags"]), (&json!("retired"), &json!([])));
    assert_eq!((&retired["retired_at"], &retired["person"]), (&json!("2026-03-01T12:01:30Z"), &json!(null)));
    let ended = app.get("/api/v1/tag_assignments/1").cookie(&member.cookie).send().await.expect(200).json();
    assert_eq!(ended["ended_at"], "2026-03-01T12:01:30Z");
    let refused = post("/api/v1/tag_assignments", assign.clone()).await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "tag_retired");
    let reopen = json!({ "ended_at": null });
    let refused = app.patch("/api/v1/tag_assignments/1").cookie(&member.cookie).json(&reopen).send().await;
    assert_eq!(refused.expect(422).json()["errors"][0]["code"], "tag_retired");
    // Retiring again keeps the first time.
    app.clock.advance(Span::minutes(1));
    let again = patch(&app, &member, &json!({ "retired": true })).await.expect(200).json();
    assert_eq!(again["retired_at"], retired["retired_at"]);
    let back = patch(&app, &member, &json!({ "retired": false })).await.expect(200).json();
    assert_eq!((&back["state"], &back["retired_at"]), (&json!("stock"), &json!(null)));
    post("/api/v1/tag_assignments", assign).await.expect(201);
}

async fn a_stale_change_of_a_tag_is_refused(app: TestApp) {
    let member = set_up(&app).await;
    let change = |tag: &str, role: &str| {
        let request = app.patch("/api/v1/tags/1").cookie(&member.cookie).header("if-match", tag);
        request.json(&json!({ "role": role })).send()
    };
    change("\"1\"", "operator").await.expect(200);
    assert_eq!(change("\"1\"", "pedestrian").await.expect(412).code(), "stale");
}
