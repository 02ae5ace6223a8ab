//! Which facts of the past a rule counts, for which split, and for how long.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{
    AlertMetric, AlertSplit, AlertWindow, BrandId, CalendarUnit, Day, Invalid, Review, SortedMap, Span,
    SplitKey, TimeZone, Timestamp, Zone,
};

use super::SplitIds;
use super::runtime_window::PieceItem;
use super::windows::{FactItem, SplitWindow};
use crate::alerts::evaluation::{LoadedRule, SiteClocks, SplitClocks, expected_splits, sees};
use crate::insights::columns::fact_list::{FactList, FactQuery};
use crate::{App, Error, ErrorKind};

/// What a fact takes, with its places in windows and the alarm and messages that it may cause.
const BYTES_PER_FACT: usize = 256;

/// A rule whose facts are listed.
#[derive(Clone, Debug)]
pub(in crate::alerts) struct FactSource {
    pub rule: LoadedRule,
    pub clocks: Arc<SiteClocks>,
    /// From the first look to the last one.
    pub period: (Timestamp, Timestamp),
    /// Only this split, or all.
    pub only: Option<SplitKey>,
    /// By which days and weeks begin for splits that are at no worksite of their own.
    pub clock: TimeZone,
}

/// The facts that a rule counts.
pub(super) type CountedFacts = FactList<FactItem, PieceItem>;

impl FactSource {
    fn window(&self) -> AlertWindow {
        // Rules that are measured from columns have a window.
        self.rule.rule.terms.window.unwrap_or(AlertWindow::Rolling { minutes: 60 })
    }

    fn lag(&self) -> Span {
        Span::seconds(self.rule.rule.terms.metric.lag_s())
    }

    /// Returns the length of a rolling window, in microseconds.
    fn length_us(&self) -> Option<i64> {
        match self.window() {
            AlertWindow::Rolling { minutes } => Some(Span::minutes(minutes).micros()),
            AlertWindow::Calendar(_) => None,
        }
    }

    /// Returns the time in which facts begin that can be in a window of the period.
    fn fact_period(&self) -> (Timestamp, Timestamp) {
        /// Clocks differ by up to a day.
        const DAY: i64 = 24 * 60;
        let look_back = match self.window() {
            AlertWindow::Rolling { minutes } => Span::minutes(minutes),
            AlertWindow::Calendar(CalendarUnit::Day) => Span::minutes(2 * DAY),
            AlertWindow::Calendar(CalendarUnit::Week) => Span::minutes(8 * DAY),
        };
        let (from, to) = self.period;
        // A fact that begins at the last look counts.
        (from - look_back - self.lag(), to + Span::from_micros(1))
    }

    /// Returns from when on a fact of a split is not in the window.
    fn leaves(&self, split: SplitIds, begins_at: Timestamp) -> Timestamp {
        let window_end = match self.window() {
            // What begins with the window is in it.
            AlertWindow::Rolling { minutes } => begins_at + Span::minutes(minutes) + Span::from_micros(1),
            AlertWindow::Calendar(unit) => self.next_start(split, unit, begins_at),
        };
        window_end + self.lag()
    }

    /// Returns when the day or week after the one of an instant begins, by the clock of a split.
    fn next_start(&self, split: SplitIds, unit: CalendarUnit, at: Timestamp) -> Timestamp {
        let split_by = self.rule.rule.terms.split_by;
        let ids = &split[..split_by.dimensions().len()];
        let zone = SplitClocks::new(&self.clocks, split_by, &self.clock).of(ids);
        let days = match unit {
            CalendarUnit::Day => 1,
            CalendarUnit::Week => 7,
        };
        Day::from_number(AlertWindow::first_day(unit, at, zone).number() + days).start_in(zone)
    }

    /// Returns what is kept of an incursion, or none if the rule does not count it in the period.
    fn incursion(&self, fact: &IncursionFact, zones: &[Zone]) -> Option<FactItem> {
        let terms = &self.rule.rule.terms;
        let scope = &terms.scope;
        let people = [fact.pedestrian, fact.operator];
        let is_counted = Review::COUNTED.contains(&fact.review)
            && sees(&self.rule.projects, fact.project)
            && has(&scope.project_ids, fact.project.map(|id| id.0))
            && has(&scope.worksite_ids, fact.worksite.map(|id| id.0))
            && has(&scope.machine_ids, fact.machine.map(|id| id.0))
            && has(&scope.base_station_ids, Some(fact.base_station.0))
            && has(&scope.tag_ids, Some(fact.tag.0))
            && (scope.person_ids.is_empty()
                || people.iter().flatten().any(|person| scope.person_ids.contains(&person.0)))
            && (zones.is_empty() || zones.contains(&fact.zone));
        if !is_counted {
            return None;
        }
        let split = match terms.split_by {
            AlertSplit::None => [0, 0],
            AlertSplit::Project => [fact.project?.0, 0],
            AlertSplit::Worksite => [fact.worksite?.0, 0],
            AlertSplit::Machine => [fact.machine?.0, 0],
            AlertSplit::BaseStation => [fact.base_station.0, 0],
            AlertSplit::Person => [fact.pedestrian?.0, 0],
            AlertSplit::Tag => [fact.tag.0, 0],
            AlertSplit::Pair => [fact.machine?.0, fact.pedestrian?.0],
        };
        let begins_at = fact.started_at;
        let enters = match terms.metric {
            // How long it was is known when it has ended.
            AlertMetric::LongIncursion => fact.ended_at?.max(begins_at),
            _ => begins_at + self.lag(),
        };
        let item = FactItem {
            split,
            enters,
            leaves: self.leaves(split, begins_at),
            duration_ms: fact.duration_ms().unwrap_or(0),
            is_acknowledged: fact.acknowledged_at.is_some(),
        };
        let (from, to) = self.period;
        let is_ever_in = item.enters < item.leaves && item.leaves > from && item.enters <= to;
        (is_ever_in && self.is_wanted(split)).then_some(item)
    }

    /// Returns what is kept of a runtime piece. Zones do not concern it.
    fn piece(&self, piece: &RuntimeFact) -> Option<PieceItem> {
        let terms = &self.rule.rule.terms;
        let scope = &terms.scope;
        let is_counted = sees(&self.rule.projects, piece.project)
            && has(&scope.project_ids, piece.project.map(|id| id.0))
            && has(&scope.worksite_ids, piece.worksite.map(|id| id.0))
            && has(&scope.machine_ids, piece.machine.map(|id| id.0))
            && has(&scope.base_station_ids, Some(piece.base_station.0));
        if !is_counted {
            return None;
        }
        let split = match terms.split_by {
            AlertSplit::None => [0, 0],
            AlertSplit::Project => [piece.project?.0, 0],
            AlertSplit::Worksite => [piece.worksite?.0, 0],
            AlertSplit::Machine => [piece.machine?.0, 0],
            AlertSplit::BaseStation => [piece.base_station.0, 0],
            // Runtime has no people on foot and no tags.
            AlertSplit::Person | AlertSplit::Tag | AlertSplit::Pair => return None,
        };
        let leaves = match self.window() {
            AlertWindow::Rolling { minutes } => piece.ended_at + Span::minutes(minutes),
            // With the day or week in which it ends.
            AlertWindow::Calendar(_) => self.leaves(split, piece.ended_at - Span::from_micros(1)),
        };
        let (started_at, ended_at) = (piece.started_at, piece.ended_at);
        let is_ever_in = started_at < leaves && leaves > self.period.0;
        (is_ever_in && self.is_wanted(split)).then_some(PieceItem { split, started_at, ended_at, leaves })
    }

    /// Cuts a piece where a day or week begins by the clock of its split, which can be another one than that of its site.
    fn parts_of(&self, piece: PieceItem) -> impl Iterator<Item = PieceItem> {
        let cut = match self.window() {
            AlertWindow::Rolling { .. } => None,
            AlertWindow::Calendar(unit) => Some(self.next_start(piece.split, unit, piece.started_at)),
        };
        let cut = cut.filter(|cut| *cut < piece.ended_at);
        let first = cut.map(|cut| PieceItem { ended_at: cut, leaves: cut, ..piece });
        let rest = PieceItem { started_at: cut.unwrap_or(piece.started_at), ..piece };
        first.into_iter().chain([rest])
    }

    fn is_wanted(&self, split: SplitIds) -> bool {
        self.only.as_ref().is_none_or(|only| self.key_of(split) == *only)
    }

    fn key_of(&self, split: SplitIds) -> SplitKey {
        let length = self.rule.rule.terms.split_by.dimensions().len();
        SplitKey::new(split.into_iter().take(length).collect())
    }

    /// Sorts facts by split. Splits that have a value even if nothing happens are there without any facts.
    pub(super) fn windows(&self, facts: CountedFacts) -> SortedMap<SplitKey, SplitWindow> {
        let mut splits: BTreeMap<SplitIds, (Vec<FactItem>, Vec<PieceItem>)> = BTreeMap::new();
        for item in facts.incursions {
            splits.entry(item.split).or_default().0.push(item);
        }
        for piece in facts.runtime {
            splits.entry(piece.split).or_default().1.extend(self.parts_of(piece));
        }
        let expected = match &self.only {
            Some(only) => vec![only.clone()],
            None => expected_splits(&self.rule, &self.clocks),
        };
        let empty = expected.iter().map(|key| (key.clone(), (Vec::new(), Vec::new())));
        let splits = splits.into_iter().map(|(ids, facts)| (self.key_of(ids), facts));
        let by_key: SortedMap<SplitKey, _> = empty.chain(splits).collect();
        let terms = &self.rule.rule.terms;
        let window = |(key, (items, pieces)): (SplitKey, (Vec<FactItem>, Vec<PieceItem>))| {
            let is_expected = expected.contains(&key);
            (key, SplitWindow::new(terms, items, pieces, self.length_us(), is_expected))
        };
        by_key.into_iter().map(window).collect()
    }
}

/// Whether a list of a scope allows an id.
fn has(ids: &[i64], id: Option<i64>) -> bool {
    ids.is_empty() || id.is_some_and(|id| ids.contains(&id))
}

impl App {
    /// Lists the facts that a rule counts.
    pub(super) async fn list_counted_facts(
        &self,
        brand: BrandId,
        source: &Arc<FactSource>,
    ) -> Result<CountedFacts, Error> {
        let (of_incursions, of_runtime) = (Arc::clone(source), Arc::clone(source));
        let terms = &source.rule.rule.terms;
        let zones = terms.scope.zones();
        let needs_runtime = terms.metric.needs_runtime();
        let limit = self.max_listed_facts(if needs_runtime { 2 * BYTES_PER_FACT } else { BYTES_PER_FACT });
        let query = FactQuery {
            period: source.fact_period(),
            incursion: Box::new(move |fact: &IncursionFact| of_incursions.incursion(fact, &zones)),
            piece: match needs_runtime {
                true => Some(Box::new(move |piece: &RuntimeFact| of_runtime.piece(piece))),
                false => None,
            },
            limit,
        };
        self.list_facts(&self.scope_of(brand), query).await?.ok_or_else(|| {
            let text = format!("has more than {limit} facts; narrow it, or shorten the window");
            Error::for_field(ErrorKind::Invalid, "scope", Invalid::new("too_many_points", text))
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::insights::Interval;
    use domain::{
        AlertComparison, AlertLevel, BaseStationId, IncursionId, Measurement, ProjectId, TagId, WorksiteId,
    };
    use store::Projects;

    use super::super::buckets::buckets;
    use super::super::replay::{Outcome, Referee, WorstValues};
    use super::*;
    use crate::alerts::messages::test_rule;

    /// Numbers that are the same in every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: i64) -> i64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((self.0 >> 33) % limit.unsigned_abs()).unwrap()
        }
    }

    fn fact(started_at: Timestamp) -> IncursionFact {
        IncursionFact {
            id: IncursionId(1),
            started_at,
            ended_at: Some(started_at + Span::seconds(2)),
            acknowledged_at: None,
            zone: Zone::Danger,
            review: Review::Unreviewed,
            machine: None,
            pedestrian: None,
            operator: None,
            worksite: Some(WorksiteId(1)),
            project: Some(ProjectId(1)),
            base_station: BaseStationId(1),
            tag: TagId(1),
            local_day: Day::from_number(0),
            local_minute: 0,
            cell: None,
        }
    }

    /// A rule for all incursions together that fires from this number on, and when these begin.
    struct Case {
        metric: AlertMetric,
        window: AlertWindow,
        threshold: i64,
        period: (Timestamp, Timestamp),
        begins: Vec<Timestamp>,
    }

    impl Case {
        /// Returns the firings, and the worst value of each part.
        fn replay(&self, parts: &[Timestamp], zone: &TimeZone) -> (Outcome, Vec<Option<f64>>) {
            let mut rule = test_rule(self.metric, AlertSplit::None);
            rule.terms.window = Some(self.window);
            rule.terms.comparison = AlertComparison::Above;
            rule.terms.threshold = AlertLevel::whole(self.threshold);
            let rule = LoadedRule { rule, projects: Projects::All, stopped: None };
            let clocks = Arc::new(SiteClocks::new(zone.clone(), Vec::new(), Vec::new()));
            let source = FactSource { rule, clocks, period: self.period, only: None, clock: zone.clone() };
            let items = self.begins.iter().filter_map(|at| source.incursion(&fact(*at), &[])).collect();
            let mut windows =
                source.windows(FactList { incursions: items, runtime: Vec::new(), seq: 0 }).into_iter();
            let referee = Referee::new(&source.rule, 90, self.period, parts.to_vec());
            let mut worst = WorstValues::new(parts.len());
            let (_, mut window) = windows.next().unwrap();
            (referee.replay(&mut window, &mut worst), worst.into_values())
        }

        /// Returns how many incursions the window has that ends at an instant.
        fn count_at(&self, at: Timestamp, zone: &TimeZone) -> i64 {
            let to = at - Span::seconds(self.metric.lag_s());
            let from = self.window.start(to, zone);
            let count = self.begins.iter().filter(|begin| (from..=to).contains(*begin)).count();
            i64::try_from(count).unwrap()
        }
    }

    const COUNTS: [AlertMetric; 2] = [AlertMetric::Incursions, AlertMetric::UnacknowledgedIncursions];

    #[test]
    fn every_firing_is_beyond_the_threshold_when_it_fires() {
        let mut numbers = Numbers(7);
        let from = Timestamp::parse("2026-03-27T05:17:23.5Z").unwrap();
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        let mut fired = 0;
        for minutes in [5, 15, 60] {
            for metric in COUNTS {
                for threshold in [3, 6, 8] {
                    // Bursts that are longer than the shortest window, off the minute.
                    let mut begins = Vec::new();
                    for burst in 0..60 {
                        let start = from + Span::minutes(burst * 97 + numbers.below(40));
                        for _ in 0..4 + numbers.below(12) {
                            begins.push(start + Span::from_micros(numbers.below(9 * 60_000_000)));
                        }
                    }
                    let window = AlertWindow::Rolling { minutes };
                    let period = (from, from + Span::minutes(4 * 1_440));
                    let case = Case { metric, window, threshold, period, begins };
                    let (outcome, _) = case.replay(&[from], &zone);
                    for firing in &outcome.firings {
                        let counted = case.count_at(firing.fired_at, &zone);
                        assert_eq!(firing.numerator, counted, "{metric:?} {minutes} {}", firing.fired_at);
                        assert!(counted >= threshold, "{metric:?} {minutes} {counted} {threshold}");
                        fired += 1;
                    }
                }
            }
        }
        assert!(fired > 200, "{fired}");
    }

    #[test]
    fn the_chart_of_a_calendar_window_is_a_breakdown_by_the_same_buckets() {
        let mut numbers = Numbers(11);
        for name in ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"] {
            let zone = TimeZone::parse(name).unwrap();
            for (unit, interval) in [(CalendarUnit::Day, Interval::Day), (CalendarUnit::Week, Interval::Week)]
            {
                for metric in COUNTS {
                    let fired_at = Timestamp::parse("2026-03-31T14:03:11.25Z").unwrap();
                    let length = if unit == CalendarUnit::Day { 12 } else { 84 };
                    let all = buckets(interval, (fired_at - Span::minutes(length * 1_440), fired_at), &zone);
                    let parts: Vec<Timestamp> = all.iter().map(|bucket| bucket.begins_at).collect();
                    let span = (fired_at - parts[0]).micros();
                    let begins: Vec<Timestamp> =
                        (0..700).map(|_| parts[0] + Span::from_micros(numbers.below(span))).collect();
                    let window = AlertWindow::Calendar(unit);
                    let period = (parts[0], fired_at);
                    let case = Case { metric, window, threshold: 1_000, period, begins };
                    let (_, worst) = case.replay(&parts, &zone);
                    let known_until = fired_at - Span::seconds(metric.lag_s());
                    let breakdown: Vec<Option<f64>> = (0..parts.len())
                        .map(|place| {
                            let ends_at = parts.get(place + 1).copied().unwrap_or(fired_at);
                            let is_in = |at: &&Timestamp| {
                                parts[place] <= **at && **at < ends_at && **at <= known_until
                            };
                            Some(case.begins.iter().filter(is_in).count() as f64)
                        })
                        .collect();
                    assert_eq!(worst, breakdown, "{name} {unit:?} {metric:?}");
                }
            }
        }
    }

    #[test]
    fn a_value_is_known_as_long_as_it_is_in_the_window() {
        let from = Timestamp::parse("2026-03-01T12:00:30Z").unwrap();
        let zone = TimeZone::utc();
        let case = Case {
            metric: AlertMetric::Incursions,
            window: AlertWindow::Rolling { minutes: 5 },
            threshold: 1,
            period: (from, from + Span::minutes(60)),
            begins: vec![from + Span::seconds(7)],
        };
        let (outcome, _) = case.replay(&[from], &zone);
        assert_eq!(outcome.peak, Some(Measurement::count(1)));
        let [firing] = &outcome.firings[..] else { panic!("{:?}", outcome.firings) };
        // It is looked at with the next whole minute.
        let cleared_at = Timestamp::parse("2026-03-01T12:06:00Z").unwrap();
        assert_eq!((firing.fired_at, firing.cleared_at), (from + Span::seconds(7), Some(cleared_at)));
    }
}
