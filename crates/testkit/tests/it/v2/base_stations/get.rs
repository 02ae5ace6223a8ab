//! GET /api/v2/base_stations/{id}

use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::get;
use crate::ingest::events::{BerlinYard, incursion, with};

on_both_engines!(
    a_page_has_the_machine_and_its_numbers,
    what_there_is_nothing_of_says_why,
    numbers_are_those_of_the_projects_one_sees,
);

/// Two ended incursions of Ada, one of them acknowledged, one of Ben without an end, one false detection, and one long ago.
async fn busy_yard(app: TestApp) -> BerlinYard {
    let yard = BerlinYard::set_up(app).await;
    let second = |text: &str| json!(format!("2026-03-01T08:00:{text}Z"));
    yard.send_accepted(json!([
        with(incursion("1"), json!({ "ended_at": second("10"), "acknowledged_at": second("03"), "operator_tag": "TAG-2" })),
        with(incursion("2"), json!({ "started_at": second("20"), "ended_at": second("25") })),
        with(incursion("3"), json!({ "started_at": second("30"), "tag": "TAG-2" })),
        with(incursion("4"), json!({ "started_at": second("40"), "ended_at": second("59") })),
        with(incursion("5"), json!({ "started_at": "2026-01-20T08:00:00Z" })),
        { "uid": "r", "kind": "runtime", "started_at": "2026-03-01T07:30:00Z", "ended_at": "2026-03-01T09:00:00Z" },
        { "uid": "g", "kind": "gps", "fixes": [["2026-03-01T08:00:00Z", 52.5, 13.4]] },
    ]))
    .await;
    let review = json!({ "state": "false_detection" });
    let post = yard.app.post("/api/v1/incursions/4/review").cookie(&yard.admin.cookie).json(&review);
    post.send().await.expect(200);
    yard
}

#[expect(clippy::needless_pass_by_value, reason = "so that `json!` can stand in the call")]
fn metric(value: Value, of: (f64, f64), unit: &str, reason: Value) -> Value {
    // Whole numbers have no decimal point.
    let number = |number: f64| if number.fract() == 0.0 { json!(number as i64) } else { json!(number) };
    let (above, below) = (number(of.0), number(of.1));
    json!({ "value": value, "numerator": above, "denominator": below, "unit": unit, "reason": reason })
}

async fn a_page_has_the_machine_and_its_numbers(app: TestApp) {
    let yard = busy_yard(app).await;
    let reply = get(&yard, &yard.admin, "/1").await.expect(200);
    assert_eq!(reply.header("content-type"), "application/json");
    let page = reply.json();
    assert_eq!((&page["serial"], &page["machine"]["name"]), (&json!("ST-1"), &json!("Digger")));
    assert_eq!(page["machine"]["kind"], "excavator");
    assert_eq!(page["status"]["state"], "online");
    assert!(page["status"]["reason"].as_str().unwrap().contains("contact"));
    assert_eq!(page["last_position"], json!({ "lat": 52.5, "lon": 13.4, "at": "2026-03-01T08:00:00Z" }));
    let since = "2026-01-01T00:00:00Z";
    let links = json!({
        "installation": { "to": { "id": 1, "name": "Digger" }, "from": since },
        "assignment": { "to": { "id": 1, "name": "Yard" }, "from": since },
        "project": { "id": 1, "name": "North" },
    });
    assert_eq!(page["links"], links);
    let figures = json!({
        "from": "2026-01-30T12:00:30Z", "to": "2026-03-01T12:00:30Z", "incursions": 3, "acknowledged": 1,
        "acknowledgement_rate": metric(json!(1.0 / 3.0), (1.0, 3.0), "ratio", json!(null)),
        "runtime_hours": 1.5,
        "incursions_per_runtime_hour": metric(json!(2), (3.0, 1.5), "per_hour", json!(null)),
        "average_duration": metric(json!(7.5), (15.0, 2.0), "seconds", json!(null)),
        "pedestrians": 2, "operators": 1,
    });
    assert_eq!(page["last_30_days"], figures);
}

async fn what_there_is_nothing_of_says_why(app: TestApp) {
    let yard = BerlinYard::set_up(app).await;
    yard.post("base_stations", json!({ "serial": "ST-2" })).await;
    let page = get(&yard, &yard.admin, "/2").await.expect(200).json();
    for none in ["machine", "last_position", "name"] {
        assert_eq!(page[none], json!(null), "{none}");
    }
    assert_eq!(page["links"], json!({ "installation": null, "assignment": null, "project": null }));
    let figures = &page["last_30_days"];
    for (name, unit, reason) in [
        ("acknowledgement_rate", "ratio", "no_incursions"),
        ("incursions_per_runtime_hour", "per_hour", "no_runtime"),
        ("average_duration", "seconds", "no_incursions"),
    ] {
        assert_eq!(figures[name], metric(json!(null), (0.0, 0.0), unit, json!(reason)), "{name}");
    }
    // An incursion that is still in progress has no duration yet.
    yard.send_accepted(json!([incursion("i")])).await;
    let page = get(&yard, &yard.admin, "/1").await.expect(200).json();
    let figures = &page["last_30_days"];
    assert_eq!(figures["average_duration"], metric(json!(null), (0.0, 0.0), "seconds", json!("no_data")));
    let rate = metric(json!(null), (1.0, 0.0), "per_hour", json!("no_runtime"));
    assert_eq!(figures["incursions_per_runtime_hour"], rate);
}

async fn numbers_are_those_of_the_projects_one_sees(app: TestApp) {
    let yard = busy_yard(app).await;
    yard.app.allow_leftover_jobs();
    yard.post("projects", json!({ "name": "South" })).await;
    let site =
        json!({ "name": "Quay", "kind": "other", "colour": "#ff8800", "time_zone": "UTC", "project_id": 2 });
    yard.post("worksites", site).await;
    yard.put("worksites/2/assignments/machines/1", json!({})).await;
    let ours = yard.restricted("ours@example.com", Role::Viewer, &[1]).await;
    let refused = get(&yard, &ours, "/1").await.expect(404);
    assert_eq!(refused.header("content-type"), "application/vnd.api+json");
    let theirs = yard.restricted("theirs@example.com", Role::Viewer, &[2]).await;
    let figures = get(&yard, &theirs, "/1").await.expect(200).json()["last_30_days"].clone();
    assert_eq!((&figures["incursions"], &figures["runtime_hours"]), (&json!(0), &json!(0.0)));
    let both = yard.restricted("both@example.com", Role::Viewer, &[1, 2]).await;
    assert_eq!(get(&yard, &both, "/1").await.expect(200).json()["last_30_days"]["incursions"], 3);
}
