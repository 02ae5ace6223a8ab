//! The stations for which a token may send events, and the records that events create or update.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, send, with};

on_both_engines!(
    a_station_speaks_for_itself_and_a_gateway_for_all,
    tags_that_nobody_knew_are_registered,
    stations_and_tags_were_heard_of,
    other_tokens_do_not_open_this_door,
);

async fn a_station_speaks_for_itself_and_a_gateway_for_all(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("base_stations", json!({ "serial": "ST-2" })).await;
    let other_brand = yard.app.issue_token("Other", domain::DeviceKind::Gateway, "Gateway 1").await;
    let of = |uid: &str, serial: &str| with(incursion(uid), json!({ "base_station": serial }));
    let batch = json!([incursion("0"), of("1", "ST-1"), of("2", "ST-2"), of("3", "ST-3")]);
    let codes = async |token: &str| {
        let answer = send(&yard.app, token, batch.clone()).await.expect(200).json();
        let rejected = answer["rejected"].as_array().unwrap().clone();
        rejected
            .iter()
            .map(|one| (one["index"].as_u64().unwrap(), one["code"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let foreign = "foreign_base_station".to_owned();
    let unknown = "unknown_base_station".to_owned();
    assert_eq!(codes(&yard.station).await, [(2, foreign.clone()), (3, foreign)]);
    assert_eq!(codes(&yard.gateway).await, [(0, "required".to_owned()), (3, unknown.clone())]);
    let all: Vec<_> = (1..4).map(|index| (index, unknown.clone())).collect();
    assert_eq!(codes(&other_brand).await[1..], all);
    // Rejected events left no trace.
    assert_eq!(testkit::count_rows(yard.app.database()).await["incursions"], 3);
}

async fn tags_that_nobody_knew_are_registered(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let of = |uid: &str, tag: &str, operator: &str| {
        with(incursion(uid), json!({ "tag": tag, "operator_tag": operator }))
    };
    yard.send_accepted(json!([of("1", "New-7", "new-8"), of("2", "NEW-7", "NEW-8")])).await;
    let found = yard.get("tags?q=new-").await;
    let serials: Vec<_> =
        found["data"].as_array().unwrap().iter().map(|tag| tag["serial"].as_str().unwrap()).collect();
    assert_eq!(serials, ["New-7", "new-8"]);
    // Rejected events do not register devices.
    let refused = with(of("3", "NEW-9", "NEW-9"), json!({ "base_station": "ST-9" }));
    assert_eq!(yard.send(json!([refused])).await.expect(200).json()["accepted"], 0);
    assert_eq!(yard.get("tags?q=new-9").await["data"], json!([]));
}

async fn stations_and_tags_were_heard_of(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    assert_eq!(yard.get("base_stations/1").await["status"], "never_seen");
    let late = with(incursion("1"), json!({ "started_at": "2026-03-01T12:04:00Z" }));
    yard.send_accepted(json!([late, incursion("2")])).await;
    // A device clock that is ahead does not move the time past now.
    assert_eq!(yard.get("base_stations/1").await["last_seen_at"], "2026-03-01T12:00:30Z");
    assert_eq!(yard.get("base_stations/1").await["status"], "online");
    assert_eq!(yard.get("tags/1").await["last_seen_at"], "2026-03-01T12:00:30Z");
    assert_eq!(yard.get("tags/2").await["last_seen_at"], json!(null));
}

async fn other_tokens_do_not_open_this_door(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let tester = yard.app.issue_token("Acme", domain::DeviceKind::Tester, "Gate 1").await;
    for token in [tester.as_str(), "kcs_nothing", &yard.admin.jwt] {
        assert_eq!(send(&yard.app, token, json!([])).await.expect(401).code(), "credentials_invalid");
    }
    yard.app.post(super::PATH).cookie(&yard.admin.cookie).json(&json!([])).send().await.expect(401);
    assert_eq!(send(&yard.app, &yard.station, json!([])).await.expect(200).json()["accepted"], 0);
    // Ingest tokens give no access to other APIs.
    yard.app.get("/api/v1/tester/people_assets").bearer(&yard.station).send().await.expect(401);
}
