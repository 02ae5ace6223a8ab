//! What a service account's token must not open.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::tokens::claims;
use super::{OWN, PATH, account, create_project, create_with_token};
use crate::forged_jwt;

on_both_engines!(
    a_viewers_token_writes_nothing,
    a_token_opens_v2_alone,
    a_program_has_no_sign_in_and_no_preferences,
    an_admins_token_grants_nothing,
    a_token_of_another_brand_sees_nothing,
    no_forged_token_is_taken,
    a_required_second_factor_is_not_required_of_programs,
    files_belong_to_the_account_that_asked_for_them,
);

async fn a_viewers_token_writes_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    app.get("/api/v2/projects").bearer(&token).send().await.expect(200);
    let refused = create_project(&app, &token, "Bridge").send().await.expect(403);
    assert_eq!(refused.code(), "permission_missing");
    let own = app.get(OWN).bearer(&token).send().await.expect(200).json();
    assert!(!own["permissions"].as_array().unwrap().contains(&json!("write_registry")), "{own}");
}

async fn a_token_opens_v2_alone(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "admin")).await;
    for path in ["/api/v1/session", "/api/v1/projects", "/api/v1/insights", PATH] {
        let refused = app.get(path).bearer(&token).send().await.expect(401);
        assert_eq!(refused.code(), "credentials_missing", "{path}");
        let refused = app.get(path).cookie(&token).send().await.expect(401);
        assert_eq!(refused.code(), "credentials_invalid", "{path}");
    }
    app.get("/api/v1/tester/people_assets").bearer(&token).send().await.expect(401);
    app.post("/ingest/v1/events").bearer(&token).json(&json!([])).send().await.expect(401);
    app.post("/api/v2/refresh").header("refreshtoken", &token).send().await.expect(401);
    app.get("/api/v2/projects").cookie(&token).send().await.expect(401);
}

async fn a_program_has_no_sign_in_and_no_preferences(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "admin")).await;
    for (method, path) in [
        (Method::DELETE, "/api/v2/session"),
        (Method::POST, "/api/v2/logout"),
        (Method::POST, "/api/v2/session/proof"),
        (Method::GET, "/api/v2/user_preferences"),
        (Method::PATCH, "/api/v2/user_preferences"),
        (Method::GET, "/api/v2/user_preferences/default_view"),
        (Method::GET, "/api/v2/user_preferences/relationships/default_view"),
        (Method::PATCH, "/api/v2/user_preferences/relationships/default_view"),
    ] {
        // Refused before the body is read.
        let call = app.request(method.clone(), path).bearer(&token);
        let call = if method == Method::GET { call } else { call.bytes("text/plain", "nonsense") };
        assert_eq!(call.send().await.expect(403).code(), "not_for_service_accounts", "{method} {path}");
    }
    app.get(OWN).bearer(&token).send().await.expect(200);
}

async fn an_admins_token_grants_nothing(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (account_path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "admin")).await;
    let own = app.get(OWN).bearer(&token).send().await.expect(200).json();
    let permissions = own["permissions"].as_array().unwrap();
    for granting in ["manage_users", "manage_devices", "manage_brand"] {
        assert!(!permissions.contains(&json!(granting)), "{own}");
    }
    assert!(permissions.contains(&json!("write_registry")), "{own}");
    // A shared view of a person is not theirs to delete, as it would be for an admin.
    let view = json!({ "data": { "type": "saved_views", "attributes": {
        "name": "Wide", "kind": "pivot", "definition": { "measures": ["incursions"] }, "shared": true } } });
    let made = app.post("/api/v2/saved_views").bearer(&admin.jwt);
    let made = made.bytes("application/vnd.api+json", view.to_string()).send().await.expect(201);
    let path = made.header("location");
    assert_eq!(app.delete(path).bearer(&token).send().await.expect(403).code(), "not_yours");
    // Its own views are those of a service account.
    let made = app.post("/api/v2/saved_views").bearer(&token);
    let made = made.bytes("application/vnd.api+json", view.to_string()).send().await.expect(201);
    let shown = app.get(made.header("location")).bearer(&admin.jwt).send().await.expect(200);
    let id = account_path.rsplit('/').next().unwrap();
    let owner = json!({ "data": { "type": "service_accounts", "id": id } });
    for document in [made.json(), shown.json()] {
        assert_eq!(document["data"]["relationships"]["owner"], owner);
    }
}

async fn a_token_of_another_brand_sees_nothing(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &theirs.cookie, &account("Dashboard", "admin")).await;
    let project = json!({ "name": "Bridge" });
    app.post("/api/v1/projects").cookie(&ours.cookie).json(&project).send().await.expect(201);
    app.get("/api/v2/projects/1").bearer(&token).send().await.expect(404);
    let list = app.get("/api/v2/projects").bearer(&token).send().await.expect(200).json();
    assert_eq!(list["data"], json!([]));
    let change = json!({ "data": { "type": "projects", "id": "1", "attributes": { "name": "Mine" } } });
    let change =
        app.patch("/api/v2/projects/1").bearer(&token).bytes("application/vnd.api+json", change.to_string());
    change.send().await.expect(404);
    let own = app.get(OWN).bearer(&token).send().await.expect(200).json();
    assert_eq!(own["brand"]["name"], "Other");
}

/// Signs claims with the key that signed a token, as someone could who has stolen that key.
async fn sign_with_its_key(app: &TestApp, token: &str, claims: &Value) -> String {
    let header = token.split('.').next().unwrap();
    let header: Value = serde_json::from_slice(&BASE64.decode(header).unwrap()).unwrap();
    let kid = header["kid"].as_str().unwrap();
    let (store, platform) = app.database().open().await;
    let keys = store.read().await.unwrap().installation(&platform).signing_keys().await.unwrap();
    let key = keys.into_iter().find(|key| key.kid == kid).unwrap();
    let secret = app.app.unseal("signing_keys.secret", kid.as_bytes(), &key.secret).unwrap();
    forged_jwt::sign(&header, claims, &secret)
}

async fn no_forged_token_is_taken(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let good = claims(&token);
    assert_eq!(good["kind"], "service_account");
    let with = |changes: &[(&str, Value)]| {
        let mut claims = good.clone();
        for (name, value) in changes {
            claims[*name] = value.clone();
        }
        claims
    };
    // The forging itself works.
    let honest = sign_with_its_key(&app, &token, &good).await;
    app.get(OWN).bearer(&honest).send().await.expect(200);
    // A later expiry in the token does not outlast the one in the store.
    let longer = with(&[("exp", json!(good["exp"].as_i64().unwrap() + 1_000))]);
    let longer = sign_with_its_key(&app, &token, &longer).await;
    let own = app.get(OWN).bearer(&longer).send().await.expect(200).json();
    assert_eq!(own["expires_at"], "2027-03-01T00:00:00Z");
    let person = claims(&admin.jwt);
    let mut session = good.clone();
    session.as_object_mut().unwrap().remove("kind");
    let forged = [
        ("another secret", with(&[("jti", json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))])),
        ("another account", with(&[("sub", person["sub"].clone())])),
        ("a longer life than ours", with(&[("exp", json!(good["iat"].as_i64().unwrap() + 800 * 86_400))])),
        ("a session", session),
        ("a session of long life", {
            let mut claims = person.clone();
            claims["exp"] = good["exp"].clone();
            claims
        }),
        ("a session as a service account", {
            let mut claims = person.clone();
            claims["kind"] = json!("service_account");
            claims
        }),
        ("an unknown kind", with(&[("kind", json!("root"))])),
        ("the wrong audience", with(&[("aud", json!("keepclear/api/v1"))])),
    ];
    for (what, claims) in forged {
        let token = sign_with_its_key(&app, &token, &claims).await;
        assert_eq!(app.get(OWN).bearer(&token).send().await.status, 401, "{what}");
    }
    let (head, rest) = token.split_once('.').unwrap();
    let unsigned = format!("{head}.{}.", rest.split('.').next().unwrap());
    app.get(OWN).bearer(&unsigned).send().await.expect(401);
}

async fn a_required_second_factor_is_not_required_of_programs(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let require = json!({ "second_factor_required": ["viewer"] });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&require).send().await.expect(200);
    app.get("/api/v2/projects").bearer(&token).send().await.expect(200);
}

async fn files_belong_to_the_account_that_asked_for_them(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (_, token) = create_with_token(&app, &admin.cookie, &account("Exports", "viewer")).await;
    let (_, other) = create_with_token(&app, &admin.cookie, &account("Other", "viewer")).await;
    let request = json!({ "kind": "incursions", "format": "csv" });
    let made = app.post("/api/v2/advanced_insights/exports").bearer(&token).json(&request).send().await;
    let made = made.expect(201);
    let path = made.header("location").to_owned();
    app.run_jobs().await;
    let export = app.get(&path).bearer(&token).send().await.expect(200).json();
    assert_eq!(export["state"], "done", "{export}");
    app.get(&path).bearer(&other).send().await.expect(404);
    app.get(&path).bearer(&admin.jwt).send().await.expect(404);
}
