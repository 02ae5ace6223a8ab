//! /api/v1/admin/brand

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use crate::contract::PIXEL_PNG;

on_both_engines!(
    a_brand_begins_with_the_defaults_and_changes_what_is_named,
    every_wrong_setting_is_named,
    a_stale_change_of_settings_is_refused,
    the_name_of_another_brand_may_be_taken,
    viewers_see_names_as_soon_as_the_brand_says_so,
    a_logo_is_put_shown_and_taken_away,
    what_is_no_picture_is_refused,
    a_picture_that_cannot_be_decoded_is_refused,
    settings_are_written_down_with_before_and_after,
);

const PATH: &str = "/api/v1/admin/brand";
const LOGO: &str = "/api/v1/admin/brand/logo";

async fn patch(app: &TestApp, admin: &Account, change: &Value) -> Reply {
    app.patch(PATH).cookie(&admin.cookie).json(change).send().await
}

async fn a_brand_begins_with_the_defaults_and_changes_what_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let reply = app.get(PATH).cookie(&admin.cookie).send().await.expect(200);
    let mut expected = json!({
        "id": 1, "name": "Acme", "date_format": "DD/MM/YYYY", "time_zone": "UTC", "locale": "en",
        "test_interval_days": 7, "low_battery_percent": 20, "critical_battery_percent": 10,
        "silence_limit_hours": 24, "closes_visits": false, "visit_limit_minutes": 60,
        "viewers_see_names": false, "unique_employee_ids": true, "ai_sees_names": false, "alerts_show_names": false,
        "second_factor_required": [],
        "keep_incursions_days": null, "keep_runtime_days": null, "keep_tracks_days": 400, "keep_events_days": 400,
        "keep_tests_days": null, "keep_video_days": 90,
        "second_factor_required": [], "logo_updated_at": null, "created_at": "2026-03-01T12:00:30Z", "updated_at": "2026-03-01T12:00:30Z",
    });
    assert_eq!(reply.json(), expected);
    let tag = reply.header("etag").to_owned();
    app.get(PATH).cookie(&admin.cookie).header("if-none-match", &tag).send().await.expect(304);
    app.clock.advance(domain::Span::minutes(1));
    let change = json!({
        "name": "Acme North", "time_zone": "europe/berlin", "locale": "de-at", "closes_visits": true, "ai_sees_names": true,
        "alerts_show_names": true,
    });
    let changed = patch(&app, &admin, &change).await.expect(200);
    for (field, value) in [
        ("name", json!("Acme North")),
        ("time_zone", json!("Europe/Berlin")),
        ("locale", json!("de-AT")),
        ("closes_visits", json!(true)),
        ("ai_sees_names", json!(true)),
        ("alerts_show_names", json!(true)),
        ("updated_at", json!("2026-03-01T12:01:30Z")),
    ] {
        expected[field] = value;
    }
    assert_eq!(changed.json(), expected);
    assert_ne!(changed.header("etag"), tag);
    // A PATCH without effect does not change the version.
    let same = patch(&app, &admin, &change).await.expect(200);
    assert_eq!(same.header("etag"), changed.header("etag"));
    let who = app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(who["brand"]["name"], "Acme North");
}

async fn every_wrong_setting_is_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for (change, code) in [
        (json!({ "name": "" }), "required"),
        (json!({ "date_format": "YYYY-MM-DD" }), "invalid_date_format"),
        (json!({ "time_zone": "Mars/Olympus" }), "invalid_time_zone"),
        (json!({ "time_zone": null }), "required"),
        (json!({ "locale": "klingon" }), "invalid_locale"),
        (json!({ "test_interval_days": 0 }), "out_of_range"),
        (json!({ "test_interval_days": 7.5 }), "wrong_type"),
        (json!({ "low_battery_percent": 101 }), "out_of_range"),
        (json!({ "critical_battery_percent": 21 }), "out_of_range"),
        (json!({ "silence_limit_hours": 9_223_372_036_854_775_807_i64 }), "out_of_range"),
        (json!({ "closes_visits": 1 }), "wrong_type"),
        (json!({ "visit_limit_minutes": -1 }), "out_of_range"),
        (json!({ "viewers_see_names": "yes" }), "wrong_type"),
        (json!({ "ai_sees_names": null }), "required"),
        (json!({ "alerts_show_names": null }), "required"),
        (json!({ "brand_id": 2 }), "unknown_field"),
        (json!({ "version": 2 }), "unknown_field"),
    ] {
        let refused = patch(&app, &admin, &change).await.expect(422).json();
        let field = change.as_object().unwrap().keys().next().unwrap();
        assert_eq!(
            (&refused["errors"][0]["field"], &refused["errors"][0]["code"]),
            (&json!(field), &json!(code)),
            "{change}"
        );
    }
    let reply = app.get(PATH).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(reply.header("etag"), "\"1\"", "nothing was changed");
}

async fn a_stale_change_of_settings_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let change = |tag: &str, days: i64| {
        let request = app.patch(PATH).cookie(&admin.cookie).header("if-match", tag);
        request.json(&json!({ "test_interval_days": days })).send()
    };
    assert_eq!(change("\"1\"", 14).await.expect(200).header("etag"), "\"2\"");
    assert_eq!(change("\"1\"", 21).await.expect(412).code(), "stale");
}

/// A refusal would reveal which other brands exist.
async fn the_name_of_another_brand_may_be_taken(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.ensure_brand("Other").await;
    let changed = patch(&app, &admin, &json!({ "name": "OTHER" })).await.expect(200).json();
    assert_eq!(changed["name"], "OTHER");
    let name = |text: &str| domain::Name::parse(text).unwrap();
    let refused = app.app.find_brand(&name("other")).await.unwrap_err();
    assert_eq!(refused.code, "ambiguous_brand");
    for id in ["1", "2"] {
        assert_eq!(app.app.find_brand(&name(id)).await.unwrap().id.to_string(), id);
    }
}

async fn viewers_see_names_as_soon_as_the_brand_says_so(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let sees_names = || async {
        let who = app.get("/api/v1/session").cookie(&viewer.cookie).send().await.expect(200).json();
        who["permissions"].as_array().unwrap().contains(&json!("read_names"))
    };
    assert!(!sees_names().await);
    patch(&app, &admin, &json!({ "viewers_see_names": true })).await.expect(200);
    assert!(sees_names().await);
    patch(&app, &admin, &json!({ "viewers_see_names": false })).await.expect(200);
    assert!(!sees_names().await);
}

async fn put(app: &TestApp, admin: &Account, kind: &str, bytes: &[u8]) -> Reply {
    app.request(Method::PUT, LOGO).cookie(&admin.cookie).bytes(kind, bytes).send().await
}

async fn a_logo_is_put_shown_and_taken_away(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let eve = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let get = |cookie: &str| app.get("/api/v1/brand/logo").cookie(cookie).send();
    get(&viewer.cookie).await.expect(404);
    let brand = put(&app, &admin, "image/png", PIXEL_PNG).await.expect(200).json();
    assert_eq!(brand["logo_updated_at"], "2026-03-01T12:00:30Z");
    let shown = get(&viewer.cookie).await.expect(200);
    assert_eq!((shown.header("content-type"), shown.body.as_slice()), ("image/png", PIXEL_PNG));
    assert_eq!(shown.header("x-content-type-options"), "nosniff");
    let tag = shown.header("etag").to_owned();
    let again = app.get("/api/v1/brand/logo").cookie(&viewer.cookie).header("if-none-match", &tag);
    assert!(again.send().await.expect(304).body.is_empty());
    get(&eve.cookie).await.expect(404);
    for _ in 0..2 {
        let brand = app.delete(LOGO).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!(brand["logo_updated_at"], json!(null));
    }
    get(&viewer.cookie).await.expect(404);
}

async fn what_is_no_picture_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    put(&app, &admin, "image/svg+xml", svg).await.expect(415);
    put(&app, &admin, "application/json", b"{}").await.expect(415);
    let with_more = [PIXEL_PNG, b"<script>"].concat();
    for bytes in [&b""[..], svg, &PIXEL_PNG[..40], &with_more] {
        let refused = put(&app, &admin, "image/png", bytes).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], "invalid_picture");
    }
    put(&app, &admin, "image/png", &vec![0; 1024 * 1024 + 1]).await.expect(413);
    let reply = app.get(PATH).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(reply.header("etag"), "\"1\"", "nothing was changed");
}

/// Builds a PNG of one pixel whose chunks and checksums are valid.
fn png_with(pieces: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let head: &[u8] = &[0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0];
    for (kind, data) in [(b"IHDR", head)].iter().chain(pieces).chain(&[(b"IEND", &b""[..])]) {
        png.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        let summed = [kind.as_slice(), *data].concat();
        png.extend(&summed);
        png.extend(domain::crc32(&summed).to_be_bytes());
    }
    png
}

async fn a_picture_that_cannot_be_decoded_is_refused(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    put(&app, &admin, "image/png", PIXEL_PNG).await.expect(200);
    for broken in [png_with(&[]), png_with(&[(b"IDAT", b"not compressed at all")])] {
        let refused = put(&app, &admin, "image/png", &broken).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("logo"), &json!("invalid_picture")));
        assert!(error["message"].as_str().unwrap().contains("cannot be decoded"), "{error}");
    }
    let shown = app.get("/api/v1/brand/logo").cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.body, PIXEL_PNG, "the logo of before is still there");
}

async fn settings_are_written_down_with_before_and_after(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    patch(&app, &admin, &json!({ "test_interval_days": 14 })).await.expect(200);
    let path = "/api/v1/admin/audit_log?action=brand.changed";
    let log = app.get(path).cookie(&admin.cookie).send().await.expect(200).json();
    let details = &log["data"][0]["details"];
    assert_eq!(
        (&details["before"]["test_interval_days"], &details["after"]["test_interval_days"]),
        (&json!(7), &json!(14))
    );
}
