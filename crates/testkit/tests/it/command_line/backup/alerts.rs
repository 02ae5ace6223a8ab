//! Alerts in backups: rules, firings, and the secrets of webhooks.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{BrandId, Clock, Span, WebhookId};
use store::Projects;
use testkit::{TestApp, execute_raw_sql, on_both_engines};

use super::*;

on_both_engines!(alerts_come_back_without_the_leases_of_other_workers);

/// A firing of the first alert that has cleared.
const FIRING: &str = "
    insert into alert_firings (brand_id, rule_id, split_key, machine_id, metric, comparison, threshold, severity, numerator,
        denominator, peak_numerator, peak_denominator, window_to, time_zone, seq, incursions, details, all_projects, fired_at,
        is_told, cleared_at, clear_reason, cleared_numerator, cleared_denominator, version, created_at, updated_at)
    values (1, 1, '7', 7, 'incursions', 'above', 10000000, 'warning', 12, 1, 15, 1, 1772366400000000, 'Europe/Berlin', 3,
        '[2, 1]', '{}', true, 1772366400000000, true, 1772370000000000, 'recovered', 3, 1, 2,
        1772366400000000, 1772370000000000)";

async fn alerts_come_back_without_the_leases_of_other_workers(engine: Engine) {
    let installation = Installation::new(engine);
    // The address of the webhook need not exist.
    let settings = [("KEEPCLEAR__ALERTS__WEBHOOK_ALLOW_PRIVATE", "true")];
    let server = Process::serve(program(), &installation.database, &settings);
    let cookie = sign_in(&server);
    // Disabled, so that no evaluation comes between two reads.
    let alert = json!({ "name": "Yard", "metric": "incursions", "threshold": 10, "enabled": false,
        "recipients": [{ "email": "ada@example.com" }, { "user_id": 1 }] });
    assert_eq!(post(&server, &cookie, "/api/v1/alerts", &alert).json()["id"], 1);
    let url = "https://hooks.example.com/keepclear";
    let webhook = json!({ "name": "Control room", "url": url, "alert_ids": [1] });
    let secret = post(&server, &cookie, "/api/v1/webhooks", &webhook).json()["secret"].clone();
    execute_raw_sql(&installation.database, FIRING).await.unwrap();
    // Not so late that it looks like one from before the clock was set back.
    let until = (Clock::System.now() + Span::seconds(110)).micros();
    let lease =
        format!("update alert_cursors set worker = 'elsewhere', leased_until = {until}, fence = fence + 1");
    execute_raw_sql(&installation.database, &lease).await.unwrap();

    let backup = installation.backup("backup");
    let restored = Database::empty(engine);
    expect_success(&run(&restored, &["restore", backup.to_str().unwrap()], ""));
    let leases = "select coalesce(worker, 'nobody') || ' ' || cast(leased_until as text) from alert_cursors";
    assert_eq!(query_raw_sql(&installation.database, leases).await, [format!("elsewhere {until}")]);
    assert_eq!(query_raw_sql(&restored, leases).await, ["nobody 0"]);
    let other = Process::serve(program(), &restored, &settings);
    for path in
        ["/api/v1/alerts/1", "/api/v1/alerts/1/firings", "/api/v1/alert_firings", "/api/v1/webhooks/1"]
    {
        let (one, two) = (read(&server, &cookie, path), read(&other, &cookie, path));
        assert_eq!(one, two, "{path}");
    }
    let firings: Value = serde_json::from_slice(&get(&other, &cookie, "/api/v1/alert_firings")).unwrap();
    assert!(firings.to_string().contains("Europe/Berlin"), "{firings}");
    let (status, log) = other.stop("-TERM");
    assert!(status.success(), "{log}");
    assert!(expect_success(&run(&restored, &["check", "--deep"], "")).contains("schema is current"));

    // The restored installation can sign with the secret that was shown.
    let app = TestApp::open_existing(restored, Clock::System.now(), |_| {}).await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(BrandId(1), Projects::All);
    let stored = store.read().await.unwrap().webhooks(&scope).secrets(WebhookId(1)).await.unwrap().unwrap();
    let opened = app.app.unseal("webhooks.secret", b"1", &stored.secret.unwrap()).unwrap();
    assert_eq!(secret, format!("whsec_{}", BASE64_STANDARD.encode(opened)));
}

/// Reads a path, with the addresses of pages without the port that the process got.
fn read(server: &Process, cookie: &str, path: &str) -> String {
    String::from_utf8_lossy(&get(server, cookie, path))
        .replace(&server.address.to_string(), "keepclear.example")
}
