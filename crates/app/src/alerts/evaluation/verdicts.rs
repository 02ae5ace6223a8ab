//! Judges the splits of rules by what is known of their firings.

use std::collections::BTreeSet;

use domain::{
    AlertComparison, AlertFiringId, AlertTerms, ClearReason, Crossing, Judgement, Measurement, MetricSource,
    ProjectId, SortedSet, Span, SplitKey, SplitState, Timestamp, judge,
};

use super::known_firings::{KnownFirings, OpenFiring};
use super::measure::{is_below_count, judge_nothing, unmeasured_reason};
use super::zones::sees;
use super::{LoadedRule, Measured};

/// Open firings of a rule. What crosses beyond that does not fire until others have cleared.
pub(super) const MAX_OPEN: usize = 1_000;

/// What follows for a split. Rules are given by their place among the loaded ones.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    Fire {
        rule: usize,
        measured: Measured,
        value: Measurement,
    },
    Clear {
        rule: usize,
        split: SplitKey,
        firing: OpenFiring,
        reason: ClearReason,
        /// On which it cleared, if there is one.
        value: Option<Measurement>,
    },
    /// An open firing has no value from now on, or has one again.
    SetNoData {
        rule: usize,
        split: SplitKey,
        firing: AlertFiringId,
        since: Option<Timestamp>,
    },
}

/// What follows for a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleVerdicts {
    pub verdicts: Vec<Verdict>,
    /// The values of open firings that are further beyond the threshold than before.
    pub peaks: Vec<(SplitKey, Measurement)>,
    /// Whether it has an open firing then.
    pub has_open: bool,
    /// When the first of the splits fires that are beyond the threshold and cool down, if that lasts.
    pub cools_until: Option<Timestamp>,
}

/// Judges a rule that was measured.
pub(super) fn judge_rule(
    (index, rule): (usize, &LoadedRule),
    measured: &[Measured],
    firings: &KnownFirings,
    clear_percent: u32,
    now: Timestamp,
) -> RuleVerdicts {
    let (id, terms) = (rule.rule.id, &rule.rule.terms);
    let cool_down = Span::minutes(rule.rule.cool_down_minutes);
    let judge_split = |split: &SplitKey, judgement: Judgement| {
        let open = firings.open(id, split);
        let state = SplitState {
            open: open.is_some(),
            no_data_since: open.and_then(|firing| firing.no_data_since),
            last_cleared_at: firings.cleared_at(id, split),
        };
        judge::judge(terms, judgement, state, cool_down, clear_percent, now)
    };
    let is_beyond =
        |judgement: Judgement| matches!(judgement, Judgement::Value(value) if terms.fires(&value));
    let mut judged = RuleVerdicts::default();
    let (mut open_count, mut fires) = (firings.open_of(id).count(), 0);
    for measured in measured {
        let split = &measured.split;
        match (judge_split(split, measured.judgement), firings.open(id, split)) {
            (Crossing::Fire(value), _) => match firings.rests_until(id, split, now) {
                Some(until) => judged.note_cooling(until),
                None => {
                    open_count += 1;
                    fires += 1;
                    // One more than can be open tells that there are too many.
                    if fires <= MAX_OPEN + 1 {
                        judged.verdicts.push(Verdict::Fire {
                            rule: index,
                            measured: measured.clone(),
                            value,
                        });
                    }
                }
            },
            (crossing, Some(firing)) => {
                open_count -= usize::from(matches!(crossing, Crossing::Clear(_)));
                let measured = (measured.judgement, &measured.projects);
                judged.follow((index, rule), (split, firing), (crossing, measured), now);
            }
            (_, None) => {
                if let Some(cleared_at) = firings.cleared_at(id, split)
                    && is_beyond(measured.judgement)
                {
                    judged.note_cooling(cleared_at + cool_down);
                }
            }
        }
    }
    let known: SortedSet<&SplitKey> = measured.iter().map(|measured| &measured.split).collect();
    // Which splits there are is not known if there are too many of them.
    let unknown = unmeasured_reason(measured);
    let nothing = judge_nothing(terms.metric);
    for (split, firing) in firings.open_of(id).filter(|(split, _)| !known.contains(split)) {
        let crossing = match (terms.metric.source(), unknown) {
            (_, Some(reason)) => judge_split(split, Judgement::NoData(reason)),
            _ if is_out_of_sight(rule, firing) || is_below_count(terms) => {
                Crossing::Clear(ClearReason::ScopeChanged)
            }
            // The visit is over, or nobody wears the tag any more.
            (MetricSource::Rows, None) => Crossing::Clear(ClearReason::Recovered),
            (MetricSource::Columns | MetricSource::Weeks, None) => judge_split(split, nothing),
        };
        open_count -= usize::from(matches!(crossing, Crossing::Clear(_)));
        let value = match terms.metric.source() {
            MetricSource::Rows => Judgement::NoData("not_measured"),
            MetricSource::Columns | MetricSource::Weeks => nothing,
        };
        judged.follow((index, rule), (split, firing), (crossing, (value, &BTreeSet::new())), now);
    }
    judged.has_open = open_count > 0;
    judged
}

/// Clears all firings of a rule that has stopped.
pub(super) fn stop_rule(index: usize, rule: &LoadedRule, firings: &KnownFirings) -> Vec<Verdict> {
    let reason = match rule.stopped {
        Some("scope_archived") => ClearReason::ScopeArchived,
        _ => ClearReason::ScopeChanged,
    };
    let clear = |(split, firing): (&SplitKey, &OpenFiring)| Verdict::Clear {
        rule: index,
        split: split.clone(),
        firing: firing.clone(),
        reason,
        value: None,
    };
    firings.open_of(rule.rule.id).map(clear).collect()
}

impl RuleVerdicts {
    fn note_cooling(&mut self, until: Timestamp) {
        self.cools_until = Some(self.cools_until.map_or(until, |known| known.min(until)));
    }

    /// Adds what follows for an open firing, by what was measured and the projects that went into it.
    fn follow(
        &mut self,
        (index, rule): (usize, &LoadedRule),
        (split, firing): (&SplitKey, &OpenFiring),
        (crossing, (judgement, projects)): (Crossing, (Judgement, &BTreeSet<Option<ProjectId>>)),
        now: Timestamp,
    ) {
        let set_no_data =
            |since| Verdict::SetNoData { rule: index, split: split.clone(), firing: firing.id, since };
        match crossing {
            Crossing::Clear(reason) => {
                // What is left of it in the owner's sight says nothing about the rest.
                let reason = match reason {
                    ClearReason::Recovered if is_out_of_sight(rule, firing) => ClearReason::ScopeChanged,
                    _ => reason,
                };
                // As with peaks, whoever sees the firing may not see the other projects that a value counts by now.
                let is_shown = |value: Measurement| value == Measurement::count(0) || firing.covers(projects);
                let value = match (reason, judgement) {
                    (ClearReason::Recovered, Judgement::Value(value)) if is_shown(value) => Some(value),
                    _ => None,
                };
                let (split, firing) = (split.clone(), firing.clone());
                self.verdicts.push(Verdict::Clear { rule: index, split, firing, reason, value });
            }
            Crossing::NoDataBegins => self.verdicts.push(set_no_data(Some(now))),
            Crossing::Stay(value) => {
                if firing.no_data_since.is_some() {
                    self.verdicts.push(set_no_data(None));
                }
                // Whoever sees the firing may not see the other projects that a value counts by now.
                if firing.covers(projects) && is_further(&rule.rule.terms, &value, &firing.peak) {
                    self.peaks.push((split.clone(), value));
                }
            }
            Crossing::None | Crossing::Fire(_) => {}
        }
    }
}

/// Whether the owner of a rule no longer sees all that went into a firing.
fn is_out_of_sight(rule: &LoadedRule, firing: &OpenFiring) -> bool {
    !firing.projects.iter().all(|project| sees(&rule.projects, *project))
}

/// Whether a value is further beyond the threshold than another.
fn is_further(terms: &AlertTerms, value: &Measurement, peak: &Measurement) -> bool {
    let product = |one: i64, other: i64| i128::from(one) * i128::from(other);
    let (value, peak) =
        (product(value.numerator, peak.denominator), product(peak.numerator, value.denominator));
    match terms.comparison {
        AlertComparison::Above => value > peak,
        AlertComparison::Below => value < peak,
    }
}
