//! Reports about tests of tags.

use domain::TagId;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::super::{create_ready_report, download, remake};
use super::reading::{csv, sheet, sheets};
use super::{document, february, file, kiosk, month, refill_quota, squeezed, test_tag};
use crate::pdf;
use crate::v1::insights::{Yard, incursion};

on_both_engines!(
    days_and_incursions_are_covered_by_tests,
    the_table_has_a_tag_in_each_row,
    the_tags_of_one_person_are_those_that_they_wore,
    lists_begin_with_the_most_serious,
    without_worn_days_nothing_is_praised,
    a_period_without_two_whole_weeks_says_so,
    days_keep_the_time_zone_in_which_they_were_counted,
    an_incursion_before_the_first_day_of_tags_is_judged_by_the_test_before_it,
);

/// Ada has worn T-1 since 2 February; it was tested on the 2nd and, without success, on the 4th. The interval is seven days.
async fn tested_month(app: TestApp) -> Yard {
    let yard = month(app).await;
    let brand = json!({ "test_interval_days": 7 });
    let call = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&brand);
    call.send().await.expect(200);
    let kiosk = kiosk(&yard).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-02T06:30:00Z", true).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-04T06:30:00Z", false).await;
    yard
}

async fn days_and_incursions_are_covered_by_tests(app: TestApp) {
    let yard = tested_month(app).await;
    let report = document(&yard, &yard.admin, "tag_test_compliance", &json!({})).await;
    report.says(&[
        "Tag test compliance",
        // Worn on 27 days, of which the 2nd and the 3rd were covered.
        "2 of 27 worn days covered",
        "1 of 2 failed",
        // On the 2nd and the 3rd there were twelve of all 49.
        "12 of 49 incursions",
        // The period ends within the week of the 23rd.
        "In the week of 16/02/2026, 0 % of the worn days were covered, after 0 % in the week before.",
        "Covered days: 0 of 7; the week before: 0 of 7.",
        "23/02/2026 (incomplete) 6 0 6",
        "T-1 (Ada) was worn without a valid test on 25 of 27 days.",
        "Uncovered days of all tags: 25; these are 100 %.",
        "Have tags tested before the shift begins, at least every 7 days. \
         Uncovered days of all tags: 25 of 27 worn days, 93 %.",
        "Compliance by week",
        "Overdue at the end of the period",
        "All tags",
        "A tag is in test at a time if its last test until then was passed less than 7 days before.",
        "Days of tags are those of the time zone UTC, because tags belong to no worksite.",
        "only whole weeks are compared.",
        "Time zone of tag days UTC",
    ]);
    report.does_not_say(&["16/02/2026 (incomplete)"]);
    insta::assert_snapshot!("text", report.text);
}

async fn the_table_has_a_tag_in_each_row(app: TestApp) {
    let yard = tested_month(app).await;
    let table = csv(&file(&yard, &yard.admin, "tag_test_compliance", &json!({}), "csv").await);
    let row: Vec<(&str, &str)> =
        table[0].iter().map(String::as_str).zip(table[1].iter().map(String::as_str)).collect();
    for expected in [
        ("tag", "T-1"),
        ("person", "Ada"),
        ("worn_days", "27"),
        ("covered_days", "2"),
        ("tests", "2"),
        ("failed", "1"),
        ("last_passed", "false"),
        ("incursions", "34"),
        ("incursions_in_test", "12"),
        ("worn_at_end", "true"),
        ("in_test_at_end", "false"),
    ] {
        assert!(row.contains(&expected), "{expected:?} is not in {row:?}");
    }
    assert_eq!(table.len(), 4, "all three tags: {table:?}");
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "tag_test_compliance", &json!({}), "xlsx").await;
    assert_eq!(sheets(&bytes), ["Tags", "About"]);
    assert_eq!(sheet(&bytes, "Tags")[1][1].to_string(), "T-1");
}

async fn the_tags_of_one_person_are_those_that_they_wore(app: TestApp) {
    let yard = tested_month(app).await;
    let more = json!({ "person_id": 1 });
    let bytes = file(&yard, &yard.admin, "tag_test_compliance", &more, "json").await;
    let data: Value = serde_json::from_slice(&bytes).unwrap();
    let tags = data["figures"]["tags"].as_array().unwrap();
    assert_eq!(tags.len(), 1, "{tags:?}");
    assert_eq!((&tags[0]["tag_id"], &tags[0]["person_id"]), (&json!(1), &json!(1)));
    let weeks = data["figures"]["test_weeks"].as_array().unwrap();
    assert_eq!(weeks[0]["week"], "2026-02-02");
    let days: Vec<[i64; 2]> = weeks
        .iter()
        .map(|week| [&week["worn_days"], &week["covered_days"]].map(|number| number.as_i64().unwrap()))
        .collect();
    assert_eq!(days, [[7, 2], [7, 0], [7, 0], [6, 0]]);
}

async fn lists_begin_with_the_most_serious(app: TestApp) {
    let yard = tested_month(app).await;
    // T-3 has 35 incursions outside test then, T-1 has 22, T-2 has ten.
    let rows = (0..30).map(|minute| {
        let mut row = incursion(&yard, &format!("2026-02-21T10:{minute:02}:00Z"), 10);
        row.tag = TagId(3);
        row
    });
    yard.facts.add_incursions(rows.collect()).await;
    let report = document(&yard, &yard.admin, "tag_test_compliance", &json!({})).await;
    let after = |text: &str, heading: &str| text.split_once(heading).unwrap().1.to_owned();
    let list = after(&report.in_order, "Tags with incursions outside test");
    let places = ["T-3", "T-1", "T-2", "All tags"].map(|word| list.find(word).unwrap());
    assert!(places.is_sorted(), "{places:?} in {list}");
    // All tags are in the order of their ids, as in the tables.
    let all = after(&list, "All tags");
    assert!(["T-1", "T-2", "T-3"].map(|word| all.find(word).unwrap()).is_sorted(), "{all}");
}

async fn without_worn_days_nothing_is_praised(app: TestApp) {
    let yard = tested_month(app).await;
    let early = json!({ "filters": { "from": "2020-01-01", "to": "2020-02-01" } });
    let report = document(&yard, &yard.admin, "tag_test_compliance", &early).await;
    report.says(&[
        "no worn days",
        "Check that tags are assigned to the people who wear them.",
        "No tag was worn in this period, so there is nothing to say about tests.",
    ]);
    report.does_not_say(&["All worn days were covered", "Nothing calls for a change", "What changed"]);
}

async fn a_period_without_two_whole_weeks_says_so(app: TestApp) {
    let yard = tested_month(app).await;
    // From a Monday to a Thursday of the next week.
    let short = json!({ "filters": { "from": "2026-02-02", "to": "2026-02-13" } });
    let report = document(&yard, &yard.admin, "tag_test_compliance", &short).await;
    report.says(&[
        "There are no two whole weeks in a row to compare.",
        "Covered days in the period: 2 of 11.",
        "09/02/2026 (incomplete)",
    ]);
    report.does_not_say(&["in the week before", "02/02/2026 (incomplete)"]);
}

async fn days_keep_the_time_zone_in_which_they_were_counted(app: TestApp) {
    let yard = tested_month(app).await;
    for (kind, more) in [("tag_test_compliance", json!({})), ("person", json!({ "person_id": 1 }))] {
        refill_quota(&yard);
        let mut body = json!({ "kind": kind, "filters": february() });
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let utc = json!({ "time_zone": "UTC" });
        let brand = |change: Value| {
            let call = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
            call.json(&change).send()
        };
        brand(utc).await.expect(200);
        let id = &create_ready_report(&yard, &yard.admin, &body).await["id"];
        let text = async || pdf::text(&download(&yard, &yard.admin, id, "").await.expect(200).body);
        let data = async || download(&yard, &yard.admin, id, "?format=json").await.expect(200).json();
        let (said, figures) = (text().await, data().await);
        assert_eq!(figures["figures"]["tag_time_zone"], "UTC", "{kind}");
        assert!(squeezed(&said).contains("Time zone of tag days UTC"), "{kind}: {said}");
        brand(json!({ "time_zone": "Asia/Tokyo" })).await.expect(200);
        remake(&yard, &yard.admin, id).await.expect(200);
        yard.app.run_jobs().await;
        assert_eq!(text().await, said, "{kind}");
        assert_eq!(data().await, figures, "{kind}");
        // A new one has the days of Tokyo.
        let new = &create_ready_report(&yard, &yard.admin, &body).await["id"];
        let new = download(&yard, &yard.admin, new, "?format=json").await.expect(200).json();
        assert_eq!(new["figures"]["tag_time_zone"], "Asia/Tokyo", "{kind}");
    }
}

/// At a worksite that is east of the brand, the first day of the period begins before that of tags does.
async fn an_incursion_before_the_first_day_of_tags_is_judged_by_the_test_before_it(app: TestApp) {
    let yard = month(app).await;
    let kiosk = kiosk(&yard).await;
    for tested_at in ["2026-01-31T10:00:00Z", "2026-01-31T20:00:00Z"] {
        test_tag(&yard, &kiosk, "T-3", tested_at, true).await;
    }
    let mut early = incursion(&yard, "2026-01-31T12:00:00Z", 10);
    early.tag = TagId(3);
    early.attribution.local_day += 1;
    yard.facts.add_incursions(vec![early]).await;
    let bytes = file(&yard, &yard.admin, "tag_test_compliance", &json!({}), "json").await;
    let data: Value = serde_json::from_slice(&bytes).unwrap();
    let tags = data["figures"]["tags"].as_array().unwrap();
    let tag = tags.iter().find(|tag| tag["tag_id"] == 3).unwrap();
    assert_eq!((&tag["incursions"], &tag["incursions_in_test"]), (&json!(6), &json!(1)), "{tag}");
}
