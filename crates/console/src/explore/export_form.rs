//! The form that orders an export, beside a table and on the page of exports.

use app::{ExportFormat, ExportRequest, ExportSource};
use domain::{ExportKind, Invalid};
use texts::console::explore as t;
use web::{BodyField, Fields};

use super::query::{ExploreQuery, with_query};
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, FormPart, Input};

pub const KINDS: &[(&str, Kind)] = &[("kind", Kind::Text), ("format", Kind::Text)];

/// The values with which the form is shown first.
pub fn usual(has_table: bool) -> Vec<(&'static str, String)> {
    let kind = if has_table { ExportKind::Pivot } else { ExportKind::Incursions };
    vec![("kind", kind.as_str().to_owned()), ("format", ExportFormat::Xlsx.as_str().to_owned())]
}

/// The form; without a table there are only incursions to export.
pub fn form(frame: &Frame, view: &FormView, has_table: bool) -> FormPart {
    let mut kinds = Vec::new();
    if has_table {
        kinds.push(Choice::new(ExportKind::Pivot.as_str(), frame.text(t::CONTENT_TABLE)));
    }
    let incursions = if has_table { t::CONTENT_INCURSIONS } else { t::OF_INCURSIONS };
    kinds.push(Choice::new(ExportKind::Incursions.as_str(), frame.text(incursions)));
    let formats = ExportFormat::ALL.map(|format| {
        Choice::new(format.as_str(), texts::console::explore::format(frame.language, format.as_str()))
    });
    let fields = vec![
        Field::new(frame, view, "kind", t::CONTENT, Input::Radios(kinds)),
        Field::new(frame, view, "format", t::FORMAT, Input::Select(formats.into())).required(),
    ];
    let to = with_query(frame, "/explore/exports");
    FormPart::new(to, view, fields, frame.text(t::ORDER_EXPORT)).creating(frame)
}

/// Reads what is to be exported of the table and the filters of an address.
pub fn read(fields: &mut Fields, query: &ExploreQuery) -> Option<ExportRequest> {
    let kind = fields.required("kind", ExportKind::from_json);
    let format = fields.required("format", web::text(parse_format));
    let filter = Box::new(query.filter.clone());
    let source = match kind? {
        ExportKind::Pivot => ExportSource::Pivot(filter, query.request.clone()),
        ExportKind::Incursions => ExportSource::Incursions(filter),
    };
    Some(ExportRequest { format: format?, source })
}

fn parse_format(text: &str) -> Result<ExportFormat, Invalid> {
    ExportFormat::parse(text)
        .ok_or_else(|| Invalid::new("invalid_format", "must be one of xlsx, csv, ndjson, parquet"))
}
