//! Which parts of a request fit which kind of report.

use domain::insights::IncursionFilter;
use domain::{Invalid, ReportKind, Review};

use super::request::NewReport;
use crate::{Error, FieldError};

/// Refuses parts that do not fit the kind, all of them together.
pub(super) fn check_parts(new: &NewReport) -> Result<(), Error> {
    let (kind, subject) = (new.kind, &new.subject);
    let with_kind = kind.as_str();
    let mut faults = Vec::new();
    let mut refuse = |field: String, code, text: String| {
        faults.push(FieldError { field, invalid: Invalid::new(code, text) });
    };
    let required = match kind {
        ReportKind::SiteSafety => Some(("worksite_id", subject.worksite.is_some())),
        ReportKind::ProjectSummary => Some(("project_id", subject.project.is_some())),
        ReportKind::Machine => Some(("machine_id", subject.machine.is_some())),
        ReportKind::Person => Some(("person_id", subject.person.is_some())),
        ReportKind::Pivot => Some(("pivot", new.pivot.is_some())),
        ReportKind::SiteReport => Some(("site_report_id", new.site_report.is_some())),
        ReportKind::TagTestCompliance | ReportKind::VisitorLog | ReportKind::Incursions => None,
    };
    if let Some((field, false)) = required {
        refuse(field.to_owned(), "required", format!("must be given with kind {with_kind}"));
    }
    if !kind.formats().contains(&new.format) {
        let formats: Vec<&str> = kind.formats().iter().map(|format| format.as_str()).collect();
        let text = format!("must be one of {} with kind {with_kind}", formats.join(", "));
        refuse("format".to_owned(), "unknown_format", text);
    }
    let is_pivot = kind == ReportKind::Pivot;
    let is_written = kind == ReportKind::SiteReport;
    for (field, is_refused) in [
        ("pivot", new.pivot.is_some() && new.saved_view.is_none() && !is_pivot),
        ("saved_view_id", new.saved_view.is_some() && !is_pivot),
        ("site_report_id", new.site_report.is_some() && !is_written),
        ("filters", new.filter.is_some() && (is_pivot || is_written)),
        ("project_id", subject.project.is_some() && is_written),
        ("machine_id", subject.machine.is_some() && is_written),
        ("person_id", subject.person.is_some() && is_written),
    ] {
        if is_refused {
            refuse(field.to_owned(), "not_allowed", format!("is not allowed with kind {with_kind}"));
        }
    }
    if let (ReportKind::TagTestCompliance | ReportKind::VisitorLog, Some(filter)) = (kind, &new.filter) {
        for name in set_filters(filter) {
            let text = format!("is not allowed with kind {with_kind}");
            refuse(new.filter_path(name), "not_allowed", text);
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::invalid(faults)) }
}

/// Returns the names of the filters that are set, besides the period.
fn set_filters(filter: &IncursionFilter) -> impl Iterator<Item = &'static str> {
    let all = [
        ("project_id", !filter.projects.is_empty()),
        ("worksite_id", !filter.worksites.is_empty()),
        ("worksite_kind", !filter.worksite_kinds.is_empty()),
        ("machine_id", !filter.machines.is_empty()),
        ("machine_kind", !filter.machine_kinds.is_empty()),
        ("base_station_id", !filter.base_stations.is_empty()),
        ("person_id", !filter.people.is_empty()),
        ("pedestrian_id", !filter.pedestrians.is_empty()),
        ("operator_id", !filter.operators.is_empty()),
        ("tag_id", !filter.tags.is_empty()),
        ("zone", !filter.zones.is_empty()),
        ("acknowledged", filter.acknowledged.is_some()),
        ("min_duration_s", filter.min_duration.is_some()),
        ("max_duration_s", filter.max_duration.is_some()),
        ("review", filter.reviews != Review::COUNTED),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use domain::{PersonId, ReportFormat, ReportSubject, SiteReportId, WorksiteId, Zone};

    use super::*;

    fn of_kind(kind: ReportKind) -> NewReport {
        NewReport {
            kind,
            format: ReportFormat::Json,
            subject: ReportSubject::default(),
            filter: None,
            pivot: None,
            saved_view: None,
            site_report: None,
            paper: None,
        }
    }

    /// Returns the fields that are refused, each with its code.
    fn refused(new: &NewReport) -> Vec<(String, &'static str)> {
        let Err(error) = check_parts(new) else { return Vec::new() };
        error.fields.into_iter().map(|fault| (fault.field, fault.invalid.code)).collect()
    }

    fn faults<const N: usize>(faults: [(&str, &'static str); N]) -> Vec<(String, &'static str)> {
        faults.into_iter().map(|(field, code)| (field.to_owned(), code)).collect()
    }

    #[test]
    fn each_kind_names_what_it_needs() {
        for (kind, field) in [
            (ReportKind::SiteSafety, Some("worksite_id")),
            (ReportKind::ProjectSummary, Some("project_id")),
            (ReportKind::Machine, Some("machine_id")),
            (ReportKind::Person, Some("person_id")),
            (ReportKind::TagTestCompliance, None),
            (ReportKind::VisitorLog, None),
            (ReportKind::Incursions, None),
            (ReportKind::Pivot, Some("pivot")),
            (ReportKind::SiteReport, Some("site_report_id")),
        ] {
            let expected: Vec<_> = field.map(|field| (field.to_owned(), "required")).into_iter().collect();
            assert_eq!(refused(&of_kind(kind)), expected, "{kind:?}");
        }
    }

    #[test]
    fn all_that_does_not_fit_is_named_together() {
        let site = ReportSubject { worksite: Some(WorksiteId(1)), ..ReportSubject::default() };
        let report =
            NewReport { subject: site, format: ReportFormat::Csv, ..of_kind(ReportKind::SiteSafety) };
        assert_eq!(refused(&report), faults([("format", "unknown_format")]));
        let filter = IncursionFilter {
            zones: vec![Zone::Danger],
            reviews: Review::COUNTED.to_vec(),
            ..IncursionFilter::default()
        };
        let log = NewReport { filter: Some(Box::new(filter.clone())), ..of_kind(ReportKind::VisitorLog) };
        assert_eq!(refused(&log), faults([("filters.zone", "not_allowed")]));
        let written = NewReport {
            filter: Some(Box::new(filter)),
            subject: ReportSubject { person: Some(PersonId(1)), ..site },
            site_report: Some(SiteReportId(1)),
            ..of_kind(ReportKind::SiteReport)
        };
        assert_eq!(refused(&written), faults([("filters", "not_allowed"), ("person_id", "not_allowed")]));
    }
}
