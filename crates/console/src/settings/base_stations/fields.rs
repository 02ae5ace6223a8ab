//! The fields of a base station. Cameras and zones are lines of a text, so that any number of them fits into a form without script.

use std::collections::HashSet;

use app::BaseStationChange;
use domain::antenna::{MAX_ANTENNAS, MAX_CAMERAS};
use domain::{AntennaZones, Change, Invalid, Name, PartName, Serial, StationZones, ZoneRadius};
use serde_json::Value;
use texts::Language;
use texts::console::settings::base_stations as t;
use web::{BodyField, Fields};

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};

pub const KINDS: &[(&str, Kind)] =
    &[("serial", Kind::Text), ("name", Kind::Text), ("cameras", Kind::Text), ("zones", Kind::Text)];

pub fn fields_of(frame: &Frame, view: &FormView) -> Vec<Field> {
    vec![
        Field::new(frame, view, "serial", t::SERIAL, Input::Text).required().hint(frame.text(t::SERIAL_HINT)),
        Field::new(frame, view, "name", t::NAME, Input::Text).hint(frame.text(t::NAME_HINT)),
        Field::new(frame, view, "cameras", t::CAMERAS, Input::Area { rows: 3 })
            .hint(frame.text(t::CAMERAS_HINT)),
        Field::new(frame, view, "zones", t::ZONES, Input::Area { rows: 4 }).hint(frame.text(t::ZONES_HINT)),
    ]
}

/// The zones as the lines of the form, with numbers as it reads them.
pub fn lines_of_zones(language: Language, zones: &[StationZones]) -> String {
    zones.iter().map(|row| line_of_zones(language, &row.zones)).collect::<Vec<_>>().join("\n")
}

fn line_of_zones(language: Language, zones: &AntennaZones) -> String {
    let metres = |radius: ZoneRadius| texts::exact(language, radius.metres());
    format!("{}; {}; {}", zones.antenna, metres(zones.warning), metres(zones.danger))
}

pub fn read_new(fields: &mut Fields, language: Language) -> Option<(Serial, BaseStationChange)> {
    let serial = fields.required("serial", Serial::from_json);
    let name = fields.change_optional("name", Name::from_json);
    let (cameras, zones) = (read_cameras(fields), read_zones(fields, language));
    let rest = BaseStationChange {
        serial: Change::Keep,
        name: name?,
        cameras: cameras?,
        zones: zones?,
        effective_from: None,
    };
    Some((serial?, rest))
}

pub fn read_change(fields: &mut Fields, language: Language) -> Option<BaseStationChange> {
    let serial = fields.change("serial", Serial::from_json);
    let name = fields.change_optional("name", Name::from_json);
    let (cameras, zones) = (read_cameras(fields), read_zones(fields, language));
    Some(BaseStationChange {
        serial: serial?,
        name: name?,
        cameras: cameras?,
        zones: zones?,
        effective_from: None,
    })
}

fn read_cameras(fields: &mut Fields) -> Option<Change<Vec<PartName>>> {
    read_lines(fields, "cameras", MAX_CAMERAS, PartName::parse, PartName::key)
}

fn read_zones(fields: &mut Fields, language: Language) -> Option<Change<Vec<AntennaZones>>> {
    let parse = |line: &str| parse_zones(line, language);
    read_lines(fields, "zones", MAX_ANTENNAS, parse, |zones| zones.antenna.key())
}

/// Reads the lines of a text that are not blank. A fault names its line, beginning with zero as in lists of the API.
fn read_lines<T>(
    fields: &mut Fields,
    name: &str,
    max_lines: usize,
    parse: impl Fn(&str) -> Result<T, Invalid>,
    key: impl Fn(&T) -> String,
) -> Option<Change<Vec<T>>> {
    let text = match fields.take(name) {
        None => return Some(Change::Keep),
        Some(Value::String(text)) => text,
        Some(_) => String::new(),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() > max_lines {
        let invalid = Invalid::new("too_many", format!("must have at most {max_lines} lines"));
        return fields.add_fault(name, invalid);
    }
    let (mut values, mut seen, mut is_sound) = (Vec::with_capacity(lines.len()), HashSet::new(), true);
    for (index, line) in lines.iter().enumerate() {
        let path = format!("{name}.{index}");
        let value = fields.item(&path, &Value::from(*line), web::text(&parse));
        let Some(value) = value else {
            is_sound = false;
            continue;
        };
        if !seen.insert(key(&value)) {
            let _: Option<()> =
                fields.add_fault(&path, Invalid::new("repeated", "must not be in the list twice"));
            is_sound = false;
        }
        values.push(value);
    }
    is_sound.then_some(Change::Set(values))
}

/// Reads `front; 6.5; 3`: the antenna and how far its zones reach, in metres, as people of a language write numbers.
fn parse_zones(line: &str, language: Language) -> Result<AntennaZones, Invalid> {
    let malformed = || {
        Invalid::new("invalid_zones", "must be an antenna and two numbers of metres, separated by semicolons")
    };
    let parts: Vec<&str> = line.split(';').map(str::trim).collect();
    let [antenna, warning, danger] = parts.as_slice() else { return Err(malformed()) };
    let radius = |text: &str| -> Result<ZoneRadius, Invalid> {
        let metres = texts::parse_decimal(language, text).ok_or_else(malformed)?;
        ZoneRadius::from_metres(metres)
    };
    let (warning, danger) = (radius(warning)?, radius(danger)?);
    if danger > warning {
        return Err(Invalid::new("out_of_range", "must not have a danger zone larger than the warning zone"));
    }
    Ok(AntennaZones { antenna: PartName::parse(antenna)?, warning, danger })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn read(cameras: &str, zones: &str) -> Result<BaseStationChange, Vec<(String, &'static str)>> {
        read_in(Language::English, cameras, zones)
    }

    fn read_in(
        language: Language,
        cameras: &str,
        zones: &str,
    ) -> Result<BaseStationChange, Vec<(String, &'static str)>> {
        let mut object = Map::new();
        object.insert("cameras".to_owned(), json!(cameras));
        object.insert("zones".to_owned(), json!(zones));
        web::read_fields(object, |fields| read_change(fields, language)).map_err(|error| {
            error.fields.into_iter().map(|fault| (fault.field, fault.invalid.code)).collect()
        })
    }

    fn reach_of(change: BaseStationChange) -> Vec<(f64, f64)> {
        let Change::Set(zones) = change.zones else { panic!("zones") };
        zones.iter().map(|row| (row.warning.metres(), row.danger.metres())).collect()
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let change = read("front\n\n rear \n", "front; 6.5; 3\nrear;4;2.25").unwrap();
        let Change::Set(cameras) = &change.cameras else { panic!("cameras") };
        assert_eq!(cameras.iter().map(PartName::as_str).collect::<Vec<_>>(), ["front", "rear"]);
        assert_eq!(reach_of(change), [(6.5, 3.0), (4.0, 2.25)]);
    }

    #[test]
    fn metres_are_read_and_written_as_the_reader_writes_numbers() {
        for (language, line, other) in [
            (Language::English, "front; 6.5; 2.25", "front; 6,5; 2,25"),
            (Language::German, "front; 6,5; 2,25", "front; 6.5; 2.25"),
        ] {
            let change = read_in(language, "", line).unwrap();
            let Change::Set(zones) = &change.zones else { panic!("zones") };
            assert_eq!(line_of_zones(language, &zones[0]), line);
            assert_eq!(reach_of(change), [(6.5, 2.25)]);
            let faults = read_in(language, "", other).unwrap_err();
            assert_eq!(faults, [("zones.0".to_owned(), "invalid_zones")]);
        }
    }

    #[test]
    fn faults_name_their_line() {
        let faults = read("front\nFRONT", "front; 3; 6\nrear\nmast; x; 1\nrear; 600; 1").unwrap_err();
        let faults: Vec<_> = faults.iter().map(|(field, code)| (field.as_str(), *code)).collect();
        let expected = [
            ("cameras.1", "repeated"),
            ("zones.0", "out_of_range"),
            ("zones.1", "invalid_zones"),
            ("zones.2", "invalid_zones"),
            ("zones.3", "out_of_range"),
        ];
        assert_eq!(faults, expected);
        assert_eq!(read(&"x\n".repeat(9), "").unwrap_err()[0].1, "too_many");
    }
}
