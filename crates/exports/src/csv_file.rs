//! CSV according to RFC 4180: UTF-8, commas, quotes where they are needed, and lines that end in CR LF.
//!
//! Quotes are also used where only a separator other than the comma needs them, so that programs of every locale keep a cell together.

use std::io::Write;

use csv::{QuoteStyle, Terminator, WriterBuilder};

use crate::escape::{escape_formulas, needs_quotes};
use crate::number::{push_decimal, push_integer};
use crate::sink::CountingWriter;
use crate::table::{CsvBom, CsvHeadings};
use crate::time::{push_date_in, push_timestamp_in};
use crate::writer::TableFile;
use crate::{Cell, DateOrder, Error, RowOutline, Table};

const BUFFER_BYTES: usize = 64 * 1024;
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

pub(crate) struct CsvFile<'a> {
    lines: csv::Writer<CountingWriter<'a>>,
    field: Vec<u8>,
    date_order: DateOrder,
}

impl<'a> CsvFile<'a> {
    pub fn new(table: &Table, mut sink: CountingWriter<'a>) -> Result<Self, Error> {
        if table.csv_bom == CsvBom::Utf8 {
            sink.write_all(UTF8_BOM)?;
        }
        let mut builder = WriterBuilder::new();
        // Fields are quoted here, because the csv crate knows only its own separator.
        builder.quote_style(QuoteStyle::Never).terminator(Terminator::CRLF).buffer_capacity(BUFFER_BYTES);
        let lines = builder.from_writer(sink);
        let mut file = Self { lines, field: Vec::new(), date_order: table.csv_date_order };
        for column in &table.columns {
            match table.csv_headings {
                CsvHeadings::Titles => file.text(&column.heading())?,
                CsvHeadings::Keys => file.text(&column.key)?,
            }
        }
        file.end_line()?;
        Ok(file)
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        let text = escape_formulas(text);
        if !needs_quotes(&text) {
            self.lines.write_field(&*text)?;
            return Ok(());
        }
        self.field.clear();
        self.field.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                self.field.push(b'"');
            }
            self.field.push(byte);
        }
        self.field.push(b'"');
        self.lines.write_field(&self.field)?;
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Error> {
        self.lines.write_record(None::<&[u8]>)?;
        Ok(())
    }
}

impl TableFile for CsvFile<'_> {
    fn write(&mut self, _: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error> {
        for cell in cells {
            self.field.clear();
            match *cell {
                Cell::Text(text) => {
                    self.text(text)?;
                    continue;
                }
                Cell::Empty => {}
                Cell::Integer(number) => push_integer(&mut self.field, number),
                Cell::Decimal(number) if number.is_finite() => push_decimal(&mut self.field, number),
                Cell::Decimal(_) => {}
                Cell::Timestamp { at_us, offset_s } => {
                    push_timestamp_in(&mut self.field, at_us, offset_s, self.date_order);
                }
                Cell::Date(days) => push_date_in(&mut self.field, i64::from(days), self.date_order),
                Cell::Boolean(yes) => self.field.extend_from_slice(if yes { b"true" } else { b"false" }),
            }
            self.lines.write_field(&self.field)?;
        }
        self.end_line()
    }

    fn finish(mut self: Box<Self>) -> Result<u64, Error> {
        self.lines.flush()?;
        Ok(self.lines.get_ref().bytes)
    }
}
