//! POST and GET /api/v1/webhooks

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, find_tables_with_text, on_both_engines, read_all_values};

use super::{PATH, URL, audit, create, create_alert, get, hook, post};

on_both_engines!(
    a_webhook_shows_its_secret_once,
    a_secret_is_stored_sealed_and_nowhere_else,
    webhooks_are_listed_by_name,
);

async fn a_webhook_shows_its_secret_once(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let alert = create_alert(&app, &admin, "Yard").await;
    let made = post(&app, &admin, &hook(&json!({ "alert_ids": [alert, alert] }))).await.expect(201);
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    let encoded = secret.strip_prefix("whsec_").unwrap();
    assert_eq!(BASE64_STANDARD.decode(encoded).unwrap().len(), 24);
    let now = "2026-03-01T12:00:30Z";
    let expected = json!({
        "id": 1, "name": "Control room", "url": URL, "alert_ids": [alert], "enabled": true,
        "disabled_at": null, "disabled_reason": null, "secret_since": now, "old_secret_until": null,
        "last_success_at": null, "last_failure_at": null, "created_at": now, "updated_at": now,
    });
    assert_eq!(made.json()["webhook"], expected);
    assert_eq!(made.header("location"), "/api/v1/webhooks/1");
    let found = get(&app, &admin, made.header("location")).await.expect(200);
    assert_eq!((found.json(), found.header("etag")), (expected.clone(), made.header("etag")));
    let list = get(&app, &admin, PATH).await.expect(200);
    assert_eq!(list.json()["data"], json!([expected]));
    for shown in [found.text(), list.text()] {
        assert!(!shown.contains(encoded), "{shown}");
    }
    // Whoever reads the log learns neither the secret nor what else may be secret in the address.
    let log = audit(&app, &admin, "webhook.created").await;
    let details = json!({ "after": {
        "name": "Control room", "host": "93.184.215.14", "alert_ids": [alert], "disabled_reason": null,
    } });
    assert_eq!((log.len(), &log[0]["details"]), (1, &details));
    let text = Value::from(log).to_string();
    assert!(!text.contains("s3cret") && !text.contains(encoded), "{text}");
}

async fn a_secret_is_stored_sealed_and_nowhere_else(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    // A stored answer would contain it, so that a key is not honoured.
    let mut secrets = Vec::new();
    for _ in 0..2 {
        let call = app.post(PATH).cookie(&admin.cookie).header("idempotency-key", "k-1");
        let made = call.json(&hook(&json!({}))).send().await.expect(201);
        secrets.push(made.json()["secret"].as_str().unwrap().to_owned());
    }
    let rotate = app.post(&format!("{PATH}/1/rotate")).cookie(&admin.cookie).header("idempotency-key", "k-2");
    secrets.push(rotate.send().await.expect(200).json()["secret"].as_str().unwrap().to_owned());
    let values = read_all_values(app.database()).await;
    for secret in &secrets {
        let encoded = secret.strip_prefix("whsec_").unwrap();
        assert_eq!(find_tables_with_text(app.database(), encoded).await, [""; 0]);
        let bytes = BASE64_STANDARD.decode(encoded).unwrap();
        let has = |value: &Vec<u8>| value.windows(bytes.len()).any(|window| window == bytes);
        assert!(!values.iter().any(has), "{secret} can be read");
    }
    secrets.dedup();
    assert_eq!(secrets.len(), 3, "each is another");
    let stored = "select cast(count(*) as text) from idempotency_keys";
    assert_eq!(testkit::query_raw_sql(app.database(), stored).await, ["0"]);
}

async fn webhooks_are_listed_by_name(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for name in ["Zeta", "ärger", "Beta"] {
        create(&app, &admin, &json!({ "name": name, "enabled": name != "Beta" })).await;
    }
    let names = async |query: &str| {
        let list = get(&app, &admin, &format!("{PATH}?include_total=true&{query}")).await.expect(200).json();
        let rows = list["data"].as_array().unwrap().clone();
        let names: Vec<String> = rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
        (names, list["page"]["total"].as_i64().unwrap())
    };
    assert_eq!(names("").await.0, ["ärger", "Beta", "Zeta"]);
    assert_eq!(names("limit=2").await, (vec!["ärger".to_owned(), "Beta".to_owned()], 3));
    assert_eq!(names("q=ETA").await, (vec!["Beta".to_owned(), "Zeta".to_owned()], 2));
    let list = get(&app, &admin, PATH).await.expect(200).json();
    let beta = &list["data"][1];
    assert_eq!((&beta["enabled"], &beta["disabled_reason"]), (&json!(false), &json!("by_user")));
}
