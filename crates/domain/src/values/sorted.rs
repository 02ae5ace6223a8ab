//! Sorts, maps and sets of few instructions, for what is sorted or built once and then read.
//!
//! The sorts and ordered maps of the standard library are written for speed: each is compiled again for each type of entry, at a price of some
//! thousand instructions. Here one sort of positions serves all types, and a type adds only the moves of its entries. What grows or shrinks
//! while it is read stays a `BTreeMap`; nothing here can be inserted into.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::mem;
use std::ops::Deref;
use std::slice;
use std::vec;

use serde::{Serialize, Serializer};

/// Sorts like `slice::sort`.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts like `slice::sort_by`: equal items keep their order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    for (one, other) in swaps_to_sort(items.len(), &mut |left, right| compare(&items[left], &items[right])) {
        items.swap(one, other);
    }
}

/// Sorts like `slice::sort_by_key`: items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |left, right| key(left).cmp(&key(right)));
}

/// Returns the swaps, to be made one after the other, that bring so many items into their order.
fn swaps_to_sort(
    count: usize,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let mut swaps = Vec::new();
    // Rows of the database come in order, mostly.
    if (1..count).any(|at| compare(at - 1, at).is_gt()) {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by(|left, right| compare(*left, *right).then(left.cmp(right)));
        for start in 0..count {
            let mut at = start;
            loop {
                let from = mem::replace(&mut order[at], at);
                if from == start {
                    break;
                }
                swaps.push((at, from));
                at = from;
            }
        }
    }
    swaps.into_iter()
}

/// A map that is built at once and then searched, in the order of its keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Builds a map of which each value is what `merge` makes of all values of its key: it adds the second, which comes later, to the first.
    pub fn merged(entries: impl IntoIterator<Item = (K, V)>, mut merge: impl FnMut(&mut V, &mut V)) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        sort_by(&mut entries, |left, right| left.0.cmp(&right.0));
        entries.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                merge(&mut kept.1, &mut later.1);
            }
            is_same
        });
        Self(entries)
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.position(key).map(|at| &self.0[at].1)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.position(key).map(|at| &mut self.0[at].1)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.position(key).is_some()
    }

    /// Returns the entries from one key to another, which is included.
    pub fn within(&self, first: &K, last: &K) -> impl Iterator<Item = (&K, &V)> {
        let start = self.0.partition_point(|(key, _)| key < first);
        let entries = self.0[start..].iter().take_while(move |(key, _)| key <= last);
        entries.map(|(key, value)| (key, value))
    }

    fn position<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(known, _)| known.borrow().cmp(key)).ok()
    }
}

impl<K: Ord, V> SortedMap<K, Vec<V>> {
    /// Builds a map with all values of each key, in the order in which they come.
    pub fn grouped(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        sort_by(&mut entries, |left, right| left.0.cmp(&right.0));
        let mut groups: Vec<(K, Vec<V>)> = Vec::new();
        for (key, value) in entries {
            match groups.last_mut() {
                Some((known, values)) if *known == key => values.push(value),
                _ => groups.push((key, vec![value])),
            }
        }
        Self(groups)
    }
}

impl<K, V> SortedMap<K, V> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator + Clone {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.0.into_iter().map(|(_, value)| value)
    }
}

/// Of several values of a key, the last stays.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self::merged(entries, mem::swap)
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A set that is built at once and then searched, in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> SortedSet<T> {
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.binary_search_by(|known| known.borrow().cmp(value)).is_ok()
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut values: Vec<T> = values.into_iter().collect();
        sort(&mut values);
        values.dedup();
        Self(values)
    }
}

impl<T> Deref for SortedSet<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<SortedSet<T>> for Vec<T> {
    fn from(set: SortedSet<T>) -> Self {
        set.0
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::TagId;

    /// Pairs of few keys in no order, each with its position.
    fn scattered(count: i64, keys: i64) -> Vec<(i64, i64)> {
        (0..count).map(|at| (at * 7_919 % 104_729 % keys, at)).collect()
    }

    #[test]
    fn maps_and_sets_are_those_of_the_standard_library() {
        for (count, keys) in [(0, 1), (1, 1), (2, 1), (50, 7), (1_000, 300), (1_000, 1_000_000)] {
            let pairs = scattered(count, keys);
            let expected: BTreeMap<i64, i64> = pairs.iter().copied().collect();
            let map: SortedMap<i64, i64> = pairs.iter().copied().collect();
            assert!(map.iter().eq(expected.iter()));
            assert!(map.clone().into_iter().eq(expected.clone()));
            assert!(map.keys().eq(expected.keys()) && map.values().eq(expected.values()));
            assert!((-1..=keys.min(2_000)).all(|key| map.get(&key) == expected.get(&key)));
            assert_eq!((map.len(), map.is_empty()), (expected.len(), expected.is_empty()));
            assert!(map.within(&3, &40).eq(expected.range(3..=40)));

            let expected: BTreeSet<i64> = pairs.iter().map(|(key, _)| *key).collect();
            let set: SortedSet<i64> = pairs.iter().map(|(key, _)| *key).collect();
            assert!(set.iter().eq(&expected));
            assert!((-1..=keys.min(2_000)).all(|key| set.contains(&key) == expected.contains(&key)));

            let mut expected: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
            for (key, value) in &pairs {
                expected.entry(*key).or_default().push(*value);
            }
            assert!(SortedMap::grouped(pairs).into_iter().eq(expected));
        }
    }

    #[test]
    fn equal_items_keep_their_order() {
        let (mut ours, mut theirs) = (scattered(2_000, 40), scattered(2_000, 40));
        sort_by(&mut ours, |left, right| left.0.cmp(&right.0));
        theirs.sort_by_key(|pair| pair.0);
        assert_eq!(ours, theirs);
        sort_by_key(&mut ours, |pair| pair.1 % 10);
        theirs.sort_by_key(|pair| pair.1 % 10);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn two_hundred_thousand_tags_take_few_steps_in_any_order() {
        const COUNT: usize = 200_000;
        let ids = 0..i64::try_from(COUNT).unwrap();
        let orders: [Vec<i64>; 4] = [
            ids.clone().collect(),
            ids.clone().rev().collect(),
            ids.clone().map(|id| id * 7_919 % 200_003).collect(),
            ids.clone().map(|id| id % 2).collect(),
        ];
        for mut tags in orders.map(|ids| ids.into_iter().map(TagId).collect::<Vec<_>>()) {
            let comparisons = Cell::new(0_usize);
            let swaps = swaps_to_sort(COUNT, &mut |left, right| {
                comparisons.set(comparisons.get() + 1);
                tags[left].cmp(&tags[right])
            });
            // The logarithm of their number is 17.6; a quadratic sort would compare a hundred thousand times as often.
            let steps = comparisons.get();
            assert!(steps < COUNT * 2 * 18, "{steps} comparisons");
            let mut moves = 0;
            for (one, other) in swaps {
                moves += 1;
                tags.swap(one, other);
            }
            assert!(moves < COUNT, "{moves} moves");
            assert!(tags.is_sorted());
        }
    }
}
