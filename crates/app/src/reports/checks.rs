//! What is refused before there is a job: parts that do not fit, records that the author does not see, tables that are too large.

use domain::insights::{Grouping, IncursionFilter, Measure};
use domain::locale::Locale;
use domain::preferences::Preferences;
use domain::{
    Invalid, Period, PeriodBound, ReportKind, ReportState, ReportSubject, SiteReport, SiteReportId,
    TagFilter, TagState, TagThresholds, Timestamp,
};
use store::ExcludedWearers;

use super::parts::check_parts;
use super::request::{NewReport, ReportRequest};
use super::size_limits::{check_pivot, check_rows};
use crate::accounts::authors::Author;
use crate::insights::QuerySpec;
use crate::{App, Error, FieldError, MissingReference};

impl App {
    /// Checks a request and fixes its period; errors name the fields.
    pub(crate) async fn resolve_report(
        &self,
        author: &Author,
        new: &NewReport,
        preferences: Preferences,
        now: Timestamp,
    ) -> Result<ReportRequest, Error> {
        let request = self.fix_report(author, new, preferences, now).await?;
        self.check_subject(author, new).await?;
        let filter = new.pivot.as_ref().map(|(filter, _)| filter).or(new.filter.as_ref());
        if let Some(filter) = filter {
            let missing = self.find_missing_references_in(&author.scope, filter).await?;
            let fault = |missing: &MissingReference| FieldError {
                field: new.filter_path(missing.field),
                invalid: Invalid::new(unknown_code(missing.field), unknown_text(missing)),
            };
            if !missing.is_empty() {
                return Err(Error::invalid(missing.iter().map(fault).collect()));
            }
        }
        self.check_report_size(author, &request).await?;
        Ok(request)
    }

    /// Fits the parts of a request together and fixes its period, without a look at what it asks for.
    pub(super) async fn fix_report(
        &self,
        author: &Author,
        new: &NewReport,
        preferences: Preferences,
        now: Timestamp,
    ) -> Result<ReportRequest, Error> {
        check_parts(new)?;
        if let Some(id) = new.site_report {
            let written = self.find_written_report(author, id).await?;
            return written_request(new, &written, preferences);
        }
        let filter = new.merged_filter()?;
        let days = self.filter_of_days(author, &filter, now).await?;
        let bounds = self.resolve_report_period(&author.scope, &days, now).await?;
        let (from, to) =
            bounds.map_err(|(name, invalid)| Error::invalid_field(&new.filter_path(name), invalid))?;
        let filter = IncursionFilter { period: Some(Period { from: Some(from), to: Some(to) }), ..filter };
        Ok(ReportRequest::new(new, filter, preferences))
    }

    /// Returns a written site report that the author sees and that is complete.
    async fn find_written_report(&self, author: &Author, id: SiteReportId) -> Result<SiteReport, Error> {
        let found = self.store.read().await?.visible_site_reports(&author.scope).find(id).await?;
        let Some(found) = found else {
            let text = "is not a site report that you see";
            return Err(Error::missing_relation("site_report_id", "unknown_site_report", text));
        };
        if found.state == ReportState::Ready {
            return Ok(found);
        }
        let text = match found.state.is_unfinished() {
            true => "is not ready yet",
            false => "has no text: it failed, expired or was deleted",
        };
        Err(Error::invalid_field("site_report_id", Invalid::new("not_ready", text)))
    }

    /// Refuses subjects that the author does not see.
    async fn check_subject(&self, author: &Author, new: &NewReport) -> Result<(), Error> {
        let subject = IncursionFilter {
            projects: new.subject.project.into_iter().collect(),
            worksites: new.subject.worksite.into_iter().collect(),
            machines: new.subject.machine.into_iter().collect(),
            people: new.subject.person.into_iter().collect(),
            ..IncursionFilter::default()
        };
        match self.find_missing_references_in(&author.scope, &subject).await?.first() {
            Some(missing) => Err(missing_subject(missing)),
            None => Ok(()),
        }
    }

    /// Refuses to compute what refers to records that the author no longer sees, because files would name them.
    pub(super) async fn check_references(
        &self,
        author: &Author,
        request: &ReportRequest,
    ) -> Result<(), Error> {
        match self.find_missing_references_in(&author.scope, &request.filter).await?.first() {
            Some(missing) => Err(missing_subject(missing)),
            None => Ok(()),
        }
    }

    /// Refuses a table that is too large for its format.
    pub(super) async fn check_report_size(
        &self,
        author: &Author,
        request: &ReportRequest,
    ) -> Result<(), Error> {
        let checked = match request.kind {
            ReportKind::Incursions => self.count_incursions_of(author, request).await?,
            ReportKind::VisitorLog => self.count_visits_of(author, request).await?,
            ReportKind::TagTestCompliance => self.count_tags_of(author, request).await?,
            ReportKind::Pivot => return self.check_pivot_size(author, request).await,
            ReportKind::SiteSafety
            | ReportKind::ProjectSummary
            | ReportKind::Machine
            | ReportKind::Person
            | ReportKind::SiteReport => return Ok(()),
        };
        check_rows(request.kind, request.format, checked.unsigned_abs())
            .map_err(|invalid| Error::invalid_field("format", invalid))
    }

    async fn check_pivot_size(&self, author: &Author, request: &ReportRequest) -> Result<(), Error> {
        let Some(pivot) = &request.pivot else { return Err(Error::internal("a pivot report has no pivot")) };
        let found = self.pivot_in(author.query_scope(), &request.filter, pivot, &request.preferences).await;
        let found = found.map_err(|error| error.inside_field("pivot"))?;
        check_pivot(request.format, request, found.rows.len(), found.columns.len())
            .map_err(|invalid| Error::invalid_field("format", invalid))
    }

    async fn count_incursions_of(&self, author: &Author, request: &ReportRequest) -> Result<i64, Error> {
        let (measures, groupings) = (vec![Measure::Incursions], vec![Grouping::by([])]);
        let spec = QuerySpec { filter: &request.filter, measures, groupings };
        let all = self.run_query_in(author.query_scope(), spec).await?.take_next_groups();
        let figure = all.groups.first().and_then(|group| group.figures.first());
        Ok(figure.and_then(|figure| figure.numerator).unwrap_or(0))
    }

    /// Counts the tags that are in use. A narrower report has those that occur in it, which are counted when they are known.
    async fn count_tags_of(&self, author: &Author, request: &ReportRequest) -> Result<i64, Error> {
        if request.subject != ReportSubject::default() {
            return Ok(0);
        }
        let mut tx = self.store.read().await?;
        let settings = tx.brand_settings(&author.scope).await?.values;
        let batteries = (settings.low_battery_percent, settings.critical_battery_percent);
        let (interval, silence) = (settings.test_interval_days, settings.silence_limit_hours);
        let thresholds = TagThresholds::at(self.clock.now(), interval, batteries, silence);
        let filter = TagFilter { states: vec![TagState::Assigned, TagState::Stock], ..TagFilter::default() };
        Ok(tx.tags_in_detail(&author.scope).count(&filter, &ExcludedWearers::Nobody, &thresholds).await?)
    }
}

/// Returns the request for a written site report, whose worksite and period are those of the report.
fn written_request(
    new: &NewReport,
    written: &SiteReport,
    preferences: Preferences,
) -> Result<ReportRequest, Error> {
    if new.subject.worksite.is_some_and(|worksite| worksite != written.worksite) {
        let invalid = Invalid::new("not_allowed", "is not the worksite of the site report");
        return Err(Error::invalid_field("worksite_id", invalid));
    }
    let bound = |text: &str| PeriodBound::parse(text).map(Some).map_err(Error::internal);
    let filter = IncursionFilter {
        period: Some(Period { from: bound(&written.from)?, to: bound(&written.to)? }),
        worksites: vec![written.worksite],
        ..new.merged_filter()?
    };
    let mut request = ReportRequest::new(new, filter, preferences);
    request.subject.worksite = Some(written.worksite);
    // The document is in the language of its sentences. Its formats and its paper are still the author's.
    if request.language().as_str() != written.language {
        request.preferences.language = Locale::parse(&written.language).map_err(Error::internal)?;
    }
    Ok(request)
}

fn missing_subject(missing: &MissingReference) -> Error {
    let text = format!("is not {} that you see", described(missing.field));
    Error::missing_relation(missing.field, unknown_code(missing.field), text)
}

fn unknown_text(missing: &MissingReference) -> String {
    format!("names {}, which is not {} that you see", missing.id, described(missing.field))
}

fn described(field: &str) -> &'static str {
    match field {
        "project_id" => "a project",
        "worksite_id" => "a worksite",
        "machine_id" => "a machine",
        "base_station_id" => "a base station",
        "tag_id" => "a tag",
        _ => "a person",
    }
}

fn unknown_code(field: &str) -> &'static str {
    match field {
        "project_id" => "unknown_project",
        "worksite_id" => "unknown_worksite",
        "machine_id" => "unknown_machine",
        "base_station_id" => "unknown_base_station",
        "tag_id" => "unknown_tag",
        _ => "unknown_person",
    }
}
