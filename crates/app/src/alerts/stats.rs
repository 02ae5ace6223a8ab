//! What alerts did in this process, for /metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::Span;

use super::evaluation::EvaluationSummary;
use crate::{App, Error};

/// Counters of this process, for /metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertStats {
    /// Evaluations of a brand.
    pub evaluations: u64,
    /// Questions that they asked.
    pub questions: u64,
    /// How long they took together.
    pub evaluation_micros: u64,
    /// Evaluations that failed.
    pub failed: u64,
    /// Evaluations that could not be made because the database or the columns were busy.
    pub postponed: u64,
    /// Evaluations whose brand another worker took over meanwhile.
    pub lost: u64,
    pub fired: u64,
    pub cleared: u64,
    pub mails_sent: u64,
    pub mails_refused: u64,
    pub webhooks_sent: u64,
    pub webhooks_failed: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    evaluations: AtomicU64,
    questions: AtomicU64,
    evaluation_micros: AtomicU64,
    failed: AtomicU64,
    postponed: AtomicU64,
    lost: AtomicU64,
    fired: AtomicU64,
    cleared: AtomicU64,
    mails_sent: AtomicU64,
    mails_refused: AtomicU64,
    webhooks_sent: AtomicU64,
    webhooks_failed: AtomicU64,
}

impl Counters {
    /// Counts the evaluation of a brand.
    pub fn evaluated(&self, done: &EvaluationSummary, took: Span) {
        add(&self.evaluations, done.brands);
        add(&self.questions, done.questions);
        add(&self.evaluation_micros, u64::try_from(took.micros()).unwrap_or(0));
        add(&self.fired, done.fired);
        add(&self.cleared, done.cleared);
        add(&self.lost, done.lost);
    }

    pub fn evaluation_failed(&self) {
        add(&self.failed, 1);
    }

    pub fn evaluation_postponed(&self) {
        add(&self.postponed, 1);
    }

    pub fn mail_sent(&self) {
        add(&self.mails_sent, 1);
    }

    pub fn mail_refused(&self) {
        add(&self.mails_refused, 1);
    }

    pub fn webhook_sent(&self) {
        add(&self.webhooks_sent, 1);
    }

    pub fn webhook_failed(&self) {
        add(&self.webhooks_failed, 1);
    }

    pub fn snapshot(&self) -> AlertStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        AlertStats {
            evaluations: read(&self.evaluations),
            questions: read(&self.questions),
            evaluation_micros: read(&self.evaluation_micros),
            failed: read(&self.failed),
            postponed: read(&self.postponed),
            lost: read(&self.lost),
            fired: read(&self.fired),
            cleared: read(&self.cleared),
            mails_sent: read(&self.mails_sent),
            mails_refused: read(&self.mails_refused),
            webhooks_sent: read(&self.webhooks_sent),
            webhooks_failed: read(&self.webhooks_failed),
        }
    }
}

#[macros::boxed]
impl App {
    /// Returns the counters of this process, for /metrics.
    pub fn alert_stats(&self) -> AlertStats {
        self.alerts.stats.snapshot()
    }

    /// Counts the rules that are enabled, the open firings and the deliveries that wait, of all brands, for /metrics.
    pub async fn alert_counts(&self) -> Result<(i64, i64, i64), Error> {
        Ok(self.store.read().await?.alert_cursors(&self.platform).counts().await?)
    }

    /// Returns for how long the alerts of the brand that has waited longest have been due, for /metrics.
    pub async fn alert_lag(&self) -> Result<Span, Error> {
        let due_at = self.store.read().await?.alert_cursors(&self.platform).first_due_at().await?;
        let now = self.clock.now();
        Ok(due_at.map_or(Span::ZERO, |due_at| (now - due_at).max(Span::ZERO)))
    }
}

fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let counters = Counters::default();
        let done = EvaluationSummary {
            brands: 1,
            questions: 5,
            fired: 2,
            cleared: 1,
            released: 3,
            lost: 1,
            unfinished: 1,
        };
        counters.evaluated(&done, Span::millis(4));
        counters.evaluated(&done, Span::millis(5));
        counters.evaluation_failed();
        counters.evaluation_postponed();
        counters.mail_sent();
        counters.webhook_failed();
        let expected = AlertStats {
            evaluations: 2,
            questions: 10,
            evaluation_micros: 9_000,
            failed: 1,
            postponed: 1,
            lost: 2,
            fired: 4,
            cleared: 2,
            mails_sent: 1,
            webhooks_failed: 1,
            ..AlertStats::default()
        };
        assert_eq!(counters.snapshot(), expected);
    }
}
