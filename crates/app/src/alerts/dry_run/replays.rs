//! Replays of rules that are measured from facts: as they happened, or by weeks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::insights::Interval;
use domain::{BrandId, Judgement, SortedMap, SortedSet, SplitKey, TimeZone, Timestamp};

use super::buckets::buckets;
use super::facts::FactSource;
use super::replay::{Referee, Steps, WorstValues};
use super::{Replayed, ReplayedSplit};
use crate::alerts::evaluation::{LoadedRule, SiteClocks};
use crate::{App, Error};

/// Stops a replay after its current split when the caller goes away, and with it this.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl App {
    /// Replays a rule that is measured from columns.
    pub(in crate::alerts) async fn replay_facts(
        &self,
        brand: BrandId,
        source: FactSource,
        parts: Vec<Timestamp>,
    ) -> Result<Replayed, Error> {
        let source = Arc::new(source);
        let facts = self.list_counted_facts(brand, &source).await?;
        let referee = self.referee(&source.rule, source.period, parts);
        let caller = StopOnDrop::default();
        let is_stopped = Arc::clone(&caller.0);
        self.compute(move || {
            let seq = facts.seq;
            let mut worst = WorstValues::new(referee.parts.len());
            let windows = source.windows(facts).into_iter();
            let windows = windows.take_while(|_| !is_stopped.load(Ordering::Relaxed));
            let splits = windows.map(|(key, mut window)| {
                let outcome = referee.replay(&mut window, &mut worst);
                ReplayedSplit { key, outcome }
            });
            let splits = splits.collect();
            Replayed { splits, worst: worst.into_values(), seq }
        })
        .await
    }

    /// Replays a rule of drift. Its values change when a week ends, so that it is measured at the beginning of each week of each clock.
    pub(in crate::alerts) async fn replay_weeks(
        &self,
        brand: BrandId,
        rule: &LoadedRule,
        clocks: &SiteClocks,
        period: (Timestamp, Timestamp),
        parts: Vec<Timestamp>,
    ) -> Result<Replayed, Error> {
        let mut steps: Vec<(SplitKey, (Timestamp, Judgement))> = Vec::new();
        for at in week_starts(clocks, period) {
            let measured = self.measure_rule_now(brand, rule, at).await?;
            steps.extend(measured.into_iter().map(|measured| (measured.split, (at, measured.judgement))));
        }
        let seq = self.store.read().await?.counters(&self.scope_of(brand)).await?.last_seq;
        let referee = self.referee(rule, period, parts);
        let mut worst = WorstValues::new(referee.parts.len());
        let splits = SortedMap::grouped(steps).into_iter().map(|(key, steps)| {
            let steps = steps.into_iter().map(|(at, judgement)| (at, Some(judgement))).collect();
            let outcome = referee.replay(&mut Steps { steps, next: 0 }, &mut worst);
            ReplayedSplit { key, outcome }
        });
        let splits = splits.collect();
        Ok(Replayed { splits, worst: worst.into_values(), seq })
    }

    /// Returns by what a rule is judged.
    pub(super) fn referee(
        &self,
        rule: &LoadedRule,
        period: (Timestamp, Timestamp),
        parts: Vec<Timestamp>,
    ) -> Referee {
        Referee::new(rule, self.alerts.setup.config.clear_percent, period, parts)
    }
}

/// Returns the beginning and the end of a period, and when weeks begin in it by the clocks of all sites.
fn week_starts(clocks: &SiteClocks, (from, to): (Timestamp, Timestamp)) -> SortedSet<Timestamp> {
    let zones = clocks.worksites().map(|(_, zone)| zone).chain([clocks.of_worksite(None)]);
    let zones: SortedMap<&str, &TimeZone> = zones.map(|zone| (zone.as_str(), zone)).collect();
    let mut starts = vec![from, to];
    for zone in zones.into_values() {
        let weeks = buckets(Interval::Week, (from, to), zone);
        starts.extend(weeks.into_iter().map(|week| week.begins_at).filter(|at| *at > from));
    }
    starts.into_iter().collect()
}
