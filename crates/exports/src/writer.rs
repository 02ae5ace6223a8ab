//! Writes rows in any of the formats.

use std::io::Write;

use crate::csv_file::CsvFile;
use crate::ndjson_file::NdjsonFile;
use crate::parquet_file::ParquetFile;
use crate::sink::CountingWriter;
use crate::xlsx::XlsxFile;
use crate::{Cell, Error, Format, Limit, RowOutline, Table};

/// Writes a table row by row. Dropping it before [`finish`](Self::finish) leaves an incomplete file.
pub struct Writer<W: Write + Send> {
    table: Table,
    rows: u64,
    max_rows: u64,
    state: State<W>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSummary {
    /// Rows without the headings.
    pub rows: u64,
    /// Bytes that were written to the sink.
    pub bytes: u64,
}

enum State<W: Write + Send> {
    Open(File<W>),
    Aborted,
}

enum File<W: Write + Send> {
    Xlsx(Box<XlsxFile<CountingWriter<W>>>),
    Csv(Box<CsvFile<CountingWriter<W>>>),
    Ndjson(NdjsonFile<CountingWriter<W>>),
    Parquet(Box<ParquetFile<CountingWriter<W>>>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file. The sink gets large writes and needs no buffer of its own.
    pub fn new(format: Format, table: Table, sink: W) -> Result<Self, Error> {
        table.check(format)?;
        let sink = CountingWriter::new(sink);
        let file = match format {
            Format::Xlsx => File::Xlsx(Box::new(XlsxFile::new(&table, sink)?)),
            Format::Csv => File::Csv(Box::new(CsvFile::new(&table, sink)?)),
            Format::Ndjson => File::Ndjson(NdjsonFile::new(&table, sink)?),
            Format::Parquet => File::Parquet(Box::new(ParquetFile::new(&table, sink)?)),
        };
        let most_rows = format.max_lines().map_or(u64::MAX, |max| max.saturating_sub(table.heading_lines()));
        Ok(Self { table, rows: 0, max_rows: most_rows, state: State::Open(file) })
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
        let State::Open(file) = &mut self.state else { return Err(Error::Aborted) };
        let written = match file {
            File::Xlsx(file) => file.write(rank, cells),
            File::Csv(file) => file.write(cells),
            File::Ndjson(file) => file.write(cells),
            File::Parquet(file) => file.write(cells),
        };
        match written {
            Ok(()) => self.rows += 1,
            // The row may be written partially.
            Err(_) => self.state = State::Aborted,
        }
        written
    }

    /// Writes the remaining data and completes the file.
    pub fn finish(self) -> Result<WriteSummary, Error> {
        let State::Open(file) = self.state else { return Err(Error::Aborted) };
        let bytes = match file {
            File::Xlsx(file) => file.finish()?,
            File::Csv(file) => file.finish()?,
            File::Ndjson(file) => file.finish()?,
            File::Parquet(file) => file.finish()?,
        };
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
