//! PATCH /api/v1/people/{id}

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    what_is_named_of_a_person_changes_and_the_rest_stays,
    a_stale_change_of_a_person_is_refused,
    a_visitor_who_is_here_stays_a_visitor,
    a_change_is_written_down_without_naming_anyone,
);

async fn set_up(app: &TestApp) -> Account {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    let body = json!({ "kind": "visitor", "name": "Ada", "email": "ada@example.com", "company": "Engines" });
    app.post("/api/v1/people").cookie(&member.cookie).json(&body).send().await.expect(201);
    member
}

async fn patch(app: &TestApp, member: &Account, change: &Value) -> Reply {
    app.patch("/api/v1/people/1").cookie(&member.cookie).json(change).send().await
}

async fn what_is_named_of_a_person_changes_and_the_rest_stays(app: TestApp) {
    let member = set_up(&app).await;
    let reply =
        patch(&app, &member, &json!({ "name": "Ada L", "email": null, "kind": "staff" })).await.expect(200);
    let person = reply.json();
    assert_eq!(
        (&person["name"], &person["email"], &person["kind"], &person["company"]),
        (&json!("Ada L"), &json!(null), &json!("staff"), &json!("Engines"))
    );
    assert_eq!(reply.header("etag"), "\"2\"");
    // A PATCH without effect does not change the version.
    assert_eq!(patch(&app, &member, &json!({ "name": "Ada L" })).await.expect(200).header("etag"), "\"2\"");
    for (change, code) in [
        (json!({ "name": null }), "required"),
        (json!({ "kind": "boss" }), "invalid_kind"),
        (json!({ "email": "x" }), "invalid_email"),
        (json!({ "id": 2 }), "read_only"),
        (json!({ "erased": true }), "unknown_field"),
    ] {
        let refused = patch(&app, &member, &change).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{change}");
    }
}

async fn a_stale_change_of_a_person_is_refused(app: TestApp) {
    let member = set_up(&app).await;
    let change = |tag: &str, name: &str| {
        let request = app.patch("/api/v1/people/1").cookie(&member.cookie).header("if-match", tag);
        request.json(&json!({ "name": name })).send()
    };
    change("\"1\"", "Second").await.expect(200);
    assert_eq!(change("\"1\"", "Third").await.expect(412).code(), "stale");
    change("\"2\"", "Third").await.expect(200);
}

async fn a_visitor_who_is_here_stays_a_visitor(app: TestApp) {
    let member = set_up(&app).await;
    let body = json!({ "person_id": 1, "tag_serial": "T-1" });
    app.post("/api/v1/visitor_sessions").cookie(&member.cookie).json(&body).send().await.expect(201);
    let refused = patch(&app, &member, &json!({ "kind": "staff" })).await.expect(422).json();
    assert_eq!(refused["errors"][0]["code"], "already_checked_in");
    app.post("/api/v1/visitor_sessions/1/check_out").cookie(&member.cookie).send().await.expect(200);
    patch(&app, &member, &json!({ "kind": "staff" })).await.expect(200);
}

async fn a_change_is_written_down_without_naming_anyone(app: TestApp) {
    let member = set_up(&app).await;
    patch(&app, &member, &json!({ "name": "Countess" })).await.expect(200);
    let admin = app.sign_in_new_user("a@example.com", Role::Admin).await;
    let log = app.get("/api/v1/admin/audit_log?action=person.changed").cookie(&admin.cookie).send().await;
    let row = log.expect(200).json()["data"][0].clone();
    assert_eq!(row["details"], json!({ "changed": ["name"] }));
    assert!(row.to_string().contains("Countess"), "{row}");
}
