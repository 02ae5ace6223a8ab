//! Reports about a machine.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{document, month};

on_both_engines!(a_machine_is_shown_with_who_drove_it_and_how_long_it_ran);

async fn a_machine_is_shown_with_who_drove_it_and_how_long_it_ran(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "machine", &json!({ "machine_id": 1 })).await;
    report.says(&[
        "Machine report: Crane 1",
        "Talk with the operators of Crane 1 about acknowledging alarms in the cab.",
        "Acknowledged: 15 of 34, 44 %; previous period: 50 %; goal: 80 %.",
        // Those at worksite 2 count, too.
        "Incursions per runtime hour rose from 2.40 to 6.80.",
        "The machine ran on 5 of 28 days, 5.0 h in all.",
        "Operators",
        "Dan",
        "People on foot",
        "Ada",
        "Worksites",
        "Site 2",
        "Compared with its kind",
        "Nobody was compared with others, because there are too few or too many of them.",
    ]);
    insta::assert_snapshot!("text", report.text);
}
