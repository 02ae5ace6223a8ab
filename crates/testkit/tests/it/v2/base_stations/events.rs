//! GET /api/v2/base_stations/{id}/events and …/{event_id}

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::get;
use crate::ingest::events::BerlinYard;
use crate::v1::base_stations::timeline::{DAYS_IN_BERLIN, midnights, morning};

on_both_engines!(
    events_are_those_of_the_timeline,
    bare_dates_are_days_of_the_site,
    an_event_has_its_way_its_video_and_its_people,
    people_are_those_of_the_moment,
    names_and_projects_hide_what_is_not_theirs,
    what_is_no_event_is_not_found,
);

async fn event(yard: &BerlinYard, id: &str) -> Value {
    get(yard, &yard.admin, &format!("/1/events/{id}")).await.expect(200).json()
}

async fn events_are_those_of_the_timeline(app: TestApp) {
    let yard = morning(app).await;
    for query in ["", "?kind=log&kind=runtime", "?limit=3&include_total=true"] {
        let events = get(&yard, &yard.admin, &format!("/1/events{query}")).await.expect(200).json();
        assert_eq!(events, yard.get(&format!("base_stations/1/timeline{query}")).await, "{query}");
    }
    let first = get(&yard, &yard.admin, "/1/events?limit=4").await.expect(200).json();
    let cursor = first["page"]["next"].as_str().unwrap();
    let rest =
        get(&yard, &yard.admin, &format!("/1/events?limit=100&cursor={cursor}")).await.expect(200).json();
    assert_eq!(rest["data"].as_array().unwrap().len(), 6);
    let refused = get(&yard, &yard.admin, "/1/events?kind=x").await.expect(400).json();
    assert_eq!(refused["errors"][0]["source"]["parameter"], "kind");
    for entry in rest["data"].as_array().unwrap() {
        assert_eq!(&event(&yard, entry["event_id"].as_str().unwrap()).await["event"], entry);
    }
}

async fn bare_dates_are_days_of_the_site(app: TestApp) {
    let yard = midnights(app).await;
    for (query, expected) in DAYS_IN_BERLIN {
        let events = get(&yard, &yard.admin, &format!("/1/events{query}")).await.expect(200).json();
        let entries = events["data"].as_array().unwrap().iter();
        let found: Vec<&str> = entries.map(|entry| entry["event_id"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{query}");
        assert_eq!(events, yard.get(&format!("base_stations/1/timeline{query}")).await, "{query}");
    }
    let refused = get(&yard, &yard.admin, "/1/events?from=2026-03-01&to=2026-02-01").await.expect(400).json();
    assert_eq!(refused["errors"][0]["source"]["parameter"], "to");
}

async fn an_event_has_its_way_its_video_and_its_people(app: TestApp) {
    let yard = morning(app).await;
    // The incursion lasts from 8:00:00 to 8:00:12.
    let times = ["07:57:59", "07:58:00", "07:59:00", "08:00:00", "08:02:11", "08:02:12", "08:03:00"];
    let fixes: Vec<Value> = times.iter().map(|at| json!([format!("2026-03-01T{at}Z"), 52.5, 13.4])).collect();
    yard.send_accepted(json!([{ "uid": "g", "kind": "gps", "fixes": fixes }])).await;
    yard.add_clip("2026-03-01T08:00:05Z", "1", "null").await;
    yard.add_clip("2026-03-01T09:00:00Z", "1", "null").await;
    yard.add_clip("2026-03-01T09:00:00Z", "1", "1").await;
    let found = event(&yard, "incursion-1").await;
    assert_eq!(found["event"]["duration_ms"], 12_000);
    let shown: Vec<&str> = found["track"]["features"][0]["properties"]["times"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| &at.as_str().unwrap()[11..19])
        .collect();
    assert_eq!(shown, times[1..5]);
    // The clip requested for it, and those of its time.
    let clips: Vec<i64> =
        found["clips"].as_array().unwrap().iter().map(|clip| clip["id"].as_i64().unwrap()).collect();
    assert_eq!(clips, [1, 2, 4]);
    let person = |part: &str, id: i64, name: &str| json!({ "part": part, "person": { "id": id, "name": name, "kind": "staff" } });
    assert_eq!(found["people"], json!([person("pedestrian", 1, "Ada"), person("operator", 2, "Ben")]));
}

async fn people_are_those_of_the_moment(app: TestApp) {
    let yard = morning(app).await;
    let parts = async |id: &str| {
        let found = event(&yard, id).await["people"].clone();
        let part = |one: &Value| format!("{} {}", one["part"].as_str().unwrap(), one["person"]["id"]);
        found.as_array().unwrap().iter().map(part).collect::<Vec<_>>()
    };
    for id in ["alarm-1", "log-2", "status-3", "message-1", "runtime-1", "video_clip-1"] {
        assert_eq!(parts(id).await, ["operator 2"], "{id}");
    }
    for id in ["tag_battery-4", "tag_test-5"] {
        assert_eq!(parts(id).await, ["wearer 1", "operator 2"], "{id}");
    }
}

async fn names_and_projects_hide_what_is_not_theirs(app: TestApp) {
    let yard = morning(app).await;
    yard.app.allow_leftover_jobs();
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    for id in ["incursion-1", "tag_test-5", "message-1", "video_clip-1"] {
        let text = get(&yard, &viewer, &format!("/1/events/{id}")).await.expect(200).json().to_string();
        for name in ["Ada", "Ben", "admin"] {
            assert!(!text.contains(name), "{id} shows {name}: {text}");
        }
    }
    yard.post("projects", json!({ "name": "South" })).await;
    let site =
        json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2 });
    yard.post("worksites", site).await;
    yard.put("worksites/2/assignments/machines/1", json!({})).await;
    let theirs = yard.restricted("theirs@example.com", Role::Member, &[2]).await;
    for id in ["incursion-1", "runtime-1", "video_clip-1", "alarm-1", "tag_test-5", "message-1"] {
        get(&yard, &theirs, &format!("/1/events/{id}")).await.expect(404);
    }
    yard.post("base_stations/1/messages", json!({ "body": "Welcome" })).await;
    let found = get(&yard, &theirs, "/1/events/message-2").await.expect(200).json();
    assert_eq!((&found["clips"], &found["people"]), (&json!([]), &json!([])));
}

async fn what_is_no_event_is_not_found(app: TestApp) {
    let yard = morning(app).await;
    yard.post("base_stations", json!({ "serial": "ST-2" })).await;
    for id in [
        "incursion-2",
        "log-1",
        "alarm-2",
        "incursion-01",
        "incursion",
        "x-1",
        "1",
        "incursion-1%00",
        "%FF-1",
    ] {
        get(&yard, &yard.admin, &format!("/1/events/{id}")).await.expect(404);
    }
    get(&yard, &yard.admin, "/2/events/incursion-1").await.expect(404);
    get(&yard, &yard.admin, "/3/events/incursion-1").await.expect(404);
}
