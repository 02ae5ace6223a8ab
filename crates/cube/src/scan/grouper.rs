//! Which group each row belongs to: groups are counted from 0, so that what is measured of them are plain arrays.

use super::block::Block;
use super::budget::Budget;
use super::keys::{Keys, Number, Numbered, Split};
use super::space::Space;
use crate::Error;
use crate::storage::{BLOCK, Flags};

/// The groups of the rows of a block.
pub(super) type Ordinals<'a> = Numbered<'a, u32>;

/// How groups are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// By their number in the space.
    Dense(usize),
    /// As they are met, told apart by numbers of 64 bits.
    Hashed64,
    /// The same, of 128 bits.
    Hashed128,
}

/// The groups that were met, by number.
#[derive(Clone, Debug)]
pub(super) struct Met<N> {
    /// The number and the group after this, 0 if there is none.
    slots: Vec<(N, u32)>,
    pub numbers: Vec<N>,
}

impl<N: Number> Met<N> {
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

    /// The group of a number that was met.
    #[inline(always)]
    fn find(&self, number: N) -> u32 {
        self.slots[self.slot(number)].1.saturating_sub(1)
    }

    /// The group of a number, which is met now if not before.
    #[inline(always)]
    pub fn meet(&mut self, number: N, budget: &Budget) -> Result<u32, Error> {
        let at = self.slot(number);
        if let Some(group) = self.slots[at].1.checked_sub(1) {
            return Ok(group);
        }
        self.add(at, number, budget)
    }

    #[cold]
    fn add(&mut self, mut at: usize, number: N, budget: &Budget) -> Result<u32, Error> {
        let group = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        if self.numbers.len() * 2 >= self.slots.len() {
            budget.take(self.slots.len() * (2 * size_of::<(N, u32)>() + size_of::<N>()))?;
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
    Dense(Keys<u32>),
    Hashed64(Hashed<'a, u64>),
    Hashed128(Hashed<'a, u128>),
}

/// Groups that are told apart by hashing their numbers.
#[derive(Debug)]
pub(super) struct Hashed<'a, N> {
    keys: Keys<N>,
    met: Meeting<'a, N>,
    groups: Vec<u32>,
}

/// Whether groups are still to be met.
#[derive(Debug)]
enum Meeting<'a, N> {
    Now(Met<N>),
    Before(&'a Met<N>),
}

impl<'a, N: Number> Hashed<'a, N> {
    fn new(space: &Space, first_day: i64, met: Meeting<'a, N>) -> Self {
        Self { keys: Keys::new(space, first_day), met, groups: vec![0; BLOCK] }
    }

    fn group(&mut self, block: &Block<'_>, budget: &Budget) -> Result<(Ordinals<'_>, usize), Error> {
        let numbered = self.keys.number(block);
        let ordinals = match (numbered, &mut self.met) {
            (Numbered::Same(number), Meeting::Now(met)) => Numbered::Same(met.meet(number, budget)?),
            (Numbered::Same(number), Meeting::Before(met)) => Numbered::Same(met.find(number)),
            (Numbered::Each(numbers), met) => {
                let groups = &mut self.groups[..numbers.len()];
                match met {
                    Meeting::Now(met) => {
                        for (group, number) in groups.iter_mut().zip(numbers) {
                            *group = met.meet(*number, budget)?;
                        }
                    }
                    Meeting::Before(met) => {
                        groups.iter_mut().zip(numbers).for_each(|(group, number)| *group = met.find(*number));
                    }
                }
                Numbered::Each(&*groups)
            }
        };
        let met = match &self.met {
            Meeting::Now(met) => met.numbers.len(),
            Meeting::Before(met) => met.numbers.len(),
        };
        Ok((ordinals, met))
    }

    fn into_met(self) -> Met<N> {
        match self.met {
            Meeting::Now(met) => met,
            Meeting::Before(met) => met.clone(),
        }
    }
}

impl<'a> Grouper<'a> {
    pub fn new(space: &Space, counting: Counting, first_day: i64) -> Self {
        match counting {
            Counting::Dense(_) => Self::Dense(Keys::new(space, first_day)),
            Counting::Hashed64 => Self::Hashed64(Hashed::new(space, first_day, Meeting::Now(Met::new()))),
            Counting::Hashed128 => Self::Hashed128(Hashed::new(space, first_day, Meeting::Now(Met::new()))),
        }
    }

    /// One for rows whose groups have all been met.
    pub fn again(space: &Space, met: &'a Groups, first_day: i64) -> Self {
        match met {
            Groups::Dense(_) => Self::Dense(Keys::new(space, first_day)),
            Groups::Hashed64(met) => Self::Hashed64(Hashed::new(space, first_day, Meeting::Before(met))),
            Groups::Hashed128(met) => Self::Hashed128(Hashed::new(space, first_day, Meeting::Before(met))),
        }
    }

    /// The groups of a block's rows, and how many groups were met so far, if that is counted.
    pub fn group(&mut self, block: &Block<'_>, budget: &Budget) -> Result<(Ordinals<'_>, usize), Error> {
        match self {
            Self::Dense(keys) => Ok((keys.number(block), 0)),
            Self::Hashed64(hashed) => hashed.group(block, budget),
            Self::Hashed128(hashed) => hashed.group(block, budget),
        }
    }

    /// The group of a day and some flags, if groups are dense and nothing else tells them apart.
    pub fn of(&self, day: i64, flags: Flags) -> Option<u32> {
        match self {
            Self::Dense(keys) => Some(keys.of(day, flags)),
            Self::Hashed64(_) | Self::Hashed128(_) => None,
        }
    }

    /// The days of a block, if they alone are its groups.
    pub fn split<'b>(&self, block: &Block<'b>) -> Option<Split<'b, u32>> {
        match self {
            Self::Dense(keys) => keys.split(block),
            Self::Hashed64(_) | Self::Hashed128(_) => None,
        }
    }

    /// The groups that it has met.
    pub fn into_groups(self, counting: Counting) -> Groups {
        match (self, counting) {
            (Self::Dense(_), Counting::Dense(size)) => Groups::Dense(size),
            (Self::Dense(_), _) => Groups::Dense(0),
            (Self::Hashed64(hashed), _) => Groups::Hashed64(hashed.into_met()),
            (Self::Hashed128(hashed), _) => Groups::Hashed128(hashed.into_met()),
        }
    }
}

/// The groups there are.
#[derive(Clone, Debug)]
pub(super) enum Groups {
    /// As many as the space has numbers, though most may have no rows.
    Dense(usize),
    Hashed64(Met<u64>),
    Hashed128(Met<u128>),
}

impl Groups {
    pub fn none(counting: Counting) -> Self {
        match counting {
            Counting::Dense(size) => Self::Dense(size),
            Counting::Hashed64 => Self::Hashed64(Met::new()),
            Counting::Hashed128 => Self::Hashed128(Met::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Dense(size) => *size,
            Self::Hashed64(met) => met.numbers.len(),
            Self::Hashed128(met) => met.numbers.len(),
        }
    }

    /// The number of a group in the space.
    pub fn number(&self, group: usize) -> u128 {
        match self {
            Self::Dense(_) => group as u128,
            Self::Hashed64(met) => u128::from(met.numbers[group]),
            Self::Hashed128(met) => met.numbers[group],
        }
    }

    /// The group of a number, which is met now if not before.
    pub fn meet(&mut self, number: u128, budget: &Budget) -> Result<usize, Error> {
        Ok(match self {
            Self::Dense(_) => usize::try_from(number).unwrap_or(usize::MAX),
            Self::Hashed64(met) => met.meet(u64::cut(number), budget)? as usize,
            Self::Hashed128(met) => met.meet(number, budget)? as usize,
        })
    }
}
