//! Indexes of a chunk: aggregates and posting lists. They are built when a chunk is used a second time, because they would not pay off for
//! a chunk that changes before, as the newest does all the time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::values::Values;
use super::{Codes, Flags, Lengths};
use crate::dictionary::Link;

/// The links that have posting lists.
const INDEXED_LINKS: [Link; 4] = [Link::Worksite, Link::Machine, Link::Pedestrian, Link::Operator];

/// How many times fewer the aggregates must be than the rows.
const MIN_REDUCTION: usize = 8;

/// The indexes of a chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkIndex {
    daily_aggregates: BuiltOnSecondUse<Vec<Aggregate>>,
    worksite_aggregates: BuiltOnSecondUse<Vec<Aggregate>>,
    posting_lists: [BuiltOnSecondUse<PostingLists>; INDEXED_LINKS.len()],
}

/// The columns of a chunk from which the indexes are built.
#[derive(Clone, Copy)]
pub(super) struct IndexedColumns<'a> {
    pub days: &'a Codes,
    pub flags: &'a Values<u8>,
    pub lengths: &'a Lengths,
    pub ack_times: &'a Lengths,
    pub links: &'a [Codes; Link::COUNT],
}

impl<'a> IndexedColumns<'a> {
    fn worksites(&self) -> &'a Codes {
        &self.links[Link::Worksite as usize]
    }
}

/// A value that is built when it is requested for the second time; `None` if it cannot be built.
#[derive(Debug)]
struct BuiltOnSecondUse<T> {
    was_requested: AtomicBool,
    value: OnceLock<Option<Arc<T>>>,
}

impl<T> Default for BuiltOnSecondUse<T> {
    fn default() -> Self {
        Self { was_requested: AtomicBool::new(false), value: OnceLock::new() }
    }
}

impl<T> Clone for BuiltOnSecondUse<T> {
    fn clone(&self) -> Self {
        let is_asked = AtomicBool::new(self.was_requested.load(Ordering::Relaxed));
        Self { was_requested: is_asked, value: self.value.clone() }
    }
}

impl<T> BuiltOnSecondUse<T> {
    fn get(&self, find: impl FnOnce() -> Option<T>) -> Option<&T> {
        if let Some(found) = self.value.get() {
            return found.as_deref();
        }
        if !self.was_requested.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.value.get_or_init(|| find().map(Arc::new)).as_deref()
    }

    fn built(&self) -> Option<&T> {
        self.value.get().and_then(Option::as_deref)
    }
}

/// The aggregate of the rows of one day, or of one worksite, with the same flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aggregate {
    /// The day, relative to the first day of the chunk, or the code of the worksite.
    pub code: u32,
    pub flags: Flags,
    pub rows: u32,
    /// Of the rows with a duration.
    pub length_sum: u64,
    /// Of the acknowledged rows.
    pub ack_time_sum: u64,
}

/// The rows of a chunk ordered by code, then by time.
#[derive(Debug)]
pub(crate) struct PostingLists {
    rows: Vec<u16>,
    /// The first row of each code that occurs, and the end of the last.
    starts: Vec<(u16, u32)>,
}

impl PostingLists {
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
        for (row, code) in (0..=last).zip(codes.iter()) {
            let place = &mut next[usize::from(*code)];
            rows[*place as usize] = row;
            *place += 1;
        }
        Some(Self { rows, starts: begins })
    }

    /// Returns the rows with a code, in ascending order.
    pub fn rows(&self, code: u32) -> &[u16] {
        let find = |code: u16| self.starts.binary_search_by_key(&code, |(own, _)| *own).ok();
        let Some(at) = u16::try_from(code).ok().and_then(find) else { return &[] };
        let end = self.starts.get(at + 1).map_or(self.rows.len(), |(_, begin)| *begin as usize);
        &self.rows[self.starts[at].1 as usize..end]
    }

    fn bytes(&self) -> usize {
        self.rows.len() * 2 + self.starts.len() * size_of::<(u16, u32)>()
    }
}

impl ChunkIndex {
    /// Returns the daily aggregates, if they are built and much fewer than the rows.
    pub(super) fn daily_aggregates(&self, columns: IndexedColumns<'_>) -> Option<&[Aggregate]> {
        self.daily_aggregates.get(|| build_aggregates(columns.days, columns)).map(Vec::as_slice)
    }

    /// Returns the aggregates by worksite, if they are built and much fewer than the rows.
    pub(super) fn worksite_aggregates(&self, columns: IndexedColumns<'_>) -> Option<&[Aggregate]> {
        let worksites = columns.worksites();
        self.worksite_aggregates.get(|| build_aggregates(worksites, columns)).map(Vec::as_slice)
    }

    /// Returns the posting lists of a link, if they are built.
    pub(super) fn posting_lists(&self, link: Link, codes: &Codes) -> Option<&PostingLists> {
        let place = INDEXED_LINKS.iter().position(|own| *own == link)?;
        self.posting_lists[place].get(|| PostingLists::new(codes))
    }

    /// Returns the indexes that remain valid after some columns have changed.
    pub(super) fn carry_over(&self, before: IndexedColumns<'_>, after: IndexedColumns<'_>) -> Self {
        let are_sums_same = before.flags.ptr_eq(after.flags)
            && before.lengths.ptr_eq(after.lengths)
            && before.ack_times.ptr_eq(after.ack_times);
        let aggregates = |own: &BuiltOnSecondUse<Vec<Aggregate>>, is_same: bool| {
            if is_same { own.clone() } else { BuiltOnSecondUse::default() }
        };
        let order = |place: usize| {
            let link = INDEXED_LINKS[place] as usize;
            let is_same = before.links[link].ptr_eq(&after.links[link]);
            if is_same { self.posting_lists[place].clone() } else { BuiltOnSecondUse::default() }
        };
        Self {
            daily_aggregates: aggregates(
                &self.daily_aggregates,
                are_sums_same && before.days.ptr_eq(after.days),
            ),
            worksite_aggregates: aggregates(
                &self.worksite_aggregates,
                are_sums_same && before.worksites().ptr_eq(after.worksites()),
            ),
            posting_lists: std::array::from_fn(order),
        }
    }

    pub fn bytes(&self) -> usize {
        let built = [&self.daily_aggregates, &self.worksite_aggregates].into_iter();
        let sums = built.filter_map(BuiltOnSecondUse::built).map(|sums| sums.len() * size_of::<Aggregate>());
        let orders = self.posting_lists.iter().filter_map(BuiltOnSecondUse::built).map(PostingLists::bytes);
        sums.sum::<usize>() + orders.sum::<usize>()
    }
}

/// Aggregates the rows by one column of codes and by flags; `None` if that gives too many aggregates.
fn build_aggregates(codes: &Codes, columns: IndexedColumns<'_>) -> Option<Vec<Aggregate>> {
    let (Codes::Narrow(codes), Lengths::Narrow(lengths), Lengths::Narrow(waits)) =
        (codes, columns.lengths, columns.ack_times)
    else {
        return None;
    };
    let (min, max) = (*codes.iter().min()?, *codes.iter().max()?);
    let limit = codes.len() / MIN_REDUCTION;
    // The number of each combination of a code and flags, from 1; 0 if it has not occurred yet.
    let mut numbers = vec![0_u32; (usize::from(max - min) + 1) * Flags::COUNT];
    let mut sums: Vec<Aggregate> = Vec::new();
    let own = |length: u32| if length == Lengths::NARROW_NONE { 0 } else { u64::from(length) };
    let rows = codes.iter().zip(columns.flags.iter()).zip(lengths.iter().zip(waits.iter()));
    for ((code, flags), (length, wait)) in rows {
        let at = usize::from(code - min) * Flags::COUNT + usize::from(*flags) % Flags::COUNT;
        let number = &mut numbers[at];
        if *number == 0 {
            if sums.len() >= limit {
                return None;
            }
            sums.push(Aggregate { code: u32::from(*code), flags: Flags(*flags), ..Aggregate::default() });
            *number = u32::try_from(sums.len()).unwrap_or(u32::MAX);
        }
        let sum = &mut sums[*number as usize - 1];
        sum.rows += 1;
        sum.length_sum += own(*length);
        sum.ack_time_sum += own(*wait);
    }
    sums.shrink_to_fit();
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_codes() {
        let codes = Codes::new([7, 300, 7, 0, 300, 7].into_iter());
        let order = PostingLists::new(&codes).unwrap();
        assert_eq!(order.rows(7), [0, 2, 5]);
        assert_eq!(order.rows(300), [1, 4]);
        assert_eq!(order.rows(0), [3]);
        assert_eq!(order.rows(8), [0; 0]);
        assert_eq!(order.rows(70_000), [0; 0]);
        assert!(PostingLists::new(&Codes::new([70_000].into_iter())).is_none());
        assert!(PostingLists::new(&Codes::new(std::iter::empty())).is_none());
    }

    #[test]
    fn something_is_found_when_it_is_asked_for_again() {
        let found = BuiltOnSecondUse::default();
        assert_eq!(found.get(|| Some(1)), None);
        assert_eq!(found.clone().get(|| Some(2)), Some(&2));
        assert_eq!(found.get(|| Some(3)), Some(&3));
        assert_eq!(found.get(|| Some(4)), Some(&3));
    }
}
