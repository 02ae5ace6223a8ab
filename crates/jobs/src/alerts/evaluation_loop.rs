//! Evaluates alerts while the process runs: soon after it has stored facts, and otherwise by looking for what is due.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use app::{Error, EvaluationSummary, MAX_CONCURRENT_EVALUATIONS};
use domain::BrandId;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::Context;

/// A failure that repeats is logged this often.
const WARNED_EVERY: Duration = Duration::from_secs(60);
/// After an evaluation its brand rests for this many times as long as it took, so that short evaluations run a 25th of the time at
/// most, however many facts arrive.
const REST_FACTOR: u32 = 24;
/// No brand rests for longer, so that messages are still sent within seconds. Longer evaluations than a 24th of this run a larger
/// part of the time: those of three seconds 60 % of it. What was cut off goes on without a rest.
const MAX_REST: Duration = Duration::from_secs(2);

/// Runs until it must stop. Evaluations that have begun then end first; one that is cut off has written whole batches.
pub(crate) async fn run(context: Arc<Context>, worker: String, mut stopped: watch::Receiver<bool>) {
    let (poll_interval, min_interval) = context.app.alert_intervals();
    let mut evaluations = Evaluations::default();
    while !*stopped.borrow() {
        let began = Instant::now();
        if let Err(error) = evaluations.begin(&context, &worker).await {
            evaluations.warn(&error.to_string());
        }
        let looks_again_at =
            evaluations.next_rested().map_or(began + poll_interval, |at| at.min(began + poll_interval));
        tokio::select! {
            () = context.app.alerts_hint() => {}
            () = evaluations.wait_for_more() => {}
            () = sleep_until(looks_again_at) => {}
            _ = stopped.changed() => break,
        }
        tokio::select! {
            () = sleep_until(began + min_interval) => {}
            _ = stopped.changed() => break,
        }
    }
    evaluations.finish().await;
}

/// The evaluations that are going on, each on a task of its own, so that a panic does not end the loop, and a brand that takes long does not
/// hold up the others. Dropping it ends the tasks.
#[derive(Default)]
struct Evaluations {
    running: JoinSet<Ended>,
    tasks: HashMap<BrandId, AbortHandle>,
    /// When the last evaluation of each brand began, so that brands take turns.
    began_at: HashMap<BrandId, Instant>,
    /// Until when a brand rests that was evaluated.
    rests_until: HashMap<BrandId, Instant>,
    /// Whether brands were due that rest.
    is_awaited: bool,
    /// Whether brands are due that wait for others to end.
    is_full: bool,
    warned_at: Option<Instant>,
}

/// An evaluation that has ended.
struct Ended {
    brand: BrandId,
    duration: Duration,
    summary: EvaluationSummary,
}

impl Evaluations {
    /// Begins to evaluate brands that are due, those first that have waited longest.
    async fn begin(&mut self, context: &Arc<Context>, worker: &str) -> Result<(), Error> {
        while let Some(ended) = self.running.try_join_next() {
            self.note_end(ended);
        }
        let mut due = context.app.alerts_due(worker).await?;
        self.tasks.retain(|_, task| !task.is_finished());
        due.retain(|brand| !self.tasks.contains_key(&brand.brand));
        let now = Instant::now();
        self.rests_until.retain(|_, until| *until > now);
        let count = due.len();
        due.retain(|brand| !self.rests_until.contains_key(&brand.brand));
        self.is_awaited = due.len() < count;
        due.sort_by_key(|brand| self.began_at.get(&brand.brand).copied());
        let free = MAX_CONCURRENT_EVALUATIONS.saturating_sub(self.tasks.len());
        self.is_full = due.len() > free;
        for brand in due.into_iter().take(free) {
            let (context, worker, id) = (Arc::clone(context), worker.to_owned(), brand.brand);
            self.began_at.insert(id, Instant::now());
            let work = async move {
                let began = Instant::now();
                let summary = context.app.evaluate_alerts_of(&brand, &worker).await;
                Ended { brand: id, duration: began.elapsed(), summary }
            };
            self.tasks.insert(id, self.running.spawn(work));
        }
        Ok(())
    }

    /// Waits until an evaluation has ended after which there is more to do.
    async fn wait_for_more(&mut self) {
        while let Some(ended) = self.running.join_next().await {
            if self.note_end(ended) || self.is_full {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Returns when the first brand that is due has rested.
    fn next_rested(&self) -> Option<Instant> {
        self.rests_until.values().min().copied().filter(|_| self.is_awaited)
    }

    /// Returns whether an evaluation has left something to the next one.
    fn note_end(&mut self, ended: Result<Ended, JoinError>) -> bool {
        match ended {
            // What was cut off goes on at once.
            Ok(done) if done.summary.unfinished > 0 => true,
            Ok(done) => {
                let rest = (done.duration * REST_FACTOR).min(MAX_REST);
                self.rests_until.insert(done.brand, Instant::now() + rest);
                false
            }
            Err(error) => {
                self.warn(&error.to_string());
                false
            }
        }
    }

    fn warn(&mut self, reason: &str) {
        if self.warned_at.is_none_or(|at| at.elapsed() >= WARNED_EVERY) {
            self.warned_at = Some(Instant::now());
            tracing::warn!("alerts could not be evaluated: {reason}");
        }
    }

    async fn finish(mut self) {
        while self.running.join_next().await.is_some() {}
    }
}
