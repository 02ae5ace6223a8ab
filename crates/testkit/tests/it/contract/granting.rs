//! Nobody can grant, invite, issue or read more than they may themselves: every operation with a management permission, called by an
//! admin who sees only one project, on what concerns other projects.

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::two_projects::TwoProjects;
use super::{Operation, Scheme};

on_both_engines!(
    a_restricted_admin_is_refused_what_is_wider_than_they_are,
    a_restricted_admin_looks_after_those_within_their_projects,
    the_last_admin_who_sees_everything_stays,
);

/// Permissions to grant or issue access or to manage other users.
const PERMISSIONS: &[&str] =
    &["manage_users", "manage_devices", "manage_brand", "read_audit", "erase_people"];

/// Operations with such a permission that a restricted admin may call on anything in the brand, and the reason. The list may only get
/// shorter.
const EXEMPT: &[(&str, &str)] = &[
    (
        "GET /api/v1/admin/brand",
        "settings are what everyone of the brand works by; reading them grants nothing",
    ),
    ("GET /api/v1/admin/gateways", "lists what there is, never a token"),
    ("GET /api/v1/admin/gateways/{id}", "shows what there is, never a token"),
    (
        "GET /api/v1/admin/service_accounts",
        "lists those alone that see nothing beyond the caller's projects, never a token",
    ),
    ("GET /api/v1/admin/tester_devices", "lists what there is, never a token"),
    ("GET /api/v1/admin/tester_devices/{id}", "shows what there is, never a token"),
    ("GET /api/v1/admin/users", "lists those alone who see nothing beyond the caller's projects"),
];

async fn a_restricted_admin_is_refused_what_is_wider_than_they_are(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let granting = |operation: &&Operation| {
        let permission = operation.permission();
        operation.scheme() == Scheme::Session && permission.is_some_and(|name| PERMISSIONS.contains(&name))
    };
    let granting: Vec<&Operation> = there.world.operations.iter().filter(granting).collect();
    for (name, _) in EXEMPT {
        assert!(
            granting.iter().any(|operation| operation.name == *name),
            "{name} is exempt but not documented"
        );
    }
    for operation in granting {
        let admin = there.restricted(Role::Admin).await;
        // Created by an unrestricted admin outside any project; a person belongs to another project.
        let path = match operation.path.as_str() {
            "/api/v1/people/{id}/erase" => "/api/v1/people/2/erase".to_owned(),
            _ => there.world.path(operation, &admin).await,
        };
        let mut body =
            there.world.body(operation, &admin).await.map(|body| there.world.with_unique_fields(body));
        if let Some(body) = &mut body
            && body.get("project_ids").is_some()
        {
            body["project_ids"] = json!(null);
        }
        let call = there.world.call(operation, &path, body.as_ref());
        let reply = admin.authenticate(operation.scheme(), call).send().await;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        if EXEMPT.iter().any(|(name, _)| *name == operation.name) {
            assert_eq!(reply.status, 200, "{}: {text}", operation.name);
            continue;
        }
        match reply.status.as_u16() {
            403 => {
                assert_eq!(reply.code(), "restricted", "{}", operation.name);
                assert!(
                    operation.documents_code("restricted"),
                    "{} does not document `restricted`",
                    operation.name
                );
            }
            // What they cannot see does not exist for them.
            404 => {
                let hidden = ["base_stations", "users", "service_accounts"];
                let is_hidden = hidden.iter().any(|part| operation.path.contains(part));
                assert!(is_hidden, "{}: {text}", operation.name);
            }
            _ => panic!("{} is open to a restricted admin: {} {text}", operation.name, reply.status),
        }
        there.expect_unchanged(&operation.name).await;
    }
}

async fn a_restricted_admin_looks_after_those_within_their_projects(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let app = &there.world.app;
    let admin = there.restricted(Role::Admin).await;
    let users = "/api/v1/admin/users";
    let own = app.get("/api/v1/session").cookie(&admin.account.cookie).send().await.expect(200).json();
    let own = format!("{users}/{}", own["user"]["id"]);
    let patch = |path: &str, body| app.patch(path).cookie(&admin.account.cookie).json(&body).send();
    // They can widen neither their own restriction nor that of others.
    for projects in [json!(null), json!([1, 2]), json!([2])] {
        assert_eq!(patch(&own, json!({ "project_ids": projects })).await.expect(403).code(), "restricted");
    }
    let new = |email: &str, role: &str, projects| json!({ "email": email, "name": "Grace", "role": role, "project_ids": projects });
    let invite = |body| app.post(users).cookie(&admin.account.cookie).json(&body).send();
    for projects in [json!(null), json!([1, 2]), json!([2])] {
        for role in ["viewer", "admin"] {
            let refused = invite(new("grace@example.com", role, projects.clone())).await.expect(403);
            assert_eq!(refused.code(), "restricted");
        }
    }
    // A new user without `projects` would see all of them.
    let unsaid = json!({ "email": "grace@example.com", "name": "Grace", "role": "viewer" });
    assert_eq!(invite(unsaid).await.expect(403).code(), "restricted");
    let made = invite(new("grace@example.com", "member", json!([1]))).await.expect(201).json();
    let path = format!("{users}/{}", made["id"]);
    patch(&path, json!({ "role": "admin", "name": "Grace Hopper" })).await.expect(200);
    assert_eq!(patch(&path, json!({ "project_ids": null })).await.expect(403).code(), "restricted");
    patch(&path, json!({ "project_ids": [] })).await.expect(200);
    for act in ["resend_invitation", "deactivate", "reactivate"] {
        app.post(&format!("{path}/{act}")).cookie(&admin.account.cookie).send().await.expect(200);
    }
    // Users who see more do not exist for them.
    let list = async |cookie: &str| {
        let path = format!("{users}?limit=100&include_total=true");
        let list = app.get(&path).cookie(cookie).send().await.expect(200).json();
        let seen: Vec<String> =
            list["data"].as_array().unwrap().iter().map(|user| user["email"].to_string()).collect();
        assert_eq!(list["page"]["total"], seen.len());
        seen
    };
    let (all, seen) = (list(&there.admin.cookie).await, list(&admin.account.cookie).await);
    for (email, is_seen) in [("wide", false), ("far", false), ("near", true), ("grace", true)] {
        let has = |list: &[String]| list.contains(&format!("\"{email}@example.com\""));
        assert!(has(&all) && has(&seen) == is_seen, "{email}: {all:?} {seen:?}");
    }
    let wide =
        app.get(&format!("{users}?q=wide")).cookie(&there.admin.cookie).send().await.expect(200).json();
    let wide = format!("{users}/{}", wide["data"][0]["id"]);
    for change in [json!({ "name": "X" }), json!({ "role": "viewer" }), json!({ "project_ids": [1] })] {
        patch(&wide, change).await.expect(404);
    }
    app.get(&wide).cookie(&admin.account.cookie).send().await.expect(404);
    app.post(&format!("{wide}/deactivate")).cookie(&admin.account.cookie).send().await.expect(404);
    // They can manage the token of a station in their project; another does not exist.
    let token =
        |id: i64| app.post(&format!("/api/v1/admin/base_stations/{id}/token")).cookie(&admin.account.cookie);
    token(1).send().await.expect(201);
    token(2).send().await.expect(404);
    // They cannot delete what a less restricted user shares with the brand.
    let view = app.delete("/api/v2/saved_views/1").bearer(&admin.account.jwt).send().await;
    assert_eq!(view.expect(403).code(), "restricted");
    there.expect_unchanged("looking after others").await;
}

async fn the_last_admin_who_sees_everything_stays(app: TestApp) {
    let there = TwoProjects::new(app).await;
    let app = &there.world.app;
    there.restricted(Role::Admin).await;
    // The other admin of the fixture first.
    let patch = |id: i64, body| {
        app.patch(&format!("/api/v1/admin/users/{id}")).cookie(&there.admin.cookie).json(&body).send()
    };
    let own = app.get("/api/v1/session").cookie(&there.admin.cookie).send().await.expect(200).json();
    let own = own["user"]["id"].as_i64().unwrap();
    patch(1, json!({ "role": "viewer" })).await.expect(200);
    for change in [json!({ "role": "member" }), json!({ "project_ids": [1] })] {
        assert_eq!(patch(own, change).await.expect(409).code(), "last_admin");
    }
}
