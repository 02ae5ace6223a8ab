//! History that is loaded while the service already answers, the newest first, as the demo does.
//!
//! Whatever looks further back than the loaded part would be wrong rather than late: comparisons and outliers say so instead, reports wait,
//! and alerts are not judged. Only the process that loads the history knows of it, so it must be the only host of the brand.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::{BrandId, Day, PeriodBound, Span};

use crate::{App, Error, ErrorKind};

/// How much of a brand's history is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadingHistory {
    /// The first day from which on nothing is missing, in the time zone of each worksite.
    pub complete_from: Day,
    pub percent: u8,
}

impl LoadingHistory {
    /// Whether nothing is missing in a period that begins there.
    pub fn reaches(&self, from: PeriodBound) -> bool {
        match from {
            PeriodBound::Day(day) => day >= self.complete_from,
            // The day begins last where clocks are twelve hours behind.
            PeriodBound::Instant(at) => at >= self.complete_from.midnight_utc() + Span::minutes(12 * 60),
        }
    }
}

/// The brands whose history is being loaded.
#[derive(Debug, Default)]
pub(crate) struct LoadingHistories(RwLock<HashMap<BrandId, LoadingHistory>>);

impl App {
    /// Notes how much of a brand's history is loaded.
    pub fn note_loading_history(&self, brand: BrandId, loaded: LoadingHistory) {
        self.loading_histories.0.write().unwrap_or_else(PoisonError::into_inner).insert(brand, loaded);
    }

    /// Notes that the history of a brand is complete, so that its alerts are judged from now on.
    pub fn note_complete_history(&self, brand: BrandId) {
        self.loading_histories.0.write().unwrap_or_else(PoisonError::into_inner).remove(&brand);
        self.alerts.watch.facts_changed();
        self.live.facts_stored(brand);
    }

    /// Returns how much of a brand's history is loaded, while it is.
    pub fn loading_history(&self, brand: BrandId) -> Option<LoadingHistory> {
        self.loading_histories.0.read().unwrap_or_else(PoisonError::into_inner).get(&brand).copied()
    }

    /// Whether a brand's history is being loaded and something is missing in a period that begins there.
    pub(crate) fn awaits_history(&self, brand: BrandId, from: PeriodBound) -> bool {
        self.loading_history(brand).is_some_and(|loaded| !loaded.reaches(from))
    }

    /// Refuses work whose result is kept, until the history is complete. The code of the error is [`Error::HISTORY_LOADING`].
    pub(crate) fn check_history(&self, brand: BrandId) -> Result<(), Error> {
        if self.loading_history(brand).is_none() {
            return Ok(());
        }
        let detail = "The history is still being loaded. Try again later.";
        Err(Error::new(ErrorKind::Unavailable, Error::HISTORY_LOADING, detail).retry_after(5))
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;

    #[test]
    fn history_reaches_as_far_back_as_it_is_complete_everywhere() {
        let loaded = LoadingHistory { complete_from: Day::parse("2026-03-02").unwrap(), percent: 10 };
        let at = |text| PeriodBound::Instant(Timestamp::parse(text).unwrap());
        assert!(loaded.reaches(PeriodBound::Day(loaded.complete_from)));
        assert!(!loaded.reaches(PeriodBound::Day(Day::from_number(loaded.complete_from.number() - 1))));
        assert!(loaded.reaches(at("2026-03-02T12:00:00Z")));
        assert!(!loaded.reaches(at("2026-03-02T11:59:59Z")));
    }
}
