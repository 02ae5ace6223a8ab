//! Shorter ways to an answer than going through the rows of a chunk. They are found when a chunk is asked for a second time: one
//! that changes before that, as the newest does all the time, would not be worth it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::{Chunk, Codes, Flags, Lengths};
use crate::dictionary::Link;

/// The links whose rows can be found without looking at others.
const ORDERED: [Link; 4] = [Link::Worksite, Link::Machine, Link::Pedestrian, Link::Operator];

/// Sums must be fewer than the rows by this.
const LEAST_GAIN: usize = 8;

/// What was found of a chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shortcuts {
    sums: Found<Vec<DaySum>>,
    orders: [Found<Order>; ORDERED.len()],
}

/// Something that is found when it is asked for again; nothing if there is no such thing.
#[derive(Debug)]
struct Found<T> {
    is_asked: AtomicBool,
    found: OnceLock<Option<Arc<T>>>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { is_asked: AtomicBool::new(false), found: OnceLock::new() }
    }
}

impl<T> Clone for Found<T> {
    fn clone(&self) -> Self {
        let is_asked = AtomicBool::new(self.is_asked.load(Ordering::Relaxed));
        Self { is_asked, found: self.found.clone() }
    }
}

impl<T> Found<T> {
    fn get(&self, find: impl FnOnce() -> Option<T>) -> Option<&T> {
        if let Some(found) = self.found.get() {
            return found.as_deref();
        }
        if !self.is_asked.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.found.get_or_init(|| find().map(Arc::new)).as_deref()
    }

    fn known(&self) -> Option<&T> {
        self.found.get().and_then(Option::as_deref)
    }
}

/// What the rows of one day with the same flags come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DaySum {
    /// From the chunk's first day.
    pub day: u32,
    pub flags: Flags,
    pub rows: u32,
    /// Of those that have one.
    pub length: u64,
    /// The same.
    pub wait: u64,
}

/// The rows of a chunk in the order of their codes, those with the same in order of time.
#[derive(Debug)]
pub(crate) struct Order {
    rows: Vec<u16>,
    /// Where the rows of each code begin that is there, and where all end.
    begins: Vec<(u16, u32)>,
}

impl Order {
    fn new(codes: &Codes) -> Option<Self> {
        let Codes::Narrow(codes) = codes else { return None };
        let last = u16::try_from(codes.len().checked_sub(1)?).ok()?;
        let mut next = vec![0_u32; usize::from(*codes.iter().max()?) + 1];
        codes.iter().for_each(|code| next[usize::from(*code)] += 1);
        let (mut begins, mut begin) = (Vec::new(), 0);
        for (code, next) in (0..).zip(&mut next) {
            let count = std::mem::replace(next, begin);
            if count > 0 {
                begins.push((code, begin));
            }
            begin += count;
        }
        begins.shrink_to_fit();
        let mut rows = vec![0; codes.len()];
        for (row, code) in (0..=last).zip(codes) {
            let place = &mut next[usize::from(*code)];
            rows[*place as usize] = row;
            *place += 1;
        }
        Some(Self { rows, begins })
    }

    /// The rows with a code, rising.
    pub fn rows(&self, code: u32) -> &[u16] {
        let find = |code: u16| self.begins.binary_search_by_key(&code, |(own, _)| *own).ok();
        let Some(at) = u16::try_from(code).ok().and_then(find) else { return &[] };
        let end = self.begins.get(at + 1).map_or(self.rows.len(), |(_, begin)| *begin as usize);
        &self.rows[self.begins[at].1 as usize..end]
    }

    fn bytes(&self) -> usize {
        self.rows.len() * 2 + self.begins.len() * size_of::<(u16, u32)>()
    }
}

impl Chunk {
    /// What the rows of its days come to, if that is known and much less than the rows.
    pub fn day_sums(&self) -> Option<&[DaySum]> {
        self.shortcuts.sums.get(|| day_sums(self)).map(Vec::as_slice)
    }

    /// Its rows in the order of a link's codes, if that is known.
    pub fn order(&self, link: Link) -> Option<&Order> {
        let place = ORDERED.iter().position(|own| *own == link)?;
        self.shortcuts.orders[place].get(|| Order::new(self.column(link)))
    }
}

impl Shortcuts {
    /// Those that still lead there after some columns have changed.
    pub fn after(&self, before: &Chunk, after: &Chunk) -> Self {
        let is_same = before.flags.ptr_eq(&after.flags)
            && before.days.is_same(&after.days)
            && before.lengths.is_same(&after.lengths)
            && before.waits.is_same(&after.waits);
        let order = |place: usize| {
            let link = ORDERED[place];
            let is_same = before.column(link).is_same(after.column(link));
            if is_same { self.orders[place].clone() } else { Found::default() }
        };
        Self {
            sums: if is_same { self.sums.clone() } else { Found::default() },
            orders: std::array::from_fn(order),
        }
    }

    pub fn bytes(&self) -> usize {
        let sums = self.sums.known().map_or(0, |sums| sums.len() * size_of::<DaySum>());
        let orders = self.orders.iter().filter_map(Found::known).map(Order::bytes);
        sums + orders.sum::<usize>()
    }
}

fn day_sums(chunk: &Chunk) -> Option<Vec<DaySum>> {
    let (Codes::Narrow(days), Lengths::Narrow(lengths), Lengths::Narrow(waits)) =
        (&chunk.days, &chunk.lengths, &chunk.waits)
    else {
        return None;
    };
    let (least, most) = (*days.iter().min()?, *days.iter().max()?);
    let mut sums = vec![DaySum::default(); (usize::from(most - least) + 1) * Flags::COUNT];
    let own = |length: u32| if length == Lengths::NARROW_NONE { 0 } else { u64::from(length) };
    let columns = days.iter().zip(&chunk.flags).zip(lengths.iter().zip(waits));
    for ((day, flags), (length, wait)) in columns {
        let at = usize::from(day - least) * Flags::COUNT + usize::from(*flags) % Flags::COUNT;
        let sum = &mut sums[at];
        (sum.day, sum.flags) = (u32::from(*day), Flags(*flags));
        sum.rows += 1;
        sum.length += own(*length);
        sum.wait += own(*wait);
    }
    sums.retain(|sum| sum.rows > 0);
    sums.shrink_to_fit();
    (sums.len() * LEAST_GAIN <= chunk.len()).then_some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_codes() {
        let codes = Codes::new([7, 300, 7, 0, 300, 7].into_iter());
        let order = Order::new(&codes).unwrap();
        assert_eq!(order.rows(7), [0, 2, 5]);
        assert_eq!(order.rows(300), [1, 4]);
        assert_eq!(order.rows(0), [3]);
        assert_eq!(order.rows(8), [0; 0]);
        assert_eq!(order.rows(70_000), [0; 0]);
        assert!(Order::new(&Codes::new([70_000].into_iter())).is_none());
        assert!(Order::new(&Codes::new(std::iter::empty())).is_none());
    }

    #[test]
    fn something_is_found_when_it_is_asked_for_again() {
        let found = Found::default();
        assert_eq!(found.get(|| Some(1)), None);
        assert_eq!(found.clone().get(|| Some(2)), Some(&2));
        assert_eq!(found.get(|| Some(3)), Some(&3));
        assert_eq!(found.get(|| Some(4)), Some(&3));
    }
}
