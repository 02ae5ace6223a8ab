//! GET /api/v1/admin/audit_log

use domain::{DeviceKind, Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(admins_read_what_was_done_in_their_brand, bad_parameters_are_named);

const PATH: &str = "/api/v1/admin/audit_log";

async fn admins_read_what_was_done_in_their_brand(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(1));
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let person = json!({ "kind": "staff", "name": "Grace" });
    app.post("/api/v1/tester/people_assets").bearer(&token).json(&person).send().await.expect(201);

    let read = |query: &str| {
        let request = app.get(&format!("{PATH}{query}")).cookie(&ada.cookie).send();
        async move { request.await.expect(200).json() }
    };
    let actions = |body: &Value| -> Vec<String> {
        body["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["action"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = read("").await;
    let expected = [
        "person.created",
        "token.issued",
        "session.started",
        "session.started",
        "user.created",
        "brand.created",
    ];
    assert_eq!(actions(&all), expected);
    let newest = &all["data"][0];
    assert_eq!(newest["actor"], json!({ "type": "tester_device", "id": 1, "name": "Gate 1" }));
    assert_eq!(newest["target"], json!({ "kind": "person", "id": 1 }));
    assert_eq!((&newest["details"]["kind"], &newest["personal"]["name"]), (&json!("staff"), &json!("Grace")));
    assert!(!newest["request_id"].as_str().unwrap().is_empty());
    for time in ["created_at", "updated_at"] {
        assert_eq!(newest[time], newest["at"], "{time}");
    }

    for (query, count) in [
        ("?action=session.started", 2),
        ("?actor_kind=user&actor_id=1", 2),
        ("?actor_kind=user&actor_id=2", 0),
        ("?target_kind=person&target_id=1", 1),
        ("?from=2026-03-01T12:01:30Z", 2),
        // The brand's day.
        ("?from=2026-03-02", 0),
        ("?to=2026-03-01", 0),
        ("?to=2026-03-01T12:01:30Z", 4),
        ("?from=2026-03-01T12:00:00%2B00:00&to=2026-03-01T12:01:00Z&action=user.created", 1),
    ] {
        assert_eq!(actions(&read(query).await).len(), count, "{query}");
    }
    let (mut seen, mut path) = (Vec::new(), "?limit=4".to_owned());
    loop {
        let body = read(&path).await;
        seen.extend(actions(&body));
        match body["page"]["next"].as_str() {
            Some(next) => path = format!("?limit=4&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, expected);
}

async fn bad_parameters_are_named(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for (query, field) in [
        ("from=yesterday", "from"),
        ("to=2026-03", "to"),
        ("from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z", "from"),
        ("actor_kind=robot", "actor_kind"),
        ("actor_kind=", "actor_kind"),
        ("actor_id=x", "actor_id"),
        ("action=", "action"),
        ("include_total=true", "include_total"),
        ("cursor=x", "cursor"),
    ] {
        let body = app.get(&format!("{PATH}?{query}")).cookie(&ada.cookie).send().await.expect(400).json();
        assert_eq!(body["errors"][0]["field"], field, "{query}");
    }
}
