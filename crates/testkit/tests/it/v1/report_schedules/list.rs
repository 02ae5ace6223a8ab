//! GET /api/v1/report_schedules

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{PATH, create, daily, with};

on_both_engines!(own_schedules_are_sorted_by_name, they_are_filtered, those_who_manage_the_brand_see_all);

async fn names(app: &TestApp, user: &Account, query: &str) -> Vec<String> {
    let list = app.get(&format!("{PATH}{query}")).cookie(&user.cookie).send().await.expect(200).json();
    let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
    list["data"].as_array().unwrap().iter().map(name).collect()
}

async fn own_schedules_are_sorted_by_name(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Member).await;
    for name in ["Yard", "älter", "Gate"] {
        create(&app, &bob, &daily(name)).await;
    }
    create(&app, &eve, &daily("Another's")).await;
    assert_eq!(names(&app, &bob, "").await, ["älter", "Gate", "Yard"]);
    assert_eq!(names(&app, &eve, "").await, ["Another's"]);
    let page = app.get(&format!("{PATH}?limit=2&include_total=true")).cookie(&bob.cookie).send().await;
    let page = page.expect(200).json();
    assert_eq!(page["page"]["total"], 3);
    let next = page["page"]["next"].as_str().unwrap();
    assert_eq!(names(&app, &bob, &format!("?limit=2&cursor={next}")).await, ["Yard"]);
    // A list shows what a single schedule shows.
    let one = app.get(&format!("{PATH}/1")).cookie(&bob.cookie).send().await.expect(200).json();
    let all = app.get(&format!("{PATH}?q=yard")).cookie(&bob.cookie).send().await.expect(200).json();
    assert_eq!(all["data"], json!([one]));
}

async fn they_are_filtered(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    create(&app, &bob, &daily("Yard")).await;
    create(&app, &bob, &with(daily("Gate, paused"), &json!({ "paused": true }))).await;
    for (query, expected) in [
        ("?paused=true", vec!["Gate, paused"]),
        ("?paused=false", vec!["Yard"]),
        ("?q=ÝARD", vec!["Yard"]),
        ("?q=%25", vec![]),
        ("?q=a", vec!["Gate, paused", "Yard"]),
    ] {
        let query = query.replace("ÝARD", "%C3%9DARD");
        assert_eq!(names(&app, &bob, &query).await, expected, "{query}");
    }
    let refused = app.get(&format!("{PATH}?paused=maybe")).cookie(&bob.cookie).send().await.expect(400);
    assert_eq!(refused.json()["errors"][0]["field"], "paused");
}

async fn those_who_manage_the_brand_see_all(app: TestApp) {
    let bob = app.sign_in_new_user("bob@example.com", Role::Member).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    create(&app, &bob, &daily("Yard")).await;
    create(&app, &admin, &daily("Gate")).await;
    assert_eq!(names(&app, &admin, "").await, ["Gate"]);
    assert_eq!(names(&app, &admin, "?all=true").await, ["Gate", "Yard"]);
    assert_eq!(names(&app, &stranger, "?all=true").await, [""; 0]);
    let refused = app.get(&format!("{PATH}?all=true")).cookie(&bob.cookie).send().await.expect(403);
    assert_eq!(refused.code(), "permission_missing");
    let email = domain::EmailAddress::parse("admin@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[])).await.unwrap();
    let refused = app.get(&format!("{PATH}?all=true")).cookie(&admin.cookie).send().await.expect(403);
    assert_eq!(refused.code(), "restricted");
    assert_eq!(names(&app, &admin, "").await, ["Gate"]);
}
