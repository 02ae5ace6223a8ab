//! Judges the rules of a brand one after the other, and keeps of each only what follows.

use std::collections::HashSet;

use domain::{AlertRuleId, AlertStatus, MetricSource, Timestamp};

use super::engine::BrandProgress;
use super::measure::{TOO_MANY_OF_BRAND, not_measured, unmeasured_reason};
use super::status::{OpenFirings, status_of};
use super::turn::{Turn, limit_open};
use super::verdicts::{judge_rule, stop_rule};
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::alerts::AlertsConfig;

/// Judges each rule before the next one is measured: the values of all rules of a brand together would be more than memory holds.
pub(super) trait Judge: Send {
    /// Whether as many splits were judged as those of a brand may have. Further rules are not measured.
    fn is_full(&self) -> bool;

    /// Judges a rule, given by its place among the loaded ones.
    fn judge(&mut self, rule: usize, measured: Vec<Measured>);
}

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
    config: &'a AlertsConfig,
    now: Timestamp,
    /// Splits that were judged.
    splits: usize,
    judged: Judged,
}

impl<'a> Judging<'a> {
    pub fn new(
        progress: &'a mut BrandProgress,
        rules: &'a [LoadedRule],
        config: &'a AlertsConfig,
        now: Timestamp,
    ) -> Self {
        Self { progress, rules, config, now, splits: 0, judged: Judged::default() }
    }

    /// Clears the firings of the rules that have stopped.
    pub fn stop_rules(&mut self) {
        for (index, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.stopped.is_some()) {
            self.judged.turn.add(rule.rule.id, stop_rule(index, rule, &self.progress.firings));
            self.judged.statuses.push((rule.rule.id, status_of(rule, &[], OpenFirings::None)));
        }
    }

    /// Returns which of these rules are measured. The others are judged as having too many older ones before them, by the splits that
    /// those had when they were last measured.
    pub fn leave_out_beyond_bound(&mut self, asked: &[usize], clocks: &SiteClocks) -> Vec<usize> {
        let of_rule = |rule: &LoadedRule| match rule.stopped {
            Some(_) => 0,
            None => self.progress.splits.get(&rule.rule.id).copied().unwrap_or(0),
        };
        let counts: Vec<usize> = self.rules.iter().map(of_rule).collect();
        let within = within_bound(&counts, self.config.max_splits_per_brand as usize);
        let (measured, left_out): (Vec<usize>, Vec<usize>) = asked.iter().partition(|rule| **rule < within);
        for index in left_out {
            self.judge(index, vec![not_measured(&self.rules[index], clocks, TOO_MANY_OF_BRAND)]);
        }
        measured
    }

    pub fn finish(self) -> Judged {
        self.judged
    }
}

impl Judge for Judging<'_> {
    fn is_full(&self) -> bool {
        self.splits >= self.config.max_splits_per_brand as usize
    }

    fn judge(&mut self, index: usize, measured: Vec<Measured>) {
        let (rule, progress) = (&self.rules[index], &mut *self.progress);
        let id = rule.rule.id;
        let unmeasured = unmeasured_reason(&measured);
        // Otherwise the splits are as many as before, for all that is known.
        if unmeasured.is_none() {
            self.splits += measured.len();
            progress.splits.insert(id, measured.len());
        }
        let mut judged =
            judge_rule((index, rule), &measured, &progress.firings, self.config.clear_percent, self.now);
        let open = (progress.firings.open_of(id).count(), progress.firings.open_count());
        let open_then = match limit_open(&mut judged.verdicts, open) {
            true => OpenFirings::TooMany,
            false if judged.has_open => OpenFirings::Some,
            false => OpenFirings::None,
        };
        self.judged.turn.add(id, judged.verdicts);
        for (split, value) in &judged.peaks {
            progress.note_peak(id, split, *value);
        }
        self.judged.statuses.push((id, status_of(rule, &measured, open_then)));
        match unmeasured {
            // It is judged as soon as those before it have fewer splits.
            Some(TOO_MANY_OF_BRAND) => {
                progress.judged.remove(&id);
            }
            _ => progress.note_judged(id, judged.cools_until),
        }
        if rule.rule.terms.metric.source() == MetricSource::Weeks {
            progress.judged_at.insert(id, self.now);
            self.judged.of_weeks.insert(id);
        }
    }
}

/// Returns how many of the first rules, given by their splits, are judged: those before which there are fewer splits than `most`.
fn within_bound(splits: &[usize], most: usize) -> usize {
    let mut before = 0;
    let is_within = |count: &&usize| {
        let is_within = before < most;
        before += **count;
        is_within
    };
    splits.iter().take_while(is_within).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_rules_are_judged_until_their_splits_reach_the_bound() {
        assert_eq!(within_bound(&[], 10), 0);
        assert_eq!(within_bound(&[0, 4, 5, 0, 0], 10), 5);
        assert_eq!(within_bound(&[0, 4, 6, 0, 1], 10), 3);
        assert_eq!(within_bound(&[40_000; 200], 1_000_000), 25);
        assert_eq!(within_bound(&[2_000_000, 1], 1_000_000), 1);
    }
}
