//! Written site reports as documents.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::remakes::write_site_report;
use super::{document, month};

on_both_engines!(facts_say_when_and_where);

async fn facts_say_when_and_where(app: TestApp) {
    let yard = month(app).await;
    let id = write_site_report(&yard).await;
    let report = document(&yard, &yard.admin, "site_report", &json!({ "site_report_id": id })).await;
    report.says(&[
        "Site report: Site 1",
        "Facts",
        // Most began at seven, and the darkest hexagon is near 52.5200, 13.4050.
        "Busiest hours: 05:00",
        "Busiest place: 52.5",
        "Repeated pair: Crane 1, Ada",
        "30 on 5 days",
        "9.00 / h (45 in 5.0 h)",
    ]);
    report.does_not_say(&["is not over"]);
}
