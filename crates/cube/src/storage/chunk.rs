//! A chunk: the columns of up to some 64 Ki rows, in order of time. Nothing in it changes; a change is another chunk that
//! shares the columns it did not touch.

use arrow_buffer::ScalarBuffer;

use super::column::{Picking, changed, pick};
use super::shortcuts::Shortcuts;
use super::{Codes, Key, Lengths, Row};
use crate::dictionary::Link;

/// Rows that are looked at together, so that what is made of them stays in the nearest cache.
pub(crate) const BLOCK: usize = 4_096;

/// The columns of some rows.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub started_at: ScalarBuffer<i64>,
    pub ids: ScalarBuffer<i64>,
    pub lengths: Lengths,
    pub waits: Lengths,
    pub flags: ScalarBuffer<u8>,
    pub links: [Codes; Link::COUNT],
    /// The day that `days` count from.
    pub first_day: i64,
    pub days: Codes,
    pub minutes: ScalarBuffer<u16>,
    pub bounds: Vec<Bounds>,
    pub shortcuts: Shortcuts,
}

/// What is known of a block; it may have less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The least of its `days`.
    pub least_day: u32,
    /// The greatest of them.
    pub most_day: u32,
    /// The sum of its lengths.
    pub length: u64,
    /// The sum of its waits.
    pub wait: u64,
}

/// The distance of a day from a chunk's first one.
fn day_code(day: i64, first: i64) -> u32 {
    u32::try_from(day - first).unwrap_or(0)
}

fn bounds(days: &Codes, lengths: &Lengths, waits: &Lengths) -> Vec<Bounds> {
    let of = |from: usize| {
        let len = BLOCK.min(days.len() - from);
        let (least_day, most_day) = match days {
            Codes::Narrow(days) => extremes(days[from..from + len].iter().copied()),
            Codes::Wide(days) => extremes(days[from..from + len].iter().copied()),
        };
        Bounds { least_day, most_day, length: lengths.total(from, len), wait: waits.total(from, len) }
    };
    (0..days.len()).step_by(BLOCK).map(of).collect()
}

fn extremes<T: Ord + Copy + Into<u32>>(numbers: impl Iterator<Item = T> + Clone) -> (u32, u32) {
    let least = numbers.clone().min().map_or(0, Into::into);
    (least, numbers.max().map_or(0, Into::into))
}

impl Chunk {
    /// Columns of rows that are in order.
    pub fn from_rows(rows: &[Row]) -> Self {
        let first_day = rows.iter().map(|row| row.day).min().unwrap_or(0);
        let days = Codes::new(rows.iter().map(|row| day_code(row.day, first_day)));
        let lengths = Lengths::new(rows.iter().map(|row| row.length));
        let waits = Lengths::new(rows.iter().map(|row| row.waited));
        Self {
            started_at: rows.iter().map(|row| row.started_at).collect(),
            ids: rows.iter().map(|row| row.id).collect(),
            bounds: bounds(&days, &lengths, &waits),
            lengths,
            waits,
            flags: rows.iter().map(|row| row.flags.0).collect(),
            links: std::array::from_fn(|link| Codes::new(rows.iter().map(move |row| row.codes[link]))),
            first_day,
            days,
            minutes: rows.iter().map(|row| row.minute).collect(),
            shortcuts: Shortcuts::default(),
        }
    }

    /// Finds the bounds of blocks anew.
    pub fn bound(&mut self) {
        self.bounds = bounds(&self.days, &self.lengths, &self.waits);
    }

    pub fn len(&self) -> usize {
        self.started_at.len()
    }

    pub fn key(&self, at: usize) -> Key {
        (self.started_at[at], self.ids[at])
    }

    /// Where a row is, or where it would be.
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

    /// A chunk with some rows replaced by others of the same keys.
    pub fn replaced(&self, changes: &[(usize, Row)]) -> Self {
        let mut next = self.clone();
        let of = |value: fn(&Row) -> Option<i64>| changes.iter().map(move |(at, row)| (*at, value(row)));
        if let Some(lengths) = self.lengths.changed(of(|row| row.length)) {
            next.lengths = lengths;
        }
        if let Some(waits) = self.waits.changed(of(|row| row.waited)) {
            next.waits = waits;
        }
        if let Some(flags) = changed(&self.flags, changes.iter().map(|(at, row)| (*at, row.flags.0))) {
            next.flags = flags;
        }
        if let Some(minutes) = changed(&self.minutes, changes.iter().map(|(at, row)| (*at, row.minute))) {
            next.minutes = minutes;
        }
        for (place, column) in self.links.iter().enumerate() {
            let codes = changes.iter().map(|(at, row)| (*at, row.codes[place]));
            if let Some(column) = column.changed(codes) {
                next.links[place] = column;
            }
        }
        let first_day = changes.iter().map(|(_, row)| row.day).min().unwrap_or(self.first_day);
        if first_day < self.first_day {
            let by = day_code(self.first_day, first_day);
            next.days = Codes::new(self.days.iter().map(|day| day + by));
            for bounds in &mut next.bounds {
                bounds.least_day += by;
                bounds.most_day += by;
            }
            next.first_day = first_day;
        }
        let day = |row: &Row| day_code(row.day, next.first_day);
        if let Some(changed) = next.days.changed(changes.iter().map(|(at, row)| (*at, day(row)))) {
            next.days = changed;
        }
        for (at, row) in changes {
            let day = day_code(row.day, next.first_day);
            let bounds = &mut next.bounds[at / BLOCK];
            bounds.least_day = bounds.least_day.min(day);
            bounds.most_day = bounds.most_day.max(day);
            let length = |length: Option<i64>| length.unwrap_or(0).max(0).cast_unsigned();
            bounds.length = bounds.length.saturating_add(length(row.length));
            bounds.wait = bounds.wait.saturating_add(length(row.waited));
        }
        next.shortcuts = self.shortcuts.after(self, &next);
        next
    }

    /// The rows of two chunks that have none in common, in order.
    pub fn merged(&self, other: &Self) -> Self {
        let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        let is_after = self.len() == 0 || other.len() == 0 || self.key(self.len() - 1) < other.key(0);
        let order = if is_after {
            Picking::InTurn
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
            Picking::InOrder(order)
        };
        let first_day = self.first_day.min(other.first_day);
        let by = |chunk: &Self| day_code(chunk.first_day, first_day);
        let days = Codes::pick((&self.days, by(self)), (&other.days, by(other)), &order);
        let lengths = Lengths::pick(&self.lengths, &other.lengths, &order);
        let waits = Lengths::pick(&self.waits, &other.waits, &order);
        Self {
            started_at: pick(&self.started_at, &other.started_at, &order).into(),
            ids: pick(&self.ids, &other.ids, &order).into(),
            bounds: bounds(&days, &lengths, &waits),
            lengths,
            waits,
            flags: pick(&self.flags, &other.flags, &order).into(),
            links: std::array::from_fn(|link| {
                Codes::pick((&self.links[link], 0), (&other.links[link], 0), &order)
            }),
            first_day,
            days,
            minutes: pick(&self.minutes, &other.minutes, &order).into(),
            shortcuts: Shortcuts::default(),
        }
    }

    /// Some rows that follow each other.
    pub fn slice(&self, from: usize, len: usize) -> Self {
        let days = self.days.slice(from, len);
        let (lengths, waits) = (self.lengths.slice(from, len), self.waits.slice(from, len));
        Self {
            started_at: self.started_at.slice(from, len),
            ids: self.ids.slice(from, len),
            bounds: bounds(&days, &lengths, &waits),
            lengths,
            waits,
            flags: self.flags.slice(from, len),
            links: std::array::from_fn(|link| self.links[link].slice(from, len)),
            first_day: self.first_day,
            days,
            minutes: self.minutes.slice(from, len),
            shortcuts: Shortcuts::default(),
        }
    }

    pub fn bytes(&self) -> usize {
        let links: usize = self.links.iter().map(Codes::bytes).sum();
        let rows = self.len() * (8 + 8 + 1 + 2);
        let blocks = self.bounds.len() * size_of::<Bounds>();
        size_of::<Self>()
            + rows
            + blocks
            + links
            + self.lengths.bytes()
            + self.waits.bytes()
            + self.days.bytes()
            + self.shortcuts.bytes()
    }
}
