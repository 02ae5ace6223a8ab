//! GET /api/v1/base_stations/{id}/timeline

use domain::Role;
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{field_errors, get};
use crate::ingest::events::{BerlinYard, incursion, with};

on_both_engines!(
    everything_comes_in_one_order,
    kinds_and_times_choose_what_is_shown,
    bare_dates_are_days_of_the_site,
    pages_hold_everything_once,
    projects_hide_what_belongs_to_others,
    viewers_see_no_names,
    what_is_asked_for_wrongly_is_refused,
    the_last_position_and_the_number_of_incursions_are_shown,
);

/// Creates a morning with one entry of each kind, some of them simultaneous.
pub async fn morning(app: TestApp) -> BerlinYard {
    let yard = BerlinYard::set_up(app).await;
    let at = |kind: &str, time: &str, more: Value| {
        with(json!({ "uid": kind, "kind": kind, "at": format!("2026-03-01T{time}Z") }), more)
    };
    let remark = |text: &str| json!({ "code": "camera_dark", "severity": "warning", "text": text });
    yard.send_accepted(json!([
        with(incursion("i"), json!({ "ended_at": "2026-03-01T08:00:12Z", "operator_tag": "TAG-2", "lat": 52.5, "lon": 13.4,
            "closest_cm": 180, "acknowledged_at": "2026-03-01T08:00:03Z" })),
        { "uid": "r", "kind": "runtime", "started_at": "2026-03-01T07:50:00Z", "ended_at": "2026-03-01T08:10:00Z",
            "operator_tag": "TAG-2" },
        at("alarm", "08:00:00", remark("The rear camera sees nothing.")),
        at("log", "08:00:00", remark("Door open.")),
        at("status", "08:05:00", json!({ "firmware": "4.2.0", "faults": [], "battery": 80 })),
        at("tag_battery", "08:06:00", json!({ "tag": "TAG-1", "percent": 40 })),
        at("tag_test", "08:07:00", json!({ "tag": "TAG-1", "passed": true })),
    ]))
    .await;
    yard.add_message("2026-03-01T08:08:00Z", "Call Ada.").await;
    yard.add_clip("2026-03-01T08:00:00Z", "1", "1").await;
    yard
}

async fn list_timeline(yard: &BerlinYard, user: &Account, query: &str) -> Vec<Value> {
    let path = format!("/1/timeline{query}");
    let body = get(&yard.app, user, &path).await.expect(200).json();
    body["data"].as_array().unwrap().clone()
}

fn names(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["event_id"].as_str().unwrap()).collect()
}

/// Newest first, simultaneous entries by kind. Runtime is cut at the hour.
const MORNING: [&str; 10] = [
    "message-1",
    "tag_test-5",
    "tag_battery-4",
    "status-3",
    "video_clip-1",
    "incursion-1",
    "alarm-1",
    "log-2",
    "runtime-2",
    "runtime-1",
];

async fn everything_comes_in_one_order(app: TestApp) {
    let yard = morning(app).await;
    let entries = list_timeline(&yard, &yard.admin, "").await;
    assert_eq!(names(&entries), MORNING);
    let entry = |name: &str| entries.iter().find(|entry| entry["event_id"] == name).unwrap().clone();
    let person = |id: i64, name: &str| json!({ "id": id, "name": name, "kind": "staff" });
    let expected = json!({
        "kind": "incursion", "id": 1, "event_id": "incursion-1", "at": "2026-03-01T08:00:00Z",
        "ended_at": "2026-03-01T08:00:12Z", "duration_ms": 12_000, "acknowledged": true,
        "acknowledged_at": "2026-03-01T08:00:03Z", "zone": "warning", "closest_cm": 180,
        "position": { "lat": 52.5, "lon": 13.4 }, "review": "unreviewed", "tag": { "id": 1, "serial": "TAG-1" },
        "pedestrian": person(1, "Ada"), "operator": person(2, "Ben"), "machine": { "id": 1, "name": "Digger" },
        "worksite": { "id": 1, "name": "Yard" },
    });
    assert_eq!(entry("incursion-1"), expected);
    let alarm = entry("alarm-1");
    assert_eq!(
        (&alarm["code"], &alarm["severity"], &alarm["text"]),
        (&json!("camera_dark"), &json!("warning"), &json!("The rear camera sees nothing."))
    );
    let status = entry("status-3");
    assert_eq!(
        (&status["firmware"], &status["battery"], &status["faults"], &status["zones"]),
        (&json!("4.2.0"), &json!(80), &json!([]), &json!(null))
    );
    let (battery, test) = (entry("tag_battery-4"), entry("tag_test-5"));
    assert_eq!((&battery["percent"], &battery["tag"]["serial"]), (&json!(40), &json!("TAG-1")));
    assert_eq!((&test["passed"], &test["tag"]["id"]), (&json!(true), &json!(1)));
    let message = entry("message-1");
    assert_eq!((&message["body"], &message["sent_by"]["id"]), (&json!("Call Ada."), &json!(1)));
    let clip = entry("video_clip-1");
    assert_eq!(
        (&clip["at"], &clip["from"], &clip["state"], &clip["incursion_id"]),
        (&json!("2026-03-01T08:01:00Z"), &json!("2026-03-01T08:00:00Z"), &json!("requested"), &json!(1))
    );
    let runtime = entry("runtime-2");
    assert_eq!(
        (&runtime["started_at"], &runtime["ended_at"], &runtime["operator"]),
        (&json!("2026-03-01T08:00:00Z"), &json!("2026-03-01T08:10:00Z"), &person(2, "Ben"))
    );
}

async fn kinds_and_times_choose_what_is_shown(app: TestApp) {
    let yard = morning(app).await;
    for (query, expected) in [
        ("?kind=log&kind=alarm&kind=log", &["alarm-1", "log-2"][..]),
        ("?kind=runtime&to=2026-03-01T08:00:00Z", &["runtime-1"]),
        ("?kind=message&from=2026-03-01T08:08:00.000001Z", &[]),
        ("?from=2026-03-01T08:07:00Z&to=2026-03-01T08:08:00Z", &["tag_test-5"]),
        ("?from=2025-06-01T00:00:00Z&to=2026-02-28T00:00:00Z", &[]),
    ] {
        assert_eq!(names(&list_timeline(&yard, &yard.admin, query).await), expected, "{query}");
    }
    // One week by default.
    yard.app.clock.advance(domain::Span::minutes(7 * 24 * 60));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Viewer).await;
    assert!(list_timeline(&yard, &later, "").await.is_empty());
    assert_eq!(list_timeline(&yard, &later, "?from=2026-02-27T00:00:00Z").await.len(), MORNING.len());
}

/// Creates logs around the midnights in Berlin that begin and end 28 February.
pub async fn midnights(app: TestApp) -> BerlinYard {
    let yard = BerlinYard::set_up(app).await;
    let log = |uid: &str, at: &str| {
        let entry = json!({ "code": "door", "severity": "warning", "text": "Open." });
        with(json!({ "uid": uid, "kind": "log", "at": at }), entry)
    };
    yard.send_accepted(json!([
        log("1", "2026-02-27T22:59:59Z"),
        log("2", "2026-02-27T23:00:00Z"),
        log("3", "2026-02-28T22:59:59Z"),
        log("4", "2026-02-28T23:00:00Z"),
    ]))
    .await;
    yard
}

/// Periods of the logs around midnight, and what is in them.
pub const DAYS_IN_BERLIN: [(&str, &[&str]); 4] = [
    ("?from=2026-02-28&to=2026-03-01", &["log-3", "log-2"]),
    ("?from=2026-03-01", &["log-4"]),
    ("?to=2026-02-28", &["log-1"]),
    ("?from=2026-02-28T00:00:00Z&to=2026-03-01", &["log-3"]),
];

async fn bare_dates_are_days_of_the_site(app: TestApp) {
    let yard = midnights(app).await;
    for (query, expected) in DAYS_IN_BERLIN {
        assert_eq!(names(&list_timeline(&yard, &yard.admin, query).await), expected, "{query}");
    }
    // Pages of a period have cursors as others have.
    let days = "?from=2026-02-28&to=2026-03-01&limit=1";
    let first = get(&yard.app, &yard.admin, &format!("/1/timeline{days}")).await.expect(200).json();
    let next = format!("{days}&cursor={}", first["page"]["next"].as_str().unwrap());
    assert_eq!(names(&list_timeline(&yard, &yard.admin, &next).await), ["log-2"]);
    // Without a worksite, days are those of the brand, which are those of UTC.
    yard.app.allow_leftover_jobs();
    let end = yard.app.delete("/api/v1/worksites/1/assignments/machines/1").cookie(&yard.admin.cookie);
    end.send().await.expect(200);
    let query = "?from=2026-02-28&to=2026-03-01";
    assert_eq!(names(&list_timeline(&yard, &yard.admin, query).await), ["log-4", "log-3"]);
}

async fn pages_hold_everything_once(app: TestApp) {
    let yard = morning(app).await;
    for limit in [1, 2, 3, 9] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/1/timeline?include_total=true&limit={limit}{cursor}");
            let body = get(&yard.app, &yard.admin, &path).await.expect(200).json();
            assert_eq!(body["page"]["total"], 10);
            let data = body["data"].as_array().unwrap();
            seen.extend(names(data).into_iter().map(str::to_owned));
            let Some(next) = body["page"]["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
            // The clock advances while someone reads, and the machine keeps running.
            yard.app.clock.advance(domain::Span::seconds(1));
        }
        assert_eq!(seen, MORNING, "{limit} at a time");
        let other = get(&yard.app, &yard.admin, &format!("/1/timeline?kind=log{cursor}")).await;
        assert_eq!(other.expect(400).code(), "invalid_cursor");
    }
}

async fn projects_hide_what_belongs_to_others(app: TestApp) {
    let yard = morning(app).await;
    yard.app.allow_leftover_jobs();
    let ours = yard.restricted("ours@example.com", Role::Member, &[1]).await;
    assert_eq!(names(&list_timeline(&yard, &ours, "").await), MORNING);
    // The machine moves: earlier facts stay visible here, and the machine is visible there.
    yard.post("projects", json!({ "name": "South" })).await;
    let site =
        json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2 });
    yard.post("worksites", site).await;
    yard.put("worksites/2/assignments/machines/1", json!({})).await;
    get(&yard.app, &ours, "/1/timeline").await.expect(404);
    let theirs = yard.restricted("theirs@example.com", Role::Member, &[2]).await;
    // Reports from before the move stay visible only here.
    assert_eq!(names(&list_timeline(&yard, &theirs, "").await), [""; 0]);
    let body = get(&yard.app, &theirs, "/1/timeline?include_total=true").await.expect(200).json();
    assert_eq!(body["page"]["total"], 0);
    yard.post("base_stations/1/messages", json!({ "body": "Welcome" })).await;
    assert_eq!(names(&list_timeline(&yard, &theirs, "").await), ["message-2"]);
}

async fn viewers_see_no_names(app: TestApp) {
    let yard = morning(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let entries = list_timeline(&yard, &viewer, "").await;
    assert_eq!(names(&entries), MORNING);
    let text = json!(entries).to_string();
    for name in ["Ada", "Ben", "admin"] {
        assert!(!text.contains(name), "{name} is shown in {text}");
    }
    assert!(text.contains("Person 1") && text.contains("Person 2"));
}

async fn what_is_asked_for_wrongly_is_refused(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    for (query, fault) in [
        ("kind=receipt", "kind: invalid_kind"),
        ("kind=", "kind: invalid_kind"),
        ("from=2026-03", "from: invalid_time"),
        ("to=noon", "to: invalid_time"),
        ("from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z", "to: out_of_range"),
        ("from=2026-02-02&to=2026-02-01", "to: out_of_range"),
        ("from=2025-01-01T00:00:00Z", "from: out_of_range"),
        ("from=2025-01-01", "from: out_of_range"),
        ("surprise=1", "surprise: unknown_parameter"),
    ] {
        let refused = get(&yard.app, &yard.admin, &format!("/1/timeline?{query}")).await.expect(400).json();
        assert_eq!(field_errors(&refused), [fault], "{query}");
    }
    for id in ["2", "x", "-1"] {
        get(&yard.app, &yard.admin, &format!("/{id}/timeline")).await.expect(404);
    }
    let post = yard.app.request(Method::POST, "/api/v1/base_stations/1/timeline").cookie(&yard.admin.cookie);
    post.send().await.expect(405);
}

async fn the_last_position_and_the_number_of_incursions_are_shown(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let before = yard.get("base_stations/1").await;
    assert_eq!(before["last_position"], json!(null));
    assert_eq!(before["incursions"], json!({ "last_30_days": 0, "last_at": null }));
    let fixes = json!([["2026-03-01T08:00:00Z", 52.5, 13.4], ["2026-03-01T07:00:00Z", 52.6, 13.5]]);
    let old = json!({ "uid": "old", "started_at": "2026-01-15T08:00:00Z" });
    yard.send_accepted(
        json!([{ "uid": "g", "kind": "gps", "fixes": fixes }, incursion("i"), with(incursion("x"), old)]),
    )
    .await;
    for shown in [yard.get("base_stations/1").await, yard.get("base_stations").await["data"][0].clone()] {
        let position = json!({ "lat": 52.5, "lon": 13.4, "at": "2026-03-01T08:00:00Z" });
        assert_eq!(shown["last_position"], position);
        assert_eq!(shown["incursions"], json!({ "last_30_days": 1, "last_at": "2026-03-01T08:00:00Z" }));
    }
}
