//! A new person.

use domain::{EmailAddress, Name, NewPerson, PersonKind};

use crate::request::body_field::BodyField;
use crate::request::csv_lines::{ColumnType, FromLine};
use crate::request::fields::Fields;
use crate::request::from_fields::FromFields;

impl FromFields for NewPerson {
    fn read(fields: &mut Fields) -> Option<Self> {
        let kind = fields.required("kind", PersonKind::from_json);
        let name = fields.required("name", Name::from_json);
        let employee_id = fields.optional("employee_id", Name::from_json);
        let email = fields.optional("email", EmailAddress::from_json);
        let company = fields.optional("company", Name::from_json);
        Some(Self { kind: kind?, name: name?, employee_id: employee_id?, email: email?, company: company? })
    }
}

impl FromLine for NewPerson {
    const COLUMNS: &[(&str, ColumnType)] = &[
        ("kind", ColumnType::Text),
        ("name", ColumnType::Text),
        ("employee_id", ColumnType::Text),
        ("email", ColumnType::Text),
        ("company", ColumnType::Text),
    ];
}
