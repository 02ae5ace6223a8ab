//! Writes a part.

use super::layout::Column;
use super::part::PartWriter;
use crate::Error;
use crate::dictionary::{Dictionaries, Link};
use crate::storage::{Chunk, Codes, Flags, Lengths};

/// Encodes a part.
pub(crate) fn write_chunk(chunk: &Chunk, dictionaries: &Dictionaries) -> Result<Vec<u8>, Error> {
    let mut part = PartWriter::new(chunk.len());
    part.add(Column::StartedAt, chunk.started_at.iter().copied());
    part.add(Column::Id, chunk.ids.iter().copied());
    add_lengths(&mut part, Column::Length, &chunk.lengths);
    add_lengths(&mut part, Column::AckTime, &chunk.ack_times);
    part.add(Column::ZoneAndReview, chunk.flags.iter().map(|flags| flags & Flags::ZONE_AND_REVIEW));
    let days: Vec<i32> =
        chunk.days.iter().map(|day| i32::try_from(chunk.first_day + i64::from(day)).unwrap_or(0)).collect();
    part.add(Column::Day, days.into_iter());
    part.add(Column::Minute, chunk.minutes.iter().copied());
    for link in Link::ALL {
        let (places, ids) = ids(chunk.column(link), link, dictionaries)?;
        part.add(Column::Places(link), places.into_iter());
        part.add(Column::Ids(link), ids.into_iter());
    }
    Ok(part.finish())
}

fn add_lengths(part: &mut PartWriter, column: Column, lengths: &Lengths) {
    match lengths {
        Lengths::Narrow(lengths) => part.add(column, lengths.iter().copied()),
        Lengths::Wide(lengths) => part.add(column, lengths.iter().copied()),
    }
}

/// Returns for each row the place of its id, and the ids that occur.
fn ids(codes: &Codes, link: Link, dictionaries: &Dictionaries) -> Result<(Vec<u16>, Vec<i64>), Error> {
    const UNSEEN: u32 = u32::MAX;
    let dictionary = dictionaries.of(link);
    let (mut places, mut ids) = (vec![UNSEEN; dictionary.code_count()], Vec::new());
    for code in codes.iter() {
        if code == 0 || places[code as usize] != UNSEEN {
            continue;
        }
        places[code as usize] = u32::try_from(ids.len()).unwrap_or(UNSEEN);
        ids.push(
            dictionary.id(code).ok_or(Error::Damaged("a part has a code that its brand does not have"))?,
        );
    }
    places[0] = u32::try_from(ids.len()).unwrap_or(UNSEEN);
    // Codes are for at most as many rows as there are places, and one place less is needed if a row has no id.
    let place = |code: u32| u16::try_from(places[code as usize]);
    let places: Result<Vec<u16>, _> = codes.iter().map(place).collect();
    Ok((places.map_err(|_| Error::Damaged("a part has too many ids"))?, ids))
}
