//! GET /api/v1/alerts

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, create, delete, too_many, with};

on_both_engines!(alerts_are_sorted_by_name, they_are_filtered, unknown_words_are_refused);

async fn names(app: &TestApp, user: &Account, query: &str) -> Vec<String> {
    let list = app.get(&format!("{PATH}{query}")).cookie(&user.cookie).send().await.expect(200).json();
    let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
    list["data"].as_array().unwrap().iter().map(name).collect()
}

async fn alerts_are_sorted_by_name(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Member).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    for name in ["Yard", "älter", "Gate"] {
        create(&app, &bob, &too_many(name)).await;
    }
    let gone = create(&app, &bob, &too_many("Gone")).await;
    delete(&app, &bob, &gone["id"]).await.expect(200);
    create(&app, &eve, &too_many("Hers")).await;
    // Everyone sees those of others.
    for user in [&bob, &eve] {
        assert_eq!(names(&app, user, "").await, ["älter", "Gate", "Hers", "Yard"]);
    }
    assert_eq!(names(&app, &stranger, "").await, [""; 0]);
    let page = app.get(&format!("{PATH}?limit=3&include_total=true")).cookie(&bob.cookie).send().await;
    let page = page.expect(200).json();
    assert_eq!(page["page"]["total"], 4);
    let next = page["page"]["next"].as_str().unwrap();
    assert_eq!(names(&app, &bob, &format!("?limit=3&cursor={next}")).await, ["Yard"]);
    // A cursor belongs to its list.
    let other = format!("{PATH}?q=a&cursor={next}");
    app.get(&other).cookie(&bob.cookie).send().await.expect(400);
    // A list shows what a single alert shows.
    let one = app.get(&format!("{PATH}/1")).cookie(&bob.cookie).send().await.expect(200).json();
    let all = app.get(&format!("{PATH}?q=yard")).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!(all["data"], json!([one]));
}

async fn they_are_filtered(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (name, more) in [
        ("Yard", json!({})),
        ("Gate", json!({ "severity": "critical" })),
        ("Battery", json!({ "metric": "tag_battery_low", "threshold": 20, "severity": "info" })),
        ("Silent", json!({ "metric": "base_station_silent", "threshold": 60, "enabled": false })),
    ] {
        create(&app, &bob, &with(too_many(name), &more)).await;
    }
    for (query, expected) in [
        ("?metric=incursions", vec!["Gate", "Yard"]),
        ("?metric=incursions&metric=tag_battery_low", vec!["Battery", "Gate", "Yard"]),
        ("?severity=critical&severity=info", vec!["Battery", "Gate"]),
        ("?enabled=false", vec!["Silent"]),
        ("?enabled=true&severity=warning", vec!["Yard"]),
        ("?status=disabled", vec!["Silent"]),
        ("?status=ok&status=firing", vec!["Battery", "Gate", "Yard"]),
        ("?q=%C3%9DARD", vec!["Yard"]),
        ("?q=%25", vec![]),
    ] {
        assert_eq!(names(&app, &bob, query).await, expected, "{query}");
    }
}

async fn unknown_words_are_refused(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    for (query, field) in [
        ("?metric=speed", "metric"),
        ("?severity=bad", "severity"),
        ("?status=quiet", "status"),
        ("?enabled=maybe", "enabled"),
        ("?mine=true", "mine"),
    ] {
        let refused = app.get(&format!("{PATH}{query}")).cookie(&bob.cookie).send().await.expect(400);
        assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
    }
}
