//! The evaluation of alerts, when facts have arrived and every minute.
//!
//! 1. `brand` evaluates a brand, under a `lease` with a fence, so that one worker does so at a time. `engine` keeps what is known of it.
//! 2. `rules` loads the rules with what their owners may see, `zones` the clocks of sites. `split_clocks` says by which of them a split
//!    has its days and weeks.
//! 3. `measurements` measures rules: `plan` sorts them into few questions, `questions` asks those, and `measure` reads the values of each
//!    rule from the answers. `device_metrics` measures tags, stations and visits, and `weeks` the drift since the installation.
//! 4. `judging` takes the values of one rule after the other: `verdicts` judges each split by what is known of its firings, and `status`
//!    each rule. `turn` limits how many crossings follow.
//! 5. `transitions` finds what explains a crossing (`evidence`) and how people are notified; `writing` writes it in one transaction with
//!    its messages, if the fence still holds.

mod brand;
pub(crate) mod device_metrics;
mod drift;
mod engine;
mod evidence;
mod judging;
mod known_firings;
mod lease;
mod measure;
mod measurements;
mod plan;
mod questions;
mod rules;
mod split_clocks;
mod status;
mod transitions;
mod turn;
mod verdicts;
mod weeks;
mod writing;
mod zones;

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{AlertRule, FiringSubject, Judgement, ProjectId, SplitKey};
use futures_util::stream::{self, StreamExt};
use store::{DueBrand, Projects, TaskOwner};

use crate::{App, Error, ErrorKind};

pub(crate) use engine::Engine;
pub(crate) use measure::{LEAST_RUNTIME_MS, expected_splits, subject_of};
pub(crate) use measurements::SampledSplit;
pub(crate) use split_clocks::SplitClocks;
pub(crate) use status::reason_of_nothing;
pub(crate) use zones::{SiteClocks, sees};

/// Brands that a process evaluates at a time, so that one that takes long does not hold up the others.
pub const MAX_CONCURRENT_EVALUATIONS: usize = 4;

/// What evaluations did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationSummary {
    /// Brands that were evaluated.
    pub brands: u64,
    /// Questions that were asked about facts.
    pub questions: u64,
    pub fired: u64,
    pub cleared: u64,
    /// Messages that had waited and were sent.
    pub released: u64,
    /// Brands that another worker took over meanwhile.
    pub lost: u64,
    /// Brands with crossings that are left to the next evaluation.
    pub unfinished: u64,
}

/// One split of a rule as it was measured.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub split: SplitKey,
    pub subject: FiringSubject,
    pub judgement: Judgement,
    /// The projects whose records went into it; none among them for records without a project.
    pub projects: BTreeSet<Option<ProjectId>>,
    /// What else explains the value; an object. It names no people, so that erasing someone does not concern it.
    pub details: serde_json::Value,
}

/// A rule with what its owner may see, ready to be judged.
#[derive(Clone, Debug)]
pub(crate) struct LoadedRule {
    pub rule: AlertRule,
    pub projects: Projects,
    /// Why it is not judged.
    pub stopped: Option<&'static str>,
}

#[macros::boxed]
impl App {
    /// Evaluates the alerts of every brand that is due and not held by another worker, several at a time.
    pub async fn evaluate_alerts(&self, worker: &str) -> Result<EvaluationSummary, Error> {
        let due = self.alerts_due(worker).await?;
        let evaluations =
            stream::iter(due).map(|brand| async move { self.evaluate_alerts_of(&brand, worker).await });
        let all: Vec<EvaluationSummary> =
            evaluations.buffer_unordered(MAX_CONCURRENT_EVALUATIONS).collect().await;
        let mut total = EvaluationSummary::default();
        for done in all {
            total.add(done);
        }
        Ok(total)
    }

    /// Returns the brands whose alerts are due and that no other worker holds. Those whose history is being loaded wait for its end: what
    /// has come so far crosses thresholds that the whole would not, and nobody must be told of the past.
    pub async fn alerts_due(&self, worker: &str) -> Result<Vec<DueBrand>, Error> {
        let now = self.clock.now();
        let mut due = self.store.read().await?.alert_cursors(&self.platform).due(worker, now).await?;
        due.retain(|brand| self.loading_history(brand.brand).is_none());
        Ok(due)
    }

    /// Evaluates the alerts of a brand that was found to be due. A failure is logged and counted; what is due stays due.
    pub async fn evaluate_alerts_of(&self, due: &DueBrand, worker: &str) -> EvaluationSummary {
        let (id, stats) = (due.brand, &self.alerts.stats);
        match TaskOwner::job(id).run(self.evaluate_brand(due, worker)).await {
            Ok(done) => {
                if done.lost > 0 {
                    tracing::warn!("another worker took over the alerts of brand {id} during an evaluation");
                }
                done
            }
            // The columns are not loaded yet, or the database is busy.
            Err(error) if error.kind == ErrorKind::Unavailable => {
                stats.evaluation_postponed();
                tracing::debug!("the alerts of brand {id} are evaluated later: {error}");
                EvaluationSummary::default()
            }
            Err(error) => {
                stats.evaluation_failed();
                tracing::error!("the alerts of brand {id} could not be evaluated: {error}");
                EvaluationSummary::default()
            }
        }
    }

    /// Returns how often a process looks for facts that others stored, and the least time between two evaluations.
    pub fn alert_intervals(&self) -> (Duration, Duration) {
        let config = &self.alerts.setup.config;
        let millis = |millis: u32| Duration::from_millis(millis.into());
        (millis(config.poll_interval_ms), millis(config.min_interval_ms))
    }

    /// Resolves when facts were stored by this process.
    pub async fn alerts_hint(&self) {
        self.alerts.watch.changed().await;
    }
}

impl EvaluationSummary {
    fn add(&mut self, other: Self) {
        self.brands += other.brands;
        self.questions += other.questions;
        self.fired += other.fired;
        self.cleared += other.cleared;
        self.released += other.released;
        self.lost += other.lost;
        self.unfinished += other.unfinished;
    }
}
