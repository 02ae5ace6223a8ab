//! What belongs to a machine after its base station was moved

use domain::{Role, Span};
use http::Method;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::timeline::{deliver, incursions_in, install, move_to_digger};
use super::yard_with_three;
use crate::console::{open, submit};
use crate::video::post_clip_request;

on_both_engines!(
    video_belongs_to_the_machine_on_which_it_was_recorded,
    a_message_that_came_with_its_station_is_on_both_timelines,
    a_station_that_comes_back_has_taken_no_message_away,
    who_is_restricted_sees_the_incursions_of_a_machine_and_nothing_else_of_that_time,
    the_track_is_shown_if_there_was_a_station_in_its_period,
);

async fn video_belongs_to_the_machine_on_which_it_was_recorded(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    move_to_digger(&yard).await;
    // Someone looks at an incursion after the station has moved.
    let body = json!({ "camera": "rear", "from": "2026-03-01T13:00:00Z", "to": "2026-03-01T13:00:10Z" });
    post_clip_request(&yard.app, &yard.admin, 1, &body).await.expect(201);
    for (machine, rows) in [(1, 1), (4, 0)] {
        let path = format!("/machines/{machine}/timeline?kind=video_clip");
        let page = open(&yard.app, cookie, &path).await.expect(200);
        let clip = format!("/machines/{machine}/clips/1");
        assert_eq!(page.links().iter().filter(|link| **link == clip).count(), rows, "{}", page.text());
        assert_eq!(page.says("1 row"), rows == 1, "{}", page.text());
    }
}

async fn a_message_that_came_with_its_station_is_on_both_timelines(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    move_to_digger(&yard).await;
    deliver(&yard.app).await;
    let timeline = async |machine: i64| {
        let path = format!("/machines/{machine}/timeline?kind=message");
        open(&yard.app, cookie, &path).await.expect(200)
    };
    let there = timeline(4).await;
    for words in [
        "Check the mirror",
        "to base station BS-1 before it came to this machine",
        "Delivered",
        "1 row",
        "What base station BS-1 has seen since it came",
    ] {
        assert!(there.says(words), "{words}: {}", there.text());
    }
    let here = timeline(1).await;
    assert!(here.says("went with it") && !here.says("before it came"), "{}", here.text());
    // What was delivered does not go any further.
    install(&yard, 1, 2).await;
    assert!(!timeline(2).await.says("Check the mirror"));
    assert!(!timeline(4).await.says("went with it"));
}

async fn a_station_that_comes_back_has_taken_no_message_away(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    yard.app.clock.advance(Span::minutes(1));
    let place = yard.app.request(Method::PUT, "/api/v1/base_stations/1/installation").cookie(cookie);
    place.json(&json!({ "machine_id": null })).send().await.expect(200);
    let path = "/machines/1/timeline?kind=message";
    let page = open(&yard.app, cookie, path).await.expect(200);
    assert!(page.says("left this machine"), "{}", page.text());
    install(&yard, 1, 1).await;
    let page = open(&yard.app, cookie, path).await.expect(200);
    assert!(page.says("Check the mirror") && page.says("1 row"), "{}", page.text());
    assert!(!page.says("left this machine") && !page.says("before it came"), "{}", page.text());
}

async fn who_is_restricted_sees_the_incursions_of_a_machine_and_nothing_else_of_that_time(app: TestApp) {
    let yard = yard_with_three(app).await;
    let (app, cookie) = (&yard.app, &yard.admin.cookie);
    // The machine was at no site while its station was on it. Its incursions lie in project 1 by their positions, and one in project 2.
    yard.facts.add_incursions(vec![yard.row(15, Some(2))]).await;
    submit(app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    deliver(app).await;
    move_to_digger(&yard).await;
    let site = app.patch("/api/v1/machines/1").cookie(cookie).json(&json!({ "worksite_id": 1 }));
    site.send().await.expect(200);
    app.clock.advance(Span::minutes(1));
    submit(app, cookie, "/machines/4/messages", &[("text", "Welcome")]).await.expect(303);
    let reader = yard.restricted("in@example.com", Role::Member, &[1]).await;
    for path in ["/machines/1", "/machines/1/timeline"] {
        let page = open(app, &reader.cookie, path).await.expect(200);
        let found = incursions_in(&page.links());
        for id in 1..=3 {
            assert!(found.contains(&format!("/incursions/{id}")), "{path}: {found:?}");
        }
        assert!(!found.contains(&"/incursions/4".to_owned()), "{path}: {found:?}");
        assert!(!page.says("Check the mirror") && !page.says("Welcome"), "{path}: {}", page.text());
    }
    assert!(open(app, &reader.cookie, "/machines/1/timeline").await.expect(200).says("3 rows"));
    // Where nothing was seen, the station is not named.
    let messages = open(app, &reader.cookie, "/machines/1/timeline?kind=message").await.expect(200);
    assert!(!messages.says("BS-1"), "{}", messages.text());
    // Its time elsewhere is not theirs.
    open(app, &reader.cookie, "/machines/4/timeline").await.expect(404);
}

async fn the_track_is_shown_if_there_was_a_station_in_its_period(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    move_to_digger(&yard).await;
    // The station of machine 3 saw nothing, and goes, too.
    install(&yard, 3, 2).await;
    let (before, day) =
        ("period=custom&from=2026-02-01&to=2026-02-02", "period=custom&from=2026-03-01&to=2026-03-02");
    for machine in [1, 3] {
        for (period, has_track) in [(before, false), (day, true)] {
            let path = format!("/machines/{machine}?{period}");
            let page = open(&yard.app, cookie, &path).await.expect(200);
            let html = page.reply.text();
            assert_eq!(html.contains("/charts/track/"), has_track, "{path}");
        }
    }
}
