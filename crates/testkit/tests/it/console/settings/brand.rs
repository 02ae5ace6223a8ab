//! /settings/brand

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, open, submit};
use crate::contract::PIXEL_PNG;

on_both_engines!(
    all_settings_are_shown_and_saved,
    faults_and_stale_changes_are_shown,
    people_who_share_an_employee_number_are_named,
    a_logo_is_uploaded_shown_and_removed,
    who_is_restricted_may_only_look,
    settings_ask_for_proof_in_place,
);

const PATH: &str = "/settings/brand";
const LOGO: &str = "/settings/brand/logo";
const API: &str = "/api/v1/admin/brand";

/// The settings of a new brand as its form sends them, without boxes that are not ticked.
const DEFAULTS: [(&str, &str); 15] = [
    ("name", "Acme"),
    ("locale", "en"),
    ("time_zone", "UTC"),
    ("date_format", "DD/MM/YYYY"),
    ("test_interval_days", "7"),
    ("low_battery_percent", "20"),
    ("critical_battery_percent", "10"),
    ("silence_limit_hours", "24"),
    ("visit_limit_minutes", "60"),
    ("unique_employee_ids", "true"),
    ("keep_incursions_days", ""),
    ("keep_runtime_days", ""),
    ("keep_tracks_days", "400"),
    ("keep_events_days", "400"),
    ("keep_video_days", "90"),
];

/// The form with other values.
fn form_with<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = DEFAULTS.into_iter().filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    kept.chain(changes.iter().copied()).collect()
}

async fn read(app: &TestApp, cookie: &str) -> Value {
    app.get(API).cookie(cookie).send().await.expect(200).json()
}

/// Uploads a file as a browser does.
async fn upload(app: &TestApp, cookie: &str, file: &[u8]) -> Page {
    let head = "--limit\r\ncontent-disposition: form-data; name=\"logo\"; filename=\"logo.png\"\r\n\
        content-type: image/png\r\n\r\n";
    let body = [head.as_bytes(), file, b"\r\n--limit--\r\n"].concat();
    let request = app.post(LOGO).cookie(cookie).header("accept", "text/html,*/*;q=0.8");
    let request = request.header("sec-fetch-site", "same-origin");
    Page { reply: request.bytes("multipart/form-data; boundary=limit", body).send().await }
}

async fn all_settings_are_shown_and_saved(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let before = read(&app, &admin.cookie).await;
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    for (name, value) in DEFAULTS {
        assert_eq!(page.field(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(page.field("closes_visits"), None);
    // The form as it is shown changes nothing.
    let same = submit(&app, &admin.cookie, PATH, &DEFAULTS).await.expect(303);
    assert_eq!((same.location().as_str(), done(&same).as_str()), (PATH, "brand-saved"));
    assert_eq!(read(&app, &admin.cookie).await, before);
    let fields = form_with(&[
        ("name", "Acme <North>"),
        ("locale", "de-AT"),
        ("time_zone", "europe/vienna"),
        ("date_format", "MM/DD/YYYY"),
        ("closes_visits", "true"),
        ("viewers_see_names", "true"),
        ("unique_employee_ids", ""),
        ("ai_sees_names", "true"),
        ("alerts_show_names", "true"),
        ("second_factor_required", "viewer"),
        ("second_factor_required", "member"),
        ("keep_incursions_days", "1825"),
        ("keep_tests_days", "365"),
        ("keep_video_days", ""),
    ]);
    let fields: Vec<_> = fields.into_iter().filter(|(name, _)| *name != "unique_employee_ids").collect();
    submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    let mut expected = before;
    for (name, value) in [
        ("name", json!("Acme <North>")),
        ("locale", json!("de-AT")),
        ("time_zone", json!("Europe/Vienna")),
        ("date_format", json!("MM/DD/YYYY")),
        ("closes_visits", json!(true)),
        ("viewers_see_names", json!(true)),
        ("unique_employee_ids", json!(false)),
        ("ai_sees_names", json!(true)),
        ("alerts_show_names", json!(true)),
        ("second_factor_required", json!(["viewer", "member"])),
        ("keep_incursions_days", json!(1825)),
        ("keep_tests_days", json!(365)),
        ("keep_video_days", Value::Null),
    ] {
        expected[name] = value;
    }
    assert_eq!(read(&app, &admin.cookie).await, expected);
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("Grenzwerte") && page.says("Datenschutz"));
    assert_eq!(page.field("second_factor_required").as_deref(), Some("viewer"));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let fields = form_with(&[
        ("name", ""),
        ("time_zone", "Mars/Olympus"),
        ("test_interval_days", "0"),
        ("silence_limit_hours", "soon"),
        ("keep_video_days", "-1"),
    ]);
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    for name in ["name", "time_zone", "test_interval_days", "silence_limit_hours", "keep_video_days"] {
        assert!(page.fault(name).is_some(), "{name}");
    }
    assert!(page.fault("locale").is_none());
    assert_eq!(page.field("time_zone").as_deref(), Some("Mars/Olympus"));
    let fields = form_with(&[("low_battery_percent", "5")]);
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("critical_battery_percent").is_some());
    let version = open(&app, &admin.cookie, PATH).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        submit(&app, &admin.cookie, PATH, &form_with(&[("name", name), ("_version", &version)])).await
    };
    change("A").await.expect(303);
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
    assert_eq!(read(&app, &admin.cookie).await["name"], "A");
}

async fn people_who_share_an_employee_number_are_named(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let shared = json!({ "unique_employee_ids": false });
    app.patch(API).cookie(&admin.cookie).json(&shared).send().await.expect(200);
    for name in ["Grace", "Eve"] {
        let person = json!({ "kind": "staff", "name": name, "employee_id": "E-1" });
        app.post("/api/v1/people").cookie(&admin.cookie).json(&person).send().await.expect(201);
    }
    let page = submit(&app, &admin.cookie, PATH, &DEFAULTS).await.expect(422);
    let fault = page.fault("unique_employee_ids").unwrap();
    assert!(fault.contains("E-1"), "{fault}");
}

async fn a_logo_is_uploaded_shown_and_removed(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.says("There is no logo.") && !page.says("Remove the logo"));
    open(&app, &admin.cookie, LOGO).await.expect(404);
    for wrong in [&b""[..], b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", &PIXEL_PNG[..40]] {
        let refused = upload(&app, &admin.cookie, wrong).await.expect(422);
        assert!(refused.fault("logo").is_some());
        assert_eq!(refused.field("name").as_deref(), Some("Acme"));
    }
    let large = upload(&app, &admin.cookie, &vec![0; 1024 * 1024 + 1]).await.expect(422);
    assert!(large.fault("logo").is_some());
    let saved = upload(&app, &admin.cookie, PIXEL_PNG).await.expect(303);
    assert_eq!((saved.location().as_str(), done(&saved).as_str()), (PATH, "brand-logo-saved"));
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.reply.text().contains("alt=\"The logo of Acme\"") && page.says("Remove the logo"));
    let shown = app.get(&format!("{LOGO}?at=1")).cookie(&viewer.cookie).send().await.expect(200);
    assert_eq!((shown.header("content-type"), shown.body.as_slice()), ("image/png", PIXEL_PNG));
    upload(&app, &viewer.cookie, PIXEL_PNG).await.expect(403);
    let removed = submit(&app, &admin.cookie, &format!("{LOGO}/remove"), &[]).await.expect(303);
    assert_eq!(done(&removed), "brand-logo-removed");
    open(&app, &admin.cookie, LOGO).await.expect(404);
}

async fn who_is_restricted_may_only_look(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let page = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(page.says("restricted to some projects") && page.field("name").is_none());
    submit(&app, &bob.cookie, PATH, &DEFAULTS).await.expect(403);
    submit(&app, &bob.cookie, PATH, &form_with(&[("name", "")])).await.expect(403);
    for file in [PIXEL_PNG, b""] {
        upload(&app, &bob.cookie, file).await.expect(403);
    }
    open(&app, &viewer.cookie, PATH).await.expect(403);
    submit(&app, &viewer.cookie, PATH, &DEFAULTS).await.expect(403);
}

async fn settings_ask_for_proof_in_place(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(16));
    let page = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(page.reply.text().contains("name=\"_password\""));
    let fields = form_with(&[("name", "Acme North"), ("_password", "wrong wagon sixty tiles")]);
    let asked = submit(&app, &admin.cookie, PATH, &fields).await.expect(403);
    assert_eq!(asked.field("name").as_deref(), Some("Acme North"));
    assert_eq!(read(&app, &admin.cookie).await["name"], "Acme");
    let fields = form_with(&[("name", "Acme North"), ("_password", PASSWORD)]);
    submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
}
