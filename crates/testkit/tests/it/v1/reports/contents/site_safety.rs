//! Reports about a worksite.

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::super::busy_yard;
use super::{document, file, month, refill_quota, rename};
use crate::pdf;
use crate::v1::insights::{Yard, runtime};

on_both_engines!(
    the_first_page_says_what_changed_where_it_is_worst_and_what_to_do,
    charts_and_tables_say_what_is_seen,
    the_last_page_says_where_the_numbers_come_from,
    nothing_that_happened_is_said_to_be_nothing,
    runtime_without_incursions_is_good,
    few_incursions_are_no_ground_for_advice,
    every_page_says_what_the_report_is_about,
    someone_without_the_right_to_names_gets_none,
    names_of_any_characters_break_nothing,
    the_figures_have_names_and_units,
);

async fn the_first_page_says_what_changed_where_it_is_worst_and_what_to_do(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&[
        "Site safety: Site 1",
        "01/02/2026 to 28/02/2026 (UTC)",
        "What changed",
        "Incursions per runtime hour rose from 2.40 to 9.00.",
        "Incursions: 45 in 5.0 h of runtime; previous period: 12 in 5.0 h.",
        "Where it is worst",
        "Crane 1 was involved in 30 of 45 incursions.",
        "67 % of them; spread evenly over 3, it would be 33 %.",
        "What to do",
        "Check the zone sizes and the working area of Crane 1.",
        "It concerns 30 of 45 incursions, 67 %.",
        "Talk with the operators of Crane 2 about acknowledging alarms in the cab.",
        "Acknowledged there: 0 of 10, 0 %; with the other machines: 20 of 35, 57 %.",
    ]);
    let (first, _) = report.text.split_once('\u{c}').unwrap();
    assert!(first.contains("What to do"), "{first}");
    insta::assert_snapshot!("text", report.text);
    insta::assert_snapshot!("structure", report.structure);
}

async fn charts_and_tables_say_what_is_seen(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&[
        "Most incursions began on Monday, 02/02/2026: 6 of 45.",
        "Most incursions fell on Monday from 07:00 to 08:00: 6 of 45.",
        "The darkest hexagon has 30 of 40 incursions with a position.",
        "5 incursions have no position.",
        "Half of the incursions were not longer than 20 s, and one in twenty was longer than 20 s.",
        "Repeated encounters",
        "No base station was silent",
    ]);
    // The chart of days, the matrix, the map and the histogram have a description.
    let figures = report.structure.matches("Figure").count();
    assert!(figures >= 4, "{}", report.structure);
}

async fn the_last_page_says_where_the_numbers_come_from(app: TestApp) {
    let yard = month(app).await;
    let filters = json!({ "from": "2026-02-01", "to": "2026-03-01", "zone": ["danger"] });
    let more = json!({ "worksite_id": 1, "filters": filters });
    let report = document(&yard, &yard.admin, "site_safety", &more).await;
    report.says(&[
        "Method and definitions",
        "The previous period is earlier by whole weeks, so that it has the same weekdays: 04/01/2026 to 31/01/2026.",
        "Incursions count if their review is one of these: unreviewed and confirmed.",
        "About this report",
        "Filter: worksites Site 1",
        "Filter: zones Danger",
        "Time zones UTC",
        "Program Keepclear",
        "Author admin",
        "Names are shown as of the time at which the file was made.",
    ]);
    report.does_not_say(&["Facts were added while"]);
}

async fn nothing_that_happened_is_said_to_be_nothing(app: TestApp) {
    let yard = Yard::new(app).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&[
        "There were no incursions in this period (01/02/2026 to 28/02/2026)",
        "There are too few incursions to tell a change.",
        "There were no incursions.",
        // No data are no all-clear.
        "There are no data to judge by. Check that machines ran and devices were in contact.",
        "Neither incursions nor runtime were recorded.",
    ]);
    report.does_not_say(&["NaN", "Day by day", "stands out among", "Nothing calls for a change"]);
}

async fn runtime_without_incursions_is_good(app: TestApp) {
    let yard = Yard::new(app).await;
    yard.facts.put_runtime(&[runtime("2026-02-03T07:00:00Z", 60), runtime("2026-02-04T07:00:00Z", 60)]).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&["Nothing calls for a change.", "There were no incursions in 2.0 h of runtime."]);
    report.does_not_say(&["There are no data"]);
}

async fn few_incursions_are_no_ground_for_advice(app: TestApp) {
    let yard = busy_yard(app).await;
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&["There are too few incursions to advise anything.", "Incursions: 3; acknowledged: 33 %."]);
    report.does_not_say(&["Nothing calls for a change", "Talk with"]);
}

async fn every_page_says_what_the_report_is_about(app: TestApp) {
    let yard = month(app).await;
    for (kind, more, title) in [
        ("site_safety", json!({ "worksite_id": 1 }), "Site safety: Site 1"),
        ("machine", json!({ "machine_id": 1 }), "Machine report: Crane 1"),
        ("incursions", json!({ "worksite_id": 2, "machine_id": 1 }), "Incursions: Site 2, Crane 1"),
        ("incursions", json!({}), "Incursions"),
    ] {
        refill_quota(&yard);
        let report = document(&yard, &yard.admin, kind, &more).await;
        let pages: Vec<&str> = report.text.split('\u{c}').filter(|page| !page.trim().is_empty()).collect();
        let footer = format!("{title} · 01/02/2026 to 28/02/2026");
        assert!(pages.iter().all(|page| page.contains(&footer)), "{footer}: {}", report.text);
        let said = pdf::properties(&report.bytes);
        let own = said.lines().find_map(|line| line.strip_prefix("Title:")).unwrap_or_default();
        assert_eq!(own.trim(), title, "{said}");
    }
    // A name is in the properties only if it is in the report.
    refill_quota(&yard);
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let report = document(&yard, &viewer, "person", &json!({ "person_id": 1 })).await;
    let said = pdf::properties(&report.bytes);
    assert!(said.contains("Person report: Person 1") && !said.contains("Ada"), "{said}");
}

async fn someone_without_the_right_to_names_gets_none(app: TestApp) {
    let yard = month(app).await;
    let viewer = yard.app.sign_in_new_user("viewer@example.com", Role::Viewer).await;
    let report = document(&yard, &viewer, "site_safety", &json!({ "worksite_id": 1 })).await;
    report.says(&["Person 1", "The report shows no names of people.", "Crane 1"]);
    report.does_not_say(&["Ada", "Cyd"]);
}

async fn names_of_any_characters_break_nothing(app: TestApp) {
    let yard = month(app).await;
    let long = "W".repeat(100);
    for (path, name) in [
        ("/api/v1/machines/1", long.as_str()),
        ("/api/v1/machines/2", "עגורן مرفاع"),
        ("/api/v1/machines/3", "=cmd() 👷🏽‍♀️ e\u{301}"),
        ("/api/v1/people/1", "\u{e000}\u{378}"),
        ("/api/v1/people/3", "起重機 {name} <b>"),
    ] {
        rename(&yard, path, name).await;
    }
    let report = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    // Names are not searched for places of the texts, and not taken for markup.
    report.says(&["{name} <b>", "=cmd()"]);
    let without_breaks: String = report.in_order.split_whitespace().collect();
    assert!(without_breaks.contains(&long), "{}", report.text);
}

async fn the_figures_have_names_and_units(app: TestApp) {
    let yard = month(app).await;
    let bytes = file(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 }), "json").await;
    let data: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(data["names"]["machine"]["1"], "Crane 1");
    assert_eq!(data["names"]["pedestrian"]["3"], "Cyd");
    assert_eq!(
        (&data["report"]["kind"], &data["report"]["time_zones"]),
        (&json!("site_safety"), &json!(["UTC"]))
    );
    let figures = data["figures"].to_string();
    for name in ["Crane", "Ada", "Cyd", "Site 1"] {
        assert!(!figures.contains(name), "{name} is in {figures}");
    }
    let main = &data["figures"]["answers"][0];
    assert_eq!((&main["name"], &main["groupings"][0]["name"]), (&json!("main"), &json!("total")));
    let total = &main["groupings"][0]["groups"][0]["figures"];
    assert_eq!(total["incursions"], json!({ "value": 45, "numerator": 45, "denominator": null }));
    let rate = json!({ "value": 9, "numerator": 45, "denominator": 5 });
    assert_eq!(total["incursions_per_runtime_hour"], rate, "45 in five hours");
    assert_eq!(total["average_duration"], json!({ "value": 20, "numerator": 900, "denominator": 45 }));
    let measures = main["measures"].as_array().unwrap();
    let rate = measures.iter().find(|measure| measure["name"] == "incursions_per_runtime_hour").unwrap();
    assert_eq!((&rate["unit"], &rate["denominator_unit"]), (&json!("per_hour"), &json!("hours")));
    let grouped = |name: &str| {
        let mut groupings = main["groupings"].as_array().unwrap().iter();
        groupings.find(|grouping| grouping["name"] == name).unwrap()["groups"][0]["keys"].clone()
    };
    assert_eq!(grouped("by_day"), json!({ "day": "2026-02-02" }));
    assert_eq!(grouped("by_zone"), json!({ "zone": "warning" }));
    assert_eq!(grouped("by_pair"), json!({ "machine": 1, "pedestrian": 1 }));
    let boundary = &data["figures"]["boundary"];
    assert_eq!(boundary["type"], "Polygon");
    assert_eq!(boundary["coordinates"][0].as_array().unwrap().len(), 5);
    let version = concat!("Keepclear ", env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!("figures", figures.replace(version, "Keepclear"));
}
