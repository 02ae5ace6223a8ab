//! Lists facts one by one, for computations that sums do not suffice for.

use domain::{
    BaseStationId, Day, IncursionId, MachineId, PersonId, ProjectId, Review, RuntimePieceId, TagId,
    Timestamp, WorksiteId, Zone,
};

use crate::dictionary::{Dictionaries, Link};
use crate::storage::{Chunk, Flags, Slot, Summary, Table, ensure_at_hand};
use crate::{Error, IncursionFact, RuntimeFact, Snapshot};

impl Snapshot {
    /// Turns the incursions that started at `from` or later, and before `to`, into items, oldest first; those that `select` has no item
    /// for are left out. None if there would be more items than `limit`.
    ///
    /// The facts are those that were applied, except that ends and acknowledgements are cut to milliseconds after the start, and that
    /// cells are left out.
    pub fn list_incursions<T>(
        &self,
        (from, to): (Timestamp, Timestamp),
        limit: usize,
        mut select: impl FnMut(&IncursionFact) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        let mut items = Vec::new();
        let is_complete = visit_rows(&self.incursions, (from.micros(), to.micros()), 0, |chunk, row| {
            items.extend(select(&incursion(chunk, row, &self.dictionaries)?));
            Ok(items.len() <= limit)
        })?;
        Ok(is_complete.then_some(items))
    }

    /// Turns the runtime pieces of which a part lies between `from` and `to` into items, in the same way.
    pub fn list_runtime<T>(
        &self,
        (from, to): (Timestamp, Timestamp),
        limit: usize,
        mut select: impl FnMut(&RuntimeFact) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        let longest = self.runtime.parts().map(|part| part.summary.max_length).max().unwrap_or(0).max(0);
        let mut items = Vec::new();
        let is_complete = visit_rows(&self.runtime, (from.micros(), to.micros()), longest, |chunk, row| {
            let piece = runtime_piece(chunk, row, &self.dictionaries)?;
            if piece.ended_at > from.max(piece.started_at) {
                items.extend(select(&piece));
            }
            Ok(items.len() <= limit)
        })?;
        Ok(is_complete.then_some(items))
    }
}

/// The rows of a part that are still to be visited.
struct Cursor<'a> {
    chunk: &'a Chunk,
    row: usize,
    end: usize,
}

/// Visits the rows that start less than `earlier` before `from` or later, and before `to`, in order, until `visit` returns false. Returns
/// whether all were visited.
fn visit_rows(
    table: &Table,
    (from, to): (i64, i64),
    earlier: i64,
    mut visit: impl FnMut(&Chunk, usize) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let from = from.saturating_sub(earlier);
    ensure_at_hand(table.parts().filter(|part| may_have(&part.summary, from, to)))?;
    for slot in table.slots.iter() {
        let mut cursors = cursors_of(slot, from, to)?;
        loop {
            let left = cursors.iter_mut().filter(|cursor| cursor.row < cursor.end);
            let Some(next) = left.min_by_key(|cursor| cursor.chunk.key(cursor.row)) else { break };
            if !visit(next.chunk, next.row)? {
                return Ok(false);
            }
            next.row += 1;
        }
    }
    Ok(true)
}

/// Returns the rows of a slot that start within a time, of each part that has any.
fn cursors_of(slot: &Slot, from: i64, to: i64) -> Result<Vec<Cursor<'_>>, Error> {
    let mut cursors = Vec::new();
    for part in slot.parts().filter(|part| may_have(&part.summary, from, to)) {
        let chunk = part.chunk()?;
        let before = |limit: i64| chunk.started_at.partition_point(|at| *at < limit);
        cursors.push(Cursor { chunk, row: before(from), end: before(to) });
    }
    Ok(cursors)
}

/// Whether a part may have rows that start within a time.
fn may_have(summary: &Summary, from: i64, to: i64) -> bool {
    summary.first.0 < to && summary.last.0 >= from
}

fn incursion(chunk: &Chunk, row: usize, dictionaries: &Dictionaries) -> Result<IncursionFact, Error> {
    let id = |link: Link| dictionaries.of(link).id(chunk.column(link).get(row));
    let flags = Flags(chunk.flags[row]);
    let started_at = chunk.started_at[row];
    let after = |ms: i64| Timestamp::from_micros(started_at.saturating_add(ms.saturating_mul(1_000)));
    Ok(IncursionFact {
        id: IncursionId(chunk.ids[row]),
        started_at: Timestamp::from_micros(started_at),
        ended_at: chunk.lengths.get(row).map(after),
        acknowledged_at: chunk.ack_times.get(row).map(after),
        zone: Zone::ALL[flags.zone()],
        review: Review::ALL[flags.review()],
        machine: id(Link::Machine).map(MachineId),
        pedestrian: id(Link::Pedestrian).map(PersonId),
        operator: id(Link::Operator).map(PersonId),
        worksite: id(Link::Worksite).map(WorksiteId),
        project: id(Link::Project).map(ProjectId),
        base_station: id(Link::BaseStation).map(BaseStationId).ok_or(NO_STATION)?,
        tag: id(Link::Tag).map(TagId).ok_or(Error::Damaged("an incursion has no tag"))?,
        local_day: local_day(chunk, row),
        local_minute: i64::from(chunk.minutes[row]),
        cell: None,
    })
}

fn runtime_piece(chunk: &Chunk, row: usize, dictionaries: &Dictionaries) -> Result<RuntimeFact, Error> {
    let id = |link: Link| dictionaries.of(link).id(chunk.column(link).get(row));
    let started_at = chunk.started_at[row];
    let length = chunk.lengths.get(row).unwrap_or(0);
    Ok(RuntimeFact {
        id: RuntimePieceId(chunk.ids[row]),
        base_station: id(Link::BaseStation).map(BaseStationId).ok_or(NO_STATION)?,
        started_at: Timestamp::from_micros(started_at),
        ended_at: Timestamp::from_micros(started_at.saturating_add(length)),
        machine: id(Link::Machine).map(MachineId),
        operator: id(Link::Operator).map(PersonId),
        worksite: id(Link::Worksite).map(WorksiteId),
        project: id(Link::Project).map(ProjectId),
        local_day: local_day(chunk, row),
        local_hour: i64::from(chunk.minutes[row]) / 60 % 24,
    })
}

fn local_day(chunk: &Chunk, row: usize) -> Day {
    Day::from_number(chunk.first_day + i64::from(chunk.days.get(row)))
}

const NO_STATION: Error = Error::Damaged("a fact has no station");
