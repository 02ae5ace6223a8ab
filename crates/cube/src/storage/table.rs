//! A table: slots ordered by time. A slot covers the keys from its first up to the next slot's, in a main part and, if rows came late, a
//! small additional part, so that a late row causes a small copy instead of a large one.

use std::sync::Arc;

use super::{Chunk, Key, Part, Row, Summary, ensure_at_hand};
use crate::Error;

/// The rows of a range of time.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The first key that it covers.
    pub from: Key,
    pub main: Arc<Part>,
    /// Rows that came after the main part was built.
    pub late: Option<Arc<Part>>,
}

impl Slot {
    pub fn parts(&self) -> impl Iterator<Item = &Arc<Part>> {
        std::iter::once(&self.main).chain(&self.late)
    }
}

/// Lower than every key.
pub(crate) const MIN_KEY: Key = (i64::MIN, i64::MIN);

/// Older rows get slots of their own if they fill at least this part of one.
const MIN_OWN_SLOT: usize = 4;

/// All rows of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub slots: Arc<Vec<Slot>>,
}

/// Builds parts: their maximum size, and the next number.
#[derive(Clone, Debug)]
pub(crate) struct PartBuilder {
    pub chunk_rows: usize,
    pub next_part_number: u64,
}

impl PartBuilder {
    fn take_part_number(&mut self) -> u64 {
        self.next_part_number += 1;
        self.next_part_number
    }

    fn build_part(&mut self, chunk: Chunk) -> Arc<Part> {
        Arc::new(Part::new(self.take_part_number(), chunk))
    }

    /// Builds slots for a chunk that may be too large for one. The last slot of a table stays open, so the others are filled first.
    fn build_slots(&mut self, from: Key, chunk: Chunk, is_open: bool) -> Vec<Slot> {
        let rows = chunk.len();
        if rows <= self.chunk_rows {
            return vec![Slot { from, main: self.build_part(chunk), late: None }];
        }
        let each = if is_open { self.chunk_rows } else { rows.div_ceil(rows.div_ceil(self.chunk_rows)) };
        let mut slots = Vec::with_capacity(rows.div_ceil(each));
        for begin in (0..rows).step_by(each) {
            let piece = chunk.slice(begin, each.min(rows - begin));
            let from = if begin == 0 { from } else { piece.key(0) };
            slots.push(Slot { from, main: self.build_part(piece), late: None });
        }
        slots
    }
}

impl Table {
    pub fn rows(&self) -> usize {
        self.parts().map(|part| part.summary.rows).sum()
    }

    pub fn parts(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.slots.iter().flat_map(Slot::parts)
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.parts().map(|part| part.bytes()).sum::<usize>()
    }

    /// Inserts rows, or replaces those with the same keys. If a part cannot be read, nothing is changed.
    pub fn apply(&mut self, mut rows: Vec<Row>, maker: &mut PartBuilder) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        if !rows.is_sorted_by(|left, right| left.key() < right.key()) {
            // Of two rows with the same key, the later one wins.
            rows.reverse();
            rows.sort_by_key(Row::key);
            rows.dedup_by_key(|row| row.key());
        }
        if self.slots.is_empty() {
            self.slots = Arc::new(maker.build_slots(MIN_KEY, Chunk::from_rows(&rows), true));
            return Ok(());
        }
        let by_slot = self.split_by_slot(&rows);
        let needed = by_slot.iter().flat_map(|(at, own)| {
            self.slots[*at].parts().filter(move |part| own.iter().any(|row| part.may_have(row.key())))
        });
        ensure_at_hand(needed)?;
        let mut changed = Vec::new();
        for (at, own) in by_slot {
            let is_open = at + 1 == self.slots.len();
            changed.push((at, apply_to_slot(&self.slots[at], own, is_open, maker)?));
        }
        let slots = Arc::make_mut(&mut self.slots);
        for (at, replacement) in changed.into_iter().rev() {
            slots.splice(at..=at, replacement);
        }
        Ok(())
    }

    /// Splits rows, which are in order, by the slots that they belong to.
    fn split_by_slot<'a>(&self, rows: &'a [Row]) -> Vec<(usize, &'a [Row])> {
        let (mut by_slot, mut rest) = (Vec::new(), rows);
        while let Some(first) = rest.first() {
            let next = self.slots.partition_point(|slot| slot.from <= first.key()).max(1);
            let end = self
                .slots
                .get(next)
                .map_or(rest.len(), |slot| rest.partition_point(|row| row.key() < slot.from));
            let (own, others) = rest.split_at(end);
            by_slot.push((next - 1, own));
            rest = others;
        }
        by_slot
    }

    /// Adds rows, which are mostly older than all that exist. Enough of them get slots of their own, so that nothing is copied.
    pub fn prepend(&mut self, rows: Vec<Row>, maker: &mut PartBuilder) -> Result<(), Error> {
        let first = self.slots.first();
        let oldest = first.and_then(|slot| slot.parts().map(|part| part.summary.first).min());
        let is_older = |oldest: Key| rows.last().is_some_and(|row| row.key() < oldest);
        let is_in_order = rows.is_sorted_by(|left, right| left.key() < right.key());
        let Some(oldest) = oldest.filter(|oldest| {
            is_in_order && is_older(*oldest) && rows.len() >= maker.chunk_rows / MIN_OWN_SLOT
        }) else {
            return self.apply(rows, maker);
        };
        let older = maker.build_slots(MIN_KEY, Chunk::from_rows(&rows), false);
        let slots = Arc::make_mut(&mut self.slots);
        if let Some(first) = slots.first_mut() {
            first.from = oldest;
        }
        slots.splice(0..0, older);
        Ok(())
    }

    /// Drops the rows that started before a time.
    pub fn drop_before(&mut self, before: i64, maker: &mut PartBuilder) -> Result<(), Error> {
        let is_old = |slot: &Slot| slot.parts().any(|part| part.summary.first.0 < before);
        if !self.slots.iter().any(is_old) {
            return Ok(());
        }
        let mut kept = Vec::with_capacity(self.slots.len());
        for slot in self.slots.iter() {
            let mut parts = Vec::new();
            for part in slot.parts() {
                if part.summary.first.0 >= before {
                    parts.push(Arc::clone(part));
                } else if part.summary.last.0 >= before {
                    let chunk = part.chunk()?;
                    let from = chunk.started_at.partition_point(|at| *at < before);
                    parts.push(maker.build_part(chunk.slice(from, chunk.len() - from)));
                }
            }
            let mut parts = parts.into_iter();
            if let Some(main) = parts.next() {
                kept.push(Slot { from: slot.from, main, late: parts.next() });
            }
        }
        if let Some(first) = kept.first_mut() {
            first.from = MIN_KEY;
        }
        self.slots = Arc::new(kept);
        Ok(())
    }
}

/// Returns the slots that replace a slot after inserting rows, which are in order.
fn apply_to_slot(
    slot: &Slot,
    rows: &[Row],
    is_open: bool,
    maker: &mut PartBuilder,
) -> Result<Vec<Slot>, Error> {
    let (mut in_main, mut in_late, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let found = |part: &Part| match part.may_have(row.key()) {
            true => Ok::<_, Error>(part.chunk()?.find(row.key()).ok()),
            false => Ok(None),
        };
        if let Some(at) = found(&slot.main)? {
            in_main.push((at, *row));
        } else if let Some(late) = &slot.late
            && let Some(at) = found(late)?
        {
            in_late.push((at, *row));
        } else {
            new.push(*row);
        }
    }
    let mut next = slot.clone();
    if !in_main.is_empty() {
        next.main = Arc::new(slot.main.replaced(maker.take_part_number(), &in_main)?);
    }
    if let Some(late) = &slot.late
        && !in_late.is_empty()
    {
        next.late = Some(Arc::new(late.replaced(maker.take_part_number(), &in_late)?));
    }
    if new.is_empty() {
        return Ok(vec![next]);
    }
    let mut late = Chunk::from_rows(&new);
    let mut summary = Summary::of(&late);
    if let Some(before) = &next.late {
        late = before.chunk()?.merged(&late);
        summary = before.summary.union(&summary);
    }
    // The larger the main part is, the more late rows justify a copy of it.
    if late.len() <= next.main.summary.rows / 8 {
        next.late = Some(Arc::new(Part::with_summary(maker.take_part_number(), late, summary)));
        return Ok(vec![next]);
    }
    let whole = next.main.chunk()?.merged(&late);
    if whole.len() <= maker.chunk_rows {
        let summary = next.main.summary.union(&summary);
        let main = Arc::new(Part::with_summary(maker.take_part_number(), whole, summary));
        return Ok(vec![Slot { from: slot.from, main, late: None }]);
    }
    Ok(maker.build_slots(slot.from, whole, is_open))
}
