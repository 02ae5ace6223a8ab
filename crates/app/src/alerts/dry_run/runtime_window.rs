//! The runtime of one split in its window, as both move on.

use domain::{Span, Timestamp};

use super::SplitIds;
use super::minutes::{minute_after, minute_from};

/// What is kept of a runtime piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceItem {
    pub split: SplitIds,
    pub started_at: Timestamp,
    /// Later than the start.
    pub ended_at: Timestamp,
    /// From when on nothing of it is in the window. Later than the start.
    pub leaves: Timestamp,
}

impl PieceItem {
    fn length_ms(&self) -> i64 {
        (self.ended_at - self.started_at).micros() / 1_000
    }
}

/// The pieces of a split, and how much of them is in the window.
#[derive(Debug)]
pub(super) struct RuntimeWindow {
    /// By start.
    pieces: Vec<PieceItem>,
    /// Places of pieces, by when they leave.
    by_leaving: Vec<usize>,
    /// The length of a rolling window; none for one of the calendar.
    length: Option<Span>,
    now: Timestamp,
    entered: usize,
    left: usize,
    /// Pieces that begin before the window does.
    passed: usize,
    /// Of what has entered and not left, as if nothing were cut.
    whole_ms: i64,
    /// Those of them that have not ended yet.
    running: Vec<usize>,
    /// Those of them that began before the window.
    leaving: Vec<usize>,
}

impl RuntimeWindow {
    pub fn new(mut pieces: Vec<PieceItem>, length_us: Option<i64>) -> Self {
        pieces.sort_by_key(|piece| piece.started_at);
        let mut by_leaving: Vec<usize> = (0..pieces.len()).collect();
        by_leaving.sort_by_key(|place| pieces[*place].leaves);
        Self {
            pieces,
            by_leaving,
            length: length_us.map(Span::from_micros),
            now: Timestamp::from_micros(i64::MIN),
            entered: 0,
            left: 0,
            passed: 0,
            whole_ms: 0,
            running: Vec::new(),
            leaving: Vec::new(),
        }
    }

    pub fn advance(&mut self, to: Timestamp) {
        self.now = to;
        while let Some(piece) = self.pieces.get(self.entered).filter(|piece| piece.started_at < to) {
            self.whole_ms += piece.length_ms();
            self.running.push(self.entered);
            self.entered += 1;
        }
        let pieces = &self.pieces;
        self.running.retain(|place| pieces[*place].ended_at > to);
        if let Some(length) = self.length {
            let from = to - length;
            while pieces.get(self.passed).is_some_and(|piece| piece.started_at < from) {
                self.leaving.push(self.passed);
                self.passed += 1;
            }
            self.leaving.retain(|place| pieces[*place].ended_at > from);
        }
        while let Some(place) = self.by_leaving.get(self.left).copied()
            && pieces[place].leaves <= to
        {
            self.whole_ms -= pieces[place].length_ms();
            self.left += 1;
        }
    }

    pub fn has_pieces(&self) -> bool {
        self.entered > self.left
    }

    /// Returns the runtime in the window. Each piece is cut to whole milliseconds, as in answers to questions.
    pub fn total_ms(&self) -> i64 {
        let from = self.length.map(|length| self.now - length);
        let lost_ms = |place: &usize| {
            let piece = &self.pieces[*place];
            let begin = from.map_or(piece.started_at, |from| from.max(piece.started_at));
            let shown = (piece.ended_at.min(self.now) - begin).max(Span::ZERO);
            piece.length_ms() - shown.micros() / 1_000
        };
        let has_ended = |place: &&usize| self.pieces[**place].ended_at <= self.now;
        let lost: i64 = self.running.iter().chain(self.leaving.iter().filter(has_ended)).map(lost_ms).sum();
        self.whole_ms - lost
    }

    /// Returns the next minute at which the total differs.
    pub fn next_change(&self) -> Option<Timestamp> {
        if !self.running.is_empty() || !self.leaving.is_empty() {
            return Some(minute_after(self.now));
        }
        let entering = self.pieces.get(self.entered).map(|piece| minute_after(piece.started_at));
        let passing = self.length.and_then(|length| {
            self.pieces.get(self.passed).map(|piece| minute_after(piece.started_at + length))
        });
        let leaving = self.by_leaving.get(self.left).map(|place| minute_from(self.pieces[*place].leaves));
        [entering, passing, leaving].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    fn piece(from: i64, to: i64) -> PieceItem {
        let leaves = minute(to + 60);
        PieceItem { split: [0, 0], started_at: minute(from), ended_at: minute(to), leaves }
    }

    /// The runtime in minutes at some of them, of a window of an hour.
    fn totals(pieces: &[(i64, i64)], at: &[i64]) -> Vec<i64> {
        let pieces = pieces.iter().map(|(from, to)| piece(*from, *to)).collect();
        let mut window = RuntimeWindow::new(pieces, Some(Span::minutes(60).micros()));
        let of = |number: &i64| {
            window.advance(minute(*number));
            window.total_ms() / 60_000
        };
        at.iter().map(of).collect()
    }

    #[test]
    fn runtime_grows_and_leaves_continuously() {
        let at = [0, 5, 10, 20, 60, 65, 70, 71];
        assert_eq!(totals(&[(0, 10)], &at), [0, 5, 10, 10, 10, 5, 0, 0]);
        // Two machines at once, and one that runs for longer than the window.
        assert_eq!(totals(&[(0, 10), (5, 15)], &[10, 15, 62, 70]), [15, 20, 18, 5]);
        assert_eq!(totals(&[(0, 200)], &[30, 60, 100, 200, 230, 260]), [30, 60, 60, 60, 30, 0]);
    }

    #[test]
    fn it_does_not_matter_how_often_it_is_looked_at() {
        let pieces = [(3, 40), (30, 70), (90, 95), (94, 180)];
        let every: Vec<i64> = (0..250).collect();
        let all = totals(&pieces, &every);
        for at in [50_i64, 93, 130, 155, 200, 249] {
            assert_eq!(totals(&pieces, &[at])[0], all[usize::try_from(at).unwrap()], "minute {at}");
        }
    }

    #[test]
    fn nothing_changes_while_nothing_runs_or_leaves() {
        let mut window = RuntimeWindow::new(vec![piece(10, 20)], Some(Span::minutes(60).micros()));
        let mut looked = vec![0];
        window.advance(minute(0));
        while let Some(next) = window.next_change() {
            window.advance(next);
            looked.push((next.seconds() - minute(0).seconds()) / 60);
        }
        let expected: Vec<i64> = [0].into_iter().chain(11..=20).chain(71..=80).collect();
        assert_eq!(looked, expected);
    }

    #[test]
    fn a_window_of_the_calendar_is_left_at_once() {
        let of_day = PieceItem { leaves: minute(100), ..piece(0, 30) };
        let mut window = RuntimeWindow::new(vec![of_day], None);
        let mut found = Vec::new();
        for at in [10, 30, 99, 100] {
            window.advance(minute(at));
            found.push(window.total_ms() / 60_000);
        }
        assert_eq!((found, window.has_pieces()), (vec![10, 30, 30, 0], false));
    }
}
