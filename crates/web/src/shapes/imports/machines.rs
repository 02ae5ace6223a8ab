//! A new machine, without a worksite.

use domain::{MachineKind, Name, NewMachine};

use crate::request::body_field::BodyField;
use crate::request::csv_lines::{ColumnType, FromLine};
use crate::request::fields::{Fields, year};
use crate::request::from_fields::FromFields;

impl FromFields for NewMachine {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", Name::from_json);
        let kind = fields.required("kind", MachineKind::from_json);
        let serial_number = fields.optional("serial_number", Name::from_json);
        let manufacturer = fields.optional("manufacturer", Name::from_json);
        let model = fields.optional("model", Name::from_json);
        let year = fields.optional("year", year);
        let number_plate = fields.optional("number_plate", Name::from_json);
        Some(Self {
            name: name?,
            kind: kind?,
            serial_number: serial_number?,
            manufacturer: manufacturer?,
            model: model?,
            year: year?,
            number_plate: number_plate?,
            archived_at: None,
        })
    }
}

impl FromLine for NewMachine {
    const COLUMNS: &[(&str, ColumnType)] = &[
        ("name", ColumnType::Text),
        ("kind", ColumnType::Text),
        ("serial_number", ColumnType::Text),
        ("manufacturer", ColumnType::Text),
        ("model", ColumnType::Text),
        ("year", ColumnType::Integer),
        ("number_plate", ColumnType::Text),
    ];
}
