//! Writes a part.

use std::sync::Arc;

use arrow_array::types::UInt16Type;
use arrow_array::{
    ArrayRef, Date32Array, DictionaryArray, Int64Array, RecordBatch, TimestampMicrosecondArray, UInt8Array,
    UInt16Array, UInt32Array,
};
use arrow_buffer::NullBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Field, Schema};

use super::layout::{ACK_TIME, DAY, ID, LENGTH, MINUTE, REVIEW, STARTED_AT, ZONE};
use crate::Error;
use crate::dictionary::{Dictionaries, Link};
use crate::storage::{Chunk, Codes, Flags, Lengths};

/// Encodes a part.
pub(crate) fn write_chunk(chunk: &Chunk, dictionaries: &Dictionaries) -> Result<Vec<u8>, Error> {
    write(chunk, dictionaries).map_err(|error| Error::Unreadable(error.to_string()))
}

fn write(chunk: &Chunk, dictionaries: &Dictionaries) -> Result<Vec<u8>, ArrowError> {
    let started_at = TimestampMicrosecondArray::new(chunk.started_at.clone(), None).with_timezone_utc();
    let flags = |value: fn(Flags) -> usize| -> ArrayRef {
        let value = |flags: &u8| u8::try_from(value(Flags(*flags))).unwrap_or(0);
        Arc::new(UInt8Array::from_iter_values(chunk.flags.iter().map(value)))
    };
    let days = chunk.days.iter().map(|day| i32::try_from(chunk.first_day + i64::from(day)).unwrap_or(0));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        (STARTED_AT, Arc::new(started_at)),
        (ID, Arc::new(Int64Array::new(chunk.ids.clone(), None))),
        (LENGTH, lengths(&chunk.lengths)),
        (ACK_TIME, lengths(&chunk.ack_times)),
        (ZONE, flags(Flags::zone)),
        (REVIEW, flags(Flags::review)),
        (DAY, Arc::new(Date32Array::from_iter_values(days))),
        (MINUTE, Arc::new(UInt16Array::new(chunk.minutes.clone(), None))),
    ];
    for link in Link::ALL {
        columns.push((link.column_name(), ids(chunk.column(link), link, dictionaries)?));
    }
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
    let mut writer = FileWriter::try_new(Vec::new(), &schema)?;
    writer.write(&batch)?;
    writer.finish()?;
    writer.into_inner()
}

fn lengths(lengths: &Lengths) -> ArrayRef {
    let nulls = || lengths.iter().map(|length| length.is_some()).collect::<NullBuffer>();
    match lengths {
        Lengths::Narrow(values) => Arc::new(UInt32Array::new(values.clone(), Some(nulls()))),
        Lengths::Wide(values) => Arc::new(Int64Array::new(values.clone(), Some(nulls()))),
    }
}

/// Builds a dictionary array of ids, with a dictionary of only those that occur.
fn ids(codes: &Codes, link: Link, dictionaries: &Dictionaries) -> Result<ArrayRef, ArrowError> {
    let dictionary = dictionaries.of(link);
    // For each code its position plus one, 0 if it does not occur.
    let mut places = vec![0_u32; dictionary.code_count()];
    let mut values: Vec<i64> = Vec::new();
    let mut keys: Vec<Option<u16>> = Vec::with_capacity(codes.len());
    for code in codes.iter() {
        let Some(id) = dictionary.id(code) else {
            keys.push(None);
            continue;
        };
        let place = &mut places[code as usize];
        if *place == 0 {
            values.push(id);
            *place = u32::try_from(values.len()).unwrap_or(u32::MAX);
        }
        keys.push(Some(u16::try_from(*place - 1).map_err(|_| ArrowError::DictionaryKeyOverflowError)?));
    }
    let keys = UInt16Array::from(keys);
    Ok(Arc::new(DictionaryArray::<UInt16Type>::try_new(keys, Arc::new(Int64Array::from(values)))?))
}
