//! The outline of a snapshot: its dictionaries, its slots, and the summaries of its parts. It is enough to decide which parts a question
//! needs.

use std::sync::Arc;

use domain::insights::ColumnsFormat;

use crate::Error;
use crate::dictionary::{DICTIONARY_COUNT, Dictionaries, Dictionary, Indexes};
use crate::storage::{ChunkSource, Key, Part, PartLoader, Slot, Summary, Table};

/// The first bytes of an outline. Its version follows, and a CRC-32 of all the rest.
const MAGIC: [u8; 8] = *b"KEEPCUBE";
const CHECKSUM_AT: usize = 12;
const HEAD_BYTES: usize = 16;

/// The contents of an outline.
pub(crate) struct Outline {
    pub next_part_number: u64,
    pub dictionaries: Dictionaries,
    pub indexes: Arc<Indexes>,
    /// Incursions and runtime.
    pub tables: [Table; 2],
}

/// Encodes an outline.
pub(crate) fn write_outline(
    next_part_number: u64,
    dictionaries: &Dictionaries,
    tables: [&Table; 2],
) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(ColumnsFormat::CURRENT.number().to_le_bytes());
    bytes.resize(HEAD_BYTES, 0);
    write_u64(&mut bytes, next_part_number);
    for dictionary in dictionaries.all() {
        write_u64(&mut bytes, (dictionary.code_count() - 1) as u64);
        bytes.extend(dictionary.ids().flat_map(i64::to_le_bytes));
    }
    for table in tables {
        write_u64(&mut bytes, table.slots.len() as u64);
        for slot in table.slots.iter() {
            write_u64(&mut bytes, slot.from.0.cast_unsigned());
            write_u64(&mut bytes, slot.from.1.cast_unsigned());
            write_u64(&mut bytes, slot.parts().count() as u64);
            for part in slot.parts() {
                write_u64(&mut bytes, part.number);
                part.summary.encode(&mut bytes);
            }
        }
    }
    let checksum = checksum(&bytes);
    bytes[CHECKSUM_AT..HEAD_BYTES].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Returns the checksum of everything but the checksum.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    hash.update(&bytes[..CHECKSUM_AT]);
    hash.update(&bytes[HEAD_BYTES..]);
    hash.finalize()
}

fn write_u64(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend(number.to_le_bytes());
}

/// Decodes an outline. Its parts are read from the source when they are needed.
pub(crate) fn read_outline(outline: &[u8], source: &Arc<dyn ChunkSource>) -> Result<Outline, Error> {
    let mut rest = outline;
    let bytes = &mut rest;
    let (magic, version, sealed) = (
        read_array::<8>(bytes)?,
        u32::from_le_bytes(read_array(bytes)?),
        u32::from_le_bytes(read_array(bytes)?),
    );
    if magic != MAGIC || version != ColumnsFormat::CURRENT.number() {
        return Err(Error::Damaged("the outline is not valid, or of another version"));
    }
    if sealed != checksum(outline) {
        return Err(Error::Damaged("the outline has another checksum"));
    }
    let next_number = read_u64(bytes)?;
    let mut dictionaries = Vec::with_capacity(DICTIONARY_COUNT);
    for _ in 0..DICTIONARY_COUNT {
        let (ids, rest) = usize::try_from(read_u64(bytes)?)
            .ok()
            .and_then(|ids| bytes.split_at_checked(ids.checked_mul(8)?))
            .ok_or(Error::Damaged("the outline is truncated"))?;
        *bytes = rest;
        let ids: Vec<i64> = ids.as_chunks::<8>().0.iter().map(|id| i64::from_le_bytes(*id)).collect();
        dictionaries.push(Dictionary::from_ids(&ids));
    }
    let all = <[Dictionary; DICTIONARY_COUNT]>::try_from(dictionaries)
        .map_err(|_| Error::Damaged("the outline has too few dictionaries"))?;
    let dictionaries = Dictionaries::new(all);
    let indexes = Arc::new(Indexes::new(&dictionaries));
    let unread = Arc::new(PartLoader { source: Arc::clone(source), indexes: Arc::clone(&indexes) });
    let tables = [read_table(bytes, &unread)?, read_table(bytes, &unread)?];
    let numbers = tables.iter().flat_map(Table::parts).map(|part| part.number);
    if !bytes.is_empty() || numbers.max().is_some_and(|number| number > next_number) {
        return Err(Error::Damaged("the outline is inconsistent"));
    }
    Ok(Outline { next_part_number: next_number, dictionaries, indexes, tables })
}

fn read_table(bytes: &mut &[u8], unread: &Arc<PartLoader>) -> Result<Table, Error> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut end: Key = (i64::MIN, i64::MIN);
    for _ in 0..read_u64(bytes)? {
        let from = (read_u64(bytes)?.cast_signed(), read_u64(bytes)?.cast_signed());
        let parts = read_u64(bytes)?;
        if !(1..=2).contains(&parts) || from < end || (slots.is_empty() && from != end) {
            return Err(Error::Damaged("the outline's slots are not in order"));
        }
        let mut read = || {
            let number = read_u64(bytes)?;
            let summary = Summary::decode(bytes)?;
            if summary.first < from {
                return Err(Error::Damaged("the outline has a part outside its slot"));
            }
            end = end.max(summary.last);
            Ok(Arc::new(Part::lazy(number, summary, Arc::clone(unread))))
        };
        let main = read()?;
        let late = if parts == 2 { Some(read()?) } else { None };
        slots.push(Slot { from, main, late });
    }
    Ok(Table { slots: Arc::new(slots) })
}

fn read_array<const SIZE: usize>(bytes: &mut &[u8]) -> Result<[u8; SIZE], Error> {
    let (own, rest) = bytes.split_first_chunk::<SIZE>().ok_or(Error::Damaged("the outline is truncated"))?;
    *bytes = rest;
    Ok(*own)
}

fn read_u64(bytes: &mut &[u8]) -> Result<u64, Error> {
    read_array::<8>(bytes).map(u64::from_le_bytes)
}
