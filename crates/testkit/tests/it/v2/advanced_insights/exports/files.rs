//! The contents of files, of every kind and format.

use calamine::Data;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::reading::{csv, ndjson, parquet, sheet, sheets};
use super::{busy_yard, create_finished_export, export_file, incursions_body};
use crate::v1::insights::Yard;

on_both_engines!(
    incursions_read_back_as_the_list_shows_them,
    incursions_are_a_sheet_with_another_about_it,
    a_pivot_reads_back_as_its_answer,
    a_pivot_is_a_sheet_with_totals,
    nothing_found_is_a_file_too,
    formulas_are_escaped_where_a_spreadsheet_would_evaluate_them,
    times_are_told_by_the_clock_of_the_site,
);

/// Returns the incursions of the list, oldest first.
async fn list_incursions(yard: &Yard) -> Vec<Value> {
    let list = yard.app.get("/api/v1/incursions").cookie(&yard.admin.cookie).send().await.expect(200).json();
    list["data"].as_array().unwrap().iter().rev().cloned().collect()
}

async fn incursions_read_back_as_the_list_shows_them(app: TestApp) {
    let yard = busy_yard(app).await;
    let listed = list_incursions(&yard).await;
    let lines = ndjson(&export_file(&yard, &yard.admin, &incursions_body("ndjson")).await);
    let table = csv(&export_file(&yard, &yard.admin, &incursions_body("csv")).await);
    let rows = parquet(&export_file(&yard, &yard.admin, &incursions_body("parquet")).await);
    assert_eq!((lines.len(), table.len(), rows.len(), listed.len()), (4, 5, 4, 4));
    for (place, shown) in listed.iter().enumerate() {
        let line = &lines[place];
        for field in [
            "id",
            "seq",
            "uid",
            "started_at",
            "ended_at",
            "closed_without_end",
            "duration_ms",
            "local_day",
            "acknowledged",
            "acknowledged_at",
            "ack_ms",
            "zone",
            "closest_cm",
            "received_at",
        ] {
            assert_eq!(line[field], shown[field], "{field} of {shown}");
        }
        for (named, name) in [
            ("machine", "name"),
            ("base_station", "serial"),
            ("tag", "serial"),
            ("operator_tag", "serial"),
            ("pedestrian", "name"),
            ("operator", "name"),
            ("worksite", "name"),
            ("project", "name"),
        ] {
            assert_eq!(line[named], shown[named][name], "{named} of {shown}");
            assert_eq!(line[format!("{named}_id")], shown[named]["id"], "{named} of {shown}");
        }
        assert_eq!(line["review"], shown["review"]["state"]);
        // The other two formats have the same values.
        for (column, heading) in table[0].iter().enumerate() {
            let plain = match &line[heading] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(table[place + 1][column], plain, "{heading}");
            let typed = &rows[place][heading];
            if heading.ends_with("_at") || heading == "local_day" {
                assert_eq!(typed.is_null(), line[heading].is_null(), "{heading}");
            } else {
                assert_eq!(typed, &line[heading], "{heading}");
            }
        }
    }
    assert_eq!(rows[0]["started_at"], json!(1_771_927_200_000_000_i64));
}

async fn incursions_are_a_sheet_with_another_about_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({
        "kind": "incursions", "format": "xlsx",
        "filters": { "machine_id": [1], "pedestrian_id": [1], "from": "2026-02-01", "to": "2026-03-01" },
    });
    let bytes = export_file(&yard, &yard.admin, &body).await;
    assert_eq!(sheets(&bytes), ["Incursions", "About"]);
    let rows = sheet(&bytes, "Incursions");
    assert_eq!(rows.len(), 4);
    let titles: Vec<String> = rows[0].iter().map(ToString::to_string).collect();
    assert_eq!((titles[0].as_str(), titles[3].as_str(), titles.len()), ("Id", "Started at", 36));
    let machine = titles.iter().position(|title| title == "Machine").unwrap();
    assert!(rows[1..].iter().all(|row| row[machine] == Data::String("Crane 1".to_owned())));
    let about = sheet(&bytes, "About");
    let says = |name: &str| {
        let line = about.iter().find(|line| line[0] == name);
        line.unwrap_or_else(|| panic!("{name} is not among {about:?}"))[1].to_string()
    };
    assert_eq!(says("Brand"), "Acme");
    assert_eq!(says("Filter: machines"), "Crane 1");
    assert_eq!(says("Filter: pedestrians"), "Ada");
    assert_eq!(says("Time zones"), "UTC");
    // In the date format of the brand.
    assert!(says("From").starts_with("01/02/2026,") && says("To").starts_with("01/03/2026,"));
}

fn pivot_body() -> Value {
    json!({
        "rows": ["worksite", "machine"], "columns": ["zone"],
        "measures": ["incursions", "acknowledgement_rate", "average_duration", "runtime_hours"], "sort": "-incursions",
    })
}

async fn a_pivot_reads_back_as_its_answer(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = yard.app.post("/api/v2/advanced_insights/pivot").bearer(&yard.admin.jwt).json(&pivot_body());
    let answer = answer.send().await.expect(200).json();
    let body = |format: &str| json!({ "kind": "pivot", "format": format, "pivot": pivot_body() });
    let lines = ndjson(&export_file(&yard, &yard.admin, &body("ndjson")).await);
    let rows = parquet(&export_file(&yard, &yard.admin, &body("parquet")).await);
    let table = csv(&export_file(&yard, &yard.admin, &body("csv")).await);
    let shown = answer["rows"].as_array().unwrap();
    assert_eq!((lines.len(), rows.len(), table.len()), (shown.len() + 1, shown.len() + 1, shown.len() + 2));
    assert_eq!(table[0][5], "Warning / Incursions");
    let mut totals = answer["totals"].clone();
    (totals["level"], totals["keys"]) = (json!(0), json!([]));
    for (place, row) in shown.iter().chain([&totals]).enumerate() {
        let line = &lines[place];
        assert_eq!(line["level"], row["level"]);
        for (depth, dimension) in ["worksite", "machine"].into_iter().enumerate() {
            assert_eq!(line[dimension], row["keys"][depth]["label"], "{row}");
            assert_eq!(line[format!("{dimension}_id")], row["keys"][depth]["id"], "{row}");
        }
        let measures = ["incursions", "acknowledgement_rate", "average_duration", "runtime_hours"];
        for (number, measure) in measures.into_iter().enumerate() {
            let same = |key: String, cell: &Value| {
                let (found, wanted) = (line[&key].as_f64(), cell[0].as_f64());
                assert_eq!(found, wanted, "{key} of {row}");
                assert_eq!(rows[place][&key].as_f64(), wanted, "{key} of {row}");
            };
            same(format!("warning.{measure}"), &row["cells"][0][number]);
            same(format!("danger.{measure}"), &row["cells"][1][number]);
            same(format!("total.{measure}"), &row["total"][number]);
        }
    }
}

async fn a_pivot_is_a_sheet_with_totals(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({ "kind": "pivot", "format": "xlsx", "pivot": pivot_body() });
    let bytes = export_file(&yard, &yard.admin, &body).await;
    assert_eq!(sheets(&bytes), ["Pivot", "About"]);
    let rows = sheet(&bytes, "Pivot");
    let text = |line: usize, column: usize| rows[line][column].to_string();
    assert_eq!(
        (text(0, 2), text(1, 0), text(1, 2)),
        ("Warning".into(), "Worksite".into(), "Incursions".into())
    );
    assert_eq!((text(2, 0), text(2, 1)), ("Site 1".to_owned(), String::new()));
    assert_eq!((text(3, 0), text(3, 1)), ("Site 1".to_owned(), "Crane 1".to_owned()));
    let last = rows.last().unwrap();
    assert_eq!(last[0].to_string(), "Total");
    assert_eq!(last[2].to_string(), "2");
    let about = sheet(&bytes, "About");
    let measures = about.iter().find(|line| line[0] == "Measures").unwrap();
    assert!(measures[1].to_string().starts_with("Incursions, Acknowledgement rate"));
    // Without row dimensions there is only the total.
    let body = json!({ "kind": "pivot", "format": "xlsx", "pivot": { "measures": ["incursions"] } });
    let rows = sheet(&export_file(&yard, &yard.admin, &body).await, "Pivot");
    assert_eq!(rows.last().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>(), ["Total", "4"]);
}

async fn nothing_found_is_a_file_too(app: TestApp) {
    let yard = busy_yard(app).await;
    let none = json!({ "from": "2020-01-01", "to": "2020-01-02" });
    for format in ["xlsx", "csv", "ndjson", "parquet"] {
        let body = json!({ "kind": "incursions", "format": format, "filters": none });
        assert_eq!(create_finished_export(&yard, &yard.admin, &body).await["rows"], 0, "{format}");
        let pivot =
            json!({ "rows": ["machine"], "columns": ["zone"], "measures": ["incursions"], "filters": none });
        let body = json!({ "kind": "pivot", "format": format, "pivot": pivot });
        assert_eq!(create_finished_export(&yard, &yard.admin, &body).await["rows"], 1, "{format}");
    }
}

async fn formulas_are_escaped_where_a_spreadsheet_would_evaluate_them(app: TestApp) {
    let yard = busy_yard(app).await;
    let name = json!({ "name": "=cmd|'/C calc'!A0" });
    yard.app.patch("/api/v1/machines/1").cookie(&yard.admin.cookie).json(&name).send().await.expect(200);
    let (plain, escaped) = ("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0");
    let pivot = json!({ "rows": ["machine"], "columns": ["machine_kind"], "measures": ["incursions"] });
    let of = |format: &str| {
        [incursions_body(format), json!({ "kind": "pivot", "format": format, "pivot": pivot })]
    };
    for body in of("csv") {
        let cells = csv(&export_file(&yard, &yard.admin, &body).await).concat();
        assert!(
            cells.iter().any(|cell| cell == escaped) && !cells.iter().any(|cell| cell == plain),
            "{cells:?}"
        );
    }
    for (body, name) in of("xlsx").into_iter().zip(["Incursions", "Pivot"]) {
        let cells = sheet(&export_file(&yard, &yard.admin, &body).await, name).concat();
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        assert!(
            cells.iter().any(|cell| cell == escaped) && !cells.iter().any(|cell| cell == plain),
            "{cells:?}"
        );
    }
    for body in of("ndjson") {
        let lines = ndjson(&export_file(&yard, &yard.admin, &body).await);
        assert!(lines.iter().any(|line| line["machine"] == plain), "{lines:?}");
    }
}

async fn times_are_told_by_the_clock_of_the_site(app: TestApp) {
    let yard = Yard::new(app).await;
    let mut row = crate::v1::insights::incursion(&yard, "2026-02-24T23:30:00Z", 10);
    // One hour ahead, it was already the next day, a Wednesday.
    row.attribution.local_day += 1;
    row.attribution.local_minute = 2 * 1_440 + 30;
    yard.facts.add_incursions(vec![row]).await;
    let line = ndjson(&export_file(&yard, &yard.admin, &incursions_body("ndjson")).await).remove(0);
    assert_eq!(line["started_at"], "2026-02-25T00:30:00+01:00");
    assert_eq!(line["ended_at"], "2026-02-25T00:30:10+01:00");
    assert_eq!(line["local_day"], "2026-02-25");
}
