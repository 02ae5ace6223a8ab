//! GET /api/v2/user_preferences

use domain::Role;
use domain::insights::Dimension;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{JSON_API, PATH, change_brand, get, set_preferences};

on_both_engines!(
    everyone_has_preferences_that_begin_as_the_brand_has_them,
    what_the_brand_changes_shows_where_nothing_is_ones_own,
    fields_can_be_left_out,
    unknown_parameters_are_refused,
);

async fn everyone_has_preferences_that_begin_as_the_brand_has_them(app: TestApp) {
    for role in Role::ALL {
        let user = app.sign_in_new_user(&format!("{}@example.com", role.as_str()), role).await;
        let session = app.get("/api/v2/session").bearer(&user.jwt).send().await.expect(200).json();
        let reply = get(&app, &user, "").await.expect(200);
        assert_eq!((reply.header("etag"), reply.header("content-type")), ("\"0\"", JSON_API));
        let document = reply.json();
        let data = &document["data"];
        assert_eq!((&data["type"], &data["links"]["self"]), (&json!("user_preferences"), &json!(PATH)));
        assert_eq!(data["id"].as_str().unwrap(), session["user"]["id"].to_string(), "{session}");
        assert_eq!(data["meta"], json!({ "own": [] }));
        let dimensions: Vec<Value> = Dimension::PIVOTABLE
            .iter()
            .map(|one| json!({ "dimension": one.as_str(), "label": null, "shown": true }))
            .collect();
        let expected = json!({
            "language": "en", "time_zone": "UTC", "date_format": "DD/MM/YYYY", "units": "metric",
            "first_day_of_week": "monday", "dimensions": dimensions, "created_at": "2026-03-01T12:00:30Z",
            "updated_at": "2026-03-01T12:00:30Z",
        });
        assert_eq!(data["attributes"], expected);
        assert_eq!(data["relationships"]["default_view"]["data"], Value::Null);
    }
}

async fn what_the_brand_changes_shows_where_nothing_is_ones_own(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let other = app.sign_in_new_user("other@example.com", Role::Viewer).await;
    set_preferences(&app, &other, json!({ "date_format": "YYYY-MM-DD" })).await;
    let change = json!({ "date_format": "MM/DD/YYYY", "time_zone": "Asia/Tokyo", "locale": "ja-JP" });
    change_brand(&app, &admin, change).await;
    for (user, date_format, own) in
        [(&admin, "MM/DD/YYYY", json!([])), (&other, "YYYY-MM-DD", json!(["date_format"]))]
    {
        let data = get(&app, user, "").await.expect(200).json()["data"].clone();
        let shown = &data["attributes"];
        assert_eq!((&shown["date_format"], &data["meta"]["own"]), (&json!(date_format), &own));
        assert_eq!((&shown["time_zone"], &shown["language"]), (&json!("Asia/Tokyo"), &json!("ja-JP")));
    }
}

async fn fields_can_be_left_out(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let path = "?fields[user_preferences]=units";
    let data = get(&app, &user, path).await.expect(200).json()["data"].clone();
    assert_eq!(data["attributes"], json!({ "units": "metric" }));
    assert_eq!(data["relationships"], Value::Null);
}

async fn unknown_parameters_are_refused(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for (query, parameter) in
        [("?user_id=1", "user_id"), ("?include=owner", "include"), ("?fields[users]=name", "fields[users]")]
    {
        let refused = get(&app, &user, query).await.expect(400).json();
        assert_eq!(refused["errors"][0]["source"]["parameter"], parameter, "{refused}");
    }
}
