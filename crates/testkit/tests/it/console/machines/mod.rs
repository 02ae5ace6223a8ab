//! /machines: the list, one machine, its messages, notes and video

mod moved_stations;
mod timeline;

use domain::{DeviceKind, Role, Span};
use http::Method;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::console::{open, submit};
use crate::v1::incursions::Yard;
use crate::video::{mp4, upload_clip};

on_both_engines!(
    the_list_leads_to_machines_and_their_incursions,
    one_machine_shows_figures_devices_and_records,
    every_image_of_the_page_is_drawn,
    a_machine_without_a_station_says_so,
    a_message_is_sent_once_and_faults_are_shown,
    a_note_is_added_once,
    a_clip_is_asked_for_waited_for_and_watched,
    who_may_only_look_is_offered_no_forms,
    what_the_api_hides_has_no_page,
    it_speaks_german_and_names_are_never_markup,
);

/// A yard with three incursions of machine 1, of which one was acknowledged. Its station came to it two hours ago and has two cameras.
async fn yard_with_three(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    yard.app.clock.advance(Span::minutes(120));
    let mut rows: Vec<_> = [30, 60, 90].map(|minutes| yard.row(minutes, Some(1))).into();
    rows[0].acknowledged_at = Some(rows[0].started_at + Span::seconds(4));
    yard.facts.add_incursions(rows).await;
    let station = yard.app.patch("/api/v1/base_stations/1").cookie(&yard.admin.cookie);
    station.json(&json!({ "cameras": ["front", "rear"] })).send().await.expect(200);
    yard
}

async fn the_list_leads_to_machines_and_their_incursions(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    let page = open(&yard.app, cookie, "/machines?period=7d").await.expect(200);
    assert!(page.says("Crane 1") && page.says("Crane 3") && page.says("3 rows"), "{}", page.text());
    assert_eq!(page.reply.text().matches("aria-sort=\"ascending\"").count(), 1, "sorted by name");
    let links = page.links();
    for link in [
        "/machines/1?period=7d",
        "/incursions?period=7d&machine_id=1",
        "/incursions?period=7d&machine_id=1&acknowledged=true",
        "/machines?period=7d&sort=-incursions",
        "/machines?period=7d&sort=-name",
    ] {
        assert!(links.iter().any(|found| found == link), "{link}: {links:?}");
    }
    let one = open(&yard.app, cookie, "/machines?q=crane%202").await.expect(200);
    assert!(one.says("Crane 2") && !one.says("Crane 1"));
    let none = open(&yard.app, cookie, "/machines?q=digger").await.expect(200);
    assert!(none.says("Nothing matches these filters"));
    let csv = yard.app.get("/machines?format=csv&limit=1").cookie(cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    assert_eq!(csv.text().lines().count(), 4);
    open(&yard.app, cookie, "/machines?sort=colour").await.expect(400);
}

async fn one_machine_shows_figures_devices_and_records(app: TestApp) {
    let yard = yard_with_three(app).await;
    let page = open(&yard.app, &yard.admin.cookie, "/machines/1").await.expect(200);
    for words in [
        "Crane 1",
        "1 of 3",
        "Acknowledgement score by day",
        "Where it happened",
        "Who drove when",
        "Runtime by day",
        "Track of the last 24 hours",
        "BS-1",
        "Sizes of the zones",
        "Timeline",
        "Ada",
        "No message was sent yet",
        "There are no video clips",
        "There are no notes",
    ] {
        assert!(page.says(words), "{words}: {}", page.text());
    }
    // A day without incursions has no score, and says why.
    assert!(page.says("no incursions"), "{}", page.text());
    let links = page.links();
    for link in [
        "/incursions?machine_id=1",
        "/incursions?machine_id=1&acknowledged=false&period=custom&from=2026-02-28&to=2026-03-01",
        "/machines/1/timeline?kind=runtime",
        "/machines/1/timeline",
        "/settings/machines/1",
        "/settings/base-stations/1",
    ] {
        let is_found = links.iter().any(|found| same_parameters(found, link));
        assert!(is_found, "{link}: {links:?}");
    }
    // The track follows a period that is short enough.
    let day = "/machines/1?period=custom&from=2026-02-28&to=2026-03-01";
    let day = open(&yard.app, &yard.admin.cookie, day).await.expect(200);
    assert!(day.says("Track in this period"));
    assert!(
        day.reply.text().contains("/charts/track/1?from=2026-02-28&#38;to=2026-03-01"),
        "{}",
        day.reply.text()
    );
}

/// Whether two addresses have the same path and the same parameters in any order.
fn same_parameters(one: &str, other: &str) -> bool {
    let parts = |address: &str| {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let mut pairs: Vec<String> = query.split('&').map(str::to_owned).collect();
        pairs.sort();
        (path.to_owned(), pairs)
    };
    parts(one) == parts(other)
}

async fn every_image_of_the_page_is_drawn(app: TestApp) {
    let yard = yard_with_three(app).await;
    let html = open(&yard.app, &yard.admin.cookie, "/machines/1?period=7d").await.expect(200).reply.text();
    let sources: Vec<String> = html
        .split("<img src=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&"))
        .collect();
    let kinds = ["acknowledgement-score", "heatmap", "operators", "machine-runtime", "track/1"];
    for kind in kinds {
        let source = sources.iter().find(|source| source.starts_with(&format!("/charts/{kind}?")));
        let source = source.unwrap_or_else(|| panic!("{kind}: {sources:?}"));
        let image = yard.app.get(source).cookie(&yard.admin.cookie).send().await.expect(200);
        assert!(image.header("content-type").starts_with("image/svg+xml"), "{kind}");
    }
    // A year is too long for single spans, which the page says instead.
    let year = open(&yard.app, &yard.admin.cookie, "/machines/1?period=365d").await.expect(200);
    assert!(year.says("at most 31 days") && !year.reply.text().contains("/charts/operators?"));
}

async fn a_machine_without_a_station_says_so(app: TestApp) {
    let yard = Yard::new(app).await;
    let cookie = &yard.admin.cookie;
    let new = json!({ "name": "Digger", "kind": "excavator" });
    yard.app.post("/api/v1/machines").cookie(cookie).json(&new).send().await.expect(201);
    let page = open(&yard.app, cookie, "/machines/4").await.expect(200);
    assert!(page.says("There is no base station on this machine") && page.says("Install a base station"));
    assert!(page.says("Nothing happened in the last seven days"), "{}", page.text());
    assert_eq!(page.field("text"), None);
    assert!(open(&yard.app, cookie, "/machines/4/timeline").await.expect(200).says("no base station"));
    submit(&yard.app, cookie, "/machines/4/messages", &[("text", "Stop")]).await.expect(404);
    submit(&yard.app, cookie, "/machines/4/clips", &[("length", "5")]).await.expect(404);
}

async fn a_message_is_sent_once_and_faults_are_shown(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/machines/1/messages?period=7d");
    let long = "x".repeat(201);
    let fields = [("text", long.as_str()), ("expires_in_minutes", "0")];
    let page = submit(&yard.app, cookie, path, &fields).await.expect(422);
    assert!(page.fault("text").is_some() && page.fault("expires_in_minutes").is_some());
    assert_eq!(page.field("text").as_ref(), Some(&long));
    let fields =
        [("text", "Stop at the gate"), ("expires_in_minutes", "30"), ("_once", "message-once-000000001")];
    for _ in 0..2 {
        let sent = submit(&yard.app, cookie, path, &fields).await.expect(303);
        assert_eq!(sent.location(), "/machines/1?period=7d#messages");
    }
    let list =
        yard.app.get("/api/v1/base_stations/1/messages").cookie(cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(1));
    let shown = open(&yard.app, cookie, "/machines/1").await.expect(200);
    assert!(shown.says("Stop at the gate") && shown.says("Waiting"), "{}", shown.text());
}

async fn a_note_is_added_once(app: TestApp) {
    let yard = Yard::new(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/machines/1/notes");
    let empty = submit(&yard.app, cookie, path, &[("note", " ")]).await.expect(422);
    assert!(empty.fault("note").is_some() && empty.fault("text").is_none());
    let fields = [("note", "Left mirror\nis broken"), ("_once", "note-once-00000000000001")];
    for _ in 0..2 {
        let added = submit(&yard.app, cookie, path, &fields).await.expect(303);
        assert_eq!(added.location(), "/machines/1#notes");
        assert!(added.reply.header("set-cookie").starts_with("keepclear_done=machine-note-added"));
    }
    let page = open(&yard.app, cookie, "/machines/1").await.expect(200);
    assert_eq!(page.text().matches("Left mirror is broken").count(), 1, "{}", page.text());
}

async fn a_clip_is_asked_for_waited_for_and_watched(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/machines/1/clips");
    let page = open(&yard.app, cookie, "/machines/1").await.expect(200);
    assert_eq!(page.field("camera").as_deref(), Some("front"));
    assert_eq!(page.field("from_zone").as_deref(), Some("UTC"));
    let ask = |from: &'static str, length: &'static str| {
        [("camera", "rear"), ("from", from), ("from_zone", "UTC"), ("length", length)]
    };
    let refused = submit(&yard.app, cookie, path, &ask("", "500")).await.expect(422);
    assert!(refused.fault("length").is_some(), "{}", refused.text());
    let clip = submit(&yard.app, cookie, path, &ask("2026-03-01T13:00", "30")).await.expect(303).location();
    assert_eq!(clip, "/machines/1/clips/1");
    let waiting = open(&yard.app, cookie, &clip).await.expect(200);
    assert_eq!(waiting.reply.header("refresh"), "5");
    assert!(waiting.says("Waiting for the base station") && waiting.says("13:00 UTC"));
    assert!(!waiting.reply.text().contains("<video"));
    let token = yard.app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let bytes = mp4(10_000);
    upload_clip(&yard.app, &token, 1, &bytes).await.expect(200);
    let ready = open(&yard.app, cookie, &clip).await.expect(200);
    assert_eq!(ready.reply.header("refresh"), "");
    assert!(ready.says("Can be watched"));
    let video = format!("{clip}/video");
    assert!(ready.reply.text().contains(&format!("src=\"{video}\"")));
    assert!(open(&yard.app, cookie, "/machines/1").await.expect(200).reply.text().contains("<video"));
    let part = yard.app.get(&video).cookie(cookie).header("range", "bytes=10-19").send().await.expect(206);
    assert_eq!(part.body, bytes[10..20]);
    let head = yard.app.request(Method::HEAD, &video).cookie(cookie).send().await.expect(200);
    assert_eq!(head.header("content-length"), "10000");
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&yard.app, &stranger.cookie, &clip).await.expect(404);
    // Known reasons of a failure are given in words, others as they are.
    for (from, reason, words) in [
        ("2026-03-01T10:00", "no_recording", "Failed: the base station has no recording of this time"),
        ("2026-03-01T10:30", "lens <b>", "Failed: lens <b>"),
    ] {
        let failed = submit(&yard.app, cookie, path, &ask(from, "30")).await.expect(303).location();
        let id = failed.rsplit('/').next().unwrap();
        let report = yard.app.post(&format!("/ingest/v1/video_clips/{id}/failed")).bearer(&token);
        report.json(&json!({ "reason": reason })).send().await.expect(200);
        let page = open(&yard.app, cookie, &failed).await.expect(200);
        assert!(page.says(words), "{words}: {}", page.text());
    }
    yard.app.get(&video).cookie(&stranger.cookie).send().await.expect(404);
}

async fn who_may_only_look_is_offered_no_forms(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Ada, stop")]).await.expect(303);
    let viewer = yard.app.sign_in_new_user("vera@example.com", Role::Viewer).await;
    for path in ["/machines/1", "/machines/1/timeline"] {
        let page = open(&yard.app, &viewer.cookie, path).await.expect(200);
        assert!(page.says("Person 1") && !page.text().contains("Ada"), "{path}: {}", page.text());
    }
    let page = open(&yard.app, &viewer.cookie, "/machines/1").await.expect(200);
    for field in ["text", "note", "camera"] {
        assert_eq!(page.field(field), None, "{field}");
    }
    for (path, field) in [("messages", "text"), ("notes", "note"), ("clips", "camera")] {
        let path = format!("/machines/1/{path}");
        submit(&yard.app, &viewer.cookie, &path, &[(field, "x")]).await.expect(403);
    }
}

async fn what_the_api_hides_has_no_page(app: TestApp) {
    let yard = yard_with_three(app).await;
    let stranger = yard.app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    for path in ["/machines/1", "/machines/1/timeline"] {
        open(&yard.app, &stranger.cookie, path).await.expect(404);
    }
    submit(&yard.app, &stranger.cookie, "/machines/1/notes", &[("note", "x")]).await.expect(404);
    assert!(
        open(&yard.app, &stranger.cookie, "/machines").await.expect(200).says("There are no machines yet")
    );
    open(&yard.app, &yard.admin.cookie, "/machines/x").await.expect(404);
    // Who is restricted has the pages of the machines that the API shows them.
    let outside = yard.restricted("out@example.com", Role::Member, &[2]).await;
    for id in 1..=3 {
        let api = yard.app.get(&format!("/api/v1/machines/{id}")).cookie(&outside.cookie).send().await;
        let page = open(&yard.app, &outside.cookie, &format!("/machines/{id}")).await;
        assert_eq!(page.reply.status, api.status, "{id}");
    }
}

async fn it_speaks_german_and_names_are_never_markup(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    let name = "<img src=x onerror=\"alert(1)\"> & 'Co'";
    let change = yard.app.patch("/api/v1/machines/1").cookie(cookie);
    change.json(&json!({ "name": name })).send().await.expect(200);
    for (path, field) in [("messages", "text"), ("notes", "note")] {
        submit(&yard.app, cookie, &format!("/machines/1/{path}"), &[(field, name)]).await.expect(303);
    }
    let german = json!({ "locale": "de-DE" });
    yard.app.patch("/api/v1/admin/brand").cookie(cookie).json(&german).send().await.expect(200);
    for (path, words) in [
        ("/machines", "Maschinen"),
        ("/machines/1", "Quittierungsquote nach Tagen"),
        ("/machines/1/timeline", "Zeitachse von"),
    ] {
        let page = open(&yard.app, cookie, path).await.expect(200);
        assert!(page.says(name) && page.says(words), "{path}: {}", page.text());
    }
}
