//! What is written with each crossing: the evidence, the window, and how it is told.

use domain::{
    AlertFiringId, BrandId, ClearReason, IncursionId, Measurement, MetricSource, Span, SplitKey, TimeZone,
    Timestamp,
};
use store::Tx;

use super::engine::BrandProgress;
use super::evidence::Evidence;
use super::known_firings::OpenFiring;
use super::plan::window_of;
use super::verdicts::Verdict;
use super::weeks::last_weeks;
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::alerts::messages::MessagePlan;
use crate::{App, Error};

/// A crossing as it is written. Rules are given by their place among the loaded ones.
#[derive(Debug)]
pub(super) enum Transition {
    Fire(Box<NewAlarm>),
    Clear { rule: usize, split: SplitKey, firing: OpenFiring, reason: ClearReason, plan: MessagePlan },
    SetNoData { rule: usize, split: SplitKey, firing: AlertFiringId, since: Option<Timestamp> },
}

/// A firing that is to be added.
#[derive(Debug)]
pub(super) struct NewAlarm {
    pub rule: usize,
    pub measured: Measured,
    pub value: Measurement,
    pub incursions: Vec<IncursionId>,
    pub window: (Option<Timestamp>, Timestamp),
    pub zone: TimeZone,
    pub plan: MessagePlan,
}

impl Transition {
    /// Returns until when its message is held.
    pub fn held_until(&self) -> Option<Timestamp> {
        match self {
            Self::Fire(alarm) => alarm.held_until(),
            Self::Clear { plan, .. } => held_until(*plan),
            Self::SetNoData { .. } => None,
        }
    }
}

impl NewAlarm {
    pub fn held_until(&self) -> Option<Timestamp> {
        held_until(self.plan)
    }
}

fn held_until(plan: MessagePlan) -> Option<Timestamp> {
    match plan {
        MessagePlan::Hold { until } => Some(until),
        MessagePlan::Now | MessagePlan::Drop => None,
    }
}

impl App {
    /// Finds out what is written with verdicts, of which there are a batch.
    pub(super) async fn prepare_transitions(
        &self,
        brand: BrandId,
        progress: &BrandProgress,
        verdicts: Vec<Verdict>,
        now: Timestamp,
    ) -> Result<Vec<Transition>, Error> {
        let mut transitions = Vec::with_capacity(verdicts.len());
        if verdicts.is_empty() {
            return Ok(transitions);
        }
        let mut tx = self.store.read().await?;
        for verdict in verdicts {
            transitions.push(self.prepare_transition(&mut tx, brand, progress, verdict, now).await?);
        }
        Ok(transitions)
    }

    async fn prepare_transition(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        progress: &BrandProgress,
        verdict: Verdict,
        now: Timestamp,
    ) -> Result<Transition, Error> {
        let clocks: &SiteClocks = &progress.clocks;
        Ok(match verdict {
            Verdict::Fire { rule: index, mut measured, value } => {
                let rule = &progress.rules[index];
                let evidence = match rule.rule.terms.metric.source() {
                    MetricSource::Columns => {
                        self.find_evidence(tx, brand, rule, &measured, (clocks, now)).await?
                    }
                    MetricSource::Rows | MetricSource::Weeks => Evidence::default(),
                };
                measured.subject = evidence.complete(measured.subject);
                let zone = clocks.of(&rule.rule, &measured.subject).clone();
                Transition::Fire(Box::new(NewAlarm {
                    rule: index,
                    value,
                    incursions: evidence.incursions,
                    window: firing_window(rule, &zone, now),
                    plan: self.plan_message(&rule.rule, &zone, now),
                    measured,
                    zone,
                }))
            }
            Verdict::Clear { rule: index, split, firing, reason } => {
                let rule = &progress.rules[index].rule;
                let plan = match reason {
                    // Nobody knows whether it is over.
                    ClearReason::ScopeChanged => MessagePlan::Drop,
                    _ => self.plan_message(rule, clocks.of(rule, &firing.subject), now),
                };
                Transition::Clear { rule: index, split, firing, reason, plan }
            }
            Verdict::SetNoData { rule, split, firing, since } => {
                Transition::SetNoData { rule, split, firing, since }
            }
        })
    }
}

/// Returns the window of a firing by the clock of its site.
fn firing_window(rule: &LoadedRule, zone: &TimeZone, now: Timestamp) -> (Option<Timestamp>, Timestamp) {
    let terms = &rule.rule.terms;
    match terms.metric.source() {
        MetricSource::Rows => (None, now),
        MetricSource::Weeks => {
            let (from, to) = last_weeks(zone, now);
            (Some(from), to)
        }
        MetricSource::Columns => {
            let to = now - Span::seconds(terms.metric.lag_s());
            (Some(window_of(terms).start(to, zone)), to)
        }
    }
}
