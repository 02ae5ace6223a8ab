//! The figures of tests of tags: on which days a worn tag was covered by a test, and whether it was in test at its incursions.

use std::collections::{BTreeMap, HashMap};

use domain::insights::{Dimension, IncursionFilter, Measure};
use domain::{
    Direction, PeriodBound, PersonId, SortKey, Sorting, Span, TagDetails, TagFilter, TagId, TagThresholds,
    TimeZone, Timestamp, Window, WindowPosition,
};
use store::{ExcludedWearers, IncursionsOfTag, Scope};

use super::asking::{NamedQuestion, all};
use super::test_coverage::{Calendar, TestHistory, WornWeeks};
use super::{Draft, ReportFigures, TagFigure};
use crate::accounts::authors::Author;
use crate::reports::request::ReportRequest;
use crate::reports::size_limits::{MAX_RECORDS, MAX_TESTS, too_many_rows};
use crate::{App, Error};

const PAGE: u16 = 500;
/// Ids in one statement.
const BATCH: usize = 200;

/// The tags of a report, and whose wearing counts.
pub(super) struct SelectedTags {
    pub tags: Vec<TagId>,
    /// Only days on which one of these wore them; empty for everyone.
    pub wearers: Vec<PersonId>,
}

/// By what the tests of tags are judged, read once for a report.
pub(super) struct TestRules {
    /// The zone of the days of tags: that of the brand, because tags have no worksite.
    zone: TimeZone,
    /// How long a passed test covers its tag.
    interval: Span,
    /// The period of the report in this zone, and nothing after now.
    period: (Timestamp, Timestamp),
}

impl App {
    pub(super) async fn collect_tag_tests(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let main = NamedQuestion {
            name: "main",
            filter,
            measures: vec![Measure::Incursions],
            groupings: vec![
                ("total", all([])),
                ("by_tag", all([Dimension::Tag])),
                ("by_project", all([Dimension::Project])),
            ],
        };
        // Tags belong to no project.
        let mut draft = Draft { uses_whole_scope: true, ..Draft::default() };
        draft.figures.answers = self.ask_questions(author.query_scope(), &[main]).await?;
        let rules = self.test_rules(&author.scope, filter).await?;
        let mut wearers = filter.people.clone();
        wearers.extend(&filter.pedestrians);
        let tags = if !wearers.is_empty() {
            self.tags_of_wearers(&author.scope, &rules, &wearers).await?
        } else if is_narrowed(filter) {
            let groups = draft.figures.groups("main", "by_tag");
            groups.iter().filter_map(|group| group.key(0)).map(TagId).collect()
        } else {
            self.tags_in_use(&author.scope, &rules).await?
        };
        if tags.len() > MAX_RECORDS {
            return Err(too_many_rows(MAX_RECORDS));
        }
        progress(20);
        let selected = SelectedTags { tags, wearers };
        self.add_tested_tags(&author.scope, filter, &rules, &selected, &mut draft).await?;
        Ok(draft)
    }

    pub(super) async fn test_rules(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
    ) -> Result<TestRules, Error> {
        let settings = self.store.read().await?.brand_settings(scope).await?.values;
        let interval = Span::minutes(settings.test_interval_days * 24 * 60);
        let (bounds, now, zone) = (filter.period.unwrap_or_default(), self.clock.now(), settings.time_zone);
        let to = bounds.to.map_or(now, |to| to.instant_in(&zone)).min(now);
        let from = bounds.from.map_or(to, |from| from.instant_in(&zone));
        Ok(TestRules { zone, interval, period: (from.min(to), to) })
    }

    /// Returns the tags that these people wore in the period.
    pub(super) async fn tags_of_wearers(
        &self,
        scope: &Scope,
        rules: &TestRules,
        wearers: &[PersonId],
    ) -> Result<Vec<TagId>, Error> {
        let mut tx = self.store.read().await?;
        Ok(tx.tag_assignments(scope).tags_worn_by(wearers, rules.period).await?)
    }

    /// Returns the tags that are not retired, or were not at the beginning of the period.
    async fn tags_in_use(&self, scope: &Scope, rules: &TestRules) -> Result<Vec<TagId>, Error> {
        let mut tx = self.store.read().await?;
        let settings = tx.brand_settings(scope).await?.values;
        let batteries = (settings.low_battery_percent, settings.critical_battery_percent);
        let (interval, silence) = (settings.test_interval_days, settings.silence_limit_hours);
        let limits = TagThresholds::at(self.clock.now(), interval, batteries, silence);
        let sorting = Sorting::by(SortKey::Id, Direction::Ascending);
        let mut window = Window { size: PAGE, position: WindowPosition::Start };
        let from = rules.period.0;
        let is_used = |found: &TagDetails| found.tag.retired_at.is_none_or(|retired_at| retired_at > from);
        let mut tags = Vec::new();
        loop {
            let nobody = ExcludedWearers::Nobody;
            let page = tx
                .tags_in_detail(scope)
                .slice(&TagFilter::default(), &nobody, &limits, sorting, &window)
                .await?;
            tags.extend(page.rows.iter().filter(|found| is_used(found)).map(|found| found.tag.id));
            match page.next {
                Some(next) if tags.len() <= MAX_RECORDS => window.position = WindowPosition::After(next),
                _ => return Ok(tags),
            }
        }
    }

    /// Adds the figures of tags in the period, the days on which they were worn by week, and the time zone of these days. Incursions are
    /// those of the filter, as of the first answer of the draft.
    pub(super) async fn add_tested_tags(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        rules: &TestRules,
        selected: &SelectedTags,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let seq = draft.figures.answers.first().map_or(0, |answer| answer.seq);
        let calendar = Calendar::new(rules.period, &rules.zone);
        let mut weeks = WornWeeks::default();
        let mut figures: BTreeMap<TagId, TagFigure> = BTreeMap::new();
        for some in selected.tags.chunks(BATCH) {
            let mut tx = self.store.read().await?;
            let results = tx.tag_tests(scope).results_of(some, rules.period).await?;
            let assignments = tx.tag_assignments(scope).of_tags(some, rules.period).await?;
            drop(tx);
            if results.len() > MAX_TESTS {
                return Err(too_many_rows(MAX_TESTS));
            }
            let mut histories: HashMap<TagId, TestHistory> = HashMap::new();
            for (tag, tested_at, passed) in results {
                histories.entry(tag).or_default().push(tested_at, passed);
            }
            for tag in some {
                let history = &*histories.entry(*tag).or_default();
                let (mut worn, mut person, mut worn_at_end) = (BTreeMap::new(), None, false);
                for one in assignments.iter().filter(|one| one.tag == *tag) {
                    if selected.wearers.is_empty() || selected.wearers.contains(&one.person.id) {
                        calendar.add_worn(&mut worn, (one.assigned_at, one.ended_at));
                        person = Some(one.person.id.0);
                        worn_at_end = one.ended_at.is_none_or(|ended_at| ended_at >= calendar.to);
                    }
                }
                let (worn_days, covered_days) = weeks.add(&worn, history, rules.interval);
                let (tests, passed) = history.count(rules.period);
                let last = history.last_at(calendar.to - Span::from_micros(1));
                figures.insert(
                    *tag,
                    TagFigure {
                        tag: tag.0,
                        person,
                        tests,
                        passed,
                        last_test: last.map(|(tested_at, _)| tested_at),
                        last_passed: last.map(|(_, passed)| passed),
                        worn_days,
                        covered_days,
                        worn_at_end,
                        incursions: 0,
                        incursions_in_test: 0,
                    },
                );
            }
        }
        let mut count = |found: IncursionsOfTag| {
            if let Some(figure) = figures.get_mut(&found.tag) {
                figure.incursions += found.incursions;
                figure.incursions_in_test += found.in_test;
            }
        };
        let of_tags = (filter, &selected.tags[..]);
        self.each_tag_with_incursions(scope, of_tags, seq, rules.interval, &mut count).await?;
        draft.figures.tags = figures.into_values().collect();
        draft.figures.test_weeks = weeks.into_figures();
        draft.figures.tag_time_zone = Some(rules.zone.as_str().to_owned());
        Ok(())
    }
}

impl ReportFigures {
    /// Returns the time zone of the days of tags. Figures that do not name it were most likely computed in the one that the brand has.
    pub fn zone_of_tags(&self, brand: &TimeZone) -> TimeZone {
        let stored = self.tag_time_zone.as_deref().and_then(|zone| TimeZone::parse(zone).ok());
        stored.unwrap_or_else(|| brand.clone())
    }

    /// Returns when a period with days of this zone begins and ends for tags: nothing is known after the figures were computed.
    pub fn instants_of_tags(
        &self,
        (from, to): (PeriodBound, PeriodBound),
        zone: &TimeZone,
    ) -> (Timestamp, Timestamp) {
        let to = to.instant_in(zone);
        (from.instant_in(zone), self.computed_at.map_or(to, |computed_at| to.min(computed_at)))
    }
}

/// Whether a filter selects incursions by anything but their time, review and people.
fn is_narrowed(filter: &IncursionFilter) -> bool {
    !(filter.projects.is_empty()
        && filter.worksites.is_empty()
        && filter.worksite_kinds.is_empty()
        && filter.machines.is_empty()
        && filter.machine_kinds.is_empty()
        && filter.base_stations.is_empty()
        && filter.operators.is_empty()
        && filter.tags.is_empty()
        && filter.zones.is_empty()
        && filter.acknowledged.is_none()
        && filter.min_duration.is_none()
        && filter.max_duration.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_earlier_versions_have_the_days_of_the_brand() {
        let brand = TimeZone::parse("Asia/Tokyo").unwrap();
        let early: ReportFigures = serde_json::from_str(r#"{"form": 1, "test_interval_days": 7}"#).unwrap();
        assert_eq!(early.zone_of_tags(&brand).as_str(), "Asia/Tokyo");
        let stored =
            ReportFigures { tag_time_zone: Some("Europe/Berlin".to_owned()), ..ReportFigures::default() };
        assert_eq!(stored.zone_of_tags(&brand).as_str(), "Europe/Berlin");
    }

    #[test]
    fn a_period_ends_with_its_last_day_or_when_it_was_computed() {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        let period = ["2026-02-01", "2026-03-01"].map(|day| PeriodBound::parse(day).unwrap());
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let end = |computed_at: &str| {
            let figures = ReportFigures { computed_at: Some(at(computed_at)), ..ReportFigures::default() };
            figures.instants_of_tags(period.into(), &zone)
        };
        let begin = at("2026-01-31T23:00:00Z");
        assert_eq!(end("2026-03-02T00:00:00Z"), (begin, at("2026-02-28T23:00:00Z")));
        assert_eq!(end("2026-02-10T07:00:00Z"), (begin, at("2026-02-10T07:00:00Z")));
    }
}
