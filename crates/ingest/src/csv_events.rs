//! Reads events from the lines of a CSV file. The header names the fields, and the column decides the type of a cell, so that a serial made
//! of digits stays text.

use std::borrow::Cow;

use domain::{Event, Invalid, TimeWindow};

use crate::event_reader::{self, EventRejection};
use crate::json::Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnType {
    Text,
    Number,
    Flag,
    /// Several texts, separated by `|`.
    List,
}

/// The columns that a file may have. Zones and GPS fixes do not fit into a cell.
const COLUMNS: [(&str, ColumnType); 24] = [
    ("kind", ColumnType::Text),
    ("uid", ColumnType::Text),
    ("base_station", ColumnType::Text),
    ("at", ColumnType::Text),
    ("tag", ColumnType::Text),
    ("operator_tag", ColumnType::Text),
    ("started_at", ColumnType::Text),
    ("ended_at", ColumnType::Text),
    ("duration_ms", ColumnType::Number),
    ("acknowledged_at", ColumnType::Text),
    ("zone", ColumnType::Text),
    ("closest_cm", ColumnType::Number),
    ("lat", ColumnType::Number),
    ("lon", ColumnType::Number),
    ("firmware", ColumnType::Text),
    ("battery", ColumnType::Number),
    ("faults", ColumnType::List),
    ("code", ColumnType::Text),
    ("severity", ColumnType::Text),
    ("text", ColumnType::Text),
    ("percent", ColumnType::Number),
    ("passed", ColumnType::Flag),
    ("message_id", ColumnType::Number),
    ("state", ColumnType::Text),
];

/// The header of a CSV file of events.
#[derive(Clone, Debug)]
pub struct CsvHeader(Vec<(&'static str, ColumnType)>);

impl CsvHeader {
    /// Reads the names of the columns. Unknown and repeated ones are refused.
    pub fn read<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Invalid> {
        let mut columns: Vec<(&'static str, ColumnType)> = Vec::new();
        for name in names {
            let name = name.trim().to_lowercase();
            let shown: String = name.chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect();
            let Some(column) = COLUMNS.iter().find(|(known, _)| *known == name) else {
                let known: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
                let text = format!("column {shown}: must be one of {}", known.join(", "));
                return Err(Invalid::new("unknown_field", text));
            };
            if columns.contains(column) {
                return Err(Invalid::new("repeated_column", format!("column {shown}: is repeated")));
            }
            columns.push(*column);
        }
        Ok(Self(columns))
    }

    /// Reads the cells of a line. An empty cell counts as a missing field.
    pub fn read_event(&self, cells: &[&str], window: TimeWindow) -> Result<Event, EventRejection> {
        if cells.len() != self.0.len() {
            let text = format!("has {} cells instead of {}", cells.len(), self.0.len());
            return Err(EventRejection { uid: None, invalid: Invalid::new("wrong_length", text) });
        }
        let entries: Vec<(Cow<'_, str>, Json<'_>)> = self
            .0
            .iter()
            .zip(cells)
            .filter_map(|((name, cell), text)| Some((Cow::Borrowed(*name), cell_value(*cell, text.trim())?)))
            .collect();
        let is_status = entries
            .iter()
            .any(|(name, value)| name == "kind" && matches!(value, Json::Text(kind) if kind == "status"));
        // A status without faults has an empty cell here. Other kinds have no such field.
        let entries = entries
            .into_iter()
            .filter(|(_, value)| is_status || !matches!(value, Json::List(all) if all.is_empty()))
            .collect();
        event_reader::read_event(Json::Object(entries), window)
    }
}

fn cell_value(cell: ColumnType, text: &str) -> Option<Json<'_>> {
    if text.is_empty() {
        return (cell == ColumnType::List).then(|| Json::List(Vec::new()));
    }
    // Text that is not a number stays text, and the reader of the field refuses it.
    let as_text = || Json::Text(Cow::Borrowed(text));
    Some(match cell {
        ColumnType::Text => as_text(),
        ColumnType::Number => match (text.parse(), text.parse::<f64>()) {
            (Ok(whole), _) => Json::Int(whole),
            (_, Ok(number)) if number.is_finite() => Json::Float(number),
            _ => as_text(),
        },
        ColumnType::Flag => match text.to_ascii_lowercase().as_str() {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            _ => as_text(),
        },
        ColumnType::List => {
            Json::List(text.split('|').map(|part| Json::Text(Cow::Borrowed(part.trim()))).collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use domain::{EventPayload, Timestamp};

    use super::*;

    fn window() -> TimeWindow {
        TimeWindow::for_imports(Timestamp::parse("2026-03-01T00:00:00Z").unwrap())
    }

    fn event(head: &str, line: &str) -> Result<Event, EventRejection> {
        let cells: Vec<&str> = line.split(',').collect();
        CsvHeader::read(head.split(',')).unwrap().read_event(&cells, window())
    }

    #[test]
    fn cells_come_to_the_same_as_json() {
        let head = "Kind, uid,base_station,tag,started_at,duration_ms,zone,closest_cm,lat,lon,passed,faults";
        let read = event(head, "incursion,7,42,0815,2026-02-01T08:00:00Z,1500,danger,120,52.5,13,,").unwrap();
        let json = br#"{"kind": "incursion", "uid": "7", "base_station": "42", "tag": "0815", "zone": "danger",
            "started_at": "2026-02-01T08:00:00Z", "duration_ms": 1500, "closest_cm": 120, "lat": 52.5, "lon": 13}"#;
        assert_eq!(read, crate::read_line(json, window()).unwrap());
        let head = "kind,uid,at,tag,passed";
        let test = event(head, "tag_test,1,2026-02-01T08:00:00Z,T1,TRUE").unwrap();
        assert!(matches!(test.payload, EventPayload::TagTest(test) if test.passed));
        let status = event("kind,uid,at,faults", "status,1,2026-02-01T08:00:00Z,").unwrap();
        assert!(matches!(status.payload, EventPayload::Status(status) if status.faults.is_empty()));
        let status =
            event("kind,uid,at,faults", "status,1,2026-02-01T08:00:00Z,camera dark | no gps").unwrap();
        assert!(
            matches!(status.payload, EventPayload::Status(status) if status.faults == ["camera dark", "no gps"])
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let code = |head: &str| CsvHeader::read(head.split(',')).unwrap_err().code;
        assert_eq!((code("kind,colour"), code("kind,uid,KIND")), ("unknown_field", "repeated_column"));
        let refused = |line| event("kind,uid,at,tag,percent", line).unwrap_err().invalid;
        assert_eq!(refused("tag_battery,1").code, "wrong_length");
        let wrong = refused("tag_battery,1,2026-02-01T08:00:00Z,T1,much");
        assert_eq!((wrong.code, &*wrong.message), ("wrong_type", "percent: must be a whole number"));
        assert_eq!(refused("tag_battery,1,2026-02-01T08:00:00Z,T1,101").code, "out_of_range");
        assert_eq!(refused("log,1,2026-02-01T08:00:00Z,T1,").code, "required");
    }
}
