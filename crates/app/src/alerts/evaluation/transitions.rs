//! What is written with each crossing: the evidence, the window, and how people are notified.

use domain::{
    AlertFiringId, AlertWindow, BrandId, ClearReason, FiringSubject, IncursionId, Measurement, MetricSource,
    SplitKey, TimeZone, Timestamp,
};
use store::{EvidenceRequest, EvidenceRow};

use super::engine::BrandProgress;
use super::evidence::{Evidence, evidence_of, request_of};
use super::known_firings::OpenFiring;
use super::plan::{WindowStart, window_end, window_of};
use super::split_clocks::SplitClocks;
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
    Clear {
        rule: usize,
        split: SplitKey,
        firing: Box<OpenFiring>,
        reason: ClearReason,
        value: Option<Measurement>,
        plan: MessagePlan,
    },
    SetNoData {
        rule: usize,
        split: SplitKey,
        firing: AlertFiringId,
        since: Option<Timestamp>,
    },
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
    /// Finds out what is written with verdicts, of which there are a batch. The evidence of all of them is read together.
    pub(super) async fn prepare_transitions(
        &self,
        brand: BrandId,
        progress: &BrandProgress,
        verdicts: Vec<Verdict>,
        now: Timestamp,
    ) -> Result<Vec<Transition>, Error> {
        let requests = self.evidence_requests(brand, progress, &verdicts, now);
        let wanted: Vec<EvidenceRequest> = requests.iter().flatten().cloned().collect();
        let mut found = match wanted.is_empty() {
            true => Vec::new().into_iter(),
            false => self.store.read().await?.newest_incursions(&wanted, now).await?.into_iter(),
        };
        let prepare = |(verdict, request): (Verdict, Option<EvidenceRequest>)| {
            let found = request.and_then(|request| Some((request, found.next()?)));
            self.prepare_transition(progress, verdict, found.as_ref(), now)
        };
        Ok(verdicts.into_iter().zip(requests).map(prepare).collect())
    }

    /// Returns what is looked for as the evidence of each verdict.
    fn evidence_requests(
        &self,
        brand: BrandId,
        progress: &BrandProgress,
        verdicts: &[Verdict],
        now: Timestamp,
    ) -> Vec<Option<EvidenceRequest>> {
        let request = |verdict: &Verdict| {
            let Verdict::Fire { rule, measured, .. } = verdict else { return None };
            let rule = &progress.rules[*rule];
            if rule.rule.terms.metric.source() != MetricSource::Columns {
                return None;
            }
            let scope = self.platform.scope(brand, rule.projects.clone());
            let start = window_start(rule, measured, &progress.clocks, now);
            Some(request_of(rule, measured, scope, (start, now)))
        };
        verdicts.iter().map(request).collect()
    }

    fn prepare_transition(
        &self,
        progress: &BrandProgress,
        verdict: Verdict,
        found: Option<&(EvidenceRequest, Vec<EvidenceRow>)>,
        now: Timestamp,
    ) -> Transition {
        let clocks: &SiteClocks = &progress.clocks;
        match verdict {
            Verdict::Fire { rule: index, mut measured, value } => {
                let rule = &progress.rules[index];
                let metric = rule.rule.terms.metric;
                let evidence = match found {
                    Some((request, rows)) => evidence_of(request, rows, metric),
                    None => Evidence::default(),
                };
                measured.subject = evidence.complete(measured.subject);
                let (window, zone) = window_and_clock(rule, &measured, clocks, now);
                Transition::Fire(Box::new(NewAlarm {
                    rule: index,
                    value,
                    window: evidence.extend(window),
                    incursions: evidence.incursions,
                    plan: self.plan_message(&rule.rule, &zone, now),
                    measured,
                    zone,
                }))
            }
            Verdict::Clear { rule: index, split, firing, reason, value } => {
                let rule = &progress.rules[index];
                let plan = match reason {
                    // Nobody knows whether it is over.
                    ClearReason::ScopeChanged => MessagePlan::Drop,
                    _ => {
                        let zone = clock_of(rule, &split, &firing.subject, clocks);
                        self.plan_message(&rule.rule, zone, now)
                    }
                };
                Transition::Clear { rule: index, split, firing: Box::new(firing), reason, value, plan }
            }
            Verdict::SetNoData { rule, split, firing, since } => {
                Transition::SetNoData { rule, split, firing, since }
            }
        }
    }
}

/// Returns the clock of a firing. That of a day or week is the one by which it was counted.
fn clock_of<'a>(
    rule: &LoadedRule,
    split: &SplitKey,
    subject: &FiringSubject,
    clocks: &'a SiteClocks,
) -> &'a TimeZone {
    match window_of(&rule.rule.terms) {
        AlertWindow::Calendar(_) => SplitClocks::of_rule(clocks, rule).of(split.ids()),
        AlertWindow::Rolling { .. } => clocks.of(&rule.rule, subject),
    }
}

/// Returns where the window of a split begins.
fn window_start(rule: &LoadedRule, measured: &Measured, clocks: &SiteClocks, now: Timestamp) -> WindowStart {
    let zone = SplitClocks::of_rule(clocks, rule).of(measured.split.ids());
    WindowStart::of(&rule.rule.terms, zone, now)
}

/// Returns the window of a firing, which is exactly the time in which its value was counted, and the clock of the firing. The
/// window has no beginning if the metric has none.
pub(super) fn window_and_clock(
    rule: &LoadedRule,
    measured: &Measured,
    clocks: &SiteClocks,
    now: Timestamp,
) -> ((Option<Timestamp>, Timestamp), TimeZone) {
    let zone = clock_of(rule, &measured.split, &measured.subject, clocks);
    let metric = rule.rule.terms.metric;
    let window = match metric.source() {
        MetricSource::Rows => (None, now),
        MetricSource::Weeks => {
            let (from, to) = last_weeks(zone, now);
            (Some(from), to)
        }
        MetricSource::Columns => {
            let to = window_end(now, metric.lag_s());
            (Some(window_start(rule, measured, clocks, now).before(to)), to)
        }
    };
    (window, zone.clone())
}
