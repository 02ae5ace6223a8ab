//! POST /api/v1/admin/users

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    an_invited_user_is_made_and_found_again,
    an_email_is_taken_once_in_a_brand,
    an_email_of_another_brand_is_invited_like_any_other,
    of_two_brands_that_invite_someone_one_is_joined,
    every_wrong_field_of_an_invitation_is_named,
    an_invitation_can_be_repeated_under_a_key,
    projects_of_others_are_unknown,
);

const PATH: &str = "/api/v1/admin/users";

async fn an_invited_user_is_made_and_found_again(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.post("/api/v1/projects")
        .cookie(&admin.cookie)
        .json(&json!({ "name": "Bridge" }))
        .send()
        .await
        .expect(201);
    let new =
        json!({ "email": "Grace@Example.com", "name": "Grace", "role": "member", "project_ids": [1, 1] });
    let made = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201);
    assert_eq!(
        made.json(),
        json!({
            "id": 2, "email": "Grace@Example.com", "name": "Grace", "role": "member", "state": "invited",
            "project_ids": [1], "second_factor": false, "last_login_at": null,
            "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
        })
    );
    let found = app.get(made.header("location")).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(found.json(), made.json());
    // An invited user cannot sign in before joining.
    app.log_in_v1("grace@example.com", testkit::PASSWORD).await.expect(401);
    let invited = app.get(&format!("{PATH}?state=invited&q=GRACE@")).cookie(&admin.cookie).send().await;
    assert_eq!(invited.expect(200).json()["data"][0]["id"], 2);
    let path = "/api/v1/admin/audit_log?action=user.invited";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(log["data"][0]["details"]["after"]["role"], "member");
    app.run_jobs().await;
}

async fn an_email_is_taken_once_in_a_brand(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "email": "Eve@example.com", "name": "Eve", "role": "member" });
    app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201);
    for email in ["ADA@example.com", "eve@example.com"] {
        let new = json!({ "email": email, "name": "Grace", "role": "member" });
        let refused = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], "email_taken");
    }
    app.run_jobs().await;
}

/// The inviting admin sees the same as for any other address; only the owner of the address learns why it is not possible.
async fn an_email_of_another_brand_is_invited_like_any_other(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.create_user_in_brand("Other", "eve@example.com", Role::Viewer).await;
    let invite = |name: &str| {
        let new = json!({ "email": format!("{name}@example.com"), "name": name, "role": "member" });
        app.post(PATH).cookie(&admin.cookie).json(&new).send()
    };
    // Without the values specific to each response.
    let bare = |reply: &testkit::Reply, name: &str| {
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        let id = format!("\"id\":{}", reply.json()["id"]);
        (reply.status, text.replace(name, "NAME").replace(&id, "ID"))
    };
    let (known, unknown) = (invite("eve").await.expect(201), invite("new").await.expect(201));
    assert_eq!(bare(&known, "eve"), bare(&unknown, "new"));
    assert_eq!(known.json()["state"], "invited");
    for path in ["", "/resend_invitation", "/deactivate", "/reactivate"] {
        let call = async |of: &testkit::Reply, name: &str| {
            let path = format!("{}{path}", of.header("location"));
            let call = if path.ends_with(char::is_numeric) { app.get(&path) } else { app.post(&path) };
            bare(&call.cookie(&admin.cookie).send().await, name)
        };
        assert_eq!(call(&known, "eve").await, call(&unknown, "new").await, "{path}");
    }
    // The earlier links ended with the deactivation.
    for of in [&known, &unknown] {
        let path = format!("{}/resend_invitation", of.header("location"));
        app.post(&path).cookie(&admin.cookie).send().await.expect(200);
    }
    app.run_jobs().await;
    let log = app
        .get("/api/v1/admin/audit_log?action=mail.sent")
        .cookie(&admin.cookie)
        .send()
        .await
        .expect(200)
        .json();
    let mut sent: Vec<i64> =
        log["data"].as_array().unwrap().iter().map(|row| row["target"]["id"].as_i64().unwrap()).collect();
    sent.sort_unstable();
    assert_eq!(sent, [known.json()["id"].as_i64().unwrap(), unknown.json()["id"].as_i64().unwrap()]);
    for mail in app.mails() {
        let is_known = mail.to.as_str() == "eve@example.com";
        let text = &mail.text;
        assert_eq!(text.contains("already has an account"), is_known, "{text}");
        assert_eq!(text.contains("/invitations/"), !is_known, "{text}");
        assert!(!text.contains("Other"), "{text}");
    }
    // The account in the other brand is unchanged.
    app.log_in_v1("eve@example.com", testkit::PASSWORD).await.expect(201);
}

async fn of_two_brands_that_invite_someone_one_is_joined(app: TestApp) {
    let brands = [
        app.sign_in_new_user_in_brand("Acme", "ada@example.com", Role::Admin).await,
        app.sign_in_new_user_in_brand("Other", "olga@example.com", Role::Admin).await,
    ];
    let new = json!({ "email": "eve@example.com", "name": "Eve", "role": "member" });
    for admin in &brands {
        app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
    app.run_jobs().await;
    let links = crate::account::links(&app, "eve@example.com");
    assert_eq!(links.len(), 2);
    let password = json!({ "password": "seven grey otters row" });
    app.post(&links[0]).json(&password).send().await.expect(200);
    for reply in [app.get(&links[1]).send().await, app.post(&links[1]).json(&password).send().await] {
        assert_eq!(reply.expect(409).code(), "address_in_use");
    }
    let session = app.log_in_v1("eve@example.com", "seven grey otters row").await.expect(201);
    assert!(session.json().to_string().contains("Acme"));
    let path = format!("{PATH}?q=eve");
    let listed = app.get(&path).cookie(&brands[1].cookie).send().await.expect(200).json();
    assert_eq!(listed["data"][0]["state"], "invited");
}

async fn every_wrong_field_of_an_invitation_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({
        "email": "x@y\r\nBcc: z@w", "name": "a\nb", "role": "root", "project_ids": ["1"], "state": "active",
        "brand_id": 2, "password": "plum wagon sixty tiles",
    });
    let refused = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(422).json();
    let named: Vec<String> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    let expected = [
        "email: control_character",
        "name: control_character",
        "role: invalid_role",
        "project_ids: wrong_type",
        "brand_id: unknown_field",
        "password: unknown_field",
        "state: unknown_field",
    ];
    assert_eq!(named, expected);
    let list = app.get(&format!("{PATH}?include_total=true")).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(list.json()["page"]["total"], 1);
}

async fn an_invitation_can_be_repeated_under_a_key(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "email": "grace@example.com", "name": "Grace", "role": "member" });
    let invite = || app.post(PATH).cookie(&admin.cookie).header("idempotency-key", "k1").json(&new).send();
    let first = invite().await.expect(201).json();
    assert_eq!(invite().await.expect(201).json(), first);
    app.run_jobs().await;
}

async fn projects_of_others_are_unknown(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    app.post("/api/v1/projects").cookie(&eve.cookie).json(&json!({ "name": "X" })).send().await.expect(201);
    for id in [1, 99] {
        let new = json!({ "email": "g@example.com", "name": "G", "role": "member", "project_ids": [id] });
        let refused = app.post(PATH).cookie(&admin.cookie).json(&new).send().await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], "unknown_project");
    }
    // A failed invitation leaves nothing behind.
    let list = app.get(&format!("{PATH}?include_total=true")).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(list.json()["page"]["total"], 1);
}
