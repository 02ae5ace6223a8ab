//! How large the tables of reports may be.

use ::exports::Format;
use domain::{Invalid, ReportFormat, ReportKind};

use super::figures::ReportFigures;
use super::request::ReportRequest;

/// Maximum number of columns of cells of a pivot on paper.
const MAX_PDF_COLUMNS: u64 = 12;

/// The rows of the main table of a kind: at most this many in any format, and as PDF.
struct RowLimits {
    any: u64,
    pdf: u64,
}

const fn row_limits(kind: ReportKind) -> Option<RowLimits> {
    match kind {
        ReportKind::Incursions => Some(RowLimits { any: 100_000, pdf: 2_000 }),
        ReportKind::VisitorLog | ReportKind::TagTestCompliance => Some(RowLimits { any: 20_000, pdf: 2_000 }),
        // A pivot has a limit of its own for cells.
        ReportKind::Pivot => Some(RowLimits { any: u64::MAX, pdf: 5_000 }),
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
    if rows <= max {
        return Ok(());
    }
    let way_out = match rows <= limits.any {
        true => "choose another format, narrow the filters, or request an export",
        false => "narrow the filters, or request an export",
    };
    let text = format!("holds at most {max} rows, and there are {rows}; {way_out}");
    Err(Invalid::new("too_many_rows", text))
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
        ReportFormat::Pdf => (Some(MAX_PDF_COLUMNS), cells),
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
