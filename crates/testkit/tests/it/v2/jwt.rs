//! Tokens that must be refused, and rotation of signing keys.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use crate::forged_jwt;

on_both_engines!(
    no_forged_token_is_taken,
    a_token_is_not_good_before_its_time,
    a_key_is_rotated_without_signing_anyone_out
);

/// The parts of a valid token and the key that signed it.
struct ValidToken {
    claims: Value,
    kid: String,
    secret: Vec<u8>,
}

async fn decode_token(app: &TestApp, account: &Account) -> ValidToken {
    let part = |n: usize| -> Value {
        let text = account.jwt.split('.').nth(n).unwrap();
        serde_json::from_slice(&BASE64.decode(text).unwrap()).unwrap()
    };
    let kid = part(0)["kid"].as_str().unwrap().to_owned();
    let (store, platform) = app.database().open().await;
    let keys = store.read().await.unwrap().installation(&platform).signing_keys().await.unwrap();
    let key = keys.into_iter().find(|key| key.kid == kid).unwrap();
    let secret = app.app.unseal("signing_keys.secret", kid.as_bytes(), &key.secret).unwrap();
    ValidToken { claims: part(1), kid, secret }
}

impl ValidToken {
    fn sign(&self, algorithm: &str, kid: Option<&str>, secret: &[u8], changes: &Value) -> String {
        let mut claims = self.claims.clone();
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        let mut header = json!({ "typ": "JWT", "alg": algorithm });
        if let Some(kid) = kid {
            header["kid"] = json!(kid);
        }
        forged_jwt::sign(&header, &claims, secret)
    }
}

async fn no_forged_token_is_taken(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let good = decode_token(&app, &ada).await;
    let kid = Some(good.kid.as_str());
    let same = json!({});
    // The forging itself works: with a correct signature, the same claims are accepted.
    let honest = good.sign("HS256", kid, &good.secret, &same);
    app.get("/api/v2/session").bearer(&honest).send().await.expect(200);

    let unsigned = |algorithm: &str| {
        let header = json!({ "alg": algorithm, "typ": "JWT", "kid": good.kid });
        format!("{}.{}.", BASE64.encode(header.to_string()), BASE64.encode(good.claims.to_string()))
    };
    let bob_sid = decode_token(&app, &bob).await.claims["sid"].clone();
    let now = app.clock.now().seconds();
    let [head, body, signature] = <[&str; 3]>::try_from(ada.jwt.split('.').collect::<Vec<_>>()).unwrap();
    let sign = |kid, secret: &[u8], changes: &Value| good.sign("HS256", kid, secret, changes);
    let with_header = |fields: &Value| {
        let mut header = json!({ "typ": "JWT", "alg": "HS256", "kid": good.kid });
        header.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        forged_jwt::sign(&header, &good.claims, &good.secret)
    };
    let forged = [
        ("no algorithm", unsigned("none")),
        ("no algorithm, odd case", unsigned("nOnE")),
        ("an algorithm of keys we do not have", unsigned("RS256")),
        ("another algorithm of the family", good.sign("HS384", kid, &good.secret, &same)),
        ("the largest of the family", good.sign("HS512", kid, &good.secret, &same)),
        ("a critical extension", with_header(&json!({ "crit": ["b64"], "b64": false }))),
        ("a place of keys", with_header(&json!({ "jku": "https://example.com/keys" }))),
        ("a number as kid", with_header(&json!({ "kid": 7 }))),
        ("another key", sign(kid, b"guessed", &same)),
        ("an empty key", sign(kid, b"", &same)),
        ("no kid", sign(None, &good.secret, &same)),
        ("an unknown kid", sign(Some("other"), &good.secret, &same)),
        ("a file as kid", sign(Some("../../../../dev/null"), b"", &same)),
        ("SQL as kid", sign(Some("' union select 'x' --"), b"x", &same)),
        ("expired", sign(kid, &good.secret, &json!({ "exp": now }))),
        ("no expiry", sign(kid, &good.secret, &json!({ "exp": null }))),
        ("not yet valid", sign(kid, &good.secret, &json!({ "nbf": now + 1 }))),
        ("another audience", sign(kid, &good.secret, &json!({ "aud": "keepclear/api/v3" }))),
        ("a list of audiences", sign(kid, &good.secret, &json!({ "aud": [good.claims["aud"]] }))),
        ("a fraction as expiry", sign(kid, &good.secret, &json!({ "exp": now as f64 + 60.5 }))),
        ("no audience", sign(kid, &good.secret, &json!({ "aud": null }))),
        ("another issuer", sign(kid, &good.secret, &json!({ "iss": "elsewhere" }))),
        ("another's session", sign(kid, &good.secret, &json!({ "sid": bob_sid }))),
        ("a session that never was", sign(kid, &good.secret, &json!({ "sid": 999_999 }))),
        ("a subject that is no id", sign(kid, &good.secret, &json!({ "sub": "admin" }))),
        ("a megabyte", sign(kid, &good.secret, &json!({ "pad": "x".repeat(1_000_000) }))),
        ("cut", format!("{head}.{body}.{}", &signature[1..])),
        ("no signature", format!("{head}.{body}.")),
        ("another body", format!("{head}.{}.{signature}", BASE64.encode("{}"))),
        ("two parts", format!("{head}.{body}")),
        ("nothing", String::new()),
        ("not even text", "\u{7f}".replace('\u{7f}', "%00%ff")),
        ("a device token", app.issue_token("Acme", domain::DeviceKind::Tester, "Gate 1").await),
        ("a refresh token", ada.refresh_token.clone()),
        ("a cookie", ada.cookie.clone()),
    ];
    for (what, token) in forged {
        let reply = app.get("/api/v2/session").bearer(&token).send().await;
        assert_eq!(reply.status, 401, "{what}");
        assert!(reply.header("www-authenticate").starts_with("Bearer realm="), "{what}");
        assert_eq!(reply.header("content-type"), "application/vnd.api+json", "{what}");
    }
    for header in ["Basic YWRhOnB3", "Bearer", &ada.jwt, &format!("Token {}", ada.jwt)] {
        app.get("/api/v2/session").header("authorization", header).send().await.expect(401);
    }
    app.get("/api/v2/session").cookie(&ada.cookie).send().await.expect(401);
    app.post("/api/v2/logout").bearer(&ada.jwt).send().await.expect(200);
    app.get("/api/v2/session").bearer(&honest).send().await.expect(401);
}

async fn a_token_is_not_good_before_its_time(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::seconds(-2));
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.clock.advance(Span::seconds(2));
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
}

async fn a_key_is_rotated_without_signing_anyone_out(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let other = app.second_instance().await;
    other.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    let old = decode_token(&app, &ada).await;
    let (kid, _) = app.app.rotate_signing_key(app::EarlierTokens::Keep).await.unwrap();
    assert_ne!(kid, old.kid);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    let fresh =
        app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(200);
    let head = fresh.header("accesstoken").split('.').next().unwrap();
    let head: Value = serde_json::from_slice(&BASE64.decode(head).unwrap()).unwrap();
    assert_eq!((&head["kid"], &head["alg"]), (&json!(kid), &json!("HS256")));
    // Tokens signed with the new key by one process are accepted by another within a second.
    app.clock.advance(Span::seconds(1));
    other.get("/api/v2/session").bearer(fresh.header("accesstoken")).send().await.expect(200);
    // A process that only verifies tokens learns the new key as well.
    let third = app.second_instance().await;
    third.log_in_v2(&ada.email, testkit::PASSWORD).await.expect(200);
    app.app.rotate_signing_key(app::EarlierTokens::Keep).await.unwrap();
    app.clock.advance(Span::seconds(1));
    let login = third.log_in_v2(&ada.email, testkit::PASSWORD).await.expect(200);
    third.get("/api/v2/session").bearer(login.header("accesstoken")).send().await.expect(200);
    // The old key can sign no new valid token, for any process.
    app.clock.advance(Span::seconds(5));
    let now = app.clock.now().seconds();
    for (issued, expires) in
        [(now, now + 900), (now - 2, now + 900), (now - 900, now + 1), (now - 10_000, now + 900)]
    {
        let claims = json!({ "iat": issued, "nbf": issued, "exp": expires });
        let forged = old.sign("HS256", Some(&old.kid), &old.secret, &claims);
        app.get("/api/v2/session").bearer(&forged).send().await.expect(401);
        other.get("/api/v2/session").bearer(&forged).send().await.expect(401);
    }
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
}
