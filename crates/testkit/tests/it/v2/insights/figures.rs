//! GET /api/v2/insights/{totals,trends,breakdown}

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use crate::ingest::events::{BerlinYard, incursion, with};

on_both_engines!(figures_are_those_of_v1, parameters_are_those_of_v1);

async fn figures_are_those_of_v1(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    let later =
        json!({ "started_at": "2026-03-01T09:00:00Z", "ended_at": "2026-03-01T09:00:09Z", "zone": "danger" });
    yard.send_accepted(json!([incursion("1"), with(incursion("2"), later)])).await;
    yard.post("projects", json!({ "name": "South" })).await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    let theirs = yard.restricted("theirs@example.com", Role::Viewer, &[2]).await;
    for user in [&yard.admin, &ours, &theirs] {
        for path in [
            "totals",
            "totals?compare=previous&zone=danger",
            "trends?interval=hour&metric=incursions&metric=acknowledgement_rate&from=2026-03-01",
            "trends?split_by=zone",
            "breakdown?by=machine",
            "breakdown?by=pedestrian&sort=average_duration&limit=1",
        ] {
            let first = yard.app.get(&format!("/api/v1/insights/{path}")).cookie(&user.cookie).send().await;
            let second = yard.app.get(&format!("/api/v2/insights/{path}")).bearer(&user.jwt).send().await;
            let second = second.expect(200);
            assert_eq!(second.header("content-type"), "application/json", "{path}");
            assert_eq!(second.json(), first.expect(200).json(), "{path}");
        }
    }
    let totals = yard.app.get("/api/v2/insights/totals").bearer(&ours.jwt).send().await.expect(200).json();
    assert_eq!(totals["metrics"]["incursions"]["value"], 2);
}

async fn parameters_are_those_of_v1(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    for (path, name) in [
        ("totals?compare=x", "compare"),
        ("trends?interval=x", "interval"),
        ("trends?split_by=x", "split_by"),
        ("breakdown", "by"),
        ("breakdown?by=machine&limit=0", "limit"),
        ("totals?filter[zone]=danger", "filter[zone]"),
    ] {
        let refused = yard.app.get(&format!("/api/v2/insights/{path}")).bearer(&yard.admin.jwt).send().await;
        let refused = refused.expect(400);
        assert_eq!(refused.header("content-type"), "application/vnd.api+json");
        assert_eq!(refused.json()["errors"][0]["source"], json!({ "parameter": name }), "{path}");
    }
}
