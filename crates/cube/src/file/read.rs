//! Reads a part without trusting it: every offset, length and value is checked before it is used.

use arrow_buffer::ScalarBuffer;
use arrow_ipc::{Footer, Message, RecordBatch, root_as_footer, root_as_message};

use super::layout::{ACK_TIME, LENGTH, OWN_COLUMNS};
use crate::Error;
use crate::dictionary::{Indexes, Link};
use crate::storage::{Chunk, ChunkIndex, Codes, Flags, Lengths, Row};

const MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xFF; 4];

fn damaged(reason: &'static str) -> Error {
    Error::Damaged(reason)
}

/// Decodes a part.
#[expect(clippy::needless_pass_by_value, reason = "the bytes are not needed once the columns exist")]
pub(crate) fn read_chunk(bytes: Vec<u8>, indexes: &Indexes) -> Result<Chunk, Error> {
    let footer = footer(&bytes)?;
    let blocks = footer.recordBatches().ok_or(damaged("a part has no rows"))?;
    if blocks.len() != 1 {
        return Err(damaged("a part has more than one batch"));
    }
    let (message, body) = message(&bytes, *blocks.get(0))?;
    let batch = message.header_as_record_batch().ok_or(damaged("a part's message is not a record batch"))?;
    let columns = Columns { batch, body, rows: rows(batch)? };
    columns.chunk(&footer, &bytes, indexes)
}

fn footer(bytes: &[u8]) -> Result<Footer<'_>, Error> {
    let cut = damaged("a part is truncated");
    let inner = bytes.strip_suffix(MAGIC).filter(|_| bytes.starts_with(MAGIC)).ok_or(cut.clone())?;
    let (rest, length) = inner.split_last_chunk::<4>().ok_or(cut.clone())?;
    let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| cut.clone())?;
    let from = rest.len().checked_sub(length).ok_or(cut)?;
    root_as_footer(&rest[from..]).map_err(|_| damaged("a part's footer is not valid"))
}

/// Returns the message at a position, and its body.
fn message(bytes: &[u8], block: arrow_ipc::Block) -> Result<(Message<'_>, &[u8]), Error> {
    let outside = damaged("a part's block lies outside the file");
    let size = |number: i64| usize::try_from(number).map_err(|_| outside.clone());
    let (offset, head) = (size(block.offset())?, size(i64::from(block.metaDataLength()))?);
    let from = bytes.get(offset..).ok_or(outside.clone())?;
    let (head, rest) = from.split_at_checked(head).ok_or(outside.clone())?;
    let body = rest.get(..size(block.bodyLength())?).ok_or(outside.clone())?;
    let head = head.strip_prefix(&CONTINUATION).ok_or(damaged("a part's message is of another version"))?;
    let message = head.get(4..).ok_or(outside)?;
    Ok((root_as_message(message).map_err(|_| damaged("a part's message is not valid"))?, body))
}

fn rows(batch: RecordBatch<'_>) -> Result<usize, Error> {
    usize::try_from(batch.length()).map_err(|_| damaged("a part has a negative number of rows"))
}

/// The columns of a record batch.
#[derive(Clone, Copy)]
struct Columns<'a> {
    batch: RecordBatch<'a>,
    body: &'a [u8],
    rows: usize,
}

impl<'a> Columns<'a> {
    /// Returns a buffer, which must have the given length in bytes.
    fn buffer(&self, place: usize, length: usize) -> Result<&'a [u8], Error> {
        let short = damaged("a part's column is too short");
        let buffers = self.batch.buffers().filter(|buffers| place < buffers.len()).ok_or(short.clone())?;
        let buffer = buffers.get(place);
        let size = |number: i64| usize::try_from(number).map_err(|_| short.clone());
        let (offset, own) = (size(buffer.offset())?, size(buffer.length())?);
        if own < length {
            return Err(short);
        }
        self.body.get(offset..).and_then(|from| from.get(..length)).ok_or(short)
    }

    /// Returns the values of a numeric column.
    fn values<const SIZE: usize, T>(
        &self,
        column: usize,
        read: fn([u8; SIZE]) -> T,
    ) -> Result<Vec<T>, Error> {
        let bytes = self.rows.checked_mul(SIZE).ok_or(damaged("a part's column is too short"))?;
        let values = self.buffer(column * 2 + 1, bytes)?;
        Ok(values.as_chunks::<SIZE>().0.iter().map(|value| read(*value)).collect())
    }

    /// Returns the validity bitmap of a column, or `None` if all rows have a value.
    fn validity(&self, column: usize) -> Result<Option<&'a [u8]>, Error> {
        let nodes = self.batch.nodes().filter(|nodes| column < nodes.len());
        let node = nodes.ok_or(damaged("a part has too few columns"))?.get(column);
        if i64::try_from(self.rows) != Ok(node.length()) {
            return Err(damaged("a part's column has the wrong length"));
        }
        if node.null_count() == 0 {
            Ok(None)
        } else {
            self.buffer(column * 2, self.rows.div_ceil(8)).map(Some)
        }
    }

    fn chunk(&self, footer: &Footer<'_>, bytes: &[u8], indexes: &Indexes) -> Result<Chunk, Error> {
        let strange = damaged("a part has unexpected columns");
        let fields = footer.schema().and_then(|schema| schema.fields()).ok_or(strange.clone())?;
        let names = OWN_COLUMNS.into_iter().chain(Link::ALL.map(Link::column_name));
        if fields.len() != OWN_COLUMNS.len() + Link::COUNT
            || !fields.iter().map(|field| field.name()).eq(names.map(Some))
        {
            return Err(strange);
        }
        let wide = |column: usize| fields.get(column).type_as_int().is_some_and(|int| int.bitWidth() == 64);
        let lengths = |column: usize| -> Result<Lengths, Error> {
            Ok(match wide(column) {
                true => Lengths::Wide(self.values(column, i64::from_le_bytes)?.into()),
                false => Lengths::Narrow(self.values(column, u32::from_le_bytes)?.into()),
            })
        };
        let started_at = self.values(0, i64::from_le_bytes)?;
        let ids = self.values(1, i64::from_le_bytes)?;
        debug_assert_eq!((OWN_COLUMNS[2], OWN_COLUMNS[3]), (LENGTH, ACK_TIME));
        let (lengths, waits) = (lengths(2)?, lengths(3)?);
        let flags = self.flags(&lengths, &waits)?;
        let (first_day, days) = self.days()?;
        let minutes = self.values(7, u16::from_le_bytes)?;
        let keys = || started_at.iter().zip(&ids);
        if self.rows == 0 || !keys().is_sorted_by(|left, right| left < right) {
            return Err(damaged("a part's rows are not in order"));
        }
        if minutes.iter().any(|minute| *minute >= Row::MINUTES_PER_WEEK) {
            return Err(damaged("a part has a minute that is out of range"));
        }
        let mut links = Vec::with_capacity(Link::COUNT);
        for (place, link) in Link::ALL.into_iter().enumerate() {
            let column = OWN_COLUMNS.len() + place;
            let dictionary =
                fields.get(column).dictionary().ok_or(damaged("a part has ids without a dictionary"))?;
            let codes = dictionary_codes(footer, bytes, dictionary.id(), link, indexes)?;
            links.push(self.link(column, &codes)?);
        }
        let links = links.try_into().map_err(|_| damaged("a part has unexpected columns"))?;
        let mut chunk = Chunk {
            started_at: started_at.into(),
            ids: ids.into(),
            lengths,
            ack_times: waits,
            flags,
            links,
            first_day,
            days,
            minutes: minutes.into(),
            block_bounds: Vec::new(),
            index: ChunkIndex::default(),
        };
        chunk.refresh_block_bounds();
        Ok(chunk)
    }

    /// Combines the small columns into flags.
    fn flags(&self, lengths: &Lengths, waits: &Lengths) -> Result<ScalarBuffer<u8>, Error> {
        let zones = self.values(4, u8::from_le_bytes)?;
        let reviews = self.values(5, u8::from_le_bytes)?;
        if zones.iter().any(|zone| *zone > 1) || reviews.iter().any(|review| *review > 3) {
            return Err(damaged("a part has an unknown zone or review"));
        }
        let own = zones.iter().zip(&reviews).map(|(zone, review)| zone | review << 2);
        let ended = lengths.iter().map(|length| u8::from(length.is_some()) * Flags::ENDED);
        let acknowledged = waits.iter().map(|wait| u8::from(wait.is_some()) * Flags::ACKNOWLEDGED);
        Ok(own
            .zip(ended)
            .zip(acknowledged)
            .map(|((own, ended), acknowledged)| own | ended | acknowledged)
            .collect())
    }

    fn days(&self) -> Result<(i64, Codes), Error> {
        let days = self.values(6, i32::from_le_bytes)?;
        if days.iter().any(|day| i64::from(*day).abs() > Row::MAX_ABS_DAY) {
            return Err(damaged("a part has a day that is out of range"));
        }
        let first = days.iter().copied().min().unwrap_or(0);
        Ok((i64::from(first), Codes::new(days.iter().map(|day| day.abs_diff(first)))))
    }

    /// Reads a column of ids, translated from the codes of its own dictionary.
    fn link(&self, column: usize, codes: &[u32]) -> Result<Codes, Error> {
        let keys = self.values(column, u16::from_le_bytes)?;
        let validity = self.validity(column)?;
        let is_valid = |row: usize| validity.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
        let mut found = Vec::with_capacity(self.rows);
        for (row, key) in keys.iter().enumerate() {
            let code = match is_valid(row) {
                false => 0,
                true => *codes
                    .get(usize::from(*key))
                    .ok_or(damaged("a part refers to an id that its dictionary does not have"))?,
            };
            found.push(code);
        }
        Ok(Codes::new(found.into_iter()))
    }
}

/// Returns the codes of the ids in a dictionary of the file.
fn dictionary_codes(
    footer: &Footer<'_>,
    bytes: &[u8],
    id: i64,
    link: Link,
    indexes: &Indexes,
) -> Result<Vec<u32>, Error> {
    for block in footer.dictionaries().into_iter().flatten() {
        let (message, body) = message(bytes, *block)?;
        let Some(dictionary) = message.header_as_dictionary_batch() else { continue };
        let (Some(batch), true) = (dictionary.data(), dictionary.id() == id) else { continue };
        let columns = Columns { batch, body, rows: rows(batch)? };
        let ids = columns.values(0, i64::from_le_bytes)?;
        let codes = ids.iter().map(|id| indexes.find(link, *id));
        return codes.collect::<Option<_>>().ok_or(damaged("a part has an id that its brand does not have"));
    }
    // A column without any id has an empty dictionary.
    Ok(Vec::new())
}
