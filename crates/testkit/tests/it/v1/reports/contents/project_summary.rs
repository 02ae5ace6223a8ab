//! Reports about a project.

use calamine::Data;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::reading::{csv, sheet, sheets};
use super::{document, file, month, refill_quota};

on_both_engines!(worksites_are_compared, the_table_has_a_worksite_in_each_row);

async fn worksites_are_compared(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "project_summary", &json!({ "project_id": 1 })).await;
    report.says(&[
        "Project summary",
        "Project 1",
        "Week by week",
        "Most incursions began in the week of 02/02/2026: 30 of 45.",
        "Worksites",
        "Site 1",
        "Largest changes",
        "Site 1: 45 incursions, more than the 12 of the previous period.",
        "Kinds of machines",
        "Crane",
    ]);
    // Nobody is named, and nothing of the other project.
    report.does_not_say(&["Ada", "Cyd", "Site 2"]);
    insta::assert_snapshot!("text", report.text);
}

async fn the_table_has_a_worksite_in_each_row(app: TestApp) {
    let yard = month(app).await;
    let more = json!({ "project_id": 1 });
    let table = csv(&file(&yard, &yard.admin, "project_summary", &more, "csv").await);
    assert_eq!(table.len(), 2, "{table:?}");
    let value = |key: &str| {
        let place = table[0].iter().position(|heading| heading == key).unwrap();
        table[1][place].as_str()
    };
    assert_eq!((value("worksite_id"), value("worksite")), ("1", "Site 1"));
    assert_eq!(
        (value("incursions"), value("acknowledged"), value("previous_incursions")),
        ("45", "20", "12")
    );
    let number = |key: &str| value(key).parse::<f64>().unwrap();
    assert_eq!((number("runtime_hours"), number("incursions_per_runtime_hour")), (5.0, 9.0));
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "project_summary", &more, "xlsx").await;
    assert_eq!(sheets(&bytes), ["Worksites", "About"]);
    let rows = sheet(&bytes, "Worksites");
    assert_eq!(rows[0][2], Data::String("Incursions".to_owned()));
    assert_eq!(rows[1][2].to_string(), "45");
    let about = sheet(&bytes, "About");
    let says = |name: &str| about.iter().find(|line| line[0] == name).unwrap()[1].to_string();
    assert_eq!(
        (says("Title"), says("Filter: projects")),
        ("Project summary".to_owned(), "Project 1".to_owned())
    );
}
