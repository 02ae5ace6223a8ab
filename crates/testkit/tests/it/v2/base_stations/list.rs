//! GET /api/v2/base_stations, and the resource of one

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::get;
use crate::ingest::events::BerlinYard;

on_both_engines!(stations_are_listed, accept_decides_how_one_is_shown);

fn serials(document: &Value) -> Vec<&str> {
    let rows = document["data"].as_array().unwrap().iter();
    rows.map(|row| row["attributes"]["serial"].as_str().unwrap()).collect()
}

async fn stations_are_listed(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("base_stations", json!({ "serial": "ST-2" })).await;
    for (query, expected) in [
        ("", &["ST-1", "ST-2"][..]),
        ("?sort=-serial", &["ST-2", "ST-1"]),
        ("?filter[installed]=true", &["ST-1"]),
        ("?filter[machine]=1", &["ST-1"]),
        ("?filter[machine]=2,1", &["ST-1"]),
        ("?filter[machine]=2", &[]),
        ("?filter[status]=online", &[]),
        ("?filter[status]=online,never_seen", &["ST-1", "ST-2"]),
        ("?filter[q]=st-2", &["ST-2"]),
    ] {
        let document = get(&yard, &yard.admin, query).await.expect(200).json();
        assert_eq!(serials(&document), expected, "{query}");
    }
    let document = get(&yard, &yard.admin, "?include=machine&filter[id]=1").await.expect(200).json();
    assert_eq!(
        document["data"][0]["relationships"]["machine"]["data"],
        json!({ "type": "machines", "id": "1" })
    );
    assert_eq!(document["included"][0]["attributes"]["name"], "Digger");
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    assert_eq!(serials(&get(&yard, &ours, "").await.expect(200).json()), ["ST-1"]);
}

async fn accept_decides_how_one_is_shown(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let stored = yard.app.get("/api/v1/base_stations/1").cookie(&yard.admin.cookie).send().await.expect(200);
    let etag = stored.header("etag");
    let read = async |accept: &str, query: &str| {
        let call = yard.app.get(&format!("/api/v2/base_stations/1{query}")).bearer(&yard.admin.jwt);
        call.header("accept", accept).send().await
    };
    for accept in [
        "*/*",
        "application/json",
        "text/html",
        "application/json, application/vnd.api+json;q=0.1",
        "application/json, application/vnd.api+json;q=0",
        "application/vnd.api+json;q=0",
        "application/vnd.api+json;q=0.9, */*",
        "application/vnd.api+json; ext=\"https://example.com\", application/json",
    ] {
        let plain = read(accept, "").await.expect(200);
        assert_eq!(plain.header("content-type"), "application/json", "{accept}");
        assert!(plain.header("vary").to_lowercase().contains("accept"), "{accept}");
        assert_eq!(plain.json()["links"]["project"]["name"], "North");
        // Two representations do not share a strong tag.
        assert_eq!(plain.header("etag"), format!("W/{etag}"), "{accept}");
    }
    for accept in [
        "application/vnd.api+json, application/json",
        "application/vnd.api+json, */*;q=0.1",
        "application/json;q=0.4, application/vnd.api+json;q=0.5",
        "application/json;q=0, application/vnd.api+json;q=0.1",
    ] {
        let resource = read(accept, "").await.expect(200);
        assert_eq!(resource.header("content-type"), "application/vnd.api+json", "{accept}");
        assert_eq!(resource.header("etag"), etag, "{accept}");
    }
    let resource =
        read("application/vnd.api+json", "?include=machine&fields[base_stations]=serial,machine").await;
    let resource = resource.expect(200);
    assert_eq!(resource.header("content-type"), "application/vnd.api+json");
    let document = resource.json();
    assert_eq!(document["data"]["attributes"], json!({ "serial": "ST-1" }));
    assert_eq!(document["data"]["links"]["self"], "/api/v2/base_stations/1");
    assert_eq!(document["included"][0]["type"], "machines");
    let refused = read("application/vnd.api+json; ext=\"https://example.com\"", "").await.expect(406);
    let lines = refused.headers.get_all("vary").iter().filter(|line| line.as_bytes() == b"Accept");
    assert_eq!(lines.count(), 1);
    read("application/vnd.api+json", "?include=worksite").await.expect(400);
    // They would have no effect on plain JSON.
    for (query, name) in [("?include=machine", "include"), ("?fields[machines]=name", "fields[machines]")] {
        let refused = read("application/json", query).await.expect(400);
        assert_eq!(refused.code(), "unknown_parameter", "{query}");
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }), "{query}");
    }
}
