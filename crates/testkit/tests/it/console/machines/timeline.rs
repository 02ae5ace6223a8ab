//! /machines/{id}/timeline, and the latest entries on the page of the machine

use domain::event::ReceiptState;
use domain::{BaseStationId, MachineId, MessageId, Span, TagId};
use http::Method;
use serde_json::json;
use store::Projects;
use testkit::{TestApp, on_both_engines};

use super::yard_with_three;
use crate::console::{open, submit};
use crate::v1::incursions::Yard;

on_both_engines!(
    the_timeline_is_filtered_by_kind_and_period,
    what_a_station_saw_on_another_machine_is_not_shown,
    the_past_stays_with_the_machine_when_its_station_moves,
    the_timeline_joins_all_stations_page_by_page,
    a_message_that_waits_goes_with_its_station,
);

async fn the_timeline_is_filtered_by_kind_and_period(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    let all = open(&yard.app, cookie, "/machines/1/timeline").await.expect(200);
    assert!(all.says("Check the mirror") && all.says("Warning: Ada") && all.says("4 rows"), "{}", all.text());
    let links = all.links();
    assert!(links.iter().any(|link| link == "/incursions/1"), "{links:?}");
    let messages = open(&yard.app, cookie, "/machines/1/timeline?kind=message").await.expect(200);
    assert!(messages.says("Check the mirror") && messages.says("1 row") && !messages.says("Warning: Ada"));
    let path = "/machines/1/timeline?period=custom&from=2026-02-01&to=2026-02-02";
    assert!(open(&yard.app, cookie, path).await.expect(200).says("Nothing happened in this period"));
    open(&yard.app, cookie, "/machines/1/timeline?kind=rain").await.expect(400);
}

/// Creates machine 4, and moves the station of machine 1 to it a minute later. Another minute passes.
pub(super) async fn move_to_digger(yard: &Yard) {
    let cookie = &yard.admin.cookie;
    let new = json!({ "name": "Digger", "kind": "excavator" });
    yard.app.post("/api/v1/machines").cookie(cookie).json(&new).send().await.expect(201);
    install(yard, 1, 4).await;
}

/// A minute passes before a base station is installed on a machine, and a minute after it.
pub(super) async fn install(yard: &Yard, station: i64, machine: i64) {
    yard.app.clock.advance(Span::minutes(1));
    let path = format!("/api/v1/base_stations/{station}/installation");
    let place = yard.app.request(Method::PUT, &path).cookie(&yard.admin.cookie);
    place.json(&json!({ "machine_id": machine })).send().await.expect(200);
    yard.app.clock.advance(Span::minutes(1));
}

/// The station of machine 1 fetches the first message.
pub(super) async fn deliver(app: &TestApp) {
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(app.ensure_brand("Acme").await.id, Projects::All);
    let mut tx = store.begin().await.unwrap();
    let (station, message, now) = (BaseStationId(1), MessageId(1), app.clock.now());
    let found = tx.messages(&scope).record_receipt(station, message, ReceiptState::Delivered, now).await;
    assert!(found.unwrap());
    tx.commit().await.unwrap();
}

async fn what_a_station_saw_on_another_machine_is_not_shown(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    deliver(&yard.app).await;
    let ask = [("camera", "rear"), ("from", "2026-03-01T13:00"), ("from_zone", "UTC"), ("length", "30")];
    submit(&yard.app, cookie, "/machines/1/clips", &ask).await.expect(303);
    move_to_digger(&yard).await;
    let timeline = open(&yard.app, cookie, "/machines/4/timeline").await.expect(200);
    assert!(timeline.says("Nothing happened in this period"), "{}", timeline.text());
    assert!(timeline.says("What base station BS-1 has seen since it came to this machine"));
    let page = open(&yard.app, cookie, "/machines/4").await.expect(200);
    for words in ["Ada", "Check the mirror"] {
        assert!(!page.says(words) && !timeline.says(words), "{words}: {}", page.text());
    }
    assert!(page.says("No message was sent yet") && page.says("There are no video clips"), "{}", page.text());
    // What it sees from now on is there.
    submit(&yard.app, cookie, "/machines/4/messages", &[("text", "Welcome")]).await.expect(303);
    let timeline = open(&yard.app, cookie, "/machines/4/timeline").await.expect(200);
    assert!(timeline.says("Welcome") && timeline.says("1 row"), "{}", timeline.text());
    assert!(open(&yard.app, cookie, "/machines/4").await.expect(200).says("Welcome"));
    // The incursions stay with the machine on which they happened.
    let earlier = open(&yard.app, cookie, "/machines/1").await.expect(200);
    assert!(earlier.says("1 of 3") && earlier.says("no base station"), "{}", earlier.text());
}

async fn the_past_stays_with_the_machine_when_its_station_moves(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    deliver(&yard.app).await;
    move_to_digger(&yard).await;
    submit(&yard.app, cookie, "/machines/4/messages", &[("text", "Welcome")]).await.expect(303);
    let timeline = open(&yard.app, cookie, "/machines/1/timeline").await.expect(200);
    for words in [
        "What base station BS-1 saw while it was on this machine",
        "Warning: Ada",
        "Check the mirror",
        "4 rows",
    ] {
        assert!(timeline.says(words), "{words}: {}", timeline.text());
    }
    assert!(!timeline.says("Welcome") && !timeline.says("went with it"), "{}", timeline.text());
    let page = open(&yard.app, cookie, "/machines/1").await.expect(200);
    assert!(page.says("There is no base station on this machine"), "{}", page.text());
    assert!(page.says("Warning: Ada") && page.says("Check the mirror"), "{}", page.text());
    assert!(page.links().iter().any(|link| link == "/machines/1/timeline"));
    // Before any station was there, nothing was seen.
    let path = "/machines/1/timeline?period=custom&from=2026-02-01&to=2026-02-02";
    assert!(open(&yard.app, cookie, path).await.expect(200).says("There is no base station on this machine"));
}

async fn the_timeline_joins_all_stations_page_by_page(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    // Station 3 takes the place of station 1, and comes back after a while elsewhere.
    for machine in [1, 3, 1] {
        install(&yard, 3, machine).await;
        let mut row = yard.facts.incursion(BaseStationId(3), TagId(1), yard.app.clock.now());
        row.attribution.machine = Some(MachineId(machine));
        yard.facts.add_incursions(vec![row]).await;
        yard.app.clock.advance(Span::minutes(1));
    }
    let path = "/machines/1/timeline?kind=incursion";
    let all = open(&yard.app, cookie, path).await.expect(200);
    assert!(all.says("5 rows"), "{}", all.text());
    let found = incursions_in(&all.links());
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(!found.contains(&"/incursions/5".to_owned()), "seen on machine 3: {found:?}");
    assert!(all.says("What base station BS-3 has seen since it came to this machine"), "{}", all.text());
    for words in ["base station BS-3 saw while it was", "base station BS-1 saw while it was"] {
        assert!(all.says(words), "{words}: {}", all.text());
    }
    // A page names only those that saw its entries.
    let first = open(&yard.app, cookie, &format!("{path}&limit=2")).await.expect(200);
    assert!(first.says("BS-3 has seen since") && !first.says("BS-1 saw while"), "{}", first.text());
    let (mut paged, mut next) = (Vec::new(), Some(format!("{path}&limit=2")));
    while let Some(address) = next {
        let page = open(&yard.app, cookie, &address).await.expect(200);
        let links = page.links();
        paged.extend(incursions_in(&links));
        next = links.into_iter().find(|link| link.contains("timeline") && link.contains("cursor="));
        assert!(paged.len() <= 5, "{paged:?}");
    }
    assert_eq!(paged, found);
}

pub(super) fn incursions_in(links: &[String]) -> Vec<String> {
    let is_one = |link: &&String| {
        link.strip_prefix("/incursions/").is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()))
    };
    links.iter().filter(is_one).cloned().collect()
}

async fn a_message_that_waits_goes_with_its_station(app: TestApp) {
    let yard = yard_with_three(app).await;
    let cookie = &yard.admin.cookie;
    submit(&yard.app, cookie, "/machines/1/messages", &[("text", "Check the mirror")]).await.expect(303);
    move_to_digger(&yard).await;
    let there = open(&yard.app, cookie, "/machines/4").await.expect(200);
    for words in ["Check the mirror", "to base station BS-1 before it came to this machine", "Waiting"] {
        assert!(there.says(words), "{words}: {}", there.text());
    }
    for path in ["/machines/1", "/machines/1/timeline"] {
        let here = open(&yard.app, cookie, path).await.expect(200);
        assert!(here.says("Check the mirror"), "{path}: {}", here.text());
        assert!(here.says("still waiting when base station BS-1 left this machine"), "{path}");
    }
    // It reached its cab, which is that of the other machine.
    deliver(&yard.app).await;
    let there = open(&yard.app, cookie, "/machines/4").await.expect(200);
    assert!(there.says("Check the mirror") && there.says("Delivered"), "{}", there.text());
}
