//! POST /api/v1/alerts/dry_run

mod agreement;
mod devices;
mod every_minute;

use std::collections::BTreeSet;

use app::Engine;
use domain::{BrandId, Day, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::{faults, too_many, with};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_dry_run_says_when_an_alert_would_have_fired,
    without_any_facts_a_count_has_a_value_and_a_rate_has_none,
    nothing_is_stored_or_sent,
    what_cannot_be_judged_is_refused_as_when_it_is_created,
    a_dry_run_is_a_picture_too,
    days_and_weeks_begin_by_the_clock_of_each_site,
    an_alert_below_a_count_would_have_fired_for_what_had_nothing,
    messages_follow_active_hours_and_digests,
    a_restricted_member_counts_only_what_is_theirs,
    columns_and_rows_replay_alike,
    a_dry_run_waits_for_the_history,
);

const PATH: &str = "/api/v1/alerts/dry_run";

async fn send(world: &AlertWorld, user: &Account, body: &Value) -> Reply {
    world.send(user, Method::POST, PATH, Some(body)).await
}

/// What an alert of the admin would have done: three incursions in an hour, with these members put over it.
async fn dry_run(world: &AlertWorld, more: &Value) -> Value {
    send(world, &world.admin, &with(too_many("Trial"), more)).await.expect(200).json()
}

/// Three incursions at the digger at 12:00:30, and one at the loader two minutes later; then two hours pass.
async fn busy_yard(app: TestApp) -> AlertWorld {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 3).await;
    world.advance_minutes(2);
    world.incursions(2, 1).await;
    world.advance_minutes(120);
    world
}

async fn a_dry_run_says_when_an_alert_would_have_fired(app: TestApp) {
    let world = busy_yard(app).await;
    let run = dry_run(&world, &json!({ "split_by": "machine" })).await;
    assert_eq!(
        run["splits"],
        json!([
            { "ids": [1], "label": "Digger", "peak": 3, "more": 0, "firings": [{
                "fired_at": "2026-03-01T12:00:30Z", "cleared_at": "2026-03-01T13:01:00Z",
                "value": 3, "numerator": 3, "denominator": 1,
            }] },
            { "ids": [2], "label": "Loader", "peak": 1, "more": 0, "firings": [] },
        ])
    );
    assert_eq!((&run["firings"], &run["messages"], &run["more"]), (&json!(1), &json!(1), &json!(0)));
    assert_eq!((&run["from"], &run["to"]), (&json!("2026-01-30T14:02:30Z"), &json!(world.app.clock.now())));
    assert_eq!((&run["approximate"], &run["no_data"]), (&json!(false), &Value::Null));
    assert!(run["time_zones"].as_array().unwrap().contains(&json!("Europe/Berlin")), "{run}");
    let run = dry_run(&world, &json!({ "threshold": 4 })).await;
    assert_eq!((&run["splits"][0]["ids"], &run["splits"][0]["label"]), (&json!([]), &json!("Trial")));
    let firing = &run["splits"][0]["firings"][0];
    assert_eq!(firing["fired_at"], "2026-03-01T12:02:30Z");
    // One is less than 90 per cent of four.
    assert_eq!(firing["cleared_at"], "2026-03-01T13:01:00Z");
    // What has not cleared is open.
    world.incursions(3, 3).await;
    let run = dry_run(&world, &json!({ "split_by": "worksite", "scope": { "worksite_ids": [2] } })).await;
    assert_eq!(run["splits"].as_array().unwrap().len(), 1, "{run}");
    assert_eq!(run["splits"][0]["firings"][0]["cleared_at"], Value::Null);
    assert_eq!(run["splits"][0]["label"], "Depot");
    let run = dry_run(&world, &json!({ "metric": "drift", "threshold": 30 })).await;
    assert_eq!((&run["firings"], &run["no_data"]), (&json!(0), &json!("no_runtime")));
}

async fn without_any_facts_a_count_has_a_value_and_a_rate_has_none(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for split_by in ["none", "machine"] {
        let run = dry_run(&world, &json!({ "split_by": split_by })).await;
        assert_eq!((&run["firings"], &run["no_data"]), (&json!(0), &Value::Null), "{split_by}");
        let rate = json!({ "metric": "acknowledgement_rate", "threshold": 0.5, "split_by": split_by });
        assert_eq!(dry_run(&world, &rate).await["no_data"], "no_incursions", "{split_by}");
    }
}

async fn nothing_is_stored_or_sent(app: TestApp) {
    let world = busy_yard(app).await;
    dry_run(&world, &json!({})).await;
    let before = testkit::count_rows(world.app.database()).await;
    assert_eq!(dry_run(&world, &json!({})).await["firings"], 1);
    assert_eq!(testkit::count_rows(world.app.database()).await, before);
    assert_eq!(world.get("/api/v1/alerts").await["data"], json!([]));
    assert!(world.mails().await.is_empty());
}

async fn what_cannot_be_judged_is_refused_as_when_it_is_created(app: TestApp) {
    let world = AlertWorld::new(app).await;
    for (more, field, code) in [
        (json!({ "threshold": 0 }), "threshold", "out_of_range"),
        (json!({ "window_minutes": 4 }), "window_minutes", "out_of_range"),
        (json!({ "scope": { "machine_ids": [9] } }), "scope.machine_ids", "unknown_machine"),
        (json!({ "metric": "repeat_pair", "split_by": "none" }), "split_by", "not_allowed"),
        (json!({ "recipients": [] }), "recipients", "required"),
    ] {
        let refused = send(&world, &world.admin, &with(too_many("Trial"), &more)).await.expect(422);
        assert_eq!(faults(&refused), [(field.to_owned(), code.to_owned())], "{more}");
    }
    // What the caller does not see is not there.
    let theirs = with(too_many("Trial"), &json!({ "scope": { "machine_ids": [3] } }));
    let refused = send(&world, &world.restricted, &theirs).await.expect(422);
    assert_eq!(faults(&refused), [("scope.machine_ids".to_owned(), "unknown_machine".to_owned())]);
    send(&world, &world.viewer, &too_many("Trial")).await.expect(403);
}

async fn a_dry_run_is_a_picture_too(app: TestApp) {
    let world = busy_yard(app).await;
    let call = |rest: &str, accept: &str| {
        let request = world.app.post(&format!("{PATH}{rest}")).cookie(&world.admin.cookie);
        request.header("accept", accept).json(&too_many("Yard <north>")).send()
    };
    let reply = call("", "image/svg+xml").await.expect(200);
    assert_eq!(reply.header("content-type"), "image/svg+xml; charset=utf-8");
    assert_eq!(reply.header("vary"), "Accept");
    let svg = reply.text();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().attribute("width"), Some("960"));
    for text in [
        "Yard &lt;north&gt;",
        "Threshold",
        "1 alarm and 1 message in the last 30 days; worst value of each day (UTC)",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    let sized = call("?format=svg&width=500&height=300", "*/*").await.expect(200).text();
    assert!(sized.contains("width=\"500\""), "{sized}");
    assert_eq!(call("?format=json", "image/svg+xml").await.expect(200).json()["firings"], 1);
    call("", "text/html").await.expect(406);
    call("?format=png", "*/*").await.expect(400);
    call("?colour=red", "*/*").await.expect(400);
}

async fn days_and_weeks_begin_by_the_clock_of_each_site(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 3).await;
    world.incursions(3, 3).await;
    world.advance_minutes(3 * 1_440);
    let day = json!({ "window": "day", "split_by": "worksite", "cool_down_minutes": 0 });
    let run = dry_run(&world, &day).await;
    let cleared: Vec<&Value> =
        run["splits"].as_array().unwrap().iter().map(|split| &split["firings"][0]["cleared_at"]).collect();
    // Midnight in Berlin, and six hours later in New York.
    assert_eq!(cleared, [&json!("2026-03-01T23:00:00Z"), &json!("2026-03-02T05:00:00Z")]);
    // 1 March is a Sunday: the week ends then, too.
    let week = json!({ "window": "week", "split_by": "worksite" });
    assert_eq!(dry_run(&world, &week).await["splits"], run["splits"]);
}

async fn an_alert_below_a_count_would_have_fired_for_what_had_nothing(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.incursions(1, 1).await;
    world.advance_minutes(600);
    let quiet = json!({ "comparison": "below", "threshold": 0, "split_by": "machine" });
    let run = dry_run(&world, &quiet).await;
    let splits = run["splits"].as_array().unwrap();
    let from = &run["from"];
    assert_eq!(splits.len(), 3, "{run}");
    // The one that had an incursion cleared then, and fires again when it has left the window.
    let firings = splits[0]["firings"].as_array().unwrap();
    assert_eq!((&splits[0]["ids"], firings.len()), (&json!([1]), 2));
    assert_eq!((&firings[0]["fired_at"], &firings[0]["cleared_at"]), (from, &json!("2026-03-01T12:00:30Z")));
    assert_eq!(firings[1]["fired_at"], "2026-03-01T13:01:00Z");
    assert_eq!(firings[1]["cleared_at"], Value::Null);
    for firing in splits[1..].iter().map(|split| &split["firings"][0]) {
        assert_eq!((&firing["fired_at"], &firing["cleared_at"]), (from, &Value::Null));
    }
}

async fn messages_follow_active_hours_and_digests(app: TestApp) {
    let world = AlertWorld::new(app).await;
    // On Sunday, outside the hours, and on Monday at noon.
    world.incursions(1, 3).await;
    world.advance_minutes(1_440);
    world.incursions(1, 3).await;
    world.advance_minutes(120);
    let (days, zone) = ([1, 2, 3, 4, 5], "Europe/Berlin");
    let hours = json!({ "days": days, "from": "07:00", "to": "18:00", "time_zone": zone });
    for (more, messages) in [
        (json!({}), 2),
        (json!({ "notify_on_clear": true }), 4),
        (json!({ "active_hours": hours }), 1),
        (json!({ "active_hours": hours, "outside_hours": "drop", "notify_on_clear": true }), 2),
    ] {
        let run = dry_run(&world, &more).await;
        assert_eq!((&run["firings"], &run["messages"]), (&json!(2), &json!(messages)), "{more}");
    }
    // Thirty tags at once are ten messages and a digest an hour later.
    for number in 0..30 {
        let tag = format!("T-{number}");
        world.incursion(2, &json!({ "tag": tag })).await;
    }
    let each = json!({ "threshold": 1, "split_by": "tag", "scope": { "machine_ids": [2] } });
    let run = dry_run(&world, &each).await;
    assert_eq!((&run["firings"], &run["messages"]), (&json!(30), &json!(10)));
    world.advance_minutes(60);
    assert_eq!(dry_run(&world, &each).await["messages"], 11);
}

async fn a_restricted_member_counts_only_what_is_theirs(app: TestApp) {
    let world = busy_yard(app).await;
    world.incursions(3, 5).await;
    let body = with(too_many("Trial"), &json!({ "split_by": "project", "threshold": 1 }));
    let ids = |run: &Value| {
        let splits = run["splits"].as_array().unwrap().iter();
        splits.map(|split| split["ids"][0].as_i64().unwrap()).collect::<BTreeSet<_>>()
    };
    let all = send(&world, &world.member, &body).await.expect(200).json();
    let theirs = send(&world, &world.restricted, &body).await.expect(200).json();
    assert_eq!((ids(&all), ids(&theirs)), (BTreeSet::from([1, 2]), BTreeSet::from([1])));
    // Someone who has only been elsewhere has no name.
    world.incursion(1, &json!({ "tag": "TAG-2" })).await;
    world.incursion(3, &json!({ "tag": "TAG-3" })).await;
    let pairs = with(too_many("Trial"), &json!({ "metric": "repeat_pair", "threshold": 2 }));
    let labels = |run: &Value| {
        let splits = run["splits"].as_array().unwrap().iter();
        splits.map(|split| split["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = labels(&send(&world, &world.member, &pairs).await.expect(200).json());
    assert_eq!(all, ["Truck, Ada", "Digger, Ada", "Digger, Bob", "Loader, Ada", "Truck, Cem"]);
    let theirs = labels(&send(&world, &world.restricted, &pairs).await.expect(200).json());
    assert_eq!(theirs, ["Digger, Ada", "Digger, Bob", "Loader, Ada"]);
}

async fn columns_and_rows_replay_alike(app: TestApp) {
    let world = busy_yard(app).await;
    for (machine, minutes) in [(1, 90), (2, 45), (3, 70)] {
        world.runtime(machine, minutes).await;
        world.advance_minutes(20);
        let ended_at = world.app.clock.now() + Span::seconds(40);
        world.incursion(machine, &json!({ "tag": "TAG-2", "ended_at": ended_at })).await;
    }
    world.advance_minutes(30);
    let by_rows = world.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    for more in [
        json!({ "split_by": "machine" }),
        json!({ "metric": "unacknowledged_incursions", "threshold": 2, "window": "day" }),
        json!({ "metric": "incursions_per_runtime_hour", "threshold": 0.5, "minimum_count": 1 }),
        json!({ "metric": "long_incursion", "threshold": 30, "split_by": "person" }),
        json!({ "metric": "repeat_pair", "threshold": 2 }),
    ] {
        let body = with(too_many("Trial"), &more);
        let call = by_rows.post(PATH).cookie(&world.admin.cookie).json(&body);
        let replayed = call.send().await.expect(200).json();
        assert_eq!(dry_run(&world, &more).await, replayed, "{more}");
        assert!(replayed["splits"].as_array().is_some_and(|splits| !splits.is_empty()), "{replayed}");
    }
}

async fn a_dry_run_waits_for_the_history(app: TestApp) {
    let world = busy_yard(app).await;
    let loaded = app::LoadingHistory { complete_from: Day::parse("2026-02-22").unwrap(), percent: 8 };
    world.app.app.note_loading_history(BrandId(1), loaded);
    let reply = send(&world, &world.admin, &too_many("Trial")).await;
    assert_eq!(reply.expect(503).code(), "history_loading");
    world.app.app.note_complete_history(BrandId(1));
    send(&world, &world.admin, &too_many("Trial")).await.expect(200);
}
