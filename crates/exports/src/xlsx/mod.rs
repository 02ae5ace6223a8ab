//! Streaming XLSX: the XML of the sheet is compressed into the file while rows arrive.
//!
//! This is not `rust_xlsxwriter`, because that stores the sheet uncompressed in a temporary file, a gigabyte for a million rows, and
//! compresses it at the end, without progress or cancellation.

mod archive;
mod cells;
mod headings;
mod namespaces;
mod parts;
mod strings;
mod styles;
mod text;
mod widths;

use self::archive::Archive;
use self::cells::Cells;
use self::headings::{Headings, column_letters};
use self::strings::SharedStrings;
use self::styles::{MAX_OUTLINE_LEVELS, Styles};
use self::widths::Widths;
use crate::sink::CountingWriter;
use crate::table::TableLayout;
use crate::writer::TableFile;
use crate::{Cell, Error, RowOutline, Table};

/// The number of rows from which the widths of columns are computed.
const MEASURED_ROWS: u64 = 200;
/// The number of bytes of rows that are collected before they are compressed.
const FLUSH_BYTES: usize = 64 * 1024;
/// The number of bytes of rows from which the widths of columns are computed, even if the rows are few.
const MEASURED_BYTES: usize = 1 << 20;

pub(crate) struct XlsxFile<'a> {
    archive: Archive<'a>,
    table: Table,
    cells: Cells,
    headings: Headings,
    strings: SharedStrings,
    /// Present while the first rows are measured, which the beginning of the sheet depends on.
    widths: Option<Widths>,
    xml: Vec<u8>,
    rows: u64,
}

impl<'a> XlsxFile<'a> {
    pub fn new(table: &Table, sink: CountingWriter<'a>) -> Result<Self, Error> {
        let mut styles = Styles::default();
        let cells = Cells::new(table, &mut styles);
        let mut archive = Archive::new(sink);
        archive.add("[Content_Types].xml", parts::content_types(table).as_bytes())?;
        archive.add("_rels/.rels", parts::package_relations().as_bytes())?;
        archive.add("xl/_rels/workbook.xml.rels", parts::workbook_relations(table).as_bytes())?;
        archive.add("xl/styles.xml", styles.to_xml().as_bytes())?;
        archive.begin("xl/worksheets/sheet1.xml")?;
        Ok(Self {
            archive,
            cells,
            headings: Headings::new(table),
            strings: SharedStrings::new(table.columns.len()),
            widths: Some(Widths::new(table)),
            table: table.clone(),
            xml: Vec::with_capacity(2 * FLUSH_BYTES),
            rows: 0,
        })
    }

    /// Returns the first and last cell of the filter: the titles and all rows.
    fn filter_range(&self) -> Option<(CellReference, CellReference)> {
        let last = self.table.columns.len() - 1;
        let place = |column, line| CellReference { letters: column_letters(column), line };
        let lines = self.headings.lines();
        (self.table.layout == TableLayout::List).then(|| (place(0, lines), place(last, lines + self.rows)))
    }

    /// Writes the part of the sheet before the rows, and the rows that waited for it.
    fn begin_sheet(&mut self) -> Result<(), Error> {
        let mut head = self.sheet_head().into_bytes();
        if let Some(widths) = self.widths.take() {
            widths.push(&mut head);
        }
        head.extend_from_slice(b"<sheetData>");
        self.headings.push_rows(&mut head);
        self.archive.write(&head)?;
        self.flush_xml()
    }

    fn sheet_head(&self) -> String {
        let (labels, levels) = match self.table.layout {
            TableLayout::List => (0, 0),
            TableLayout::Pivot { label_columns: labels, levels } => (labels, levels.min(MAX_OUTLINE_LEVELS)),
        };
        let lines = self.headings.lines();
        let (across, pane) = match labels {
            0 => (String::new(), "bottomLeft"),
            labels => (format!(" xSplit=\"{labels}\""), "bottomRight"),
        };
        format!(
            "{}<worksheet xmlns=\"{}\"><sheetPr><outlinePr summaryBelow=\"0\"/></sheetPr><sheetViews>\
             <sheetView tabSelected=\"1\" workbookViewId=\"0\"><pane{across} ySplit=\"{lines}\" topLeftCell=\"{}{}\" \
             activePane=\"{pane}\" state=\"frozen\"/><selection pane=\"{pane}\"/></sheetView></sheetViews>\
             <sheetFormatPr defaultRowHeight=\"15\" outlineLevelRow=\"{levels}\"/>",
            namespaces::DECLARATION,
            namespaces::MAIN_NAMESPACE,
            column_letters(labels),
            lines + 1,
        )
    }

    fn flush_xml(&mut self) -> Result<(), Error> {
        self.archive.write(&self.xml)?;
        self.xml.clear();
        Ok(())
    }
}

impl TableFile for XlsxFile<'_> {
    fn write(&mut self, rank: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error> {
        let line = self.headings.lines() + self.rows + 1;
        self.rows += 1;
        self.cells.push_row(&mut self.xml, &mut self.strings, line, rank, cells);
        if let Some(widths) = &mut self.widths {
            widths.measure(cells);
            if self.rows >= MEASURED_ROWS || self.xml.len() >= MEASURED_BYTES {
                self.begin_sheet()?;
            }
        } else if self.xml.len() >= FLUSH_BYTES {
            self.flush_xml()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64, Error> {
        if self.widths.is_some() {
            self.begin_sheet()?;
        }
        self.xml.extend_from_slice(b"</sheetData>");
        let filtered = self.filter_range();
        if let Some((from, to)) = &filtered {
            self.xml.extend_from_slice(format!("<autoFilter ref=\"{from}:{to}\"/>").as_bytes());
        }
        self.headings.push_merges(&mut self.xml);
        self.xml.extend_from_slice(b"</worksheet>");
        self.flush_xml()?;
        self.archive.end()?;
        self.archive.add("xl/sharedStrings.xml", &self.strings.to_xml())?;
        if !self.table.metadata.is_empty() {
            self.archive.add("xl/worksheets/sheet2.xml", &parts::metadata_sheet(&self.table))?;
        }
        let metadata_name = text::sheet_name(&self.table.metadata_name, "");
        let name = text::sheet_name(&self.table.name, &metadata_name);
        let range = filtered.map(|(from, to)| format!("{}:{}", from.to_absolute(), to.to_absolute()));
        let workbook =
            parts::workbook(&self.table, (&name, &metadata_name), self.headings.lines(), range.as_deref());
        self.archive.add("xl/workbook.xml", &workbook)?;
        self.archive.finish()
    }
}

/// A cell reference in a sheet.
struct CellReference {
    letters: String,
    line: u64,
}

impl CellReference {
    /// Returns the absolute form, such as `$A$1`, for defined names.
    fn to_absolute(&self) -> String {
        format!("${}${}", self.letters, self.line)
    }
}

impl std::fmt::Display for CellReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.letters, self.line)
    }
}
