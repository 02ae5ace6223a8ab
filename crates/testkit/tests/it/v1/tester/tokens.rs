//! Device tokens: what they give access to, and when they become invalid.

use domain::{DeviceKind, Role, Span};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    only_a_live_tester_token_opens_the_tester_endpoints,
    a_rotated_or_revoked_token_is_dead_at_once_and_elsewhere_within_a_second,
    fifty_issues_at_once_leave_one_live_token,
    last_use_is_remembered_to_the_minute
);

const PATH: &str = "/api/v1/tester/people_assets";

async fn only_a_live_tester_token_opens_the_tester_endpoints(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    assert!(token.starts_with("kct_") && token.len() == 47, "{token}");
    app.get(PATH).bearer(&token).send().await.expect(200);
    app.get(PATH).header("authorization", &format!("bearer {token}")).send().await.expect(200);

    let reply = app.get(PATH).send().await.expect(401);
    assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"keepclear\"");
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.get(PATH).cookie(&ada.cookie).send().await.expect(401);
    let station = app.issue_token("Acme", DeviceKind::Station, "S-1").await;
    let gateway = app.issue_token("Acme", DeviceKind::Gateway, "G-1").await;
    assert!(station.starts_with("kcs_") && gateway.starts_with("kcg_"));
    let disguised = station.replace("kcs_", "kct_");
    let cut = &token[..token.len() - 1];
    for wrong in [&*station, &*gateway, &*ada.jwt, &*ada.cookie, &*disguised, cut, "kct_", ""] {
        let reply = app.get(PATH).bearer(wrong).send().await.expect(401);
        assert!(reply.header("www-authenticate").contains("error=\"invalid_token\""), "{wrong}");
        assert_eq!(reply.code(), "credentials_invalid");
    }
    // The token gives access to nothing else.
    app.get("/api/v1/session").bearer(&token).send().await.expect(401);
    app.get("/api/v1/admin/users").bearer(&token).send().await.expect(401);
    app.get("/api/v2/session").bearer(&token).send().await.expect(401);
}

async fn a_rotated_or_revoked_token_is_dead_at_once_and_elsewhere_within_a_second(app: TestApp) {
    let other = app.second_instance().await;
    let first = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    other.get(PATH).bearer(&first).send().await.expect(200);
    let second = app.issue_token("Acme", DeviceKind::Tester, "gate 1").await;
    app.get(PATH).bearer(&first).send().await.expect(401);
    app.get(PATH).bearer(&second).send().await.expect(200);
    app.clock.advance(Span::seconds(1));
    other.get(PATH).bearer(&first).send().await.expect(401);
    other.get(PATH).bearer(&second).send().await.expect(200);

    let tokens = app.app.list_all_tokens(None).await.unwrap();
    let states: Vec<_> = tokens.iter().map(|token| token.ended_by.as_deref()).collect();
    assert_eq!(states, [Some("rotated"), None]);
    let revoked = app.app.revoke_token(tokens[1].id).await.unwrap();
    assert_eq!(revoked.device_name, "Gate 1");
    app.get(PATH).bearer(&second).send().await.expect(401);
    app.clock.advance(Span::seconds(1));
    other.get(PATH).bearer(&second).send().await.expect(401);
    app.app.revoke_token(tokens[1].id).await.unwrap();
    assert!(app.app.revoke_token(domain::TokenId(999)).await.is_err());
}

async fn fifty_issues_at_once_leave_one_live_token(app: TestApp) {
    let brand = app.ensure_brand("Acme").await;
    let mut issues = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (app, brand) = (std::sync::Arc::clone(&app.app), brand.clone());
        let name = domain::Name::parse("Gate 1").unwrap();
        issues.spawn(async move {
            app.issue_token_by_name(&brand, DeviceKind::Tester, &name).await.unwrap().secret
        });
    }
    let secrets = issues.join_all().await;
    let tokens = app.app.list_all_tokens(None).await.unwrap();
    assert_eq!(tokens.len(), 50);
    assert_eq!(tokens.iter().filter(|token| token.ended_at.is_none()).count(), 1);
    let mut open = 0;
    for secret in secrets {
        open += i32::from(app.get(PATH).bearer(&secret).send().await.status == 200);
    }
    assert_eq!(open, 1);
}

async fn last_use_is_remembered_to_the_minute(app: TestApp) {
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let last_use = || async { app.app.list_all_tokens(None).await.unwrap()[0].last_used_at };
    assert_eq!(last_use().await, None);
    let start = app.clock.now();
    for (seconds, expected) in [(0, 0), (30, 0), (29, 0), (1, 60), (59, 60), (1, 120)] {
        app.clock.advance(Span::seconds(seconds));
        app.get(PATH).bearer(&token).send().await.expect(200);
        assert_eq!(last_use().await, Some(start + Span::seconds(expected)));
    }
}
