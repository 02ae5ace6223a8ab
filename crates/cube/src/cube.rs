//! The facts of a brand, and changes to them.

use std::sync::Arc;

use domain::Timestamp;

use crate::dictionary::{Dictionaries, Indexes, Link};
use crate::storage::{ChunkSource, Flags, PartBuilder, Row, Table};
use crate::{Error, IncursionFact, RuntimeFact, Snapshot, file};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The maximum number of rows in a chunk.
    pub chunk_rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { chunk_rows: 64 * 1_024 }
    }
}

/// The facts of one brand. Readers hold a [`Snapshot`], which later changes do not affect.
#[derive(Clone, Debug)]
pub struct Cube {
    dictionaries: Arc<Dictionaries>,
    indexes: Indexes,
    incursions: Table,
    runtime: Table,
    part_builder: PartBuilder,
}

impl Cube {
    /// Creates a cube without facts.
    pub fn new(settings: Settings) -> Self {
        Self {
            dictionaries: Arc::default(),
            indexes: Indexes::default(),
            incursions: Table::default(),
            runtime: Table::default(),
            part_builder: PartBuilder {
                chunk_rows: settings.chunk_rows.clamp(1, 64 * 1_024),
                next_part_number: 0,
            },
        }
    }

    /// Opens a cube from the outline of a saved snapshot and a source of its parts, which are read when they are first needed.
    pub fn open(outline: &[u8], source: &Arc<dyn ChunkSource>, settings: Settings) -> Result<Self, Error> {
        let outline = file::read_outline(outline, source)?;
        let [incursions, runtime] = outline.tables;
        let mut cube = Self::new(settings);
        cube.dictionaries = Arc::new(outline.dictionaries);
        cube.indexes = Indexes::clone(&outline.indexes);
        cube.incursions = incursions;
        cube.runtime = runtime;
        cube.part_builder.next_part_number = outline.next_part_number;
        Ok(cube)
    }

    /// Returns the current state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            dictionaries: Arc::clone(&self.dictionaries),
            incursions: self.incursions.clone(),
            runtime: self.runtime.clone(),
            next_part_number: self.part_builder.next_part_number,
        }
    }

    /// Inserts facts, or replaces those with the same start and id; the last one in a call wins. If an affected part cannot be read,
    /// nothing is changed.
    pub fn apply(&mut self, incursions: &[IncursionFact], runtime: &[RuntimeFact]) -> Result<(), Error> {
        let rows = incursions.iter().map(|fact| self.incursion_row(fact)).collect();
        let pieces = runtime.iter().map(|fact| self.runtime_row(fact)).collect();
        let mut next = (self.incursions.clone(), self.runtime.clone());
        next.0.apply(rows, &mut self.part_builder)?;
        next.1.apply(pieces, &mut self.part_builder)?;
        (self.incursions, self.runtime) = next;
        Ok(())
    }

    /// The same for facts that are mostly older than all that exist, **newest first**, as when a cube is built from the newest facts
    /// backwards.
    pub fn prepend(&mut self, incursions: &[IncursionFact], runtime: &[RuntimeFact]) -> Result<(), Error> {
        let rows = incursions.iter().rev().map(|fact| self.incursion_row(fact)).collect();
        let pieces = runtime.iter().rev().map(|fact| self.runtime_row(fact)).collect();
        let mut next = (self.incursions.clone(), self.runtime.clone());
        next.0.prepend(rows, &mut self.part_builder)?;
        next.1.prepend(pieces, &mut self.part_builder)?;
        (self.incursions, self.runtime) = next;
        Ok(())
    }

    /// Drops the incursions that started before a time.
    pub fn drop_incursions_before(&mut self, before: Timestamp) -> Result<(), Error> {
        self.incursions.drop_before(before.micros(), &mut self.part_builder)
    }

    /// Drops the runtime pieces that started before a time.
    pub fn drop_runtime_before(&mut self, before: Timestamp) -> Result<(), Error> {
        self.runtime.drop_before(before.micros(), &mut self.part_builder)
    }

    /// Returns the memory in use, in bytes, including the newest snapshot.
    pub fn bytes(&self) -> usize {
        self.snapshot().bytes() + self.indexes.bytes()
    }

    fn incursion_row(&mut self, fact: &IncursionFact) -> Row {
        let started_at = fact.started_at.micros();
        let since = |at: Option<Timestamp>| at.map(|at| at.micros().saturating_sub(started_at) / 1_000);
        let (length, waited) = (since(fact.ended_at), since(fact.acknowledged_at));
        let ids = [
            fact.project.map(|id| id.0),
            fact.worksite.map(|id| id.0),
            fact.machine.map(|id| id.0),
            Some(fact.base_station.0),
            fact.pedestrian.map(|id| id.0),
            fact.operator.map(|id| id.0),
            Some(fact.tag.0),
            fact.cell,
        ];
        Row {
            started_at,
            id: fact.id.0,
            length,
            ack_ms: waited,
            flags: Flags::new(fact.zone, fact.review, waited, length),
            codes: self.codes(ids),
            day: day(fact.local_day),
            minute: minute(fact.local_minute),
        }
    }

    fn runtime_row(&mut self, fact: &RuntimeFact) -> Row {
        let started_at = fact.started_at.micros();
        let ids = [
            fact.project.map(|id| id.0),
            fact.worksite.map(|id| id.0),
            fact.machine.map(|id| id.0),
            Some(fact.base_station.0),
            None,
            fact.operator.map(|id| id.0),
            None,
            None,
        ];
        let day = day(fact.local_day);
        // 1 January 1970 was a Thursday.
        let day_of_week = (day + 3).rem_euclid(7);
        Row {
            started_at,
            id: fact.id.0,
            length: Some(fact.ended_at.micros().saturating_sub(started_at).max(0)),
            ack_ms: None,
            flags: Flags(Flags::ENDED),
            codes: self.codes(ids),
            day,
            minute: minute(day_of_week * 1_440 + fact.local_hour.clamp(0, 23) * 60),
        }
    }

    fn codes(&mut self, ids: [Option<i64>; Link::COUNT]) -> [u32; Link::COUNT] {
        std::array::from_fn(|link| {
            self.indexes.get_or_insert(&mut self.dictionaries, Link::ALL[link], ids[link])
        })
    }
}

fn day(day: domain::Day) -> i64 {
    day.number().clamp(-Row::MAX_ABS_DAY, Row::MAX_ABS_DAY)
}

fn minute(minute: i64) -> u16 {
    u16::try_from(minute.clamp(0, i64::from(Row::MINUTES_PER_WEEK) - 1)).unwrap_or(0)
}
