//! Reports about a project.

use calamine::Data;
use domain::{MachineId, WorksiteId};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::reading::{csv, sheet, sheets};
use super::{document, file, month, refill_quota};
use crate::v1::insights::{Yard, incursion};

on_both_engines!(
    worksites_are_compared,
    the_table_has_a_worksite_in_each_row,
    what_stands_out_is_only_searched_where_there_are_figures,
    the_table_has_all_worksites,
);

async fn worksites_are_compared(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "project_summary", &json!({ "project_id": 1 })).await;
    report.says(&[
        "Project summary: Project 1",
        // Machines and hours are searched as well as worksites.
        "Crane 1 was involved in 30 of 45 incursions.",
        "67 % of them; spread evenly over 3, it would be 33 %.",
        "Check the zone sizes and the working area of Crane 1.",
        "Talk with the operators of Crane 2 about acknowledging alarms in the cab.",
        "Acknowledged there: 0 of 10, 0 %; with the other machines: 20 of 35, 57 %.",
        "Week by week",
        "Most incursions began in the week of 02/02/2026: 30 of 45.",
        "Worksites",
        "Site 1",
        "Largest changes",
        "Site 1: 45 incursions, more than the 12 of the previous period.",
        "Machines",
        "Crane 3",
        "Kinds of machines",
    ]);
    // Nobody is named, and nothing of the other project.
    report.does_not_say(&["Ada", "Cyd", "Site 2", "stands out among"]);
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
        ("Project summary: Project 1".to_owned(), "Project 1".to_owned())
    );
}

async fn what_stands_out_is_only_searched_where_there_are_figures(app: TestApp) {
    let yard = Yard::new(app).await;
    // Two machines and ten hours share them evenly.
    let rows = (0..20).map(|number| {
        let mut row = incursion(&yard, &format!("2026-02-02T{:02}:{number:02}:00Z", 6 + number % 10), 10);
        row.attribution.machine = Some(MachineId(1 + number % 2));
        row
    });
    yard.facts.add_incursions(rows.collect()).await;
    let report = document(&yard, &yard.admin, "project_summary", &json!({ "project_id": 1 })).await;
    report.says(&["Nothing stands out among worksites, machines and hours of the day."]);
    refill_quota(&yard);
    let report = document(&yard, &yard.admin, "incursions", &json!({})).await;
    report.says(&["Nothing stands out among machines."]);
}

async fn the_table_has_all_worksites(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut rows = Vec::new();
    for id in 4..=104 {
        if id % 10 == 0 {
            refill_quota(&yard);
        }
        let name = format!("Site {id}");
        let site = json!({ "name": name, "kind": "other", "time_zone": "UTC", "project_id": 1 });
        yard.app.post("/api/v1/worksites").cookie(&yard.admin.cookie).json(&site).send().await.expect(201);
        // The last one had its incursion in the period before.
        let month = if id == 104 { "01" } else { "02" };
        let mut row = incursion(&yard, &format!("2026-{month}-10T10:00:00Z"), 10);
        row.attribution.worksite = Some(WorksiteId(id));
        rows.push(row);
    }
    yard.facts.add_incursions(rows).await;
    refill_quota(&yard);
    let more = json!({ "project_id": 1 });
    let table = csv(&file(&yard, &yard.admin, "project_summary", &more, "csv").await);
    let column = |key: &str| table[0].iter().position(|heading| heading == key).unwrap();
    let numbers: Vec<[&str; 3]> = table[1..]
        .iter()
        .map(|row| ["worksite_id", "incursions", "previous_incursions"].map(|key| row[column(key)].as_str()))
        .collect();
    assert_eq!(numbers.len(), 101, "{numbers:?}");
    assert!(numbers.contains(&["103", "1", "0"]) && numbers.contains(&["104", "0", "1"]), "{numbers:?}");
    // Paper has fewer, and says so.
    refill_quota(&yard);
    document(&yard, &yard.admin, "project_summary", &more).await.says(&["and 75 more"]);
}
