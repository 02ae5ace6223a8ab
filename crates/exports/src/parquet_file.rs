//! Parquet: typed columns in row groups, which limit memory.
//!
//! Columns are passed to the column writers of `parquet` directly, without Arrow in between
//! (docs/decisions/0073-parquet-without-arrow.md).

use std::io::{BufWriter, IntoInnerError, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use parquet::basic::{
    Compression, Encoding, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel,
};
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriter, get_column_writer, get_typed_column_writer_mut,
};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, ColumnPath, Type, TypePtr};

use crate::sink::CountingWriter;
use crate::writer::TableFile;
use crate::{Cell, Column, ColumnKind, Error, RowOutline, Table};

const ROW_GROUP_ROWS: usize = 128 * 1024;
const ROW_GROUP_BYTES: usize = 32 << 20;
const BATCH_ROWS: usize = 8 * 1024;
/// The statistics of a column can keep the texts of four batches in memory, so a batch is small.
const BATCH_TEXT_BYTES: usize = 1 << 20;
/// Row groups are copied to the sink in pieces of 8 KiB, which would be small writes.
const SINK_BUFFER_BYTES: usize = 64 * 1024;
/// Enough for the header of a page; a longer one only costs a reallocation.
const PAGE_HEADER_BYTES: usize = 64;
/// Memory for an index into a dictionary: eight bytes until its page is complete, then up to 17 bits.
const DICTIONARY_INDEX_BYTES: usize = 4;
const RECENT_TEXTS: usize = 256;

/// Definition levels of an optional column.
const NULL: i16 = 0;
const PRESENT: i16 = 1;

pub(crate) struct ParquetFile<'a> {
    file: SerializedFileWriter<BufWriter<CountingWriter<'a>>>,
    columns: Vec<ColumnBuilder>,
    /// The columns of the current row group; none before its first batch.
    encoders: Vec<ColumnEncoder>,
    /// Empty between batches, to reuse its memory.
    text_values: Vec<ByteArray>,
    /// Rows and bytes of text that are not encoded yet.
    rows: usize,
    text_bytes: usize,
    /// Rows of the current row group that are encoded.
    encoded_rows: usize,
}

/// The cells of a column that are not encoded yet.
struct ColumnBuilder {
    /// The cells that are not null.
    values: Values,
    /// The definition level of each cell, whether it is null or not.
    levels: Vec<i16>,
}

enum Values {
    Text(Texts),
    Integer(Vec<i64>),
    Decimal(Vec<f64>),
    Timestamp(Vec<i64>),
    Date(Vec<i32>),
    Boolean(Vec<bool>),
}

/// Texts of a batch, one after the other. A text that is known as a recent one is not stored again, because a
/// single new text in the dictionary of a column keeps the whole batch in memory.
struct Texts {
    bytes: Vec<u8>,
    /// Where each text is in `bytes`.
    places: Vec<Range<usize>>,
    /// Where the last text of each slot is. Places of an earlier batch remain, so the text is compared.
    recent: Vec<Range<usize>>,
}

/// Encodes a column of a row group. Its pages stay in memory until the row group is complete, because a file has
/// the columns of a row group one after the other.
struct ColumnEncoder {
    writer: ColumnWriter<'static>,
    pages: PageBuffer,
    /// What was encoded since the last page was complete, approximately.
    pending_bytes: usize,
}

/// The complete pages of a column, as they will be in the file. The column writer owns a clone.
#[derive(Clone, Default)]
struct PageBuffer(Arc<Mutex<Vec<Vec<u8>>>>);

impl<'a> ParquetFile<'a> {
    pub fn new(table: &Table, sink: CountingWriter<'a>) -> Result<Self, Error> {
        let sink = BufWriter::with_capacity(SINK_BUFFER_BYTES, sink);
        let file = SerializedFileWriter::new(sink, schema(table)?, Arc::new(properties(table)))?;
        let columns = table.kinds().map(ColumnBuilder::new).collect();
        Ok(Self {
            file,
            columns,
            encoders: Vec::new(),
            text_values: Vec::new(),
            rows: 0,
            text_bytes: 0,
            encoded_rows: 0,
        })
    }

    fn encode_batch(&mut self) -> Result<(), Error> {
        if self.encoders.is_empty() {
            let columns = self.file.schema_descr().columns().iter();
            self.encoders =
                columns.map(|column| ColumnEncoder::new(column, self.file.properties())).collect();
        }
        let mut held_bytes = 0;
        for (encoder, column) in self.encoders.iter_mut().zip(&mut self.columns) {
            held_bytes += encoder.encode(column, &mut self.text_values)?;
        }
        self.encoded_rows += self.rows;
        (self.rows, self.text_bytes) = (0, 0);
        // Long texts can fill memory before a row group is complete.
        if self.encoded_rows >= ROW_GROUP_ROWS || held_bytes >= ROW_GROUP_BYTES {
            self.write_row_group()?;
        }
        Ok(())
    }

    fn write_row_group(&mut self) -> Result<(), Error> {
        let mut row_group = self.file.next_row_group()?;
        for encoder in self.encoders.drain(..) {
            let (chunk, summary) = encoder.finish()?;
            row_group.append_column(&chunk, summary)?;
        }
        row_group.close()?;
        self.encoded_rows = 0;
        Ok(())
    }
}

impl TableFile for ParquetFile<'_> {
    fn write(&mut self, _: RowOutline, cells: &[Cell<'_>]) -> Result<(), Error> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
            if let Cell::Text(text) = cell {
                self.text_bytes += text.len();
            }
        }
        self.rows += 1;
        if self.rows >= BATCH_ROWS
            || self.text_bytes >= BATCH_TEXT_BYTES
            || self.encoded_rows + self.rows >= ROW_GROUP_ROWS
        {
            self.encode_batch()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64, Error> {
        if self.rows > 0 {
            self.encode_batch()?;
        }
        if self.encoded_rows > 0 {
            self.write_row_group()?;
        }
        let mut sink = self.file.into_inner()?.into_inner().map_err(IntoInnerError::into_error)?;
        sink.flush()?;
        Ok(sink.bytes)
    }
}

impl ColumnBuilder {
    fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text => Values::Text(Texts::new()),
            ColumnKind::Integer | ColumnKind::Duration(_) => Values::Integer(Vec::new()),
            ColumnKind::Decimal { .. } | ColumnKind::Percent { .. } => Values::Decimal(Vec::new()),
            ColumnKind::Timestamp => Values::Timestamp(Vec::new()),
            ColumnKind::Date => Values::Date(Vec::new()),
            ColumnKind::Boolean => Values::Boolean(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    /// Adds a cell that matches the column. Any other cell is written as null.
    fn push(&mut self, cell: &Cell<'_>) {
        match (&mut self.values, *cell) {
            (Values::Text(values), Cell::Text(text)) => values.push(text),
            (Values::Integer(values), Cell::Integer(number)) => values.push(number),
            (Values::Decimal(values), Cell::Decimal(number)) if number.is_finite() => values.push(number),
            (Values::Decimal(values), Cell::Integer(number)) => values.push(number as f64),
            (Values::Timestamp(values), Cell::Timestamp { at_us, .. }) => values.push(at_us),
            (Values::Date(values), Cell::Date(days)) => values.push(days),
            (Values::Boolean(values), Cell::Boolean(yes)) => values.push(yes),
            _ => {
                self.levels.push(NULL);
                return;
            }
        }
        self.levels.push(PRESENT);
    }

    /// Encodes the cells and removes them. Returns the memory that they take in the writer, approximately.
    fn encode(
        &mut self,
        writer: &mut ColumnWriter<'_>,
        text_values: &mut Vec<ByteArray>,
    ) -> Result<usize, ParquetError> {
        let bytes = match &mut self.values {
            Values::Text(values) => {
                // An exact copy: a part of it can stay in memory for long, with all of its capacity.
                let texts = Bytes::copy_from_slice(&values.bytes);
                values.bytes.clear();
                let places = values.places.drain(..);
                text_values.extend(places.map(|place| ByteArray::from(texts.slice(place))));
                let indexes = text_values.len() * DICTIONARY_INDEX_BYTES;
                encode_values::<ByteArrayType>(writer, text_values, &self.levels)?;
                texts.len() + indexes
            }
            Values::Integer(values) | Values::Timestamp(values) => {
                encode_values::<Int64Type>(writer, values, &self.levels)?
            }
            Values::Decimal(values) => encode_values::<DoubleType>(writer, values, &self.levels)?,
            Values::Date(values) => encode_values::<Int32Type>(writer, values, &self.levels)?,
            Values::Boolean(values) => encode_values::<BoolType>(writer, values, &self.levels)?,
        };
        self.levels.clear();
        Ok(bytes)
    }
}

impl Texts {
    fn new() -> Self {
        Self { bytes: Vec::new(), places: Vec::new(), recent: vec![Range::default(); RECENT_TEXTS] }
    }

    fn push(&mut self, text: &str) {
        let text = text.as_bytes();
        let recent = &mut self.recent[recent_slot(text)];
        if self.bytes.get(recent.clone()) != Some(text) {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(text);
            *recent = start..self.bytes.len();
        }
        self.places.push(recent.clone());
    }
}

impl ColumnEncoder {
    fn new(column: &ColumnDescPtr, properties: &WriterPropertiesPtr) -> Self {
        let pages = PageBuffer::default();
        let writer = get_column_writer(Arc::clone(column), Arc::clone(properties), Box::new(pages.clone()));
        Self { writer, pages, pending_bytes: 0 }
    }

    /// Encodes a batch, and returns the memory that the column takes, approximately.
    fn encode(
        &mut self,
        column: &mut ColumnBuilder,
        text_values: &mut Vec<ByteArray>,
    ) -> Result<usize, ParquetError> {
        let complete_before = self.pages.bytes();
        let bytes = column.encode(&mut self.writer, text_values)?;
        let complete = self.pages.bytes();
        // A dictionary is written before the pages that use it, so they stay pending together.
        self.pending_bytes = if complete == complete_before { self.pending_bytes + bytes } else { bytes };
        Ok(complete + self.pending_bytes)
    }

    /// Returns the column of the row group as it will be in the file, and what the file says about it.
    fn finish(self) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let summary = self.writer.close()?;
        let mut chunk = Vec::with_capacity(self.pages.bytes());
        for page in self.pages.lock().drain(..) {
            chunk.extend_from_slice(&page);
        }
        Ok((Bytes::from(chunk), summary))
    }
}

impl PageBuffer {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> usize {
        self.lock().iter().map(Vec::len).sum()
    }
}

impl PageWriter for PageBuffer {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec, ParquetError> {
        let page_bytes = PAGE_HEADER_BYTES + page.compressed_size();
        let mut sink = TrackedWrite::new(Vec::<u8>::with_capacity(page_bytes));
        let mut written = SerializedPageWriter::new(&mut sink).write_page(page)?;
        written.offset = self.bytes() as u64;
        self.lock().push(sink.into_inner()?);
        Ok(written)
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        Ok(())
    }
}

/// Encodes the values of a batch and removes them. Returns their size.
fn encode_values<T: DataType>(
    writer: &mut ColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: &[i16],
) -> Result<usize, ParquetError> {
    get_typed_column_writer_mut::<T>(writer).write_batch(values.as_slice(), Some(levels), None)?;
    let bytes = size_of_val(values.as_slice());
    values.clear();
    Ok(bytes)
}

/// Returns the slot of a text among the recent ones. Names are often numbered, so they differ at the end.
fn recent_slot(text: &[u8]) -> usize {
    let end = match text.last_chunk::<8>() {
        Some(end) => u64::from_le_bytes(*end),
        None => text.iter().fold(0_u64, |end, byte| (end << 8) | u64::from(*byte)),
    };
    // The upper bits of a product with this number depend on all bits of the other factor.
    (end.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % RECENT_TEXTS
}

fn schema(table: &Table) -> Result<TypePtr, ParquetError> {
    let columns = table.columns.iter().map(|Column { key, kind, .. }| {
        let (physical, logical) = match kind {
            ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Integer | ColumnKind::Duration(_) => (PhysicalType::INT64, None),
            ColumnKind::Decimal { .. } | ColumnKind::Percent { .. } => (PhysicalType::DOUBLE, None),
            ColumnKind::Timestamp => {
                (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS)))
            }
            ColumnKind::Date => (PhysicalType::INT32, Some(LogicalType::Date)),
            ColumnKind::Boolean => (PhysicalType::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(key, physical);
        column.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(columns).build()?))
}

fn properties(table: &Table) -> WriterProperties {
    let about =
        table.metadata.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone())).collect();
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(about));
    let encoded = table.columns.iter().fold(builder, |builder, Column { key, kind, .. }| {
        let path = ColumnPath::new(vec![key.clone()]);
        match kind {
            ColumnKind::Text | ColumnKind::Boolean => builder,
            // Adjacent values are close to each other but seldom equal, so a dictionary would only add cost.
            ColumnKind::Integer | ColumnKind::Duration(_) | ColumnKind::Timestamp | ColumnKind::Date => {
                builder
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
            }
            ColumnKind::Decimal { .. } | ColumnKind::Percent { .. } => builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
        }
    });
    encoded.build()
}
