//! Files that differ from what was written are refused, however small the difference is.

use std::sync::Arc;

use domain::{BaseStationId, Day, IncursionId, MachineId, Review, TagId, Timestamp, Zone};

use super::layout::Column;
use super::part::{ENTRY_BYTES, HEADER_BYTES, MAGIC, OUTLINE_END, entry, header, put_u32, put_u64, seal};
use super::{read_chunk, read_outline};
use crate::dictionary::{Indexes, Link};
use crate::storage::{Chunk, ChunkSource};
use crate::{Cube, Error, IncursionFact, Settings, Snapshot};

struct NoParts;

impl ChunkSource for NoParts {
    fn read(&self, _: u64) -> Result<Vec<u8>, String> {
        Err("nothing is read".to_owned())
    }
}

/// Returns a snapshot with one part.
fn snapshot(rows: i64) -> Snapshot {
    let fact = |row: i64| IncursionFact {
        id: IncursionId(row),
        started_at: Timestamp::from_seconds(1_000 + row),
        ended_at: (row % 3 > 0).then(|| Timestamp::from_seconds(1_000 + row * 2)),
        acknowledged_at: (row % 5 == 0).then(|| Timestamp::from_seconds(1_002 + row)),
        zone: Zone::ALL[usize::from(row % 2 == 0)],
        review: Review::ALL[usize::try_from(row % 4).unwrap()],
        machine: (row % 7 > 0).then_some(MachineId(row % 7)),
        pedestrian: None,
        operator: None,
        worksite: None,
        project: None,
        base_station: BaseStationId(5),
        tag: TagId(row),
        local_day: Day::from_number(20_000 + row / 10),
        local_minute: row,
        cell: None,
    };
    let mut cube = Cube::new(Settings::default());
    cube.apply(&(0..rows).map(fact).collect::<Vec<_>>(), &[]).unwrap();
    cube.snapshot()
}

fn part(snapshot: &Snapshot) -> (Vec<u8>, Indexes) {
    let bytes = snapshot.parts().next().unwrap().encode().unwrap();
    (bytes, Indexes::new(&snapshot.dictionaries))
}

fn refusal(bytes: &[u8], indexes: &Indexes) -> &'static str {
    match read_chunk(bytes, indexes) {
        Err(Error::Damaged(reason)) => reason,
        other => panic!("{:?}", other.map(|chunk| chunk.len())),
    }
}

/// Calls a function with each damage of some bytes: one byte changed, the end missing, or something added.
fn for_each_damage(bytes: &[u8], mut check: impl FnMut(&[u8], &str)) {
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        for flipped in [0x01, 0x80, 0xFF] {
            changed[at] ^= flipped;
            check(&changed, &format!("byte {at} ^ {flipped}"));
            changed[at] ^= flipped;
        }
        check(&bytes[..at], &format!("cut after {at} bytes"));
    }
    for more in [1, 63, 64, 4_096] {
        changed.resize(bytes.len() + more, 0);
        check(&changed, &format!("{more} more bytes"));
    }
    check(&[bytes, bytes].concat(), "twice");
}

#[test]
fn a_part_is_read_as_it_was_written() {
    for rows in [1, 2, 64, 70_000] {
        let snapshot = snapshot(rows);
        for (handle, written) in snapshot.parts().zip(snapshot.incursions.parts()) {
            let bytes = handle.encode().unwrap();
            let indexes = Indexes::new(&snapshot.dictionaries);
            let read = read_chunk(&bytes, &indexes).unwrap();
            let chunk: &Chunk = written.chunk().unwrap();
            assert_eq!(super::write_chunk(&read, &snapshot.dictionaries).unwrap(), bytes);
            assert_eq!((read.len(), read.bytes()), (chunk.len(), chunk.bytes()));
            assert_eq!(*read.flags, *chunk.flags);
            assert_eq!((bytes.len() % 64, bytes.starts_with(&MAGIC)), (0, true));
        }
    }
}

#[test]
fn the_most_ids_that_a_part_can_have_are_read_as_they_were_written() {
    let snapshot = snapshot(65_536);
    let tags = |chunk: &Chunk| chunk.column(Link::Tag).iter().collect::<Vec<_>>();
    let (bytes, indexes) = part(&snapshot);
    let written = snapshot.incursions.parts().next().unwrap();
    assert_eq!(tags(&read_chunk(&bytes, &indexes).unwrap()), tags(written.chunk().unwrap()));
}

#[test]
fn every_damage_of_a_part_is_refused() {
    let (bytes, indexes) = part(&snapshot(20));
    read_chunk(&bytes, &indexes).unwrap();
    for_each_damage(&bytes, |damaged, what| {
        let read = read_chunk(damaged, &indexes);
        assert!(matches!(read, Err(Error::Damaged(_))), "{what}");
    });
}

#[test]
fn every_damage_of_an_outline_is_refused() {
    let outline = snapshot(20).outline();
    let source: Arc<dyn ChunkSource> = Arc::new(NoParts);
    assert!(read_outline(&outline, &source).is_ok());
    for_each_damage(&outline, |damaged, what| {
        let read = read_outline(damaged, &source).map(drop);
        assert!(matches!(read, Err(Error::Damaged(_))), "{what}");
    });
}

#[test]
fn files_of_something_else_are_refused() {
    let (bytes, indexes) = part(&snapshot(20));
    let mut arrow = bytes.clone();
    arrow[..8].copy_from_slice(b"ARROW1\0\0");
    assert_eq!(refusal(&arrow, &indexes), "a part is a file of something else");
    let mut newer = bytes;
    put_u32(&mut newer, header::VERSION, 4);
    seal(&mut newer);
    assert_eq!(refusal(&newer, &indexes), "a part is of another version");
    let source: Arc<dyn ChunkSource> = Arc::new(NoParts);
    for outline in [b"KCUBE\0\0\x01".to_vec(), vec![0; 4_096], newer] {
        assert!(read_outline(&outline, &source).is_err());
    }
}

/// What was written by somebody who knows how to compute checksums allocates nothing and ends nothing either.
#[test]
fn lengths_and_values_are_checked_although_checksums_are_right() {
    let (bytes, indexes) = part(&snapshot(20));
    let entry_of = |column: Column| HEADER_BYTES + column.number() * ENTRY_BYTES;
    let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        seal(&mut changed);
        refusal(&changed, &indexes)
    };
    for huge in [u64::MAX, u64::MAX - 63, u64::MAX / 8 + 1, 1 << 40] {
        let rows = sealed(&|bytes| put_u64(bytes, header::ROWS, huge));
        assert_eq!(rows, "a part's column has another number of rows");
        let length = sealed(&|bytes| put_u64(bytes, entry_of(Column::Day) + entry::LENGTH, huge));
        assert_eq!(length, "a part is truncated");
        let length = sealed(&|bytes| put_u64(bytes, header::FILE_LENGTH, huge));
        assert_eq!(length, "a part has another length");
    }
    let none = sealed(&|bytes| put_u64(bytes, header::ROWS, 0));
    assert_eq!(none, "a part's column has another number of rows");
    let columns = sealed(&|bytes| put_u32(bytes, header::COLUMNS, 3));
    assert_eq!(columns, "a part has unexpected columns");
    let kind = sealed(&|bytes| put_u32(bytes, entry_of(Column::Id) + entry::KIND, 2));
    assert_eq!(kind, "a part's column has an unexpected type");
    let number = sealed(&|bytes| put_u32(bytes, entry_of(Column::Id), 3));
    assert_eq!(number, "a part has unexpected columns");
    let fewer = sealed(&|bytes| put_u64(bytes, entry_of(Column::Id) + entry::LENGTH, 152));
    assert_eq!(fewer, "a part's column has another number of rows");
    let more = sealed(&|bytes| {
        bytes.extend([0; 64]);
        let length = bytes.len() as u64;
        put_u64(bytes, header::FILE_LENGTH, length);
    });
    assert_eq!(more, "a part has more than its columns");
    // Values of the first row, or the first id, of columns in their order.
    let value = |column: Column, value: &[u8]| {
        sealed(&|bytes| {
            let mut at = OUTLINE_END;
            for number in 0..=column.number() {
                let entry = HEADER_BYTES + number * ENTRY_BYTES;
                let length =
                    bytes[entry + entry::LENGTH..].first_chunk().map_or(0, |own| u64::from_le_bytes(*own));
                let end = at + usize::try_from(length).unwrap().next_multiple_of(64);
                if number == column.number() {
                    bytes[at..at + value.len()].copy_from_slice(value);
                    let checksum = crc32fast::hash(&bytes[at..end]);
                    put_u32(bytes, entry + entry::CHECKSUM, checksum);
                }
                at = end;
            }
        })
    };
    assert_eq!(value(Column::StartedAt, &i64::MAX.to_le_bytes()), "a part's rows are not in order");
    for unknown in [0b10, 0b1_0000, 0b10_0000, 0x80] {
        assert_eq!(value(Column::ZoneAndReview, &[unknown]), "a part has an unknown zone or review");
    }
    for day in [i32::MIN, i32::MAX, 5_000_001] {
        assert_eq!(value(Column::Day, &day.to_le_bytes()), "a part has a day that is out of range");
    }
    assert_eq!(value(Column::Minute, &10_080_u16.to_le_bytes()), "a part has a minute that is out of range");
    let place = value(Column::Places(Link::BaseStation), &2_u16.to_le_bytes());
    assert_eq!(place, "a part refers to an id that it does not have");
    let id = value(Column::Ids(Link::BaseStation), &6_i64.to_le_bytes());
    assert_eq!(id, "a part has an id that its brand does not have");
}
