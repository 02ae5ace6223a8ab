//! Assigns rows to groups. Groups are numbered from 0, so that their results are plain arrays.

use super::block::Block;
use super::budget::MemoryBudget;
use super::key_number::KeyNumber;
use super::key_space::KeySpace;
use super::keys::{DaySplit, KeyEncoder, RowKeys};
use crate::Error;
use crate::storage::{BLOCK_ROWS, Flags};

/// The groups of the rows of a block.
pub(super) type Ordinals<'a> = RowKeys<'a, u32>;

/// How groups are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupNumbering {
    /// By their number in the key space.
    Dense(usize),
    /// In order of appearance, hashed by 64-bit numbers.
    Hashed64,
    /// In order of appearance, hashed by 128-bit numbers.
    Hashed128,
}

/// A hash table from numbers to groups.
#[derive(Clone, Debug)]
pub(super) struct GroupTable<N> {
    /// A number and its group plus one, 0 for an empty slot.
    slots: Vec<(N, u32)>,
    pub numbers: Vec<N>,
}

impl<N: KeyNumber> GroupTable<N> {
    pub fn new() -> Self {
        Self { slots: vec![(N::default(), 0); 1_024], numbers: Vec::new() }
    }

    #[inline(always)]
    fn slot(&self, number: N) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = usize::try_from(number.hash() >> 20).unwrap_or(0) & mask;
        while self.slots[at].1 != 0 && self.slots[at].0 != number {
            at = (at + 1) & mask;
        }
        at
    }

    /// Returns the group of a number that is in the table.
    #[inline(always)]
    fn get(&self, number: N) -> u32 {
        self.slots[self.slot(number)].1.saturating_sub(1)
    }

    /// Returns the group of a number, and adds it if needed.
    #[inline(always)]
    pub fn get_or_insert(&mut self, number: N, budget: &MemoryBudget) -> Result<u32, Error> {
        let at = self.slot(number);
        if let Some(group) = self.slots[at].1.checked_sub(1) {
            return Ok(group);
        }
        self.insert(at, number, budget)
    }

    #[cold]
    fn insert(&mut self, mut at: usize, number: N, budget: &MemoryBudget) -> Result<u32, Error> {
        let group = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        if self.numbers.len() * 2 >= self.slots.len() {
            budget.reserve(self.slots.len() * (2 * size_of::<(N, u32)>() + size_of::<N>()))?;
            let larger = vec![(N::default(), 0); self.slots.len() * 4];
            let before = std::mem::replace(&mut self.slots, larger);
            for slot in before.into_iter().filter(|slot| slot.1 != 0) {
                let at = self.slot(slot.0);
                self.slots[at] = slot;
            }
            at = self.slot(number);
        }
        self.slots[at] = (number, group + 1);
        self.numbers.push(number);
        Ok(group)
    }
}

/// Finds the groups of rows.
#[derive(Debug)]
pub(super) enum Grouper<'a> {
    Dense(KeyEncoder<u32>),
    Hashed64(HashGrouper<'a, u64>),
    Hashed128(HashGrouper<'a, u128>),
}

/// Groups by hashing the numbers of rows.
#[derive(Debug)]
pub(super) struct HashGrouper<'a, N> {
    keys: KeyEncoder<N>,
    table: TableAccess<'a, N>,
    groups: Vec<u32>,
}

/// Whether groups may still be added.
#[derive(Debug)]
enum TableAccess<'a, N> {
    Building(GroupTable<N>),
    Existing(&'a GroupTable<N>),
}

impl<'a, N: KeyNumber> HashGrouper<'a, N> {
    fn new(space: &KeySpace, first_day: i64, met: TableAccess<'a, N>) -> Self {
        Self { keys: KeyEncoder::new(space, first_day), table: met, groups: vec![0; BLOCK_ROWS] }
    }

    fn group(&mut self, block: &Block<'_>, budget: &MemoryBudget) -> Result<(Ordinals<'_>, usize), Error> {
        let numbered = self.keys.encode(block);
        let ordinals = match (numbered, &mut self.table) {
            (RowKeys::Same(number), TableAccess::Building(met)) => {
                RowKeys::Same(met.get_or_insert(number, budget)?)
            }
            (RowKeys::Same(number), TableAccess::Existing(met)) => RowKeys::Same(met.get(number)),
            (RowKeys::Each(numbers), met) => {
                let groups = &mut self.groups[..numbers.len()];
                match met {
                    TableAccess::Building(met) => {
                        for (group, number) in groups.iter_mut().zip(numbers) {
                            *group = met.get_or_insert(*number, budget)?;
                        }
                    }
                    TableAccess::Existing(met) => {
                        groups.iter_mut().zip(numbers).for_each(|(group, number)| *group = met.get(*number));
                    }
                }
                RowKeys::Each(&*groups)
            }
        };
        let met = match &self.table {
            TableAccess::Building(met) => met.numbers.len(),
            TableAccess::Existing(met) => met.numbers.len(),
        };
        Ok((ordinals, met))
    }

    fn into_table(self) -> GroupTable<N> {
        match self.table {
            TableAccess::Building(met) => met,
            TableAccess::Existing(met) => met.clone(),
        }
    }
}

impl<'a> Grouper<'a> {
    pub fn new(space: &KeySpace, counting: GroupNumbering, first_day: i64) -> Self {
        match counting {
            GroupNumbering::Dense(_) => Self::Dense(KeyEncoder::new(space, first_day)),
            GroupNumbering::Hashed64 => {
                Self::Hashed64(HashGrouper::new(space, first_day, TableAccess::Building(GroupTable::new())))
            }
            GroupNumbering::Hashed128 => {
                Self::Hashed128(HashGrouper::new(space, first_day, TableAccess::Building(GroupTable::new())))
            }
        }
    }

    /// Creates a grouper for rows whose groups all exist already.
    pub fn for_existing_groups(space: &KeySpace, met: &'a GroupSet, first_day: i64) -> Self {
        match met {
            GroupSet::Dense(_) => Self::Dense(KeyEncoder::new(space, first_day)),
            GroupSet::Hashed64(met) => {
                Self::Hashed64(HashGrouper::new(space, first_day, TableAccess::Existing(met)))
            }
            GroupSet::Hashed128(met) => {
                Self::Hashed128(HashGrouper::new(space, first_day, TableAccess::Existing(met)))
            }
        }
    }

    /// Returns the groups of a block's rows, and the number of groups so far if that is counted.
    pub fn group(
        &mut self,
        block: &Block<'_>,
        budget: &MemoryBudget,
    ) -> Result<(Ordinals<'_>, usize), Error> {
        match self {
            Self::Dense(keys) => Ok((keys.encode(block), 0)),
            Self::Hashed64(hashed) => hashed.group(block, budget),
            Self::Hashed128(hashed) => hashed.group(block, budget),
        }
    }

    /// Returns the group of a day and flags, if groups are dense and depend on nothing else.
    pub fn group_of_day(&self, day: i64, flags: Flags) -> Option<u32> {
        match self {
            Self::Dense(keys) => Some(keys.key_of_day(day, flags)),
            Self::Hashed64(_) | Self::Hashed128(_) => None,
        }
    }

    /// Returns the group of a worksite's code and flags, if groups are dense and depend on nothing else.
    pub fn group_of_worksite(&self, code: u32, flags: Flags) -> Option<u32> {
        match self {
            Self::Dense(keys) => Some(keys.key_of_worksite(code, flags)),
            Self::Hashed64(_) | Self::Hashed128(_) => None,
        }
    }

    /// Splits a block by day, if its groups depend on nothing else.
    pub fn split_by_day<'b>(&self, block: &Block<'b>) -> Option<DaySplit<'b, u32>> {
        match self {
            Self::Dense(keys) => keys.split_by_day(block),
            Self::Hashed64(_) | Self::Hashed128(_) => None,
        }
    }

    /// Returns the groups that were found.
    pub fn into_groups(self, counting: GroupNumbering) -> GroupSet {
        match (self, counting) {
            (Self::Dense(_), GroupNumbering::Dense(size)) => GroupSet::Dense(size),
            (Self::Dense(_), _) => GroupSet::Dense(0),
            (Self::Hashed64(hashed), _) => GroupSet::Hashed64(hashed.into_table()),
            (Self::Hashed128(hashed), _) => GroupSet::Hashed128(hashed.into_table()),
        }
    }
}

/// The groups of a grouping.
#[derive(Clone, Debug)]
pub(super) enum GroupSet {
    /// As many as the key space has numbers, although most may have no rows.
    Dense(usize),
    Hashed64(GroupTable<u64>),
    Hashed128(GroupTable<u128>),
}

impl GroupSet {
    pub fn empty(counting: GroupNumbering) -> Self {
        match counting {
            GroupNumbering::Dense(size) => Self::Dense(size),
            GroupNumbering::Hashed64 => Self::Hashed64(GroupTable::new()),
            GroupNumbering::Hashed128 => Self::Hashed128(GroupTable::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Dense(size) => *size,
            Self::Hashed64(met) => met.numbers.len(),
            Self::Hashed128(met) => met.numbers.len(),
        }
    }

    /// Returns the number of a group in the key space.
    pub fn number(&self, group: usize) -> u128 {
        match self {
            Self::Dense(_) => group as u128,
            Self::Hashed64(met) => u128::from(met.numbers[group]),
            Self::Hashed128(met) => met.numbers[group],
        }
    }

    /// Returns the group of a number, and adds it if needed.
    pub fn get_or_insert(&mut self, number: u128, budget: &MemoryBudget) -> Result<usize, Error> {
        Ok(match self {
            Self::Dense(_) => usize::try_from(number).unwrap_or(usize::MAX),
            Self::Hashed64(met) => met.get_or_insert(u64::truncate_from(number), budget)? as usize,
            Self::Hashed128(met) => met.get_or_insert(number, budget)? as usize,
        })
    }
}
