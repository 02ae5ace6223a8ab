//! PATCH /api/v2/user_preferences

use domain::insights::Dimension;
use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{error_pointers, get, id, patch, send, set_preferences};

on_both_engines!(
    what_is_set_is_ones_own_until_null_returns_it,
    an_answer_is_what_a_get_gives,
    dimensions_that_are_left_out_come_behind,
    others_are_not_touched,
    what_is_wrong_is_told_at_once_by_its_place,
    dimensions_are_refused_by_their_place,
    another_id_than_ones_own_is_refused,
    what_was_changed_meanwhile_is_412,
    what_changes_nothing_leaves_the_version,
    two_changes_at_once_both_count,
    the_audit_log_tells_what_became_ones_own,
);

async fn what_is_set_is_ones_own_until_null_returns_it(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let attributes = json!({
        "language": "EN-gb", "time_zone": "europe/london", "date_format": "YYYY-MM-DD", "units": "imperial",
        "first_day_of_week": "saturday",
    });
    let data = set_preferences(&app, &user, attributes).await;
    let own = ["language", "time_zone", "date_format", "units", "first_day_of_week"];
    assert_eq!(data["meta"]["own"], json!(own));
    let shown = own.map(|name| data["attributes"][name].clone());
    // In canonical case.
    assert_eq!(json!(shown), json!(["en-GB", "Europe/London", "YYYY-MM-DD", "imperial", "saturday"]));
    let data = set_preferences(&app, &user, json!({ "language": null, "units": null })).await;
    assert_eq!(data["meta"]["own"], json!(["time_zone", "date_format", "first_day_of_week"]));
    let shown = own.map(|name| data["attributes"][name].clone());
    assert_eq!(json!(shown), json!(["en", "Europe/London", "YYYY-MM-DD", "metric", "saturday"]));
}

async fn an_answer_is_what_a_get_gives(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(1));
    let changed = patch(&app, &user, &json!({ "units": "imperial" })).await.expect(200);
    let found = get(&app, &user, "").await.expect(200);
    assert_eq!(changed.json(), found.json());
    assert_eq!((changed.header("etag"), found.header("etag")), ("\"1\"", "\"1\""));
    let times = ["created_at", "updated_at"].map(|name| found.json()["data"]["attributes"][name].clone());
    assert_eq!(times, ["2026-03-01T12:00:30Z", "2026-03-01T12:01:30Z"]);
    // A returned document can be sent back.
    app.clock.advance(Span::minutes(1));
    let again = patch(&app, &user, &found.json()["data"]["attributes"]).await.expect(200).json();
    assert_eq!(again["data"]["attributes"], found.json()["data"]["attributes"]);
}

async fn dimensions_that_are_left_out_come_behind(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let sent = json!([
        { "dimension": "zone", "label": " Ring " },
        { "dimension": "day", "label": null, "shown": false },
    ]);
    let data = set_preferences(&app, &user, json!({ "dimensions": sent })).await;
    let dimensions = data["attributes"]["dimensions"].as_array().unwrap();
    assert_eq!(dimensions.len(), Dimension::PIVOTABLE.len());
    assert_eq!(dimensions[0], json!({ "dimension": "zone", "label": "Ring", "shown": true }));
    assert_eq!(dimensions[1], json!({ "dimension": "day", "label": null, "shown": false }));
    assert_eq!(dimensions[2], json!({ "dimension": "project", "label": null, "shown": true }));
    assert_eq!(data["meta"]["own"], json!(["dimensions"]));
    let data = set_preferences(&app, &user, json!({ "dimensions": null })).await;
    assert_eq!(data["attributes"]["dimensions"][0]["dimension"], "project");
    assert_eq!(data["meta"]["own"], json!([]));
}

async fn others_are_not_touched(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    app.ensure_brand("Other").await;
    let far = app.sign_in_new_user_in_brand("Other", "far@example.com", Role::Admin).await;
    let before = [get(&app, &bob, "").await.json(), get(&app, &far, "").await.json()];
    set_preferences(&app, &ada, json!({ "units": "imperial", "language": "de" })).await;
    assert_eq!([get(&app, &bob, "").await.json(), get(&app, &far, "").await.json()], before);
}

async fn what_is_wrong_is_told_at_once_by_its_place(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let wrong = json!({
        "language": "english", "time_zone": "Mars/Olympus", "date_format": "D.M.YY", "units": 7,
        "first_day_of_week": "friday", "dimensions": "all", "colour": "red",
    });
    let expected = [
        ("invalid_locale", "/data/attributes/language"),
        ("invalid_time_zone", "/data/attributes/time_zone"),
        ("invalid_date_format", "/data/attributes/date_format"),
        ("wrong_type", "/data/attributes/units"),
        ("invalid_first_day_of_week", "/data/attributes/first_day_of_week"),
        ("wrong_type", "/data/attributes/dimensions"),
        ("unknown_field", "/data/attributes/colour"),
    ];
    let refused = patch(&app, &user, &wrong).await.expect(422);
    assert_eq!(
        error_pointers(&refused),
        expected.map(|(code, pointer)| (code.to_owned(), pointer.to_owned()))
    );
    let refused = patch(&app, &user, &json!({ "units": "feet" })).await.expect(422);
    assert_eq!(error_pointers(&refused), [("invalid_units".to_owned(), "/data/attributes/units".to_owned())]);
    assert_eq!(get(&app, &user, "").await.json()["data"]["meta"]["own"], json!([]));
}

async fn dimensions_are_refused_by_their_place(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let wrong = json!([
        { "dimension": "zone" },
        { "dimension": "weather" },
        { "label": "Nothing", "shown": "yes" },
        { "dimension": "zone" },
        "day",
        { "dimension": "day", "label": "", "size": 3 },
        { "dimension": "week", "label": "x".repeat(101) },
    ]);
    let refused = patch(&app, &user, &json!({ "dimensions": wrong })).await.expect(422);
    let mut found = error_pointers(&refused);
    found.sort_by(|left, right| left.1.cmp(&right.1));
    let expected = [
        ("invalid_dimension", "1/dimension"),
        ("required", "2/dimension"),
        ("wrong_type", "2/shown"),
        ("repeated_dimension", "3/dimension"),
        ("wrong_type", "4"),
        ("required", "5/label"),
        ("unknown_field", "5/size"),
        ("too_long", "6/label"),
    ];
    let place = |place: &str| format!("/data/attributes/dimensions/{place}");
    assert_eq!(found, expected.map(|(code, at)| (code.to_owned(), place(at))));
    let many: Vec<Value> = (0..18).map(|_| json!({ "dimension": "zone" })).collect();
    let refused = patch(&app, &user, &json!({ "dimensions": many })).await.expect(422);
    assert_eq!(error_pointers(&refused), [("too_many".to_owned(), "/data/attributes/dimensions".to_owned())]);
}

async fn another_id_than_ones_own_is_refused(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let other = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let theirs = id(&app, &other).await;
    let of = |kind: &str, id: &str| json!({ "data": { "type": kind, "id": id, "attributes": { "units": "imperial" } } });
    let own = id(&app, &user).await;
    for (body, status, pointer) in [
        (of("user_preferences", &theirs), 409, "/data/id"),
        (of("users", &own), 409, "/data/type"),
        (json!({ "data": { "type": "user_preferences", "attributes": {} } }), 422, "/data/id"),
        (json!({ "data": [] }), 422, "/data"),
    ] {
        let refused = send(&app, &user, "", &body).await.expect(status);
        assert_eq!(error_pointers(&refused)[0].1, pointer);
    }
    assert_eq!(get(&app, &other, "").await.json()["data"]["attributes"]["units"], "metric");
}

async fn what_was_changed_meanwhile_is_412(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let id = id(&app, &user).await;
    let with = |tag: &str, units: &str| {
        let body =
            json!({ "data": { "type": "user_preferences", "id": id, "attributes": { "units": units } } });
        let call = app.patch(super::PATH).bearer(&user.jwt).header("if-match", tag);
        call.bytes(super::JSON_API, body.to_string()).send()
    };
    let first = with("\"0\"", "imperial").await.expect(200);
    assert_eq!(first.header("etag"), "\"1\"");
    assert_eq!(with("\"0\"", "metric").await.expect(412).code(), "stale");
    with("\"1\"", "metric").await.expect(200);
}

async fn what_changes_nothing_leaves_the_version(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let reply = patch(&app, &user, &json!({ "units": null })).await.expect(200);
    assert_eq!(reply.header("etag"), "\"0\"");
    set_preferences(&app, &user, json!({ "units": "metric" })).await;
    let reply = patch(&app, &user, &json!({ "units": "metric" })).await.expect(200);
    assert_eq!(reply.header("etag"), "\"1\"");
    // Chosen explicitly although it is the default: it stays if the default changes.
    assert_eq!(reply.json()["data"]["meta"]["own"], json!(["units"]));
}

async fn two_changes_at_once_both_count(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (units, language) = (json!({ "units": "imperial" }), json!({ "language": "de" }));
    let (one, other) = tokio::join!(patch(&app, &user, &units), patch(&app, &user, &language));
    one.expect(200);
    other.expect(200);
    let found = get(&app, &user, "").await;
    assert_eq!(found.json()["data"]["meta"]["own"], json!(["language", "units"]));
    assert_eq!(found.header("etag"), "\"2\"");
}

async fn the_audit_log_tells_what_became_ones_own(app: TestApp) {
    let user = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    set_preferences(&app, &user, json!({ "units": "imperial" })).await;
    set_preferences(&app, &user, json!({ "units": null, "language": "de" })).await;
    let path = "/api/v1/admin/audit_log?action=user_preferences.changed";
    let log = app.get(path).cookie(&user.cookie).send().await.expect(200).json();
    let details: Vec<&Value> = log["data"].as_array().unwrap().iter().map(|row| &row["details"]).collect();
    assert_eq!(
        json!(details),
        json!([{ "before": ["units"], "after": ["language"] }, { "before": [], "after": ["units"] }])
    );
}
