//! The section of the configuration that the runner reads.

use domain::Span;
use serde::Deserialize;

/// `[jobs]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// How many jobs a process does at once.
    pub workers: u32,
    /// For how long a worker holds a job without saying that it is still there.
    pub lease_s: u32,
    /// How often an idle worker looks for jobs that other processes enqueued.
    pub poll_interval_ms: u32,
    /// How often a job is begun before it is given up.
    pub max_attempts: u32,
    /// How long the second attempt waits; each later one twice as long as the one before.
    pub backoff_base_s: u32,
    /// The longest such wait.
    pub max_backoff_s: u32,
    /// How long one attempt may take.
    pub run_timeout_s: u32,
    /// How long one attempt of a long one may take, such as an export.
    pub long_run_timeout_s: u32,
    /// How long a stop waits for jobs in hand.
    pub shutdown_timeout_s: u32,
}

impl Config {
    /// Says what is wrong with the values, by key.
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
        // Objects that belong to nothing are left alone for a day, and what is written meanwhile belongs to nothing yet.
        within("jobs.long_run_timeout_s", self.long_run_timeout_s, 1, 43_200)?;
        within("jobs.shutdown_timeout_s", self.shutdown_timeout_s, 0, 3_600)
    }

    /// How long to wait after so many attempts: twice as long each time, and of that between half and all, so that jobs
    /// that failed together do not come back together.
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
