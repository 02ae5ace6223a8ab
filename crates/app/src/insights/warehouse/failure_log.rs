//! Logs failures that happen again and again.

use std::fmt::Display;
use std::time::Duration;

use domain::BrandId;
use tokio::time::Instant;

/// Of failures in a row, one is logged this often.
const LOGGED_EVERY: Duration = Duration::from_mins(10);

/// Logs the first of failures in a row, and then one of them from time to time. It is replaced after a success.
#[derive(Debug, Default)]
pub(super) struct FailureLog(Option<Instant>);

impl FailureLog {
    pub fn log(&mut self, text: &str, brand: BrandId, error: &dyn Display) {
        if self.is_due() {
            tracing::warn!("brand {brand}: {text}: {error}");
        } else {
            tracing::debug!("brand {brand}: {text}: {error}");
        }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.0.is_none_or(|at| at.elapsed() >= LOGGED_EVERY);
        if is_due {
            self.0 = Some(Instant::now());
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_failure_is_logged_and_others_from_time_to_time() {
        let mut log = FailureLog::default();
        assert!(log.is_due() && !log.is_due());
        tokio::time::advance(LOGGED_EVERY).await;
        assert!(log.is_due() && !log.is_due());
    }
}
