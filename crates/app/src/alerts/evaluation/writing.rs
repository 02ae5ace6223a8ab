//! Writes what an evaluation found out, under the fence of its lease: firings with their messages, clearings, peaks and statuses.

use domain::{AlertEvent, AlertRuleId, MessageEvent, ProjectId, SplitKey, Timestamp};
use store::{NewFiring, PeakValue, RecordedEvaluation, RuleStatus, Scope, Tx};

use super::engine::BrandProgress;
use super::known_firings::OpenFiring;
use super::lease::LeasedBrand;
use super::transitions::{NewAlarm, Transition};
use super::turn::is_over;
use super::verdicts::Verdict;
use super::{EvaluationSummary, LoadedRule};
use crate::alerts::messages::{MessagePlan, ReleasedMessages};
use crate::{App, Error};

/// Crossings of one transaction, so that others can write in between, and that take much less time than a lease has.
const BATCH_SIZE: usize = 50;

/// What an evaluation writes.
#[derive(Debug)]
pub(super) struct Findings {
    /// Each with its rule.
    pub verdicts: Vec<(AlertRuleId, Verdict)>,
    pub statuses: Vec<(AlertRuleId, RuleStatus)>,
    /// The last change of a fact that was judged.
    pub seq: i64,
    /// Up to where facts were evaluated.
    pub evaluated_seq: i64,
    /// When all rules are looked at again.
    pub next_due_at: Timestamp,
}

/// What a transaction did, for what is known of the brand once it has been committed.
enum Done {
    Fired {
        rule: usize,
        split: SplitKey,
        firing: OpenFiring,
    },
    Cleared {
        rule: usize,
        split: SplitKey,
    },
    NoDataSet {
        rule: usize,
        split: SplitKey,
        since: Option<Timestamp>,
    },
    /// The rule or its firings were not as they were known.
    Outdated,
}

impl App {
    /// Writes what an evaluation found out, in batches, and adds it to what is known. If the time of the evaluation is over, the rest of
    /// the crossings is left to the next one. Returns false if the fence no longer holds: then another worker evaluates the brand.
    pub(super) async fn write_findings(
        &self,
        held: &LeasedBrand<'_>,
        progress: &mut BrandProgress,
        mut findings: Findings,
        now: Timestamp,
        summary: &mut EvaluationSummary,
    ) -> Result<bool, Error> {
        let began = self.clock.monotonic();
        let mut left = std::mem::take(&mut findings.verdicts).into_iter();
        loop {
            let batch: Vec<Verdict> = left.by_ref().take(BATCH_SIZE).map(|(_, verdict)| verdict).collect();
            if !self.renew_brand(held).await? {
                return Ok(false);
            }
            let transitions = self.prepare_transitions(held.brand, progress, batch, now).await?;
            let until = transitions.iter().filter_map(Transition::held_until);
            findings.next_due_at = until.fold(findings.next_due_at, Timestamp::min);
            let is_last = left.as_slice().is_empty() || is_over(began, self.clock.monotonic());
            if is_last {
                progress.unfinished.extend(left.by_ref().map(|(rule, _)| rule));
                findings.statuses.retain(|(rule, _)| !progress.unfinished.contains(rule));
            }
            let outcome = is_last.then_some(&findings);
            let judged = (findings.seq, now);
            let written = self.write_batch(held, progress, (&transitions[..], judged), outcome).await?;
            let Some((done, released)) = written else { return Ok(false) };
            summary.released += released.count;
            findings.next_due_at = released.next_at.into_iter().fold(findings.next_due_at, Timestamp::min);
            for one in done {
                remember(progress, summary, one, now);
            }
            if is_last {
                break;
            }
        }
        progress.peaks.clear();
        for (rule, status) in findings.statuses {
            progress.judged_at.insert(rule, status.judged_at);
            progress.statuses.insert(rule, (status.status, status.reason.map(str::to_owned)));
        }
        progress.next_due_at = findings.next_due_at;
        progress.stored_at = Some(now);
        Ok(true)
    }

    /// Writes some crossings in one transaction, the last of them with the outcome of the evaluation. Returns what it did, and which
    /// messages it released; none if the fence no longer holds.
    async fn write_batch(
        &self,
        held: &LeasedBrand<'_>,
        progress: &BrandProgress,
        (transitions, (seq, now)): (&[Transition], (i64, Timestamp)),
        outcome: Option<&Findings>,
    ) -> Result<Option<(Vec<Done>, ReleasedMessages)>, Error> {
        let (brand, fence) = (held.brand, held.lease().fence);
        let scope = self.scope_of(brand);
        let mut tx = self.store.begin().await?;
        if !tx.alert_cursors(&self.platform).lock(brand, fence).await? {
            return Ok(None);
        }
        let mut done = Vec::with_capacity(transitions.len());
        for transition in transitions {
            done.push(self.write_transition(&mut tx, &scope, &progress.rules, transition, (seq, now)).await?);
        }
        let mut released = ReleasedMessages::default();
        if let Some(findings) = outcome {
            for (rule, status) in &findings.statuses {
                tx.alert_rules(&scope).set_status(*rule, status).await?;
            }
            let peaks = progress.peaks.iter();
            let peaks: Vec<PeakValue> =
                peaks.map(|(firing, value)| PeakValue { firing: *firing, value: *value }).collect();
            if !peaks.is_empty() {
                tx.alert_firings(&scope).raise_peaks(&peaks, now).await?;
            }
            released = self.release_messages(&mut tx, brand, now).await?;
            let next_due_at = released.next_at.into_iter().fold(findings.next_due_at, Timestamp::min);
            let evaluation = RecordedEvaluation {
                seq: findings.evaluated_seq,
                rules_version: progress.rules_version,
                // What is left is due immediately.
                next_due_at: if progress.unfinished.is_empty() { next_due_at } else { now },
                evaluated_at: now,
            };
            tx.alert_cursors(&self.platform).record(brand, fence, &evaluation).await?;
        }
        tx.commit().await?;
        Ok(Some((done, released)))
    }

    /// Writes a crossing with its message.
    async fn write_transition(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rules: &[LoadedRule],
        transition: &Transition,
        (seq, now): (i64, Timestamp),
    ) -> Result<Done, Error> {
        match transition {
            Transition::Fire(alarm) => {
                let rule = &rules[alarm.rule];
                self.write_alarm(tx, scope, rule, alarm, (seq, now)).await
            }
            Transition::Clear { rule, split, firing, reason, value, plan } => {
                if !tx.alert_firings(scope).clear(firing.id, *reason, *value, now).await? {
                    return Ok(Done::Outdated);
                }
                let event = MessageEvent { firing: firing.id, event: AlertEvent::Cleared };
                let of_rule = &rules[*rule].rule;
                self.add_event_message(tx, scope.brand(), of_rule, event, *plan, now).await?;
                Ok(Done::Cleared { rule: *rule, split: split.clone() })
            }
            Transition::SetNoData { rule, split, firing, since } => {
                tx.alert_firings(scope).set_no_data(*firing, *since).await?;
                Ok(Done::NoDataSet { rule: *rule, split: split.clone(), since: *since })
            }
        }
    }

    /// Adds a firing with its message, unless there is an open one already.
    async fn write_alarm(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rule: &LoadedRule,
        alarm: &NewAlarm,
        (seq, now): (i64, Timestamp),
    ) -> Result<Done, Error> {
        let measured = &alarm.measured;
        let details = measured.details.to_string();
        let projects: Vec<Option<ProjectId>> = measured.projects.iter().copied().collect();
        let new = NewFiring {
            rule: &rule.rule,
            split_key: &measured.split,
            subject: measured.subject,
            value: alarm.value,
            window: alarm.window,
            time_zone: &alarm.zone,
            seq,
            incursions: &alarm.incursions,
            details: &details,
            projects: &projects,
            held_until: alarm.held_until(),
            is_told: alarm.plan != MessagePlan::Drop,
        };
        let Some(id) = tx.alert_firings(scope).add(&new, now).await? else { return Ok(Done::Outdated) };
        let event = MessageEvent { firing: id, event: AlertEvent::Fired };
        self.add_event_message(tx, scope.brand(), &rule.rule, event, alarm.plan, now).await?;
        let firing = OpenFiring {
            id,
            subject: measured.subject,
            peak: alarm.value,
            no_data_since: None,
            held_until: alarm.held_until(),
            projects: measured.projects.clone(),
        };
        Ok(Done::Fired { rule: alarm.rule, split: measured.split.clone(), firing })
    }
}

/// Adds what was committed to what is known of the brand.
fn remember(progress: &mut BrandProgress, summary: &mut EvaluationSummary, done: Done, now: Timestamp) {
    match done {
        Done::Fired { rule, split, firing } => {
            progress.firings.add(progress.rules[rule].rule.id, split, firing);
            summary.fired += 1;
        }
        Done::Cleared { rule, split } => {
            progress.firings.clear(progress.rules[rule].rule.id, &split, now);
            summary.cleared += 1;
        }
        Done::NoDataSet { rule, split, since } => {
            if let Some(open) = progress.firings.open_mut(progress.rules[rule].rule.id, &split) {
                open.no_data_since = since;
            }
        }
        Done::Outdated => progress.rules_version = OUTDATED,
    }
}

/// Older than any version, so that the rules are read again.
const OUTDATED: i64 = i64::MIN;
