//! The `[jobs]` section of the configuration.

use domain::Span;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Number of jobs that a process runs concurrently.
    pub workers: u32,
    /// A lease expires after this time unless its worker extends it.
    pub lease_s: u32,
    /// Interval at which an idle worker looks for jobs that other processes enqueued.
    pub poll_interval_ms: u32,
    /// Number of attempts before a job fails permanently.
    pub max_attempts: u32,
    /// Delay before the second attempt; it doubles with each further one.
    pub backoff_base_s: u32,
    pub max_backoff_s: u32,
    /// Maximum duration of one attempt.
    pub run_timeout_s: u32,
    /// Maximum duration of one attempt of a long job, such as an export.
    pub long_run_timeout_s: u32,
    /// Time that a shutdown waits for running jobs.
    pub shutdown_timeout_s: u32,
}

impl Config {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let within = |key, value: u32, min: u32, max: u32| {
            if (min..=max).contains(&value) {
                Ok(())
            } else {
                Err((key, format!("must be between {min} and {max}")))
            }
        };
        within("jobs.workers", self.workers, 0, 256)?;
        within("jobs.lease_s", self.lease_s, 1, 86_400)?;
        within("jobs.poll_interval_ms", self.poll_interval_ms, 10, 3_600_000)?;
        within("jobs.max_attempts", self.max_attempts, 1, 10_000)?;
        within("jobs.backoff_base_s", self.backoff_base_s, 1, 86_400)?;
        within("jobs.max_backoff_s", self.max_backoff_s, self.backoff_base_s, 604_800)?;
        within("jobs.run_timeout_s", self.run_timeout_s, 1, 86_400)?;
        // Orphaned objects are removed after a day, and the file of a running export is still an orphan.
        within("jobs.long_run_timeout_s", self.long_run_timeout_s, 1, 43_200)?;
        within("jobs.shutdown_timeout_s", self.shutdown_timeout_s, 0, 3_600)
    }

    /// Returns the delay after a number of attempts. It doubles each time, and a random value between half and all of it is used, so that
    /// jobs that failed together are not retried together.
    pub(crate) fn backoff(&self, attempts: i64, random: u64) -> Span {
        let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(32);
        let whole = u64::from(self.backoff_base_s) << doublings;
        let whole_ms = whole.min(self.max_backoff_s.into()) * 1_000;
        let half = whole_ms / 2;
        Span::millis(i64::try_from(half + random % (whole_ms - half + 1)).unwrap_or(i64::MAX / 1_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config {
            workers: 1,
            lease_s: 60,
            poll_interval_ms: 1_000,
            max_attempts: 20,
            backoff_base_s: 10,
            max_backoff_s: 3_600,
            run_timeout_s: 600,
            long_run_timeout_s: 21_600,
            shutdown_timeout_s: 10,
        }
    }

    #[test]
    fn waits_double_up_to_the_limit_and_differ_by_chance() {
        for (attempts, longest) in [(1, 10), (2, 20), (3, 40), (9, 2_560), (10, 3_600), (1_000, 3_600)] {
            let (shortest, longest) = (Span::millis(longest * 500), Span::seconds(longest));
            assert_eq!(config().backoff(attempts, 0), shortest);
            for chance in [1, 77, 12_345, u64::MAX] {
                let wait = config().backoff(attempts, chance);
                assert!(shortest <= wait && wait <= longest, "{attempts}: {wait:?}");
            }
        }
        assert_ne!(config().backoff(3, 1), config().backoff(3, 2));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        assert!(config().check().is_ok());
        let bad = [
            Config { lease_s: 0, ..config() },
            Config { max_attempts: 0, ..config() },
            Config { max_backoff_s: 9, ..config() },
        ];
        let keys = bad.map(|config| config.check().unwrap_err().0);
        assert_eq!(keys, ["jobs.lease_s", "jobs.max_attempts", "jobs.max_backoff_s"]);
    }
}
