//! What a report says, in whole numbers and ids: computed once, stored, and read again for every file.
//!
//! Each kind is collected by a file of its own. All of its questions must know the same changes of the brand, so a
//! collection during which facts were added is repeated.

mod answers;
mod asking;
mod coverage;
mod incursion_rows;
mod incursions;
mod machine;
mod outliers;
mod person;
mod pivot;
mod project_summary;
mod records;
mod references;
mod silence_before;
mod silent;
mod site_safety;
mod tag_tests;
mod test_coverage;
mod time_zones;
mod visits;

use domain::insights::{Figure, Measure};
use domain::{PersonId, ProjectId, ReportKind, SortedSet, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Projects, ReportCoverage};

use crate::accounts::authors::Author;
use crate::reports::PROGRAM;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

pub(crate) use answers::{GroupView, StoredAnswer, StoredFigure, StoredGrouping, read_figure, store_figure};
pub(crate) use records::{
    IncursionFigure, OutlierFigure, PivotFigure, PivotFigureRow, SilentFigure, TagFigure, TestWeekFigure,
    VisitFigure, WrittenFigure, ZoneFigure,
};
pub(crate) use references::subject_dimension;

/// The figures of a report: whole numbers and ids, never names. Fields may only be added, with a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReportFigures {
    /// The version of this form.
    pub form: u32,
    pub answers: Vec<StoredAnswer>,
    pub outliers: Vec<OutlierFigure>,
    /// Number of members that were compared with their peers, and of those that could not be; none if nobody was.
    pub compared: Option<(u64, u64)>,
    /// The boundary of the worksite, as it was: rings of longitude and latitude in degrees.
    pub outline: Option<Vec<Vec<[f64; 2]>>>,
    pub tags: Vec<TagFigure>,
    /// Days on which tags were worn, by week.
    pub test_weeks: Vec<TestWeekFigure>,
    /// The time zone of the days of tags; none without tags, and in figures that were stored by earlier versions.
    pub tag_time_zone: Option<String>,
    pub visits: Vec<VisitFigure>,
    /// Number of visits in the period before.
    pub previous_visits: Option<i64>,
    pub incursions: Vec<IncursionFigure>,
    pub pivot: Option<PivotFigure>,
    /// Devices that were silent when the figures were computed.
    pub silent: Vec<SilentFigure>,
    /// The sizes of the zones around a machine in the period.
    pub zones: Vec<ZoneFigure>,
    /// Of a written site report.
    pub written: Option<WrittenFigure>,
    /// The settings that the numbers depend on.
    pub test_interval_days: i64,
    pub silence_limit_hours: i64,
    /// The period before, with which the figures are compared.
    pub previous: Option<(String, String)>,
    /// Whether nothing of anyone was recorded in the period before, where that had to be asked, see `silence_before`.
    pub is_silent_before: bool,
    /// The last change of the brand that the figures include. If they were computed while facts were added, those before it are
    /// all included, and some of those after it.
    pub seq: i64,
    pub includes_later_changes: bool,
    pub time_zones: Vec<String>,
    /// Of the projects that the author was restricted to, those that the report covers; none without a restriction. The others are not for
    /// everyone who sees the report.
    pub restricted_to: Option<Vec<i64>>,
    pub computed_at: Option<Timestamp>,
    /// The program that computed them.
    pub program: String,
}

impl ReportFigures {
    pub const FORM: u32 = 1;

    pub fn answer(&self, name: &str) -> Option<&StoredAnswer> {
        self.answers.iter().find(|answer| answer.name == name)
    }

    fn grouping(&self, answer: &str, grouping: &str) -> Option<(&StoredAnswer, &StoredGrouping)> {
        let answer = self.answer(answer)?;
        Some((answer, answer.groupings.iter().find(|found| found.name == grouping)?))
    }

    /// Returns a figure of the grouping `total`; the default figure if there is none.
    pub fn total(&self, answer: &str, measure: Measure) -> Figure {
        self.groups(answer, "total").first().map(|group| group.figure(measure)).unwrap_or_default()
    }

    /// Returns whether anything was recorded in the period of an answer. Without incursions and without runtime, zero is not known to be
    /// one: the devices may not have been there yet. Nobody knows the runtime of someone on foot or of a tag, so that their zero stands.
    pub fn has_data(&self, answer: &str) -> bool {
        let groups = self.groups(answer, "total");
        let Some(total) = groups.first() else { return false };
        let measure = Measure::RuntimeHours;
        let is_asked = total.answer.measures.iter().any(|word| word == measure.as_str());
        let has_runtime = total.figure(measure).numerator.map_or(is_asked, |runtime| runtime > 0);
        has_runtime || total.figure(Measure::Incursions).incursions > 0
    }

    /// The same for an answer about the period before. Where nothing of anyone was recorded, no zero stands.
    pub fn has_data_before(&self, previous: &str) -> bool {
        !self.is_silent_before && self.has_data(previous)
    }

    /// Returns the groups of a grouping in their order.
    pub fn groups(&self, answer: &str, grouping: &str) -> Vec<GroupView<'_>> {
        let Some((answer, found)) = self.grouping(answer, grouping) else { return Vec::new() };
        found.groups.iter().map(|group| GroupView { keys: &group.k, answer, group }).collect()
    }

    /// Returns the number of groups beyond the limit of a grouping.
    pub fn more(&self, answer: &str, grouping: &str) -> u64 {
        self.grouping(answer, grouping).map_or(0, |(_, found)| found.more)
    }
}

/// What was computed, and what it covers.
pub(crate) struct Collected {
    pub figures: ReportFigures,
    pub coverage: ReportCoverage,
    /// The people whom files name; none if they show no names.
    pub people: Vec<PersonId>,
    pub seq: i64,
    pub time_zones: Vec<String>,
}

/// One attempt to collect figures.
#[derive(Default)]
struct Draft {
    figures: ReportFigures,
    /// The last changes that other questions knew, and those that they may have known.
    seqs: Vec<i64>,
    /// Whether facts went into it that the filter leaves out, such as those of peers.
    uses_whole_scope: bool,
    /// The names of answers about where people or tags were in the period before, which is not where the report counts days.
    of_worksites_before: &'static [&'static str],
}

impl Draft {
    fn has_one_seq(&self) -> bool {
        self.all_seqs().collect::<SortedSet<i64>>().len() <= 1
    }

    fn all_seqs(&self) -> impl Iterator<Item = i64> + '_ {
        self.figures.answers.iter().flat_map(StoredAnswer::seqs).chain(self.seqs.iter().copied())
    }
}

/// After this many attempts, figures are kept although some questions knew of later changes than others.
const MAX_ATTEMPTS: usize = 3;

/// Returns the projects that an author is restricted to, as far as a report covers them.
fn restriction(author: &Author, coverage: &ReportCoverage) -> Option<Vec<i64>> {
    let Projects::Only(own) = author.scope.projects() else { return None };
    let is_covered = |project: &&ProjectId| match coverage {
        ReportCoverage::AllProjects => true,
        ReportCoverage::Projects(covered) => covered.contains(project),
    };
    Some(own.iter().filter(is_covered).map(|project| project.0).collect())
}

impl App {
    /// Computes the figures of a report. `progress` is called with 0 to 100.
    pub(super) async fn collect_figures(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Collected, Error> {
        let mut attempt = 1;
        let draft = loop {
            let draft = Box::pin(self.collect_kind(author, request, progress)).await?;
            if draft.has_one_seq() || attempt == MAX_ATTEMPTS {
                break draft;
            }
            attempt += 1;
        };
        progress(100);
        self.complete_figures(author, request, draft).await
    }

    async fn collect_kind(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        progress(0);
        let mut draft = match request.kind {
            ReportKind::SiteSafety => self.collect_site_safety(author, request, progress).await,
            ReportKind::ProjectSummary => self.collect_project_summary(author, request, progress).await,
            ReportKind::Machine => self.collect_machine(author, request, progress).await,
            ReportKind::Person => self.collect_person(author, request, progress).await,
            ReportKind::TagTestCompliance => self.collect_tag_tests(author, request, progress).await,
            ReportKind::VisitorLog => self.collect_visits(author, request, progress).await,
            ReportKind::Incursions => self.collect_incursions(author, request, progress).await,
            ReportKind::Pivot => self.collect_pivot(author, request).await,
            ReportKind::SiteReport => self.collect_written(author, request).await,
        }?;
        self.note_silence_before(author, &request.filter, &mut draft).await?;
        Ok(draft)
    }

    /// Reads the facts and sentences of a written site report.
    async fn collect_written(&self, author: &Author, request: &ReportRequest) -> Result<Draft, Error> {
        let id = request.site_report.ok_or_else(|| Error::internal("a site_report has no written report"))?;
        let written = self.written_figure(author, id).await?;
        let mut draft = Draft { seqs: vec![written.seq], ..Draft::default() };
        draft.figures.time_zones.clone_from(&written.time_zones);
        draft.figures.written = Some(written);
        Ok(draft)
    }

    /// Adds what all kinds have, and determines what the figures cover.
    async fn complete_figures(
        &self,
        author: &Author,
        request: &ReportRequest,
        mut draft: Draft,
    ) -> Result<Collected, Error> {
        let coverage = self.coverage_of_figures(author, request, &draft).await?;
        let settings = self.store.read().await?.brand_settings(&author.scope).await?.values;
        let (seq, includes_later_changes) = (draft.all_seqs().min().unwrap_or(0), !draft.has_one_seq());
        let mut zones: Vec<String> = draft.figures.time_zones.drain(..).collect();
        let is_counted = |answer: &&StoredAnswer| !draft.of_worksites_before.contains(&answer.name.as_str());
        let counted = draft.figures.answers.iter().filter(is_counted);
        zones.extend(counted.flat_map(|answer| answer.time_zones.iter().cloned()));
        let figures = ReportFigures {
            form: ReportFigures::FORM,
            test_interval_days: settings.test_interval_days,
            silence_limit_hours: settings.silence_limit_hours,
            seq,
            includes_later_changes,
            time_zones: zones.into_iter().collect::<SortedSet<_>>().into(),
            restricted_to: restriction(author, &coverage),
            computed_at: Some(self.clock.now()),
            program: PROGRAM.to_owned(),
            ..draft.figures
        };
        let people = match request.names_people(author.names) {
            true => figures.people(request),
            false => SortedSet::default(),
        };
        Ok(Collected {
            coverage,
            people: people.into_iter().map(PersonId).collect(),
            seq,
            time_zones: figures.time_zones.clone(),
            figures,
        })
    }
}
