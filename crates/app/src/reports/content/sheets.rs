//! The main table of a report as XLSX or CSV.

use ::exports::{
    Cell, Column, ColumnKind, DateOrder, DurationUnit, Error as TableError, Format, Limit, Table, Writer,
};
use domain::insights::Dimension;
use domain::locale::DateFormat;
use domain::{Invalid, ReportKind, Timestamp};
use texts::reports;

use super::composer::Composer;
use super::sheet_parts::{Sheet, SheetCell, integer_column, plain_rows, text_column};
use super::tested_tags::TestedTime;
use super::{OwnedContent, incursion_sheet, pivot_sheet, provenance, worksite_sheet};
use crate::Error;
use crate::reports::deadline::TimedBytes;
use crate::reports::figures::{TagFigure, VisitFigure};

/// Writes the main table of a report.
pub(crate) fn write_table(content: &OwnedContent, format: Format) -> Result<Vec<u8>, Error> {
    let composer = Composer::new(content);
    let sheet = match content.request.kind {
        ReportKind::ProjectSummary => worksite_sheet::sheet(&composer, format),
        ReportKind::TagTestCompliance => tags(&composer),
        ReportKind::VisitorLog => visits(&composer),
        ReportKind::Incursions => incursion_sheet::sheet(&composer, format),
        ReportKind::Pivot => pivot_sheet::sheet(&composer, format),
        ReportKind::SiteSafety | ReportKind::Machine | ReportKind::Person | ReportKind::SiteReport => {
            let invalid = Invalid::new("unknown_format", "is not a format of reports of this kind");
            return Err(Error::invalid_field("format", invalid));
        }
    };
    let Sheet { table, rows } = sheet.map_err(table_error)?;
    let mut table = with_date_order(&composer, table, format);
    table = table.with_metadata_name(composer.text(reports::ABOUT_SHEET));
    table = table.with_metadata(composer.text(reports::TITLE), composer.title());
    for (name, value) in provenance::lines(&composer) {
        table = table.with_metadata(name, value.to_plain());
    }
    if let Some(clock) = incursion_sheet::common_clock(&composer)
        && content.request.kind == ReportKind::Incursions
    {
        table = table.with_metadata(composer.text(reports::ZONE_OF_TIMES), clock.as_str());
    }
    let deadline = &content.deadline;
    let failed = |error| deadline.or_late(table_error(error));
    let mut file = TimedBytes::new(deadline);
    let mut writer = Writer::new(format, table, &mut file).map_err(failed)?;
    for (outline, cells) in rows {
        deadline.check()?;
        let cells: Vec<Cell<'_>> = cells.iter().map(SheetCell::as_cell).collect();
        writer.write_outlined(outline, &cells).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(file.into_bytes())
}

/// Sets the order of dates. Programs read CSV too, so that it has ISO 8601 dates unless the author has chosen a format.
fn with_date_order(composer: &Composer<'_>, table: Table, format: Format) -> Table {
    let preferences = &composer.content.request.preferences;
    let dates = match format {
        Format::Xlsx => preferences.date_format,
        _ => preferences.chosen_date_format.unwrap_or(DateFormat::YearMonthDay),
    };
    let order = match dates {
        DateFormat::DayMonthYear => DateOrder::DayMonthYear,
        DateFormat::MonthDayYear => DateOrder::MonthDayYear,
        DateFormat::YearMonthDay => DateOrder::YearMonthDay,
    };
    table.with_date_order(order).with_csv_date_order(order)
}

fn table_error(error: TableError) -> Error {
    let TableError::TooLarge { limit, max, wanted } = error else { return Error::internal(error) };
    let code = match limit {
        Limit::Columns => "too_many_columns",
        Limit::Rows | Limit::SheetBytes | Limit::FileBytes => "too_many_rows",
    };
    let text = format!("holds at most {max} {limit}, and there are {wanted}; choose another format");
    Error::invalid_field("format", Invalid::new(code, text))
}

fn tags<'a>(composer: &Composer<'a>) -> Result<Sheet<'a>, TableError> {
    let composer = *composer;
    let dimension = |word: &str| texts::values::dimension(composer.language(), word);
    let columns = vec![
        integer_column(&composer, "tag_id", reports::TAG_ID),
        Column::new("tag", dimension("tag"), ColumnKind::Text),
        integer_column(&composer, "person_id", reports::PERSON_ID),
        Column::new("person", dimension("person"), ColumnKind::Text),
        integer_column(&composer, "worn_days", reports::WORN_DAYS),
        integer_column(&composer, "covered_days", reports::COVERED_DAYS),
        Column::new("compliance", composer.text(reports::COMPLIANCE), ColumnKind::Percent { digits: 1 }),
        integer_column(&composer, "tests", reports::TESTS),
        integer_column(&composer, "failed", reports::FAILED),
        Column::new("last_test", composer.text(reports::LAST_TEST), ColumnKind::Timestamp),
        Column::new("last_passed", composer.text(reports::LAST_PASSED), ColumnKind::Boolean),
        integer_column(&composer, "incursions", reports::INCURSIONS_SHORT),
        integer_column(&composer, "incursions_in_test", reports::OF_THEM_IN_TEST),
        Column::new("worn_at_end", composer.text(reports::WORN_AT_END), ColumnKind::Boolean),
        Column::new("in_test_at_end", composer.text(reports::IN_TEST_AT_END), ColumnKind::Boolean),
    ];
    let time = TestedTime::new(&composer);
    let row = move |tag: &TagFigure| {
        let compliance = (tag.worn_days > 0).then(|| tag.covered_days as f64 / tag.worn_days as f64);
        vec![
            SheetCell::Integer(tag.tag),
            SheetCell::Text(composer.label(Dimension::Tag, Some(tag.tag))),
            SheetCell::number(tag.person),
            SheetCell::text(tag.person.map(|person| composer.label(Dimension::Pedestrian, Some(person)))),
            SheetCell::Integer(tag.worn_days),
            SheetCell::Integer(tag.covered_days),
            compliance.map_or(SheetCell::Empty, SheetCell::Decimal),
            SheetCell::Integer(tag.tests),
            SheetCell::Integer(tag.tests - tag.passed),
            tag.last_test.map_or(SheetCell::Empty, |at| SheetCell::Timestamp(at, time.zone.offset_s(at))),
            tag.last_passed.map_or(SheetCell::Empty, SheetCell::Boolean),
            SheetCell::Integer(tag.incursions),
            SheetCell::Integer(tag.incursions_in_test),
            SheetCell::Boolean(tag.worn_at_end),
            SheetCell::Boolean(time.ends_in_test(tag)),
        ]
    };
    let table = Table::new(composer.text(reports::TAGS), columns)?.with_csv_key_headings();
    Ok(Sheet { table, rows: plain_rows(composer.figures().tags.iter().map(row)) })
}

/// Writes by how much a clock is ahead of UTC. Sheets show local times without it.
fn utc_offset(offset_s: i32) -> String {
    let (sign, minutes) = (if offset_s < 0 { '-' } else { '+' }, offset_s.unsigned_abs() / 60);
    format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn visits<'a>(composer: &Composer<'a>) -> Result<Sheet<'a>, TableError> {
    let composer = *composer;
    let timestamp =
        |key: &str, title: texts::Text| Column::new(key, composer.text(title), ColumnKind::Timestamp);
    let columns = vec![
        integer_column(&composer, "visit_id", reports::VISIT_ID),
        timestamp("checked_in_at", reports::CHECKED_IN),
        timestamp("checked_out_at", reports::CHECKED_OUT),
        timestamp("expected_until", reports::EXPECTED_UNTIL),
        text_column(&composer, "utc_offset", reports::UTC_OFFSET),
        Column::new(
            "duration_s",
            composer.text(reports::LENGTH),
            ColumnKind::Duration(DurationUnit::Seconds),
        ),
        Column::new("closed_automatically", composer.text(reports::CLOSED_BY_SERVICE), ColumnKind::Boolean),
        integer_column(&composer, "person_id", reports::PERSON_ID),
        text_column(&composer, "visitor", reports::VISITOR),
        text_column(&composer, "company", reports::COMPANY),
        text_column(&composer, "notes", reports::NOTES),
        integer_column(&composer, "tag_id", reports::TAG_ID),
        Column::new("tag", texts::values::dimension(composer.language(), "tag"), ColumnKind::Text),
        integer_column(&composer, "worksite_id", reports::WORKSITE_ID),
        Column::new("worksite", texts::values::dimension(composer.language(), "worksite"), ColumnKind::Text),
        integer_column(&composer, "incursions", reports::INCURSIONS_SHORT),
    ];
    let row = move |visit: &VisitFigure| {
        let at = |at: Timestamp| SheetCell::Timestamp(at, visit.offset_s);
        let length = visit.checked_out_at.map(|out| (out - visit.checked_in_at).whole_seconds());
        let text = composer.content.names.visit(visit.visit);
        let site = visit.worksite.map(|site| composer.label(Dimension::Worksite, Some(site)));
        vec![
            SheetCell::Integer(visit.visit),
            at(visit.checked_in_at),
            visit.checked_out_at.map_or(SheetCell::Empty, at),
            visit.expected_until.map_or(SheetCell::Empty, at),
            SheetCell::Text(utc_offset(visit.offset_s)),
            SheetCell::number(length),
            SheetCell::Boolean(visit.closed_automatically),
            SheetCell::Integer(visit.person),
            SheetCell::Text(composer.label(Dimension::Pedestrian, Some(visit.person))),
            SheetCell::text(text.company),
            SheetCell::text(text.notes),
            SheetCell::Integer(visit.tag),
            SheetCell::Text(composer.label(Dimension::Tag, Some(visit.tag))),
            SheetCell::number(visit.worksite),
            SheetCell::text(site),
            SheetCell::Integer(visit.incursions),
        ]
    };
    let table = Table::new(composer.text(reports::VISITS), columns)?.with_csv_key_headings();
    Ok(Sheet { table, rows: plain_rows(composer.figures().visits.iter().map(row)) })
}
