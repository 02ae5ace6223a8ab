//! The figures of tests of tags: on which days a worn tag was covered by a test, and whether it was in test at its incursions.

use std::collections::{BTreeMap, HashMap};

use domain::insights::{Dimension, IncursionFilter, Measure};
use domain::{
    Direction, IncursionDetails, PersonId, SortKey, Sorting, Span, TagDetails, TagFilter, TagId,
    TagThresholds, TimeZone, Timestamp, Window, WindowPosition,
};
use store::{ExcludedWearers, Scope};

use super::asking::{Asked, all};
use super::test_coverage::{Calendar, TestHistory, WornWeeks};
use super::visits::too_many_rows;
use super::{Draft, TagFigure, TestWeekFigure};
use crate::accounts::authors::Author;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

const PAGE: u16 = 500;
/// Ids in one statement.
const BATCH: usize = 200;
/// Maximum number of tags in a report.
const MAX_TAGS: usize = 20_000;
/// Maximum number of tests that are kept in memory.
const MAX_TESTS: usize = 2_000_000;

/// The tags of a report, and whose wearing counts.
pub(super) struct SelectedTags {
    pub tags: Vec<TagId>,
    /// Only days on which one of these wore them; empty for everyone.
    pub wearers: Vec<PersonId>,
}

impl App {
    pub(super) async fn collect_tag_tests(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let main = Asked {
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
        let seq = draft.figures.answers.first().map_or(0, |answer| answer.seq);
        let mut wearers = filter.people.clone();
        wearers.extend(&filter.pedestrians);
        let tags = if !wearers.is_empty() {
            self.tags_of_wearers(author, filter, &wearers).await?
        } else if is_narrowed(filter) {
            let groups = draft.figures.groups("main", "by_tag");
            groups.iter().filter_map(|group| group.key(0)).map(TagId).collect()
        } else {
            self.tags_in_use(&author.scope, filter).await?
        };
        if tags.len() > MAX_TAGS {
            return Err(too_many_rows(MAX_TAGS));
        }
        progress(20);
        let selected = SelectedTags { tags, wearers };
        let (tags, weeks) = self.tested_tags(&author.scope, filter, &selected, seq).await?;
        (draft.figures.tags, draft.figures.test_weeks) = (tags, weeks);
        Ok(draft)
    }

    /// Returns the tags that these people wore in the period of a filter.
    pub(super) async fn tags_of_wearers(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        wearers: &[PersonId],
    ) -> Result<Vec<TagId>, Error> {
        let mut tx = self.store.read().await?;
        let zone = tx.brand_settings(&author.scope).await?.values.time_zone;
        let period = self.instants_of(filter, &zone);
        Ok(tx.tag_assignments(&author.scope).tags_worn_by(wearers, period).await?)
    }

    /// Returns the tags that are not retired, or were not at the beginning of the period.
    async fn tags_in_use(&self, scope: &Scope, filter: &IncursionFilter) -> Result<Vec<TagId>, Error> {
        let mut tx = self.store.read().await?;
        let settings = tx.brand_settings(scope).await?.values;
        let (from, _) = self.instants_of(filter, &settings.time_zone);
        let batteries = (settings.low_battery_percent, settings.critical_battery_percent);
        let (interval, silence) = (settings.test_interval_days, settings.silence_limit_hours);
        let limits = TagThresholds::at(self.clock.now(), interval, batteries, silence);
        let sorting = Sorting::by(SortKey::Id, Direction::Ascending);
        let mut window = Window { size: PAGE, position: WindowPosition::Start };
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
                Some(next) if tags.len() <= MAX_TAGS => window.position = WindowPosition::After(next),
                _ => return Ok(tags),
            }
        }
    }

    /// Returns the figures of tags in the period of a filter, and the days on which they were worn by week. Days are those of the
    /// brand's time zone, because tags have no worksite.
    pub(super) async fn tested_tags(
        &self,
        scope: &Scope,
        filter: &IncursionFilter,
        selected: &SelectedTags,
        seq: i64,
    ) -> Result<(Vec<TagFigure>, Vec<TestWeekFigure>), Error> {
        let settings = self.store.read().await?.brand_settings(scope).await?.values;
        let interval = Span::minutes(settings.test_interval_days * 24 * 60);
        let calendar = Calendar::new(self.instants_of(filter, &settings.time_zone), &settings.time_zone);
        let period = (calendar.from, calendar.to);
        let mut weeks = WornWeeks::default();
        let mut figures: BTreeMap<TagId, TagFigure> = BTreeMap::new();
        let mut histories: HashMap<TagId, TestHistory> = HashMap::new();
        let mut tests = 0;
        for some in selected.tags.chunks(BATCH) {
            let mut tx = self.store.read().await?;
            let results = tx.tag_tests(scope).results_of(some, period).await?;
            let assignments = tx.tag_assignments(scope).of_tags(some, period).await?;
            drop(tx);
            tests += results.len();
            if tests > MAX_TESTS {
                return Err(too_many_rows(MAX_TESTS));
            }
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
                let (worn_days, covered_days) = weeks.add(&worn, history, interval);
                let (tests, passed) = history.count(period);
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
        let mut count = |details: &IncursionDetails| {
            let row = &details.stored.row;
            if let (Some(figure), Some(history)) = (figures.get_mut(&row.tag), histories.get(&row.tag)) {
                figure.incursions += 1;
                figure.incursions_in_test += i64::from(history.is_in_test(row.started_at, interval));
            }
        };
        self.each_incursion(scope, filter, seq, &mut count).await?;
        Ok((figures.into_values().collect(), weeks.into_figures()))
    }

    /// Returns the bounds of a filter's period in a time zone, and nothing after now.
    pub(super) fn instants_of(&self, filter: &IncursionFilter, zone: &TimeZone) -> (Timestamp, Timestamp) {
        let (period, now) = (filter.period.unwrap_or_default(), self.clock.now());
        let to = period.to.map_or(now, |to| to.instant_in(zone)).min(now);
        let from = period.from.map_or(to, |from| from.instant_in(zone));
        (from.min(to), to)
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
