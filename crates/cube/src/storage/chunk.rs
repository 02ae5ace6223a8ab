//! A chunk: the columns of up to 64 Ki rows, ordered by time. Chunks are immutable; a change creates another chunk that shares the
//! unchanged columns.

use super::chunk_index::{Aggregate, ChunkIndex, IndexedColumns, PostingLists};
use super::column::{MergeOrder, gather, with_changes};
use super::values::Values;
use super::{Codes, Key, Lengths, Row};
use crate::dictionary::Link;

/// The number of rows that are processed together, so that intermediate results stay in the L1 cache.
pub(crate) const BLOCK_ROWS: usize = 4_096;

#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub started_at: Values<i64>,
    pub ids: Values<i64>,
    pub lengths: Lengths,
    pub ack_times: Lengths,
    pub flags: Values<u8>,
    pub links: [Codes; Link::COUNT],
    /// The day that `days` are relative to.
    pub first_day: i64,
    pub days: Codes,
    pub minutes: Values<u16>,
    pub block_bounds: Vec<BlockBounds>,
    pub index: ChunkIndex,
}

/// Bounds of a block, which may be wider than its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockBounds {
    /// The minimum of `days`.
    pub min_day: u32,
    /// The maximum of `days`.
    pub max_day: u32,
    /// The sum of durations.
    pub length_sum: u64,
    /// The sum of acknowledgement times.
    pub ack_time_sum: u64,
}

/// Returns a day relative to the first day of a chunk.
fn day_code(day: i64, first: i64) -> u32 {
    u32::try_from(day - first).unwrap_or(0)
}

fn compute_block_bounds(days: &Codes, lengths: &Lengths, waits: &Lengths) -> Vec<BlockBounds> {
    let of = |from: usize| {
        let len = BLOCK_ROWS.min(days.len() - from);
        let (least_day, most_day) = match days {
            Codes::Narrow(days) => min_max(days[from..from + len].iter().copied()),
            Codes::Wide(days) => min_max(days[from..from + len].iter().copied()),
        };
        BlockBounds {
            min_day: least_day,
            max_day: most_day,
            length_sum: lengths.sum(from, len),
            ack_time_sum: waits.sum(from, len),
        }
    };
    (0..days.len()).step_by(BLOCK_ROWS).map(of).collect()
}

fn min_max<T: Ord + Copy + Into<u32>>(numbers: impl Iterator<Item = T> + Clone) -> (u32, u32) {
    let least = numbers.clone().min().map_or(0, Into::into);
    (least, numbers.max().map_or(0, Into::into))
}

impl Chunk {
    /// Builds a chunk of rows that are in order.
    pub fn from_rows(rows: &[Row]) -> Self {
        let first_day = rows.iter().map(|row| row.day).min().unwrap_or(0);
        let days = Codes::new(rows.iter().map(|row| day_code(row.day, first_day)));
        let lengths = Lengths::new(rows.iter().map(|row| row.length));
        let waits = Lengths::new(rows.iter().map(|row| row.ack_ms));
        Self {
            started_at: rows.iter().map(|row| row.started_at).collect(),
            ids: rows.iter().map(|row| row.id).collect(),
            block_bounds: compute_block_bounds(&days, &lengths, &waits),
            lengths,
            ack_times: waits,
            flags: rows.iter().map(|row| row.flags.0).collect(),
            links: std::array::from_fn(|link| Codes::new(rows.iter().map(move |row| row.codes[link]))),
            first_day,
            days,
            minutes: rows.iter().map(|row| row.minute).collect(),
            index: ChunkIndex::default(),
        }
    }

    /// Computes the bounds of all blocks.
    pub fn refresh_block_bounds(&mut self) {
        self.block_bounds = compute_block_bounds(&self.days, &self.lengths, &self.ack_times);
    }

    pub fn len(&self) -> usize {
        self.started_at.len()
    }

    pub fn key(&self, at: usize) -> Key {
        (self.started_at[at], self.ids[at])
    }

    /// Returns the position of a row, or where it would be inserted.
    pub fn find(&self, key: Key) -> Result<usize, usize> {
        let from = self.started_at.partition_point(|at| *at < key.0);
        let same = self.started_at[from..].partition_point(|at| *at == key.0);
        match self.ids[from..from + same].binary_search(&key.1) {
            Ok(at) => Ok(from + at),
            Err(at) => Err(from + at),
        }
    }

    pub fn column(&self, link: Link) -> &Codes {
        &self.links[link as usize]
    }

    /// Returns the daily aggregates, if they are built and much fewer than the rows.
    pub fn daily_aggregates(&self) -> Option<&[Aggregate]> {
        self.index.daily_aggregates(self.indexed_columns())
    }

    /// Returns the aggregates by worksite, if they are built and much fewer than the rows.
    pub fn worksite_aggregates(&self) -> Option<&[Aggregate]> {
        self.index.worksite_aggregates(self.indexed_columns())
    }

    /// Returns the posting lists of a link, if they are built.
    pub fn posting_lists(&self, link: Link) -> Option<&PostingLists> {
        self.index.posting_lists(link, self.column(link))
    }

    fn indexed_columns(&self) -> IndexedColumns<'_> {
        IndexedColumns {
            days: &self.days,
            flags: &self.flags,
            lengths: &self.lengths,
            ack_times: &self.ack_times,
            links: &self.links,
        }
    }

    /// Returns a chunk with some rows replaced by others with the same keys.
    pub fn replaced(&self, changes: &[(usize, Row)]) -> Self {
        let mut next = self.clone();
        let of = |value: fn(&Row) -> Option<i64>| changes.iter().map(move |(at, row)| (*at, value(row)));
        if let Some(lengths) = self.lengths.with_changes(of(|row| row.length)) {
            next.lengths = lengths;
        }
        if let Some(waits) = self.ack_times.with_changes(of(|row| row.ack_ms)) {
            next.ack_times = waits;
        }
        if let Some(flags) = with_changes(&self.flags, changes.iter().map(|(at, row)| (*at, row.flags.0))) {
            next.flags = flags;
        }
        if let Some(minutes) = with_changes(&self.minutes, changes.iter().map(|(at, row)| (*at, row.minute)))
        {
            next.minutes = minutes;
        }
        for (place, column) in self.links.iter().enumerate() {
            let codes = changes.iter().map(|(at, row)| (*at, row.codes[place]));
            if let Some(column) = column.with_changes(codes) {
                next.links[place] = column;
            }
        }
        let first_day = changes.iter().map(|(_, row)| row.day).min().unwrap_or(self.first_day);
        if first_day < self.first_day {
            let by = day_code(self.first_day, first_day);
            next.days = Codes::new(self.days.iter().map(|day| day + by));
            for bounds in &mut next.block_bounds {
                bounds.min_day += by;
                bounds.max_day += by;
            }
            next.first_day = first_day;
        }
        let day = |row: &Row| day_code(row.day, next.first_day);
        if let Some(changed) = next.days.with_changes(changes.iter().map(|(at, row)| (*at, day(row)))) {
            next.days = changed;
        }
        for (at, row) in changes {
            let day = day_code(row.day, next.first_day);
            let bounds = &mut next.block_bounds[at / BLOCK_ROWS];
            bounds.min_day = bounds.min_day.min(day);
            bounds.max_day = bounds.max_day.max(day);
            let length = |length: Option<i64>| length.unwrap_or(0).max(0).cast_unsigned();
            bounds.length_sum = bounds.length_sum.saturating_add(length(row.length));
            bounds.ack_time_sum = bounds.ack_time_sum.saturating_add(length(row.ack_ms));
        }
        next.index = self.index.carry_over(self.indexed_columns(), next.indexed_columns());
        next
    }

    /// Merges two chunks without common rows, in order.
    pub fn merged(&self, other: &Self) -> Self {
        let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        let is_after = self.len() == 0 || other.len() == 0 || self.key(self.len() - 1) < other.key(0);
        let order = if is_after {
            MergeOrder::Concatenated
        } else {
            let mut order = Vec::with_capacity(self.len() + other.len());
            let mut taken = 0;
            for at in 0..other.len() {
                let before = self.find(other.key(at)).unwrap_or_else(|place| place);
                order.extend(count(taken)..count(before));
                order.push(count(self.len() + at));
                taken = before;
            }
            order.extend(count(taken)..count(self.len()));
            MergeOrder::ByIndex(order)
        };
        let first_day = self.first_day.min(other.first_day);
        let by = |chunk: &Self| day_code(chunk.first_day, first_day);
        let days = Codes::gather((&self.days, by(self)), (&other.days, by(other)), &order);
        let lengths = Lengths::gather(&self.lengths, &other.lengths, &order);
        let waits = Lengths::gather(&self.ack_times, &other.ack_times, &order);
        Self {
            started_at: gather(&self.started_at, &other.started_at, &order).into(),
            ids: gather(&self.ids, &other.ids, &order).into(),
            block_bounds: compute_block_bounds(&days, &lengths, &waits),
            lengths,
            ack_times: waits,
            flags: gather(&self.flags, &other.flags, &order).into(),
            links: std::array::from_fn(|link| {
                Codes::gather((&self.links[link], 0), (&other.links[link], 0), &order)
            }),
            first_day,
            days,
            minutes: gather(&self.minutes, &other.minutes, &order).into(),
            index: ChunkIndex::default(),
        }
    }

    /// Returns consecutive rows as a chunk.
    pub fn slice(&self, from: usize, len: usize) -> Self {
        let days = self.days.slice(from, len);
        let (lengths, waits) = (self.lengths.slice(from, len), self.ack_times.slice(from, len));
        Self {
            started_at: self.started_at.slice(from, len),
            ids: self.ids.slice(from, len),
            block_bounds: compute_block_bounds(&days, &lengths, &waits),
            lengths,
            ack_times: waits,
            flags: self.flags.slice(from, len),
            links: std::array::from_fn(|link| self.links[link].slice(from, len)),
            first_day: self.first_day,
            days,
            minutes: self.minutes.slice(from, len),
            index: ChunkIndex::default(),
        }
    }

    pub fn bytes(&self) -> usize {
        let links: usize = self.links.iter().map(Codes::bytes).sum();
        let rows = self.len() * (8 + 8 + 1 + 2);
        let blocks = self.block_bounds.len() * size_of::<BlockBounds>();
        size_of::<Self>()
            + rows
            + blocks
            + links
            + self.lengths.bytes()
            + self.ack_times.bytes()
            + self.days.bytes()
            + self.index.bytes()
    }
}
