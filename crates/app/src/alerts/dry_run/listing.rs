//! Puts together what splits did: which are shown, what they are called, and how many messages there would have been.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use domain::insights::{Dimension, Group, Groups};
use domain::{AlertRule, AlertSplit, Measurement, PersonId, SplitKey, TimeZone, Timestamp, person, sorted};

use super::message_count::{AlarmEvent, MessageRules, count_messages};
use super::replay::is_beyond;
use super::{DryRun, DryRunSplit, ReplayedSplit};
use crate::accounts::authors::Author;
use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::alerts::evaluation::{LoadedRule, SiteClocks, reason_of_nothing, subject_of};
use crate::alerts::messages::hours_begin_at;
use crate::insights::labels::Labels;
use crate::{App, Error};

/// The most splits that are listed.
const MAX_SPLITS: usize = 200;
/// The most alarms that are listed, of all splits together.
const MAX_FIRINGS: usize = 1_000;

impl App {
    /// Adds what splits did to a dry run, and counts the messages about it.
    pub(super) fn add_splits(
        &self,
        run: &mut DryRun,
        mut splits: Vec<ReplayedSplit>,
        rule: &LoadedRule,
        clocks: &SiteClocks,
    ) {
        let terms = &rule.rule.terms;
        let zones: Vec<&TimeZone> = splits
            .iter()
            .map(|split| subject_of(rule, &split.key, &BTreeSet::new(), clocks))
            .map(|subject| clocks.of_scope(&terms.scope, &rule.projects, &subject))
            .collect();
        run.messages = self.count_alarm_messages(&rule.rule, &splits, &zones, run.to);
        run.firings = splits.iter().map(|split| split.outcome.firings.len() as u64).sum();
        run.time_zones = zones.into_iter().chain([&run.clock]).cloned().collect();
        sorted::sort_by(&mut run.time_zones, |one, other| one.as_str().cmp(other.as_str()));
        run.time_zones.dedup();
        let has_value = splits.iter().any(|split| split.outcome.peak.is_some());
        let reasons = || splits.iter().find_map(|split| split.outcome.no_data);
        run.no_data = match has_value {
            true => None,
            false => reasons().or_else(|| reason_of_nothing(terms.metric)),
        };

        let further = |one: &Option<Measurement>, other: &Option<Measurement>| match (one, other) {
            (Some(one), Some(other)) if is_beyond(terms.comparison, one, other) => Ordering::Less,
            (Some(one), Some(other)) if is_beyond(terms.comparison, other, one) => Ordering::Greater,
            (one, other) => other.is_some().cmp(&one.is_some()),
        };
        sorted::sort_by(&mut splits, |one, other| {
            let by_firings = Reverse(one.outcome.firings.len()).cmp(&Reverse(other.outcome.firings.len()));
            let by_peak = || further(&one.outcome.peak, &other.outcome.peak);
            by_firings.then_with(by_peak).then_with(|| one.key.cmp(&other.key))
        });
        run.more_splits = splits.len().saturating_sub(MAX_SPLITS) as u64;
        splits.truncate(MAX_SPLITS);
        let counts: Vec<usize> = splits.iter().map(|split| split.outcome.firings.len()).collect();
        let listed = listed_of_each(&counts);
        let shown = splits.into_iter().map(|split| {
            let mut firings = split.outcome.firings;
            let more = firings.len().saturating_sub(listed);
            firings.drain(..more);
            DryRunSplit {
                key: split.key,
                label: String::new(),
                firings,
                more_firings: more as u64,
                peak: split.outcome.peak.map(|peak| peak.as_f64()),
            }
        });
        run.splits = shown.collect();
    }

    /// Counts the messages about all alarms of a rule, given the clock of each split.
    fn count_alarm_messages(
        &self,
        rule: &AlertRule,
        splits: &[ReplayedSplit],
        zones: &[&TimeZone],
        to: Timestamp,
    ) -> u64 {
        let mut events: Vec<AlarmEvent> = Vec::new();
        let mut clocks: Vec<&TimeZone> = Vec::new();
        for (split, zone) in splits.iter().zip(zones) {
            for firing in &split.outcome.firings {
                let alarm = clocks.len();
                clocks.push(*zone);
                events.push(AlarmEvent { at: firing.fired_at, is_clearing: false, alarm });
                let cleared = firing.cleared_at.map(|at| AlarmEvent { at, is_clearing: true, alarm });
                events.extend(cleared);
            }
        }
        events.sort_unstable();
        let limit = self.alerts.setup.config.max_messages_per_hour;
        let rules = MessageRules {
            notify_on_clear: rule.notify_on_clear,
            outside_hours: rule.outside_hours,
            max_per_hour: usize::try_from(limit).unwrap_or(usize::MAX),
            to,
        };
        count_messages(&events, rules, &|alarm, at| hours_begin_at(rule, clocks[alarm], at))
    }

    /// Names the splits of a dry run, as far as the caller may see names.
    pub(super) async fn label_splits(
        &self,
        run: &mut DryRun,
        caller: &Author,
        rule: &AlertRule,
    ) -> Result<(), Error> {
        let dimensions = rule.terms.split_by.dimensions();
        let group = |split: &DryRunSplit| Group {
            keys: split.key.ids().iter().map(|id| Some(*id)).collect(),
            figures: Vec::new(),
        };
        let groups = Groups { groups: run.splits.iter().map(group).collect(), more: 0 };
        let hidden = match dimensions.contains(&Dimension::Pedestrian) {
            true => self.find_out_of_scope_people(&caller.scope).await?,
            false => OutOfScopePeople::default(),
        };
        let labels = self.load_labels_in(caller.query_scope(), [(dimensions, &groups)]).await?;
        for split in &mut run.splits {
            split.label = match rule.terms.split_by {
                AlertSplit::None => rule.name.clone(),
                _ => label(dimensions, &split.key, &labels, &hidden),
            };
        }
        Ok(())
    }
}

/// Returns how many alarms are listed of each split at most, given how many each has.
fn listed_of_each(counts: &[usize]) -> usize {
    let mut listed = MAX_FIRINGS;
    while counts.iter().map(|count| listed.min(*count)).sum::<usize>() > MAX_FIRINGS {
        listed -= 1;
    }
    listed
}

fn label(dimensions: &[Dimension], key: &SplitKey, labels: &Labels, hidden: &OutOfScopePeople) -> String {
    let name = |(dimension, id): (&Dimension, &i64)| match dimension {
        Dimension::Pedestrian => {
            let person = PersonId(*id);
            let name = labels.name(*dimension, *id).filter(|_| !hidden.contains(person));
            name.map_or_else(|| person::placeholder_name(person), str::to_owned)
        }
        _ => labels.label(*dimension, Some(*id)).label,
    };
    dimensions.iter().zip(key.ids()).map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_alarms_are_listed_unless_there_are_too_many() {
        assert!(listed_of_each(&[600, 400]) >= 600);
        assert_eq!(listed_of_each(&[5_000, 300, 200]), 500);
        assert_eq!(listed_of_each(&[5_000; MAX_SPLITS]), MAX_FIRINGS / MAX_SPLITS);
        assert!(listed_of_each(&[]) > 0);
    }
}
