//! Parquet: typed columns in row groups, which limit memory.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::sink::CountingWriter;
use crate::{Cell, Column, ColumnKind, Error, Table};

const ROW_GROUP_ROWS: usize = 128 * 1024;
const ROW_GROUP_BYTES: usize = 32 << 20;
const BATCH_ROWS: usize = 8 * 1024;
const BATCH_TEXT_BYTES: usize = 2 << 20;
const UTC: &str = "UTC";

pub(crate) struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    text_bytes: usize,
}

/// The cells of a column that are not written yet.
enum ColumnBuilder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Decimal(Float64Builder),
    Timestamp(TimestampMicrosecondBuilder),
    Date(Date32Builder),
    Boolean(BooleanBuilder),
}

impl<W: Write + Send> ParquetFile<CountingWriter<W>> {
    pub fn new(table: &Table, sink: CountingWriter<W>) -> Result<Self, Error> {
        let fields: Vec<_> = table
            .columns
            .iter()
            .map(|column| Field::new(&column.key, data_type(column.kind), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        // The types of Parquet are sufficient, so the Arrow schema is not stored.
        let options = ArrowWriterOptions::new()
            .with_properties(properties(table))
            .with_skip_arrow_metadata(true)
            .with_schema_root("table".to_owned());
        let writer = ArrowWriter::try_new_with_options(sink, Arc::clone(&schema), options)?;
        let columns = table.kinds().map(ColumnBuilder::new).collect();
        Ok(Self { writer, schema, columns, rows: 0, text_bytes: 0 })
    }

    pub fn write(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        for (values, cell) in self.columns.iter_mut().zip(cells) {
            values.push(cell);
            if let Cell::Text(text) = cell {
                self.text_bytes += text.len();
            }
        }
        self.rows += 1;
        if self.rows >= BATCH_ROWS || self.text_bytes >= BATCH_TEXT_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<u64, Error> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        let mut sink = self.writer.into_inner()?;
        sink.flush()?;
        Ok(sink.bytes)
    }

    fn write_batch(&mut self) -> Result<(), Error> {
        let columns = self.columns.iter_mut().map(ColumnBuilder::finish_array).collect();
        (self.rows, self.text_bytes) = (0, 0);
        self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), columns)?)?;
        // Long texts can fill memory before a row group is complete.
        if self.writer.memory_size() >= ROW_GROUP_BYTES {
            self.writer.flush()?;
        }
        Ok(())
    }
}

impl ColumnBuilder {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Text(StringBuilder::with_capacity(BATCH_ROWS, BATCH_ROWS)),
            ColumnKind::Integer | ColumnKind::Duration(_) => {
                Self::Integer(Int64Builder::with_capacity(BATCH_ROWS))
            }
            ColumnKind::Decimal { .. } | ColumnKind::Percent { .. } => {
                Self::Decimal(Float64Builder::with_capacity(BATCH_ROWS))
            }
            ColumnKind::Timestamp => {
                Self::Timestamp(TimestampMicrosecondBuilder::with_capacity(BATCH_ROWS).with_timezone(UTC))
            }
            ColumnKind::Date => Self::Date(Date32Builder::with_capacity(BATCH_ROWS)),
            ColumnKind::Boolean => Self::Boolean(BooleanBuilder::with_capacity(BATCH_ROWS)),
        }
    }

    /// Adds a cell that matches the column. Any other cell is written as null.
    fn push(&mut self, cell: &Cell<'_>) {
        match (self, *cell) {
            (Self::Text(values), Cell::Text(text)) => values.append_value(text),
            (Self::Text(values), _) => values.append_null(),
            (Self::Integer(values), Cell::Integer(number)) => values.append_value(number),
            (Self::Integer(values), _) => values.append_null(),
            (Self::Decimal(values), Cell::Decimal(number)) if number.is_finite() => {
                values.append_value(number);
            }
            (Self::Decimal(values), Cell::Integer(number)) => values.append_value(number as f64),
            (Self::Decimal(values), _) => values.append_null(),
            (Self::Timestamp(values), Cell::Timestamp { at_us, .. }) => values.append_value(at_us),
            (Self::Timestamp(values), _) => values.append_null(),
            (Self::Date(values), Cell::Date(days)) => values.append_value(days),
            (Self::Date(values), _) => values.append_null(),
            (Self::Boolean(values), Cell::Boolean(yes)) => values.append_value(yes),
            (Self::Boolean(values), _) => values.append_null(),
        }
    }

    fn finish_array(&mut self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(values.finish()),
            Self::Integer(values) => Arc::new(values.finish()),
            Self::Decimal(values) => Arc::new(values.finish()),
            Self::Timestamp(values) => Arc::new(values.finish()),
            Self::Date(values) => Arc::new(values.finish()),
            Self::Boolean(values) => Arc::new(values.finish()),
        }
    }
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Integer | ColumnKind::Duration(_) => DataType::Int64,
        ColumnKind::Decimal { .. } | ColumnKind::Percent { .. } => DataType::Float64,
        ColumnKind::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnKind::Date => DataType::Date32,
        ColumnKind::Boolean => DataType::Boolean,
    }
}

fn properties(table: &Table) -> WriterProperties {
    let about =
        table.metadata.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone())).collect();
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
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
