//! The windows of time in which the facts of a brand are read, from the newest backwards.
//!
//! How many facts a window has is only known once it has been read. The first page of a kind has no beginning, so that a small brand is one
//! page. It shows how dense facts are, from which the next windows are cut, and each of them corrects that.

use domain::Timestamp;
use store::{FactWindow, OldestFacts};

use super::reach::{BEGINNING, END, FactKey, Reach};

/// The number of facts that a window should have: a little less than a chunk of the columns.
pub(super) const WINDOW_FACTS: usize = 60_000;
/// A page has at most this many times as many facts. The rest of the window follows.
const MAX_PAGE_WINDOWS: usize = 2;
/// A window is at most this many times as wide as the last one, and at least that fraction of it.
const MAX_CHANGE: i64 = 4;
/// The narrowest window, in microseconds.
const MIN_WIDTH: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactKind {
    Incursions,
    Runtime,
}

/// A window of the facts of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KindWindow {
    pub kind: FactKind,
    pub window: FactWindow,
}

/// The number of facts of a page, and its first and its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageContent {
    pub facts: usize,
    /// None if there are no facts.
    pub bounds: Option<(FactKey, FactKey)>,
}

/// What a page of a window means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageOutcome {
    /// Everything from here on has been read.
    pub reach: FactKey,
    /// The rest of the window, if it has more facts than a page.
    pub rest: Option<KindWindow>,
}

/// The windows that are still to be read.
#[derive(Debug)]
pub(super) struct Windows {
    incursions: KindWindows,
    runtime: KindWindows,
}

#[derive(Debug)]
struct KindWindows {
    kind: FactKind,
    window_facts: usize,
    /// The start of the first fact.
    oldest: i64,
    /// Where the next window ends; none after the last one.
    next_before: Option<FactKey>,
    /// The width of the next window; none until the first page has been read.
    width: Option<i64>,
    has_begun: bool,
}

impl Windows {
    /// Begins with the newest facts; a window should have this many.
    pub fn new(oldest: OldestFacts, window_facts: usize) -> Self {
        Self {
            incursions: KindWindows::new(FactKind::Incursions, oldest.incursion, window_facts),
            runtime: KindWindows::new(FactKind::Runtime, oldest.runtime, window_facts),
        }
    }

    /// Returns how far columns reach before anything has been read: everywhere, where there is nothing.
    pub fn first_reach(&self) -> Reach {
        let of = |kind: &KindWindows| if kind.next_before.is_none() { BEGINNING } else { END };
        Reach { incursions: of(&self.incursions), runtime: of(&self.runtime) }
    }

    /// Returns the next window that can be read: of the kind that has not come as far back. None if there is none now, because the last
    /// have been returned, or because a page that is being read decides on it.
    pub fn next(&mut self) -> Option<KindWindow> {
        if self.incursions.known_next() >= self.runtime.known_next() {
            self.incursions.next()
        } else {
            self.runtime.next()
        }
    }

    /// Takes note of a page of a window.
    pub fn note_page(&mut self, of: KindWindow, page: PageContent) -> PageOutcome {
        match of.kind {
            FactKind::Incursions => self.incursions.note_page(of.window, page),
            FactKind::Runtime => self.runtime.note_page(of.window, page),
        }
    }
}

impl KindWindows {
    fn new(kind: FactKind, oldest: Option<Timestamp>, window_facts: usize) -> Self {
        Self {
            kind,
            window_facts,
            oldest: oldest.map_or(i64::MAX, Timestamp::micros),
            next_before: oldest.map(|_| END),
            width: None,
            has_begun: false,
        }
    }

    /// Returns the end of the next window, if it is known where it begins: it is the first, or the first page has been read.
    fn known_next(&self) -> Option<FactKey> {
        self.next_before.filter(|_| !self.has_begun || self.width.is_some())
    }

    fn next(&mut self) -> Option<KindWindow> {
        let before = self.known_next()?;
        let Some(width) = self.width else {
            self.has_begun = true;
            return Some(self.window(None, before, self.window_facts));
        };
        let from = before.0.saturating_sub(width).max(self.oldest);
        self.next_before = (from > self.oldest).then_some((from, i64::MIN));
        Some(self.window(Some(from), before, self.window_facts * MAX_PAGE_WINDOWS))
    }

    fn window(&self, from: Option<i64>, before: FactKey, limit: usize) -> KindWindow {
        let before = (Timestamp::from_micros(before.0), before.1);
        let window = FactWindow { from: from.map(Timestamp::from_micros), before, limit };
        KindWindow { kind: self.kind, window }
    }

    fn note_page(&mut self, window: FactWindow, page: PageContent) -> PageOutcome {
        let from = window.from.map(Timestamp::micros);
        let full = page.bounds.filter(|_| page.facts >= window.limit);
        match (from, full) {
            (None, None) => {
                self.next_before = None;
                PageOutcome { reach: BEGINNING, rest: None }
            }
            (None, Some((first, last))) => {
                self.next_before = Some(first);
                self.width = Some(self.fitting_width(last.0.saturating_sub(first.0), page.facts));
                PageOutcome { reach: first, rest: None }
            }
            (Some(from), None) => {
                let width = window.before.0.micros().saturating_sub(from);
                let fitting = self.fitting_width(width, page.facts);
                self.width =
                    Some(fitting.clamp(width / MAX_CHANGE, width.saturating_mul(MAX_CHANGE)).max(MIN_WIDTH));
                let reach = if from > self.oldest { (from, i64::MIN) } else { BEGINNING };
                PageOutcome { reach, rest: None }
            }
            (Some(from), Some((first, last))) => {
                self.width = Some(self.fitting_width(last.0.saturating_sub(first.0), page.facts));
                PageOutcome { reach: first, rest: Some(self.window(Some(from), first, window.limit)) }
            }
        }
    }

    /// Returns the width that would have the right number of facts, if one of this width has so many.
    fn fitting_width(&self, width: i64, facts: usize) -> i64 {
        let fitting = i128::from(width) * self.window_facts as i128 / facts.max(1) as i128;
        i64::try_from(fitting).unwrap_or(i64::MAX).max(MIN_WIDTH)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Reads facts, of which several windows are in flight, and returns them in the order in which they came, with the number of pages.
    fn read(facts: &[FactKey], window_facts: usize) -> (Vec<FactKey>, usize) {
        let oldest = facts.iter().min().map(|first| Timestamp::from_micros(first.0));
        let mut windows = Windows::new(OldestFacts { incursion: oldest, runtime: None }, window_facts);
        assert_eq!(windows.first_reach().runtime, BEGINNING);
        let page = |of: &KindWindow| -> Vec<FactKey> {
            let (before, from) = (of.window.before, of.window.from.map_or(i64::MIN, Timestamp::micros));
            let is_in = |fact: &&FactKey| **fact < (before.0.micros(), before.1) && fact.0 >= from;
            let mut all: Vec<FactKey> = facts.iter().filter(is_in).copied().collect();
            all.sort_by(|one, other| other.cmp(one));
            all.truncate(of.window.limit);
            all
        };
        let (mut found, mut in_flight, mut pages) = (Vec::new(), VecDeque::new(), 0);
        let mut reach = windows.first_reach().incursions;
        loop {
            while in_flight.len() < 4
                && let Some(window) = windows.next()
            {
                in_flight.push_back(window);
            }
            let Some(mut window) = in_flight.pop_front() else { break };
            loop {
                let all = page(&window);
                let bounds = all.last().copied().zip(all.first().copied());
                let outcome = windows.note_page(window, PageContent { facts: all.len(), bounds });
                assert!(
                    outcome.reach <= reach && all.iter().all(|fact| *fact >= outcome.reach && *fact < reach)
                );
                reach = outcome.reach;
                found.extend(all);
                pages += 1;
                assert!(pages < 10_000, "it does not come to an end");
                match outcome.rest {
                    Some(rest) => window = rest,
                    None => break,
                }
            }
        }
        assert_eq!(reach, BEGINNING);
        (found, pages)
    }

    fn newest_first(facts: &[FactKey]) -> Vec<FactKey> {
        let mut all = facts.to_vec();
        all.sort_by(|one, other| other.cmp(one));
        all
    }

    #[test]
    fn every_fact_is_read_once_from_the_newest_backwards() {
        let minute = 60_000_000;
        let even: Vec<FactKey> = (0..5_000).map(|id| (id * 7 * minute, id)).collect();
        let (found, pages) = read(&even, 100);
        assert_eq!(found, newest_first(&even));
        assert!((50..80).contains(&pages), "{pages}");
        // Years with a fact a day, and an hour in which thousands were imported, some of them of the same moment.
        let mut uneven: Vec<FactKey> = (0..900).map(|id| (id * 1_440 * minute, id)).collect();
        uneven.extend((0..3_000).map(|id| (400 * 1_440 * minute + id % 1_000, 10_000 + id)));
        let (found, pages) = read(&uneven, 100);
        assert_eq!(found, newest_first(&uneven));
        assert!(pages < 120, "{pages}");
    }

    #[test]
    fn a_small_brand_is_one_page() {
        let few: Vec<FactKey> = (0..99).map(|id| (id * 1_000, id)).collect();
        assert_eq!(read(&few, 100), (newest_first(&few), 1));
        assert_eq!(read(&[], 100), (Vec::new(), 0));
    }

    #[test]
    fn the_kind_that_is_behind_comes_next() {
        use FactKind::{Incursions, Runtime};
        let oldest = Some(Timestamp::from_micros(0));
        let mut windows = Windows::new(OldestFacts { incursion: oldest, runtime: oldest }, 10);
        let first = [windows.next().unwrap(), windows.next().unwrap()];
        assert_eq!(first.map(|window| window.kind), [Incursions, Runtime]);
        assert_eq!(windows.next(), None, "nothing is known of the density yet");
        let page = |from: i64, to: i64| PageContent { facts: 10, bounds: Some(((from, 1), (to, 1))) };
        windows.note_page(first[0], page(50_000_000, 90_000_000));
        windows.note_page(first[1], page(80_000_000, 90_000_000));
        let next: Vec<KindWindow> = std::iter::from_fn(|| windows.next()).take(4).collect();
        let ends: Vec<(FactKind, i64)> =
            next.iter().map(|next| (next.kind, next.window.before.0.micros() / 1_000_000)).collect();
        assert_eq!(ends, [(Runtime, 80), (Runtime, 70), (Runtime, 60), (Incursions, 50)]);
    }
}
