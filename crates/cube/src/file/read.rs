//! Reads a part without trusting it: every value is checked before it is used.

use super::layout::Column;
use super::part::{PartReader, Value};
use crate::Error;
use crate::dictionary::{Indexes, Link};
use crate::storage::{Chunk, ChunkIndex, Codes, Flags, Lengths, Row, Values};

/// Decodes a part.
pub(crate) fn read_chunk(bytes: &[u8], indexes: &Indexes) -> Result<Chunk, Error> {
    let part = PartReader::new(bytes)?;
    let started_at: Vec<i64> = part.values(Column::StartedAt)?;
    let ids: Vec<i64> = part.values(Column::Id)?;
    let keys = || started_at.iter().zip(&ids);
    if part.rows() == 0 || !keys().is_sorted_by(|left, right| left < right) {
        return Err(Error::Damaged("a part's rows are not in order"));
    }
    let (lengths, waits) = (read_lengths(&part, Column::Length)?, read_lengths(&part, Column::AckTime)?);
    let flags = read_flags(&part, &lengths, &waits)?;
    let (first_day, days) = read_days(&part)?;
    let minutes: Vec<u16> = part.values(Column::Minute)?;
    if minutes.iter().any(|minute| *minute >= Row::MINUTES_PER_WEEK) {
        return Err(Error::Damaged("a part has a minute that is out of range"));
    }
    let mut links = Vec::with_capacity(Link::COUNT);
    for link in Link::ALL {
        links.push(read_link(&part, link, indexes)?);
    }
    let links = links.try_into().map_err(|_| Error::Damaged("a part has unexpected columns"))?;
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

fn read_lengths(part: &PartReader<'_>, column: Column) -> Result<Lengths, Error> {
    if part.kind(column) == i64::KIND {
        return Ok(Lengths::Wide(part.values::<i64>(column)?.into()));
    }
    Ok(Lengths::Narrow(part.values::<u32>(column)?.into()))
}

/// Combines zone and review with what follows from the durations.
fn read_flags(part: &PartReader<'_>, lengths: &Lengths, waits: &Lengths) -> Result<Values<u8>, Error> {
    let mut flags: Vec<u8> = part.values(Column::ZoneAndReview)?;
    if flags.iter().any(|flags| flags & !Flags::ZONE_AND_REVIEW != 0) {
        return Err(Error::Damaged("a part has an unknown zone or review"));
    }
    set_where_present(&mut flags, lengths, Flags::ENDED);
    set_where_present(&mut flags, waits, Flags::ACKNOWLEDGED);
    Ok(flags.into())
}

fn set_where_present(flags: &mut [u8], lengths: &Lengths, flag: u8) {
    match lengths {
        Lengths::Narrow(lengths) => {
            for (flags, length) in flags.iter_mut().zip(lengths.iter()) {
                *flags |= u8::from(*length != Lengths::NARROW_NONE) * flag;
            }
        }
        Lengths::Wide(lengths) => {
            for (flags, length) in flags.iter_mut().zip(lengths.iter()) {
                *flags |= u8::from(*length != Lengths::WIDE_NONE) * flag;
            }
        }
    }
}

fn read_days(part: &PartReader<'_>) -> Result<(i64, Codes), Error> {
    let days: Vec<i32> = part.values(Column::Day)?;
    if days.iter().any(|day| i64::from(*day).abs() > Row::MAX_ABS_DAY) {
        return Err(Error::Damaged("a part has a day that is out of range"));
    }
    let first = days.iter().copied().min().unwrap_or(0);
    Ok((i64::from(first), Codes::new(days.iter().map(|day| day.abs_diff(first)))))
}

/// Reads a column of ids, translated to the codes of the brand.
fn read_link(part: &PartReader<'_>, link: Link, indexes: &Indexes) -> Result<Codes, Error> {
    let ids: Vec<i64> = part.all_values(Column::Ids(link))?;
    let codes = ids.iter().map(|id| indexes.find(link, *id)).collect::<Option<Vec<u32>>>();
    let mut codes = codes.ok_or(Error::Damaged("a part has an id that its brand does not have"))?;
    // The place after the last id is that of none.
    codes.push(0);
    let places: Vec<u16> = part.values(Column::Places(link))?;
    if places.iter().any(|place| usize::from(*place) >= codes.len()) {
        return Err(Error::Damaged("a part refers to an id that it does not have"));
    }
    Ok(Codes::new(places.iter().map(|place| codes[usize::from(*place)])))
}
