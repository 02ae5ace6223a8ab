//! Logs of visits.

use domain::{Span, TagId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::reading::{csv, sheet, sheets};
use super::{document, file, refill_quota};
use crate::v1::insights::{Yard, incursion, set_time_zone};

on_both_engines!(
    visits_are_listed_with_their_incursions,
    the_table_has_a_visit_in_each_row,
    a_worksite_narrows_the_log,
    a_log_without_visits_is_no_all_clear,
);

/// Grace of Navy visits worksite 1 from 12:00 to 14:00 on 1 March and has an incursion; her tag has another one before and after that.
/// Linus has been at worksite 2 since 14:00 and was expected until 15:00; it is 16:00.
async fn visited(app: TestApp) -> Yard {
    let yard = Yard::new(app).await;
    let check_in = async |body: Value| {
        let call = yard.app.post("/api/v1/visitor_sessions").cookie(&yard.admin.cookie).json(&body);
        call.send().await.expect(201).json()["id"].clone()
    };
    let grace = json!({
        "name": "Grace", "tag_serial": "V-1", "worksite_id": 1, "company": "=Navy", "notes": "comes again",
    });
    let first = check_in(grace).await;
    yard.app.clock.advance(Span::minutes(120));
    let out = format!("/api/v1/visitor_sessions/{first}/check_out");
    yard.app.post(&out).cookie(&yard.admin.cookie).send().await.expect(200);
    let linus = json!({
        "name": "Linus", "tag_serial": "V-2", "worksite_id": 2, "expected_until": "2026-03-01T15:00:00Z",
    });
    check_in(linus).await;
    yard.app.clock.advance(Span::minutes(120));
    // The tags 1 to 3 are those of the yard.
    let at = ["2026-03-01T11:00:00Z", "2026-03-01T13:00:00Z", "2026-03-01T15:30:00Z"];
    let rows = at.map(|at| {
        let mut row = incursion(&yard, at, 10);
        row.tag = TagId(4);
        row
    });
    yard.facts.add_incursions(rows.to_vec()).await;
    yard
}

fn first_of_march() -> Value {
    json!({ "filters": { "from": "2026-03-01", "to": "2026-03-02" } })
}

async fn visits_are_listed_with_their_incursions(app: TestApp) {
    let yard = visited(app).await;
    let report = document(&yard, &yard.admin, "visitor_log", &first_of_march()).await;
    report.says(&[
        "Visitor log",
        "01/03/2026",
        "There were 2 visits, after 0 in the previous period.",
        "1 of 1 incursions of visitors happened during visits to Site 1.",
        "Find the visitors who are past their expected time and check them out.",
        "Grace",
        "=Navy",
        "Linus",
        "still open",
        "2 h",
        "Incursions of a visit are those of the visitor's tag",
    ]);
    insta::assert_snapshot!("text", report.text);
}

async fn the_table_has_a_visit_in_each_row(app: TestApp) {
    let yard = visited(app).await;
    set_time_zone(&yard, "2", "America/Denver").await;
    let table = csv(&file(&yard, &yard.admin, "visitor_log", &first_of_march(), "csv").await);
    let column = |key: &str| {
        let place = table[0].iter().position(|heading| heading == key).unwrap();
        [table[1][place].as_str(), table[2][place].as_str()]
    };
    assert_eq!(table.len(), 3);
    assert_eq!(column("visitor"), ["Grace", "Linus"]);
    // What a spreadsheet would evaluate is escaped.
    assert_eq!(column("company"), ["'=Navy", ""]);
    assert_eq!(column("notes"), ["comes again", ""]);
    assert_eq!(column("incursions"), ["1", "0"]);
    assert_eq!(column("worksite"), ["Site 1", "Site 2"]);
    assert_eq!(column("duration_s"), ["7200", ""]);
    // Without it, times in a sheet could be of any time zone.
    assert_eq!(column("utc_offset"), ["UTC+00:00", "UTC-07:00"]);
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "visitor_log", &first_of_march(), "xlsx").await;
    assert_eq!(sheets(&bytes), ["Visits", "About"]);
    let cells: Vec<String> = sheet(&bytes, "Visits").concat().iter().map(ToString::to_string).collect();
    assert!(cells.contains(&"'=Navy".to_owned()) && !cells.contains(&"=Navy".to_owned()), "{cells:?}");
}

async fn a_log_without_visits_is_no_all_clear(app: TestApp) {
    let yard = visited(app).await;
    let brand = json!({ "time_zone": "Asia/Tokyo" });
    yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&brand).send().await.expect(200);
    let filters = json!({ "filters": { "from": "2026-01-01", "to": "2026-01-02" } });
    let report = document(&yard, &yard.admin, "visitor_log", &filters).await;
    report.says(&["There are no visits to judge by.", "0 of 0 visits.", "01/01/2026 (UTC)"]);
    // The brand's time zone matters only for visits to no worksite.
    report.does_not_say(&["Nothing calls for a change", "Asia/Tokyo"]);
    refill_quota(&yard);
    let march = document(&yard, &yard.admin, "visitor_log", &first_of_march()).await;
    march.does_not_say(&["There are no visits to judge by."]);
}

async fn a_worksite_narrows_the_log(app: TestApp) {
    let yard = visited(app).await;
    for (more, visits) in [(json!({ "worksite_id": 2 }), [2]), (json!({ "project_id": 1 }), [1])] {
        refill_quota(&yard);
        let mut body = first_of_march();
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let bytes = file(&yard, &yard.admin, "visitor_log", &body, "json").await;
        let data: Value = serde_json::from_slice(&bytes).unwrap();
        let found: Vec<i64> = data["figures"]["visits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|visit| visit["visit_id"].as_i64().unwrap())
            .collect();
        assert_eq!(found, visits, "{more}");
    }
}
