//! Judges the rules of a brand one after the other, and keeps of each only what follows.

use std::collections::HashSet;

use domain::{AlertRuleId, AlertStatus, MetricSource, Timestamp};

use super::engine::BrandProgress;
use super::measure::{TOO_MANY_OF_BRAND, not_measured, unmeasured_reason};
use super::status::{OpenFirings, status_of};
use super::turn::{Turn, limit_open};
use super::verdicts::{Verdict, judge_rule, stop_rule};
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::alerts::AlertsConfig;

/// Judges each rule before the next one is measured: the values of all rules of a brand together would be more than memory holds.
pub(super) trait Judge: Send {
    /// Judges a rule, given by its place among the loaded ones.
    fn judge(&mut self, rule: usize, measured: Vec<Measured>);
}

/// Rules of a brand. With an even share of the splits of a brand, each of them is judged, whatever the others have.
const MOST_RULES: usize = 2_000;

/// What followed for the rules that were judged.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub turn: Turn,
    pub statuses: Vec<(AlertRuleId, (AlertStatus, Option<&'static str>))>,
    /// The rules of drift among them.
    pub of_weeks: HashSet<AlertRuleId>,
}

/// An evaluation while its rules are judged.
pub(super) struct Judging<'a> {
    progress: &'a mut BrandProgress,
    rules: &'a [LoadedRule],
    clocks: &'a SiteClocks,
    config: &'a AlertsConfig,
    now: Timestamp,
    /// Open firings of the brand, with those that are about to be written.
    open: usize,
    judged: Judged,
}

impl<'a> Judging<'a> {
    pub fn new(
        progress: &'a mut BrandProgress,
        rules: &'a [LoadedRule],
        clocks: &'a SiteClocks,
        config: &'a AlertsConfig,
        now: Timestamp,
    ) -> Self {
        let open = progress.firings.open_count();
        Self { progress, rules, clocks, config, now, open, judged: Judged::default() }
    }

    /// Clears the firings of the rules that have stopped.
    pub fn stop_rules(&mut self) {
        for (index, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.stopped.is_some()) {
            self.judged.turn.add(rule.rule.id, stop_rule(index, rule, &self.progress.firings));
            self.judged.statuses.push((rule.rule.id, status_of(rule, &[], OpenFirings::None)));
        }
    }

    /// Returns which of these rules are measured. The others are left out without a question, because of the splits that older ones had
    /// when they were last measured.
    pub fn leave_out_beyond_bound(&mut self, asked: &[usize]) -> Vec<usize> {
        let counts = self.counts();
        let (measured, left_out): (Vec<usize>, Vec<usize>) =
            asked.iter().partition(|rule| !self.is_beyond_bound(&counts, **rule));
        for index in left_out {
            self.leave_out(index);
        }
        measured
    }

    /// Returns how many splits each rule had when it was last measured; 0 for those that were not yet.
    fn counts(&self) -> Vec<usize> {
        let of_rule = |rule: &LoadedRule| match rule.stopped {
            Some(_) => 0,
            None => self.progress.splits.get(&rule.rule.id).copied().unwrap_or(0),
        };
        self.rules.iter().map(of_rule).collect()
    }

    fn is_beyond_bound(&self, counts: &[usize], index: usize) -> bool {
        is_beyond(counts, index, self.config.max_splits_per_brand as usize)
    }

    /// Leaves a rule as it is, with its open firings, and says why.
    fn leave_out(&mut self, index: usize) {
        let rule = &self.rules[index];
        let id = rule.rule.id;
        self.progress.left_out.insert(id);
        let open = match self.progress.firings.has_open(id) {
            true => OpenFirings::Some,
            false => OpenFirings::None,
        };
        let measured = [not_measured(rule, self.clocks, TOO_MANY_OF_BRAND)];
        self.judged.statuses.push((id, status_of(rule, &measured, open)));
    }

    pub fn finish(self) -> Judged {
        self.judged
    }
}

impl Judge for Judging<'_> {
    fn judge(&mut self, index: usize, measured: Vec<Measured>) {
        let rule = &self.rules[index];
        let id = rule.rule.id;
        // Otherwise the splits are as many as before, for all that is known.
        if unmeasured_reason(&measured).is_none() {
            self.progress.splits.insert(id, measured.len());
            // How many there are may be known only now. Most rules have few, and need not be compared with all others.
            let most = self.config.max_splits_per_brand as usize;
            if measured.len() > share_of(most) && self.is_beyond_bound(&self.counts(), index) {
                return self.leave_out(index);
            }
        }
        let progress = &mut *self.progress;
        progress.left_out.remove(&id);
        let mut judged =
            judge_rule((index, rule), &measured, &progress.firings, self.config.clear_percent, self.now);
        let open = (progress.firings.open_of(id).count(), self.open);
        let open_then = match limit_open(&mut judged.verdicts, open) {
            true => OpenFirings::TooMany,
            false if judged.has_open => OpenFirings::Some,
            false => OpenFirings::None,
        };
        self.open += judged.verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Fire { .. })).count();
        self.judged.turn.add(id, judged.verdicts);
        for (split, value) in &judged.peaks {
            progress.note_peak(id, split, *value);
        }
        self.judged.statuses.push((id, status_of(rule, &measured, open_then)));
        progress.note_judged(id, judged.cools_until);
        if rule.rule.terms.metric.source() == MetricSource::Weeks {
            progress.judged_at.insert(id, self.now);
            self.judged.of_weeks.insert(id);
        }
    }
}

/// Whether a rule, given by its place among the splits of all, has more of them than its share, and the older ones before it have `most`.
fn is_beyond(splits: &[usize], index: usize, most: usize) -> bool {
    splits[index] > share_of(most) && splits[..index].iter().sum::<usize>() >= most
}

fn share_of(most: usize) -> usize {
    most / MOST_RULES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn younger_rules_with_many_splits_are_left_out() {
        let left_out = |splits: &[usize], most: usize| -> Vec<usize> {
            (0..splits.len()).filter(|index| is_beyond(splits, *index, most)).collect()
        };
        assert_eq!(left_out(&[0, 4, 6, 0, 1], 10), [4]);
        assert_eq!(left_out(&[0, 4, 5, 0, 0], 10), [0; 0]);
        let many = left_out(&[40_000; 200], 1_000_000);
        assert_eq!((many.len(), many.first()), (175, Some(&25)));
        // Those with few are judged, since all of them together have no more than the others.
        assert_eq!(left_out(&[2_000_000, 1, 500, 501], 1_000_000), [3]);
    }
}
