//! How exports and reports read single incursions as they were at a sequence number: page by page, in order of time.

use std::time::Duration;

use domain::{IncursionId, IncursionRow, Span, Timestamp};

pub(crate) const PAGE_ROWS: i64 = 2_000;
/// Time range of the first page, of the shortest page, and the reading time above which pages get shorter.
pub(crate) const FIRST_WINDOW: Span = Span::minutes(24 * 60);
const MIN_WINDOW: Span = Span::minutes(10);
const SLOW_PAGE: Duration = Duration::from_millis(300);
/// Largest offset from UTC that a time zone can have; anything beyond is invalid.
const MAX_OFFSET_MINUTES: i64 = 18 * 60;

/// Returns the position just before everything that started at this time or later.
pub(crate) fn just_before(at: Timestamp) -> (Timestamp, IncursionId) {
    (at - Span::from_micros(1), IncursionId(i64::MAX))
}

/// Returns the time range of the next page: longer while pages are read quickly and not full, shorter after a slow one.
pub(crate) fn next_window(window: Span, took: Duration, found: i64) -> Span {
    if took > SLOW_PAGE {
        Span::from_micros(window.micros() / 2).max(MIN_WINDOW)
    } else if found < PAGE_ROWS {
        Span::from_micros(window.micros().saturating_mul(2))
    } else {
        window
    }
}

/// Returns the worksite's offset from UTC at the start, computed from the local day and minute stored in the row.
pub(crate) fn site_offset_s(row: &IncursionRow) -> i32 {
    let shown = row.attribution.local_day * 1_440 + row.attribution.local_minute.rem_euclid(1_440);
    let minutes = shown - row.started_at.seconds().div_euclid(60);
    if minutes.abs() > MAX_OFFSET_MINUTES {
        return 0;
    }
    i32::try_from(minutes * 60).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_get_longer_while_they_are_quick_and_shorter_when_they_are_slow() {
        let quick = Duration::from_millis(3);
        assert_eq!(next_window(FIRST_WINDOW, quick, 7), Span::minutes(2 * 24 * 60));
        assert_eq!(next_window(FIRST_WINDOW, quick, PAGE_ROWS), FIRST_WINDOW);
        assert_eq!(next_window(FIRST_WINDOW, SLOW_PAGE * 2, 7), Span::minutes(12 * 60));
        assert_eq!(next_window(MIN_WINDOW, SLOW_PAGE * 2, PAGE_ROWS), MIN_WINDOW);
    }
}
