//! Evaluates one brand: chooses the rules whose verdict can have changed, measures and judges them, and has the findings written.

use std::collections::HashSet;
use std::sync::Arc;

use domain::{AlertComparison, AlertRuleId, AlertStatus, AlertWindow, MetricSource, Timestamp};
use store::{DueBrand, RuleStatus};

use super::engine::BrandProgress;
use super::judging::{Judged, Judging};
use super::lease::{BrandLease, LeasedBrand};
use super::plan::window_of;
use super::weeks::INTERVAL;
use super::writing::Findings;
use super::{EvaluationSummary, LoadedRule};
use crate::{App, Error};

impl App {
    /// Evaluates a brand that was found to be due, if it still is.
    pub(super) async fn evaluate_brand(
        &self,
        due: &DueBrand,
        worker: &str,
    ) -> Result<EvaluationSummary, Error> {
        let slot = self.alerts.engine.brand(due.brand);
        let mut held = slot.lock().await;
        let (now, began) = (self.clock.now(), self.clock.monotonic());
        let mut summary = EvaluationSummary::default();
        if held.as_ref().is_some_and(|known| known.is_current(due, now)) {
            return Ok(summary);
        }
        // Taken out, so that nothing is left of an evaluation that fails. After the clock was set back, nothing is either.
        let known = held.take().filter(|known| known.evaluated_at <= now);
        let lease = known.as_ref().map(|known| known.lease);
        let Some(lease) = self.hold_brand(due.brand, lease, worker, now).await? else { return Ok(summary) };
        let refreshed = self.refresh_brand(known, lease, due, now).await?;
        let lease = LeasedBrand::new(due.brand, worker, lease);
        let is_kept = match refreshed {
            Some(mut progress) => {
                let is_kept = tokio::select! {
                    // What was committed is noted before the evaluation ends.
                    biased;
                    kept = self.evaluate_rules(&mut progress, due, (&lease, now), &mut summary) => kept?,
                    () = self.keep_brand(&lease) => false,
                };
                if is_kept {
                    progress.lease = lease.lease();
                    summary.unfinished = u64::from(!progress.unfinished.is_empty());
                    *held = Some(progress);
                }
                is_kept
            }
            None => false,
        };
        summary.lost = u64::from(!is_kept);
        summary.brands = 1;
        self.alerts.stats.evaluated(&summary, self.clock.monotonic() - began);
        Ok(summary)
    }

    /// Reads again what may have changed since the last evaluation. None if another worker has taken the brand over.
    async fn refresh_brand(
        &self,
        known: Option<BrandProgress>,
        lease: BrandLease,
        due: &DueBrand,
        now: Timestamp,
    ) -> Result<Option<BrandProgress>, Error> {
        let known = known.filter(|known| known.lease.continues(lease));
        if let Some(mut known) = known {
            known.lease = lease;
            if known.is_outdated(due, now) {
                let loaded = self.load_brand(due.brand, lease.fence, now).await?;
                let Some(loaded) = loaded else { return Ok(None) };
                known.reload(loaded, due, now);
            }
            return Ok(Some(known));
        }
        let loaded = self.load_brand(due.brand, lease.fence, now).await?;
        Ok(loaded.map(|loaded| BrandProgress::new(lease, loaded, due, now)))
    }

    /// Measures and judges the rules whose verdict can have changed, and writes what follows. Returns false if another worker has taken
    /// the brand over.
    async fn evaluate_rules(
        &self,
        progress: &mut BrandProgress,
        due: &DueBrand,
        (held, now): (&LeasedBrand<'_>, Timestamp),
        summary: &mut EvaluationSummary,
    ) -> Result<bool, Error> {
        let scope = self.scope_of(due.brand);
        let (rules, clocks) = (Arc::clone(&progress.rules), Arc::clone(&progress.clocks));
        let (has_facts, is_full) = (due.last_seq > progress.seq, now >= progress.next_due_at);
        let asked = choose_rules(progress, has_facts, is_full, now);
        let mut judging = Judging::new(progress, &rules, &clocks, &self.alerts.setup.config, now);
        judging.stop_rules();
        let asked = judging.leave_out_beyond_bound(&asked);
        let of_facts =
            self.measure_rules(&scope, (&rules[..], &asked[..]), (&*clocks, now), &mut judging).await?;
        summary.questions = of_facts.asked;
        let Judged { mut turn, statuses, of_weeks } = judging.finish();
        let verdicts = turn.finish();
        let statuses = changed_statuses(progress, statuses, &of_weeks, now);
        let was_unfinished = !std::mem::replace(&mut progress.unfinished, turn.unfinished).is_empty();
        let evaluated_seq = due.last_seq.max(progress.seq);
        let next_due_at = progress.next_look(is_full, now);
        let is_worth_writing = !verdicts.is_empty()
            || !statuses.is_empty()
            || is_full
            || was_unfinished
            || next_due_at < progress.next_due_at;
        if is_worth_writing || progress.should_store(now) {
            let findings = Findings {
                verdicts,
                statuses,
                seq: of_facts.seq.unwrap_or(evaluated_seq),
                evaluated_seq,
                next_due_at,
            };
            if !self.write_findings(held, progress, findings, now, summary).await? {
                return Ok(false);
            }
        }
        progress.seq = evaluated_seq;
        progress.evaluated_at = now;
        Ok(true)
    }
}

/// Returns the places of the rules whose verdict can have changed.
fn choose_rules(progress: &BrandProgress, has_facts: bool, is_full: bool, now: Timestamp) -> Vec<usize> {
    let is_chosen = |rule: &LoadedRule| {
        let is_new = !progress.judged.contains(&rule.rule.id);
        if progress.unfinished.contains(&rule.rule.id) || progress.left_out.contains(&rule.rule.id) {
            return true;
        }
        // How many splits others have decides what is left out.
        if is_full && !progress.left_out.is_empty() && progress.splits.contains_key(&rule.rule.id) {
            return true;
        }
        match rule.rule.terms.metric.source() {
            MetricSource::Columns => has_facts || is_new || (is_full && time_can_change(rule, progress)),
            MetricSource::Rows => is_full || is_new,
            MetricSource::Weeks => {
                let judged_at = progress.judged_at.get(&rule.rule.id);
                judged_at.is_none_or(|judged_at| now - *judged_at >= INTERVAL || *judged_at > now)
            }
        }
    };
    let rules = progress.rules.iter().enumerate();
    let chosen = rules.filter(|(_, rule)| rule.stopped.is_none() && is_chosen(rule));
    chosen.map(|(index, _)| index).collect()
}

/// Whether the verdict on a rule can change although no facts arrive. What only leaves the window lowers a count and its like, and so
/// matters only for what is open, cools down, or fires below.
fn time_can_change(rule: &LoadedRule, progress: &BrandProgress) -> bool {
    let (id, terms) = (rule.rule.id, &rule.rule.terms);
    progress.firings.has_open(id)
        || progress.cooling.contains_key(&id)
        || terms.comparison == AlertComparison::Below
        || matches!(window_of(terms), AlertWindow::Calendar(_))
        || terms.metric.lag_s() > 0
        // The runtime leaves the window, too.
        || terms.metric.needs_runtime()
}

/// Returns the statuses that must be written: those that are new, of rules that were judged for the first time, and when rules of drift
/// were judged.
fn changed_statuses(
    progress: &BrandProgress,
    statuses: Vec<(AlertRuleId, (AlertStatus, Option<&'static str>))>,
    of_weeks: &HashSet<AlertRuleId>,
    now: Timestamp,
) -> Vec<(AlertRuleId, RuleStatus)> {
    let is_new = |rule: AlertRuleId, status: AlertStatus, reason: Option<&str>| {
        progress.statuses.get(&rule).is_none_or(|(known, why)| *known != status || why.as_deref() != reason)
    };
    let tells_time = |rule: &AlertRuleId| of_weeks.contains(rule) || !progress.judged_at.contains_key(rule);
    statuses
        .into_iter()
        .filter(|(rule, (status, reason))| is_new(*rule, *status, *reason) || tells_time(rule))
        .map(|(rule, (status, reason))| (rule, RuleStatus { status, reason, judged_at: now }))
        .collect()
}
