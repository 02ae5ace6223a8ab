//! The flags of tags in lists and filters, at the limits of the brand's settings.

use domain::{DeviceKind, Role, Span, TagFlag};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

on_both_engines!(filters_find_exactly_the_tags_that_show_the_flag, flags_follow_the_settings_of_the_brand);

/// The start time of the test clock, in microseconds.
const NOW_US: i64 = 1_772_366_430_000_000;
const DAY_US: i64 = 86_400_000_000;

async fn filters_find_exactly_the_tags_that_show_the_flag(app: TestApp) {
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    // Tested, seen and charged at every limit and just below and above it, in every combination; some are retired.
    let mut rows = Vec::new();
    let times: Vec<String> = [0, 6, 7]
        .into_iter()
        .flat_map(|days| [-1, 0, 1].map(|hair| (NOW_US - days * DAY_US + hair).to_string()))
        .chain(["null".to_owned()])
        .collect();
    let seen = [
        (NOW_US - DAY_US - 1).to_string(),
        (NOW_US - DAY_US).to_string(),
        (NOW_US - DAY_US + 1).to_string(),
        "null".to_owned(),
    ];
    let batteries = ["null", "0", "10", "11", "20", "21", "100"];
    let (mut tags, mut tests) = (Vec::new(), Vec::new());
    for (t, tested) in times.iter().enumerate() {
        for (b, battery) in batteries.iter().enumerate() {
            let n = tags.len() + 1;
            let (seen, retired) = (&seen[(t + b) % 4], if n % 11 == 0 { "1" } else { "null" });
            tags.push(format!(
                "(1, 'T-{n:03}', 't-{n:03}', 'pedestrian', {battery}, {seen}, 1, 1, 1, {retired})"
            ));
            if tested != "null" {
                // An older test has no effect.
                tests.push(format!("(1, {n}, 1, true, 1)"));
                tests.push(format!("(1, {n}, {tested}, true, 1)"));
            }
            rows.push(n);
        }
    }
    let sql = format!(
        "insert into tags (brand_id, serial, serial_key, role, battery_percent, last_seen_at, version, created_at,
             updated_at, retired_at) values {};
         insert into tag_tests (brand_id, tag_id, tested_at, passed, created_at) values {}",
        tags.join(","),
        tests.join(",")
    );
    testkit::execute_raw_sql(app.database(), &sql).await.unwrap();
    let list = async |query: &str| {
        let path = format!("/api/v1/tags?limit=500&include_total=true{query}");
        app.get(&path).cookie(&member.cookie).send().await.expect(200).json()
    };
    let all = list("").await;
    assert_eq!(all["data"].as_array().unwrap().len(), rows.len());
    for flag in TagFlag::ALL.map(TagFlag::as_str) {
        let expected: Vec<&Value> = all["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|tag| tag["flags"].as_array().unwrap().contains(&json!(flag)))
            .map(|tag| &tag["id"])
            .collect();
        assert!(!expected.is_empty() && expected.len() < rows.len(), "{flag}");
        let found = list(&format!("&flag={flag}")).await;
        let ids: Vec<&Value> = found["data"].as_array().unwrap().iter().map(|tag| &tag["id"]).collect();
        assert_eq!(ids, expected, "{flag}");
        assert_eq!(found["page"]["total"], expected.len(), "{flag}");
    }
    // V2 takes several at once: tags with at least one of them.
    for flags in [["test_due", "silent"], ["silent", "low_battery"], ["never_tested", "critical_battery"]] {
        let has_one = |tag: &&Value| {
            let shown = tag["flags"].as_array().unwrap();
            flags.iter().any(|flag| shown.contains(&json!(flag)))
        };
        let tags = all["data"].as_array().unwrap().iter().filter(has_one);
        let expected: Vec<String> = tags.map(|tag| tag["id"].to_string()).collect();
        let path = format!("/api/v2/tags?page[size]=500&filter[flag]={}", flags.join(","));
        let found = app.get(&path).bearer(&member.jwt).send().await.expect(200).json();
        let ids = found["data"].as_array().unwrap().iter().map(|tag| tag["id"].as_str().unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), expected, "{flags:?}");
    }
}

async fn flags_follow_the_settings_of_the_brand(app: TestApp) {
    app.create_user("a@example.com", Role::Admin).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let test = json!({ "tag_serial": "T-1", "passed": true, "battery_percent": 30 });
    app.post("/api/v1/tester/tag_tests").bearer(&token).json(&test).send().await.expect(201);
    app.clock.advance(Span::minutes(2 * 24 * 60));
    let admin = app.log_in_v1("a@example.com", testkit::PASSWORD).await.expect(201).session_cookie();
    let flags = async || {
        let tag = app.get("/api/v1/tags/1").cookie(&admin).send().await.expect(200).json();
        (tag["flags"].clone(), tag["days_since_last_test"].clone())
    };
    let set = async |change: Value| {
        app.patch("/api/v1/admin/brand").cookie(&admin).json(&change).send().await.expect(200)
    };
    assert_eq!(flags().await, (json!(["silent"]), json!(2)));
    set(json!({ "test_interval_days": 3, "silence_limit_hours": 49 })).await;
    assert_eq!(flags().await.0, json!(["test_due"]));
    set(json!({ "test_interval_days": 2, "low_battery_percent": 30 })).await;
    assert_eq!(flags().await.0, json!(["test_overdue", "low_battery"]));
    set(json!({ "critical_battery_percent": 30 })).await;
    assert_eq!(flags().await.0, json!(["test_overdue", "critical_battery"]));
}
