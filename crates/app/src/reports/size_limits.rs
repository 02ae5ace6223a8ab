//! How large the tables of reports may be.

use ::exports::Format;
use domain::{Invalid, ReportFormat, ReportKind};

use super::figures::ReportFigures;
use super::request::ReportRequest;
use crate::Error;

/// Maximum number of single incursions in a report.
const MAX_INCURSIONS: usize = 100_000;
/// Maximum number of visits, or of tags, in a report.
pub(super) const MAX_RECORDS: usize = 20_000;
/// Maximum number of tests of a few hundred tags, which are held in memory together.
pub(super) const MAX_TESTS: usize = 2_000_000;
/// Maximum number of rows of a table of single records on paper.
pub(super) const MAX_PDF_ROWS: usize = 2_000;
/// Maximum number of rows and of columns of cells of a pivot on paper.
pub(super) const MAX_PDF_PIVOT_ROWS: usize = 5_000;
pub(super) const MAX_PDF_PIVOT_COLUMNS: usize = 12;

/// The rows of the main table of a kind: at most this many in any format, and as PDF.
struct RowLimits {
    any: usize,
    pdf: usize,
}

const fn row_limits(kind: ReportKind) -> Option<RowLimits> {
    match kind {
        ReportKind::Incursions => Some(RowLimits { any: MAX_INCURSIONS, pdf: MAX_PDF_ROWS }),
        ReportKind::VisitorLog | ReportKind::TagTestCompliance => {
            Some(RowLimits { any: MAX_RECORDS, pdf: MAX_PDF_ROWS })
        }
        // A pivot has a limit of its own for cells.
        ReportKind::Pivot => Some(RowLimits { any: usize::MAX, pdf: MAX_PDF_PIVOT_ROWS }),
        ReportKind::SiteSafety
        | ReportKind::ProjectSummary
        | ReportKind::Machine
        | ReportKind::Person
        | ReportKind::SiteReport => None,
    }
}

/// Refuses a format that cannot hold the rows of a report.
pub(super) fn check_rows(kind: ReportKind, format: ReportFormat, rows: u64) -> Result<(), Invalid> {
    let Some(limits) = row_limits(kind) else { return Ok(()) };
    let max = if format == ReportFormat::Pdf { limits.pdf } else { limits.any };
    if rows <= max as u64 {
        return Ok(());
    }
    let way_out = match rows <= limits.any as u64 {
        true => "choose another format, narrow the filters, or request an export",
        false => "narrow the filters, or request an export",
    };
    let text = format!("holds at most {max} rows, and there are {rows}; {way_out}");
    Err(Invalid::new("too_many_rows", text))
}

/// The error for a report with more rows than any of its formats has.
pub(super) fn too_many_rows(most: usize) -> Error {
    let text = format!("has at most {most} rows in a report; narrow the filters, or request an export");
    Error::invalid_field("format", Invalid::new("too_many_rows", text))
}

/// Refuses a format that cannot hold the rows and columns of a pivot. `columns` counts the keys of columns.
pub(super) fn check_pivot(
    format: ReportFormat,
    request: &ReportRequest,
    rows: usize,
    columns: usize,
) -> Result<(), Invalid> {
    check_rows(ReportKind::Pivot, format, rows as u64)?;
    let Some(pivot) = &request.pivot else { return Ok(()) };
    let cells = (columns * pivot.measures.len()) as u64;
    // Besides the cells there are the keys of a row and its totals.
    let all = cells + (pivot.rows.len() + pivot.measures.len()) as u64;
    let (max, wanted) = match format {
        ReportFormat::Pdf => (Some(MAX_PDF_PIVOT_COLUMNS as u64), cells),
        ReportFormat::Xlsx => (Format::Xlsx.max_columns(), all),
        ReportFormat::Csv | ReportFormat::Json => (None, all),
    };
    match max {
        Some(max) if wanted > max => {
            let text = format!(
                "holds at most {max} columns, and there are {wanted}; choose another format or move a dimension to rows"
            );
            Err(Invalid::new("too_many_columns", text))
        }
        _ => Ok(()),
    }
}

/// Refuses a format that cannot hold what was computed.
pub(super) fn check_figures(
    kind: ReportKind,
    format: ReportFormat,
    figures: &ReportFigures,
    request: &ReportRequest,
) -> Result<(), Invalid> {
    let rows = match kind {
        ReportKind::Incursions => figures.incursions.len(),
        ReportKind::VisitorLog => figures.visits.len(),
        ReportKind::TagTestCompliance => figures.tags.len(),
        ReportKind::Pivot => {
            let (rows, columns) =
                figures.pivot.as_ref().map_or((0, 0), |pivot| (pivot.rows.len(), pivot.columns.len()));
            return check_pivot(format, request, rows, columns);
        }
        ReportKind::SiteSafety
        | ReportKind::ProjectSummary
        | ReportKind::Machine
        | ReportKind::Person
        | ReportKind::SiteReport => return Ok(()),
    };
    check_rows(kind, format, rows as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_own_limits() {
        for (kind, format, most) in [
            (ReportKind::Incursions, ReportFormat::Json, 100_000),
            (ReportKind::Incursions, ReportFormat::Pdf, 2_000),
            (ReportKind::VisitorLog, ReportFormat::Xlsx, 20_000),
            (ReportKind::VisitorLog, ReportFormat::Pdf, 2_000),
            (ReportKind::TagTestCompliance, ReportFormat::Csv, 20_000),
            (ReportKind::TagTestCompliance, ReportFormat::Pdf, 2_000),
            (ReportKind::Pivot, ReportFormat::Pdf, 5_000),
        ] {
            assert_eq!(check_rows(kind, format, most), Ok(()), "{kind:?} as {format:?}");
            assert!(check_rows(kind, format, most + 1).is_err(), "{kind:?} as {format:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_helps() {
        let refused = |format, rows| check_rows(ReportKind::Incursions, format, rows).unwrap_err();
        assert_eq!(check_rows(ReportKind::Incursions, ReportFormat::Pdf, 2_000), Ok(()));
        assert_eq!(check_rows(ReportKind::Incursions, ReportFormat::Csv, 100_000), Ok(()));
        assert_eq!(check_rows(ReportKind::SiteSafety, ReportFormat::Pdf, u64::MAX), Ok(()));
        let pdf = refused(ReportFormat::Pdf, 2_001);
        assert_eq!(pdf.code, "too_many_rows");
        assert!(
            pdf.message.contains("at most 2000 rows, and there are 2001; choose another format"),
            "{pdf:?}"
        );
        let csv = refused(ReportFormat::Csv, 100_001);
        assert!(
            csv.message.contains("at most 100000 rows, and there are 100001; narrow the filters"),
            "{csv:?}"
        );
        let hopeless = refused(ReportFormat::Pdf, 100_001);
        assert!(!hopeless.message.contains("another format"), "{hopeless:?}");
    }
}
