//! A new tag, which is meant for pedestrians unless its line says otherwise.

use app::TagEntry;
use domain::{Serial, TagRole};

use crate::request::body_field::BodyField;
use crate::request::csv_lines::{ColumnType, FromLine};
use crate::request::fields::Fields;
use crate::request::from_fields::FromFields;

impl FromFields for TagEntry {
    fn read(fields: &mut Fields) -> Option<Self> {
        let serial = fields.required("serial", Serial::from_json);
        let role = fields.optional("role", TagRole::from_json);
        Some(Self { serial: serial?, role: role?.unwrap_or(TagRole::Pedestrian) })
    }
}

impl FromLine for TagEntry {
    const COLUMNS: &[(&str, ColumnType)] = &[("serial", ColumnType::Text), ("role", ColumnType::Text)];
}
