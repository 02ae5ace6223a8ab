//! The styles of cells: number formats, weights and indents, each combination once.

use std::fmt::Write;

use super::namespaces::{DECLARATION, MAIN_NAMESPACE};
use crate::{Column, ColumnKind, DateOrder, RowKind, Table};

/// The maximum nesting depth of rows in a sheet.
pub(super) const MAX_OUTLINE_LEVELS: u8 = 7;

const FIRST_CUSTOM_FORMAT_ID: usize = 164;
/// Headings come first: the line of titles, and the lines above it. Style 0 is the default.
pub(super) const TITLE: usize = 1;
pub(super) const GROUP_HEADING: usize = 2;
/// The names on the metadata sheet.
pub(super) const METADATA_NAME: usize = 3;
/// The values on the metadata sheet: wrapped text, aligned to the top.
pub(super) const METADATA_VALUE: usize = 4;
const FIXED_STYLES: &str = concat!(
    r#"<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>"#,
    r#"<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"><alignment vertical="center" wrapText="1"/></xf>"#,
    r#"<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"><alignment horizontal="center" vertical="center" wrapText="1"/></xf>"#,
    r#"<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" applyAlignment="1"><alignment vertical="top"/></xf>"#,
    r#"<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>"#,
);
const FIXED_STYLE_COUNT: usize = 5;

#[derive(Default)]
pub(super) struct Styles {
    formats: Vec<String>,
    cells: Vec<CellStyle>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    /// The index of the number format, if it is not the general one.
    format: Option<usize>,
    row_kind: RowKind,
    indent: u8,
}

impl Styles {
    /// Returns the style of a column's cells in rows of that kind, with an indent.
    pub fn style_id(&mut self, column: &Column, table: &Table, weight: RowKind, indent: u8) -> usize {
        let format = number_format(column.kind, table.date_order)
            .map(|format| index_or_insert(&mut self.formats, format));
        let style = CellStyle { format, row_kind: weight, indent };
        if style == (CellStyle { format: None, row_kind: RowKind::Plain, indent: 0 }) {
            return 0;
        }
        FIXED_STYLE_COUNT + index_or_insert(&mut self.cells, style)
    }

    /// Returns the part of the workbook with the styles.
    pub fn to_xml(&self) -> String {
        let mut part = format!("{DECLARATION}<styleSheet xmlns=\"{MAIN_NAMESPACE}\">");
        if !self.formats.is_empty() {
            let _ = write!(part, "<numFmts count=\"{}\">", self.formats.len());
            for (place, format) in self.formats.iter().enumerate() {
                let _ = write!(
                    part,
                    "<numFmt numFmtId=\"{}\" formatCode=\"{format}\"/>",
                    FIRST_CUSTOM_FORMAT_ID + place
                );
            }
            part.push_str("</numFmts>");
        }
        part.push_str(concat!(
            r#"<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>"#,
            r#"<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>"#,
            r#"<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>"#,
            r#"<fill><patternFill patternType="solid"><fgColor rgb="FFE7ECF1"/><bgColor indexed="64"/></patternFill></fill></fills>"#,
            r#"<borders count="3"><border><left/><right/><top/><bottom/><diagonal/></border>"#,
            r#"<border><left/><right/><top/><bottom style="thin"><color rgb="FF8A97A6"/></bottom><diagonal/></border>"#,
            r#"<border><left/><right/><top style="thin"><color rgb="FF8A97A6"/></top><bottom/><diagonal/></border></borders>"#,
            r#"<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>"#,
        ));
        let _ = write!(part, "<cellXfs count=\"{}\">{FIXED_STYLES}", FIXED_STYLE_COUNT + self.cells.len());
        for style in &self.cells {
            style.push(&mut part);
        }
        part.push_str(concat!(
            r#"</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>"#,
            "</styleSheet>"
        ));
        part
    }
}

impl CellStyle {
    fn push(self, part: &mut String) {
        let (font, border) = match self.row_kind {
            RowKind::Plain => (0, 0),
            RowKind::Subtotal => (1, 0),
            RowKind::Total => (1, 2),
        };
        let format = self.format.map_or(0, |place| FIRST_CUSTOM_FORMAT_ID + place);
        let _ = write!(
            part,
            r#"<xf numFmtId="{format}" fontId="{font}" fillId="0" borderId="{border}" xfId="0" applyNumberFormat="1" applyFont="1" applyBorder="1""#
        );
        let _ = match self.indent {
            0 => write!(part, "/>"),
            indent => {
                write!(part, r#" applyAlignment="1"><alignment horizontal="left" indent="{indent}"/></xf>"#)
            }
        };
    }
}

fn index_or_insert<T: PartialEq>(all: &mut Vec<T>, wanted: T) -> usize {
    all.iter().position(|one| *one == wanted).unwrap_or_else(|| {
        all.push(wanted);
        all.len() - 1
    })
}

/// Returns the format code. Slashes are escaped, because Excel would replace them by the date separator of the reader's country.
fn number_format(kind: ColumnKind, dates: DateOrder) -> Option<String> {
    let date = match dates {
        DateOrder::DayMonthYear => r"dd\/mm\/yyyy",
        DateOrder::MonthDayYear => r"mm\/dd\/yyyy",
        DateOrder::YearMonthDay => r"yyyy\-mm\-dd",
    };
    match kind {
        ColumnKind::Text | ColumnKind::Boolean => None,
        ColumnKind::Integer => Some("0".to_owned()),
        ColumnKind::Decimal { digits } => Some(with_digits(digits)),
        ColumnKind::Percent { digits } => Some(with_digits(digits) + "%"),
        ColumnKind::Duration(_) => Some("[h]:mm:ss".to_owned()),
        ColumnKind::Timestamp => Some(format!("{date} hh:mm:ss")),
        ColumnKind::Date => Some(date.to_owned()),
    }
}

fn with_digits(digits: u8) -> String {
    // A sheet does not show more digits.
    match usize::from(digits.min(30)) {
        0 => "0".to_owned(),
        digits => format!("0.{}", "0".repeat(digits)),
    }
}
