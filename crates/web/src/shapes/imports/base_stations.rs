//! A new base station, without zones.

use app::{BaseStationChange, BaseStationEntry};
use domain::{Change, Name, Serial};

use crate::request::body_field::BodyField;
use crate::request::csv_lines::{ColumnType, FromLine};
use crate::request::fields::Fields;
use crate::request::from_fields::FromFields;
use crate::shapes::station_parts::read_cameras;

impl FromFields for BaseStationEntry {
    fn read(fields: &mut Fields) -> Option<Self> {
        let serial = fields.required("serial", Serial::from_json);
        let name = fields.change_optional("name", Name::from_json);
        let cameras = read_cameras(fields, "cameras");
        let rest = BaseStationChange {
            serial: Change::Keep,
            name: name?,
            cameras: cameras?,
            zones: Change::Keep,
            effective_from: None,
        };
        Some(Self { serial: serial?, rest })
    }
}

impl FromLine for BaseStationEntry {
    const COLUMNS: &[(&str, ColumnType)] =
        &[("serial", ColumnType::Text), ("name", ColumnType::Text), ("cameras", ColumnType::List)];
}
