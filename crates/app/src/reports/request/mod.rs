//! The request of a report: as HTTP reads it, with its parts fitted together, and as it is stored.

mod stored;
#[cfg(test)]
mod tests;

use domain::insights::{Dimension, IncursionFilter};
use domain::preferences::Preferences;
use domain::{
    Invalid, Paper, Period, PeriodBound, PersonId, Report, ReportFormat, ReportKind, ReportSchedule,
    ReportScheduleId, ReportSubject, Review, SavedViewId, SiteReportId, Timestamp, UserId,
};

use crate::accounts::authors::Author;
use crate::insights::PivotRequest;
use crate::insights::exports::{StoredFilter, StoredPivot, StoredPreferences};
use crate::{Error, Names};

use stored::{StoredRequest, StoredSubject};

/// A request, as HTTP reads it.
#[derive(Clone, Debug)]
pub struct NewReport {
    pub kind: ReportKind,
    pub format: ReportFormat,
    pub subject: ReportSubject,
    pub filter: Option<Box<IncursionFilter>>,
    /// Read from the body or from the saved view.
    pub pivot: Option<(Box<IncursionFilter>, PivotRequest)>,
    pub saved_view: Option<SavedViewId>,
    pub site_report: Option<SiteReportId>,
    pub paper: Option<Paper>,
}

impl NewReport {
    /// Reads what a schedule has stored. Its filters have no period.
    pub fn of_schedule(schedule: &ReportSchedule) -> Result<Self, Error> {
        let stored = StoredRequest::parse(&schedule.request)?;
        let filter = stored.filter.map(StoredFilter::read).transpose().map_err(unreadable)?.map(Box::new);
        let pivot = stored.pivot.map(StoredPivot::read).transpose().map_err(unreadable)?;
        let paper = stored.paper.as_deref().map(Paper::parse).transpose().map_err(unreadable)?;
        let (filter, pivot) = match pivot {
            Some(pivot) => (None, Some((filter.unwrap_or_else(|| Box::new(usual_filter())), pivot))),
            None => (filter, None),
        };
        Ok(Self {
            kind: schedule.kind,
            format: schedule.format,
            subject: stored.subject.read(),
            filter,
            pivot,
            saved_view: stored.saved_view_id,
            site_report: None,
            paper,
        })
    }

    /// Returns the path of a filter in the request, for errors.
    pub(super) fn filter_path(&self, name: &str) -> String {
        match (&self.pivot, self.saved_view) {
            (None, _) => format!("filters.{name}"),
            (Some(_), None) => format!("pivot.filters.{name}"),
            (Some(_), Some(_)) => "saved_view_id".to_owned(),
        }
    }

    /// Returns the filters with the subjects merged in. Refuses filters that leave a subject out, because nothing could match.
    pub(super) fn merged_filter(&self) -> Result<IncursionFilter, Error> {
        let mut filter = match (&self.pivot, &self.filter) {
            (Some((filter, _)), _) | (None, Some(filter)) => IncursionFilter::clone(filter),
            (None, None) => usual_filter(),
        };
        self.narrow(&mut filter.projects, self.subject.project, "project_id")?;
        self.narrow(&mut filter.worksites, self.subject.worksite, "worksite_id")?;
        self.narrow(&mut filter.machines, self.subject.machine, "machine_id")?;
        self.narrow(&mut filter.people, self.subject.person, "person_id")?;
        Ok(filter)
    }

    fn narrow<T: Copy + PartialEq>(
        &self,
        ids: &mut Vec<T>,
        subject: Option<T>,
        field: &str,
    ) -> Result<(), Error> {
        let Some(subject) = subject else { return Ok(()) };
        if !ids.is_empty() && !ids.contains(&subject) {
            let text = format!("must contain the {field} of the report, or be left out");
            return Err(Error::invalid_field(&self.filter_path(field), Invalid::new("not_allowed", text)));
        }
        *ids = vec![subject];
        Ok(())
    }
}

/// A request whose period is fixed and whose parts fit together.
#[derive(Clone, Debug)]
pub(crate) struct ReportRequest {
    pub kind: ReportKind,
    pub format: ReportFormat,
    pub subject: ReportSubject,
    /// With the subjects and the fixed period merged in.
    pub filter: IncursionFilter,
    pub pivot: Option<PivotRequest>,
    pub saved_view: Option<SavedViewId>,
    pub site_report: Option<SiteReportId>,
    pub paper: Paper,
    /// The author's, at the time of the request.
    pub preferences: Preferences,
}

impl ReportRequest {
    /// Fits a request together with a filter whose period is fixed.
    pub(super) fn new(new: &NewReport, filter: IncursionFilter, preferences: Preferences) -> Self {
        Self {
            kind: new.kind,
            format: new.format,
            subject: new.subject,
            filter,
            pivot: new.pivot.as_ref().map(|(_, pivot)| pivot.clone()),
            saved_view: new.saved_view,
            site_report: new.site_report,
            paper: new.paper.unwrap_or_else(|| usual_paper(&preferences)),
            preferences,
        }
    }

    /// Returns the start and the end of the period.
    pub(crate) fn period(&self) -> (PeriodBound, PeriodBound) {
        let period = self.filter.period.unwrap_or_default();
        let never = PeriodBound::Instant(Timestamp::from_micros(0));
        (period.from.unwrap_or(never), period.to.unwrap_or(never))
    }

    /// Returns the language of the files.
    pub(crate) fn language(&self) -> texts::Language {
        texts::Language::of_tag(self.preferences.language.as_str())
    }

    /// Returns the people in the filters, whom files name where they describe the filters.
    pub(crate) fn filtered_people(&self) -> impl Iterator<Item = PersonId> + '_ {
        let filter = &self.filter;
        [&filter.people, &filter.pedestrians, &filter.operators].into_iter().flatten().copied()
    }

    /// Returns whether files name people, if the author may see names.
    pub(crate) fn names_people(&self, names: Names) -> bool {
        let is_person = |by: &Dimension| matches!(by, Dimension::Pedestrian | Dimension::Operator);
        let shows_people = match &self.pivot {
            Some(pivot) => pivot.rows.iter().chain(&pivot.columns).any(is_person),
            None => self.kind.can_name_people(),
        };
        names == Names::Shown && (shows_people || self.filtered_people().next().is_some())
    }

    /// Returns the stored form, including the author's preferences: a file that is made again is the same.
    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let stored = StoredRequest {
            filter: Some(StoredFilter::of(&self.filter)),
            pivot: self.pivot.as_ref().map(StoredPivot::of),
            subject: StoredSubject::default(),
            saved_view_id: self.saved_view,
            paper: Some(self.paper.as_str().to_owned()),
            preferences: Some(StoredPreferences::of(&self.preferences)),
        };
        stored.to_json()
    }

    /// Reads the request of a stored report.
    pub(crate) fn from_report(report: &Report) -> Result<Self, Error> {
        let stored = StoredRequest::parse(&report.request)?;
        let (Some(filter), Some(preferences)) = (stored.filter, stored.preferences) else {
            return Err(Error::internal("the request of a report has no filter or no preferences"));
        };
        let preferences = preferences.read().map_err(unreadable)?;
        let paper = stored.paper.as_deref().map(Paper::parse).transpose().map_err(unreadable)?;
        Ok(Self {
            kind: report.kind,
            format: report.format,
            subject: report.subject,
            filter: filter.read().map_err(unreadable)?,
            pivot: stored.pivot.map(StoredPivot::read).transpose().map_err(unreadable)?,
            saved_view: stored.saved_view_id,
            site_report: report.site_report,
            paper: paper.unwrap_or_else(|| usual_paper(&preferences)),
            preferences,
        })
    }

    /// Returns the stored form for a schedule: without a period, which each run sets, and on the paper that is usual for the author now.
    pub(crate) fn to_schedule_json(new: &NewReport, preferences: &Preferences) -> Result<String, Error> {
        let without_period =
            |filter: &IncursionFilter| StoredFilter::of(&IncursionFilter { period: None, ..filter.clone() });
        let filter = match (&new.pivot, &new.filter) {
            (Some((filter, _)), _) | (None, Some(filter)) => Some(without_period(filter)),
            (None, None) => None,
        };
        let stored = StoredRequest {
            filter,
            pivot: new.pivot.as_ref().map(|(_, pivot)| StoredPivot::of(pivot)),
            subject: StoredSubject::of(&new.subject),
            saved_view_id: new.saved_view,
            paper: Some(new.paper.unwrap_or_else(|| usual_paper(preferences)).as_str().to_owned()),
            preferences: None,
        };
        stored.to_json()
    }

    /// Returns the request of a schedule's run.
    pub(crate) fn of_schedule(
        schedule: &ReportSchedule,
        period: Period,
        preferences: Preferences,
    ) -> Result<Self, Error> {
        let new = NewReport::of_schedule(schedule)?;
        let filter = IncursionFilter { period: Some(period), ..new.merged_filter()? };
        Ok(Self::new(&new, filter, preferences))
    }
}

/// A request that passed the checks, of a caller or of a schedule.
pub(crate) struct ReportOrder<'a> {
    pub author: &'a Author,
    /// Who asked for it: the author, or whoever runs a schedule of the author.
    pub requester: UserId,
    pub request: &'a ReportRequest,
    pub schedule: Option<ReportScheduleId>,
}

fn unreadable(invalid: Invalid) -> Error {
    Error::internal(invalid)
}

/// Returns the filters of a request without any.
fn usual_filter() -> IncursionFilter {
    IncursionFilter {
        period: Some(Period::default()),
        reviews: Review::COUNTED.to_vec(),
        ..IncursionFilter::default()
    }
}

/// Returns the paper that is usual in the region of a language.
fn usual_paper(preferences: &Preferences) -> Paper {
    let mut parts = preferences.language.as_str().split('-').skip(1);
    match parts.find(|part| part.len() == 2) {
        Some("US" | "CA") => Paper::Letter,
        _ => Paper::A4,
    }
}
