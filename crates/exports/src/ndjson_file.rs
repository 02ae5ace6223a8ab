//! NDJSON: one object per line with all keys, times in RFC 3339, and `null` for missing values.

use std::io::Write;

use crate::number::{push_decimal, push_integer};
use crate::sink::CountingWriter;
use crate::time::{push_date, push_timestamp};
use crate::writer::TableFile;
use crate::{Cell, Error, RowOutline, Table};

const BUFFER_BYTES: usize = 64 * 1024;

pub(crate) struct NdjsonFile<'a> {
    sink: CountingWriter<'a>,
    /// The text before each value: the brace or comma, and the key.
    key_prefixes: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

impl<'a> NdjsonFile<'a> {
    pub fn new(table: &Table, sink: CountingWriter<'a>) -> Result<Self, Error> {
        let mut leads = Vec::with_capacity(table.columns.len());
        for (place, column) in table.columns.iter().enumerate() {
            let mut lead = vec![if place == 0 { b'{' } else { b',' }];
            serde_json::to_writer(&mut lead, &column.key)?;
            lead.push(b':');
            leads.push(lead);
        }
        Ok(Self { sink, key_prefixes: leads, buffer: Vec::with_capacity(2 * BUFFER_BYTES) })
    }
}

impl TableFile for NdjsonFile<'_> {
    fn write(&mut self, _: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error> {
        let out = &mut self.buffer;
        for (lead, cell) in self.key_prefixes.iter().zip(cells) {
            out.extend_from_slice(lead);
            match *cell {
                Cell::Empty => out.extend_from_slice(b"null"),
                Cell::Text(text) => serde_json::to_writer(&mut *out, text)?,
                Cell::Integer(number) => push_integer(out, number),
                Cell::Decimal(number) if number.is_finite() => push_decimal(out, number),
                Cell::Decimal(_) => out.extend_from_slice(b"null"),
                Cell::Timestamp { at_us, offset_s } => {
                    quoted(out, |out| push_timestamp(out, at_us, offset_s));
                }
                Cell::Date(days) => quoted(out, |out| push_date(out, i64::from(days))),
                Cell::Boolean(yes) => out.extend_from_slice(if yes { b"true" } else { b"false" }),
            }
        }
        out.extend_from_slice(b"}\n");
        if out.len() >= BUFFER_BYTES {
            self.sink.write_all(out)?;
            out.clear();
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64, Error> {
        self.sink.write_all(&self.buffer)?;
        self.sink.flush()?;
        Ok(self.sink.bytes)
    }
}

fn quoted(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    push(out);
    out.push(b'"');
}
