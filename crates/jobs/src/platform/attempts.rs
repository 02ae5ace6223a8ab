//! One attempt at a job: runs its handler, and records the outcome.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use app::TaskOwner;
use app::jobs::{AlertMail, Job, Lease, LeaseStatus, WebhookCallJob};
use domain::Span;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::Outcome;
use crate::platform::runner::{JobLength, LeasedJob, Runner};

/// Attempts that others superseded are repeated at once so often, and then after a wait, so that a job whose record changes all the time
/// does not keep a worker busy. After `MAX_REPEATS` they count as failed.
const IMMEDIATE_REPEATS: i64 = 10;
const MAX_REPEATS: i64 = 100;
const REPEAT_WAIT: Span = Span::seconds(10);

/// The pause after which a job looks again for what it waits for, however often.
const WAIT: Span = Span::seconds(5);

impl Runner {
    pub(super) async fn run_job(&self, LeasedJob(lease, _place): LeasedJob) {
        // There were more attempts than allowed because the workers of the last ones died.
        let max_attempts = i64::from(self.config.max_attempts);
        let outcome = if lease.attempt() > max_attempts {
            Outcome::fail(format!("none of {max_attempts} attempts finished"))
        } else {
            let Some(outcome) = self.run_attempt(&lease).await else { return };
            outcome
        };
        self.record_outcome(&lease, outcome).await;
    }

    /// Runs a job on a task of its own and extends its lease meanwhile. Returns none if another worker has taken it over.
    async fn run_attempt(&self, lease: &Lease) -> Option<Outcome> {
        let (_, length, handler) = self.handlers.iter().find(|(kind, ..)| *kind == lease.kind())?;
        let limit_s = match length {
            JobLength::Short | JobLength::Call => self.config.run_timeout_s,
            JobLength::Long => self.config.long_run_timeout_s,
        };
        // Dropping the set ends the task.
        let mut task = JoinSet::new();
        let work = handler(Arc::clone(&self.context), lease.clone());
        match lease.brand() {
            Some(brand) => task.spawn(TaskOwner::job(brand).run(work)),
            None => task.spawn(work),
        };
        let lease_duration = Duration::from_secs(self.config.lease_s.into());
        let mut heartbeat = interval(lease_duration / 3);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let limit = sleep(Duration::from_secs(limit_s.into()));
        tokio::pin!(limit);
        loop {
            tokio::select! {
                ended = task.join_next() => return match ended {
                    Some(Ok(outcome)) => Some(outcome),
                    Some(Err(error)) if error.is_panic() => {
                        Some(Outcome::retry(format!("the job panicked: {}", panic_message(&*error.into_panic()))))
                    }
                    _ => None,
                },
                _ = heartbeat.tick() => {
                    match self.context.app.extend_lease(lease, Span::seconds(self.config.lease_s.into())).await {
                        Ok(LeaseStatus::Held) => {}
                        Ok(LeaseStatus::Lost) => {
                            tracing::warn!("job {} ({}) was taken over by another worker", lease.job(), lease.kind());
                            return None;
                        }
                        // If this persists, the lease expires, and the fencing number makes later changes fail.
                        Err(error) => tracing::warn!("the lease of job {} could not be extended: {error}", lease.job()),
                    }
                }
                () = &mut limit => {
                    return Some(Outcome::retry(format!("the job took longer than {limit_s} s")));
                }
            }
        }
    }

    /// Records an outcome. If that fails, the lease expires and the job runs again.
    async fn record_outcome(&self, lease: &Lease, outcome: Outcome) {
        let (job, kind, attempt) = (lease.job(), lease.kind(), lease.attempt());
        let app = &self.context.app;
        let outcome = match outcome {
            Outcome::Repeat if lease.repeats() >= MAX_REPEATS => {
                Outcome::retry("what it works on was changed during each of many attempts")
            }
            other => other,
        };
        let outcome = match outcome {
            Outcome::Retry { reason } if attempt >= self.config.max_attempts.into() => {
                Outcome::Fail { reason }
            }
            other => other,
        };
        let written = match outcome {
            Outcome::Done => app.finish_job(lease).await,
            Outcome::FinishedInTransaction(standing) => Ok(standing),
            Outcome::Repeat => {
                let is_immediate = lease.repeats() < IMMEDIATE_REPEATS;
                let wait = if is_immediate { Span::seconds(0) } else { REPEAT_WAIT };
                tracing::info!("job {job} ({kind}) is run again, because what it works on was changed");
                app.repeat_job(lease, wait).await
            }
            Outcome::Wait => {
                tracing::debug!("job {job} ({kind}) waits for what it needs");
                app.repeat_job(lease, WAIT).await
            }
            Outcome::Retry { reason } => {
                let wait = self.config.backoff(attempt, u64::from_be_bytes(app.random.bytes()));
                let seconds = wait.ceil_seconds();
                tracing::warn!(
                    "job {job} ({kind}), attempt {attempt}, will be retried in {seconds} s: {reason}"
                );
                app.retry_job(lease, wait, &reason).await
            }
            Outcome::Fail { reason } => {
                tracing::error!("job {job} ({kind}) failed permanently after {attempt} attempts: {reason}");
                match kind {
                    AlertMail::KIND | WebhookCallJob::KIND => app.fail_delivery(lease, &reason).await,
                    _ => app.fail_job(lease, &reason).await,
                }
            }
        };
        match written {
            Ok(LeaseStatus::Held) => {}
            Ok(LeaseStatus::Lost) => {
                tracing::warn!("job {job} ({kind}) had been taken over by another worker when it ended");
            }
            Err(error) => tracing::warn!("the outcome of job {job} ({kind}) could not be recorded: {error}"),
        }
    }
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
