//! What a webhook cannot be.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Engine, TestApp, on_both_engines};

use super::{PATH, URL, create, create_alert, faults, get, hook, patch, post};

on_both_engines!(
    addresses_that_are_not_https_or_lead_inside_are_refused,
    what_the_operator_allows_is_accepted,
    unknown_alerts_are_refused,
    every_wrong_field_is_named,
    the_fifty_first_is_refused,
);

/// Checks that a member is refused when a webhook is created and when the one at this path is changed.
async fn assert_refused(app: &TestApp, (admin, path): (&Account, &str), member: &Value, code: &str) {
    let (field, _) = member.as_object().unwrap().iter().next().unwrap();
    let expected = [(field.clone(), code.to_owned())];
    let before = get(app, admin, path).await.expect(200).json();
    let refused = post(app, admin, &hook(member)).await.expect(422);
    assert_eq!(faults(&refused), expected, "{member}");
    let refused = patch(app, admin, path, member).await.expect(422);
    assert_eq!(faults(&refused), expected, "{member}");
    assert_eq!(get(app, admin, path).await.expect(200).json(), before);
}

async fn addresses_that_are_not_https_or_lead_inside_are_refused(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let target = (&admin, path.as_str());
    for (url, code) in [
        ("http://93.184.215.14/hook", "not_https"),
        ("https://127.0.0.1/hook", "private_address"),
        ("https://10.1.2.3/hook", "private_address"),
        ("https://169.254.169.254/latest/meta-data", "private_address"),
        ("https://100.64.0.1/", "private_address"),
        ("https://[::1]:8443/hook", "private_address"),
        ("https://[fd00::1]/hook", "private_address"),
        ("https://[::ffff:192.168.0.1]/hook", "private_address"),
        ("https://localhost/hook", "private_address"),
        ("https://printer/hook", "private_address"),
        ("https://nas.local/hook", "private_address"),
        ("https://127.1/hook", "invalid_url"),
        ("https://0x7f000001/hook", "invalid_url"),
        ("https://2130706433/hook", "invalid_url"),
        ("hooks.example.com/hook", "invalid_url"),
        ("ftp://hooks.example.com/hook", "invalid_url"),
        ("https://ada:secret@hooks.example.com/hook", "invalid_url"),
        ("https://hooks.example.com/hook#part", "invalid_url"),
        ("https://hooks.example.com:0/hook", "invalid_url"),
        ("https://hooks.example.com/a b", "invalid_url"),
        ("https://hooks.example.com\\@10.0.0.1/", "invalid_url"),
        ("", "invalid_url"),
    ] {
        assert_refused(&app, target, &json!({ "url": url }), code).await;
    }
    let long = format!("https://93.184.215.14/{}", "x".repeat(2_000));
    assert_refused(&app, target, &json!({ "url": long }), "too_long").await;
}

async fn what_the_operator_allows_is_accepted(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.alerts.webhook_allow_private = true).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    create(&app, &admin, &json!({ "url": "https://10.1.2.3/hook" })).await;
    create(&app, &admin, &json!({ "url": "https://localhost/hook" })).await;
    let refused = post(&app, &admin, &hook(&json!({ "url": "http://10.1.2.3/hook" }))).await.expect(422);
    assert_eq!(faults(&refused)[0].1, "not_https");
    let open = app.second_instance_with(|config| config.alerts.webhook_allow_http = true).await;
    create(&open, &admin, &json!({ "url": "HTTP://Hooks.Example.com/A" })).await;
    let shown = get(&open, &admin, &format!("{PATH}/3")).await.expect(200).json();
    assert_eq!(shown["url"], "http://hooks.example.com/A");
    // Where it is no longer allowed, the address stays until it is changed.
    let renamed = json!({ "name": "Old one", "url": "http://hooks.example.com/A" });
    patch(&app, &admin, &format!("{PATH}/3"), &renamed).await.expect(200);
    let other = json!({ "url": "http://hooks.example.com/B" });
    patch(&app, &admin, &format!("{PATH}/3"), &other).await.expect(422);
}

async fn unknown_alerts_are_refused(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let (own, deleted) = (create_alert(&app, &admin, "Yard").await, create_alert(&app, &admin, "Gone").await);
    let foreign = create_alert(&app, &stranger, "Theirs").await;
    app.delete(&format!("/api/v1/alerts/{deleted}")).cookie(&admin.cookie).send().await.expect(200);
    let (path, _) = create(&app, &admin, &json!({})).await;
    let target = (&admin, path.as_str());
    for id in [foreign, deleted, 987_654_321, i64::MAX, -1] {
        assert_refused(&app, target, &json!({ "alert_ids": [own, id] }), "unknown_alert").await;
    }
    let many: Vec<i64> = (1..=101).collect();
    assert_refused(&app, target, &json!({ "alert_ids": many }), "too_many").await;
    for wrong in [json!("all"), json!({}), json!(7), json!([own, "x"]), json!([1.5])] {
        assert_refused(&app, target, &json!({ "alert_ids": wrong }), "wrong_type").await;
    }
}

async fn every_wrong_field_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let wrong = json!({ "name": " ", "url": 7, "alert_ids": "x", "enabled": "yes", "secret": "whsec_x" });
    let refused = post(&app, &admin, &wrong).await.expect(422);
    let expected = [
        ("name", "required"),
        ("url", "wrong_type"),
        ("alert_ids", "wrong_type"),
        ("enabled", "wrong_type"),
        ("secret", "unknown_field"),
    ];
    assert_eq!(faults(&refused), expected.map(|(field, code)| (field.to_owned(), code.to_owned())));
    let refused = post(&app, &admin, &json!({ "url": URL })).await.expect(422);
    assert_eq!(faults(&refused), [("name".to_owned(), "required".to_owned())]);
    for (field, value) in [("name", json!(null)), ("url", json!(null)), ("enabled", json!(null))] {
        let (path, _) = create(&app, &admin, &json!({})).await;
        let refused = patch(&app, &admin, &path, &json!({ field: value })).await.expect(422);
        assert_eq!(faults(&refused), [(field.to_owned(), "required".to_owned())]);
    }
    let rotate = |body: Value| app.post(&format!("{PATH}/1/rotate")).cookie(&admin.cookie).json(&body).send();
    for hours in [-1, 169] {
        let refused = rotate(json!({ "overlap_hours": hours })).await.expect(422);
        assert_eq!(faults(&refused), [("overlap_hours".to_owned(), "out_of_range".to_owned())]);
    }
    let refused = get(&app, &admin, &format!("{PATH}/1/deliveries?state=lost")).await.expect(400);
    assert_eq!(faults(&refused), [("state".to_owned(), "invalid_state".to_owned())]);
}

async fn the_fifty_first_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let other = app.sign_in_new_user_in_brand("Other", "other@example.com", Role::Admin).await;
    for number in 0..50 {
        create(&app, &admin, &json!({ "name": format!("Hook {number}") })).await;
    }
    let refused = post(&app, &admin, &hook(&json!({}))).await.expect(409);
    assert_eq!(refused.code(), "too_many_webhooks");
    create(&app, &other, &json!({})).await;
    app.delete(&format!("{PATH}/7")).cookie(&admin.cookie).send().await.expect(200);
    create(&app, &admin, &json!({})).await;
}
