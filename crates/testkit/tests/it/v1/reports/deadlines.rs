//! Files that are not made in time. An instance that allows no time at all stands for one that is busy.

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{PATH, busy_yard, create_ready_report, download, get, incursions_body, post};
use crate::v1::insights::Yard;

on_both_engines!(
    a_report_that_took_too_long_is_tried_again,
    a_report_that_always_takes_too_long_fails,
    a_download_that_takes_too_long_can_be_tried_again,
);

/// Longer than the time until a job that failed is tried again.
const LATER: Span = Span::minutes(2);

async fn hurried(yard: &Yard) -> TestApp {
    yard.app.second_instance_with(|config| config.reports.render_timeout_s = 0).await
}

async fn state_of(yard: &Yard, id: &Value) -> (Value, Value) {
    let shown = get(yard, &yard.admin, id).await.expect(200).json();
    (shown["state"].clone(), shown["reason"].clone())
}

async fn a_report_that_took_too_long_is_tried_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let hurried = hurried(&yard).await;
    for format in ["pdf", "xlsx", "csv", "json"] {
        let asked = &post(&yard, &yard.admin, &incursions_body(format)).await.expect(201).json()["id"];
        assert_eq!(hurried.run_jobs().await, 1);
        assert_eq!(state_of(&yard, asked).await, (json!("running"), json!(null)), "{format}");
        yard.app.clock.advance(LATER);
        assert_eq!(yard.app.run_jobs().await, 1);
        assert_eq!(state_of(&yard, asked).await, (json!("ready"), json!(null)), "{format}");
        download(&yard, &yard.admin, asked, "").await.expect(200);
    }
}

async fn a_report_that_always_takes_too_long_fails(app: TestApp) {
    let yard = busy_yard(app).await;
    let hurried = hurried(&yard).await;
    let asked = &post(&yard, &yard.admin, &incursions_body("pdf")).await.expect(201).json()["id"];
    for attempt in 1..=4 {
        assert_eq!(state_of(&yard, asked).await.1, json!(null), "before attempt {attempt}");
        assert_eq!(hurried.run_jobs().await, 1, "attempt {attempt}");
        yard.app.clock.advance(LATER);
    }
    assert_eq!(state_of(&yard, asked).await, (json!("failed"), json!("took_too_long")));
    let shown = get(&yard, &yard.admin, asked).await.expect(200).json();
    assert!(shown["reason_text"].as_str().unwrap().contains("several attempts"), "{shown}");
    assert_eq!(hurried.run_jobs().await, 0);
}

async fn a_download_that_takes_too_long_can_be_tried_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let made = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let hurried = hurried(&yard).await;
    let path = format!("{PATH}/{}/download", made["id"]);
    // What is stored needs no time.
    hurried.get(&path).cookie(&yard.admin.cookie).send().await.expect(200);
    for format in ["pdf", "xlsx", "json"] {
        // More often than there are places: each one is free again.
        for _ in 0..20 {
            let query = format!("{path}?format={format}");
            let late = hurried.get(&query).cookie(&yard.admin.cookie).send().await.expect(503);
            let said = (late.code(), late.header("retry-after"));
            assert_eq!((said.0.as_str(), said.1), ("took_too_long", "60"), "{format}");
        }
        download(&yard, &yard.admin, &made["id"], &format!("?format={format}")).await.expect(200);
    }
}
