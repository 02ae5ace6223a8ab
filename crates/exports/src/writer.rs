//! Writes rows in any of the formats.

use std::io::Write;

use crate::csv_file::CsvFile;
use crate::ndjson_file::NdjsonFile;
use crate::parquet_file::ParquetFile;
use crate::sink::CountingWriter;
use crate::xlsx::XlsxFile;
use crate::{Cell, Error, Format, Limit, RowOutline, Table};

/// Writes a table row by row. Dropping it before [`finish`](Self::finish) leaves an incomplete file.
pub struct Writer<'a> {
    table: Table,
    rows: u64,
    max_rows: u64,
    /// None after a failed write.
    file: Option<Box<dyn TableFile + 'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSummary {
    /// Rows without the headings.
    pub rows: u64,
    /// Bytes that were written to the sink.
    pub bytes: u64,
}

/// A file of one format. Formats and sink are behind pointers, so that they are compiled in this crate alone. With a type parameter
/// or an enum, every crate that makes or drops a writer would compile them again.
pub(crate) trait TableFile: Send {
    /// Writes a row that matches the columns.
    fn write(&mut self, rank: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error>;

    /// Writes the remaining data, and returns the size of the file.
    fn finish(self: Box<Self>) -> Result<u64, Error>;
}

impl<'a> Writer<'a> {
    /// Begins a file. The sink gets large writes and needs no buffer of its own.
    pub fn new(format: Format, table: Table, sink: &'a mut (dyn Write + Send)) -> Result<Self, Error> {
        table.check(format)?;
        let sink = CountingWriter::new(sink);
        let file: Box<dyn TableFile + 'a> = match format {
            Format::Xlsx => Box::new(XlsxFile::new(&table, sink)?),
            Format::Csv => Box::new(CsvFile::new(&table, sink)?),
            Format::Ndjson => Box::new(NdjsonFile::new(&table, sink)?),
            Format::Parquet => Box::new(ParquetFile::new(&table, sink)?),
        };
        let most_rows = format.max_lines().map_or(u64::MAX, |max| max.saturating_sub(table.heading_lines()));
        Ok(Self { table, rows: 0, max_rows: most_rows, file: Some(file) })
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes an ordinary row.
    pub fn write(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        self.write_outlined(RowOutline::default(), cells)
    }

    /// Writes a row of a pivot: nested, or a subtotal or total.
    pub fn write_outlined(&mut self, rank: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error> {
        self.check_row(cells)?;
        if self.rows >= self.max_rows {
            let wanted = self.rows.saturating_add(1);
            return Err(Error::TooLarge { limit: Limit::Rows, max: self.max_rows, wanted });
        }
        let Some(file) = &mut self.file else { return Err(Error::Aborted) };
        let written = file.write(rank, cells);
        match written {
            Ok(()) => self.rows += 1,
            // The row may be written partially.
            Err(_) => self.file = None,
        }
        written
    }

    /// Writes the remaining data and completes the file.
    pub fn finish(self) -> Result<WriteSummary, Error> {
        let Some(file) = self.file else { return Err(Error::Aborted) };
        let bytes = file.finish()?;
        Ok(WriteSummary { rows: self.rows, bytes })
    }

    fn check_row(&self, cells: &[Cell<'_>]) -> Result<(), Error> {
        let columns = &self.table.columns;
        if cells.len() != columns.len() {
            return Err(Error::RowLength { columns: columns.len(), found: cells.len() });
        }
        match columns.iter().zip(cells).find(|(column, cell)| !cell.fits(column.kind)) {
            None => Ok(()),
            Some((column, _)) => Err(Error::CellKind { column: column.key.clone(), kind: column.kind }),
        }
    }
}
