//! NDJSON, read with serde_json.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Row, any_rows, every_kind, file, file_of, finite};
use crate::{Cell, Format};

fn values(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the number of a key in a line, parsed from its digits, because `serde_json` sometimes reads decimals inexactly in the last
/// digit, and the smallest ones with larger errors. The last occurrence of the key is the right one, because the only text of a row comes
/// before it.
fn number(line: &str, key: &str) -> Option<f64> {
    let (_, after) = line.rsplit_once(&format!("\"{key}\":")).unwrap();
    let digits = after.split([',', '}']).next().unwrap();
    (digits != "null").then(|| digits.parse().unwrap())
}

#[test]
fn every_line_has_every_key() {
    let row = [
        Cell::Text("=1 \u{1} \"x\""),
        Cell::Integer(i64::MAX),
        Cell::Decimal(f64::NAN),
        Cell::Decimal(0.5),
        Cell::Empty,
        Cell::Timestamp { at_us: 0, offset_s: 0 },
        Cell::Date(0),
        Cell::Boolean(false),
    ];
    let (bytes, _) = file(Format::Ndjson, every_kind(), &[&row]).unwrap();
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
    let expected = json!({
        "text": "=1 \u{1} \"x\"", "integer": i64::MAX, "decimal": null, "percent": 0.5, "duration_ms": null,
        "timestamp": "1970-01-01T00:00:00Z", "date": "1970-01-01", "boolean": false,
    });
    assert_eq!(values(&bytes), [expected]);
}

proptest! {
    #[test]
    fn rows_read_back_the_same(rows in any_rows()) {
        let bytes = file_of(Format::Ndjson, &rows);
        let lines: Vec<&str> = std::str::from_utf8(&bytes).unwrap().lines().collect();
        let values = values(&bytes);
        prop_assert_eq!(values.len(), rows.len());
        for ((value, line), row) in values.iter().zip(lines).zip(&rows) {
            let Row { text, integer, decimal, percent, duration_ms, timestamp, date, boolean } = row;
            prop_assert_eq!(value["text"].as_str(), text.as_deref());
            prop_assert_eq!(value["integer"].as_i64(), *integer);
            prop_assert_eq!(number(line, "decimal"), finite(*decimal));
            prop_assert_eq!(number(line, "percent"), finite(*percent));
            prop_assert_eq!(value["duration_ms"].as_i64(), *duration_ms);
            let at = value["timestamp"].as_str().map(|text| text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
            prop_assert_eq!(at, timestamp.map(|(at_us, _)| at_us));
            prop_assert_eq!(value["date"].is_null(), date.is_none());
            prop_assert_eq!(value["boolean"].as_bool(), *boolean);
        }
    }
}
