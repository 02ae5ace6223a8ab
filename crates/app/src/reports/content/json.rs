//! The figures of a report as JSON, with the names of what they refer to.

use std::collections::BTreeMap;

use domain::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::OwnedContent;
use crate::Error;
use crate::insights::exports::StoredFilter;
use crate::reports::figures::ReportFigures;
use crate::reports::names::VisitText;

#[derive(Serialize)]
struct JsonReport<'a> {
    report: Head<'a>,
    /// Names by the word of a dimension and by id.
    names: BTreeMap<&'static str, BTreeMap<i64, &'a str>>,
    /// Companies and notes by the id of the visit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    visits: BTreeMap<i64, &'a VisitText>,
    figures: &'a ReportFigures,
}

#[derive(Serialize)]
struct Head<'a> {
    id: i64,
    kind: &'static str,
    from: &'a str,
    to: &'a str,
    time_zones: &'a [String],
    seq: i64,
    program: &'a str,
    figures_at: Option<Timestamp>,
    filter: Value,
}

/// Writes the figures and names of a report as JSON.
pub(crate) fn write_json(content: &OwnedContent) -> Result<Vec<u8>, Error> {
    let (report, figures) = (&content.report, &content.figures);
    let filter = StoredFilter::of(&content.request.filter);
    let written = JsonReport {
        report: Head {
            id: report.id.0,
            kind: report.kind.as_str(),
            from: &report.from,
            to: &report.to,
            time_zones: &figures.time_zones,
            seq: figures.seq,
            program: &figures.program,
            figures_at: figures.computed_at,
            filter: serde_json::to_value(filter).map_err(Error::internal)?,
        },
        names: content.names.all(),
        visits: content.names.visits(),
        figures,
    };
    let mut bytes = serde_json::to_vec(&written).map_err(Error::internal)?;
    bytes.push(b'\n');
    Ok(bytes)
}
