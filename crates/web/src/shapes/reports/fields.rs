//! The request of a report.

use app::{App, Error, ErrorKind, NewReport, ViewQuery};
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{
    Invalid, MachineId, Paper, PersonId, ProjectId, ReportFormat, ReportKind, ReportSubject, SavedViewId,
    SiteReportId, WorksiteId,
};

use crate::request::fields::Fields;
use crate::request::from_fields::FromFields;
use crate::response::enum_schemas;
use crate::shapes::filter_fields::{FilterFields, optional_filters};
use crate::shapes::pivot_fields::{NewPivot, PivotFields, optional_pivot};
use crate::shapes::view_definition::parse_stored_view;

/// Report request. The project, worksite, machine and person narrow any report; a kind that is about one of them requires it.
#[macros::body(parts)]
#[schema(as = NewReport)]
pub struct NewReportBody {
    /// Kind of the report. `site_safety` requires `worksite_id`, `project_summary` requires `project_id`, `machine` requires
    /// `machine_id`, `person` requires `person_id`, `pivot` requires `pivot` or `saved_view_id`, and `site_report` requires
    /// `site_report_id`.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    kind: ReportKind,
    /// File format; the default is `pdf`. Every kind has `pdf` and `json`; `xlsx` and `csv` are for the kinds with a table:
    /// `project_summary`, `tag_test_compliance`, `visitor_log`, `incursions` and `pivot`.
    #[schema(value_type = Option<enum_schemas::ReportFormat>, example = "pdf")]
    format: Option<ReportFormat>,
    /// Identifier of the project that the report is about.
    #[schema(example = 2)]
    project_id: Option<ProjectId>,
    /// Identifier of the worksite that the report is about.
    #[schema(example = 3)]
    worksite_id: Option<WorksiteId>,
    /// Identifier of the machine that the report is about.
    #[schema(example = 4)]
    machine_id: Option<MachineId>,
    /// Identifier of the person that the report is about.
    #[schema(example = 5)]
    person_id: Option<PersonId>,
    /// Filters of the incursions; `from` and `to` are the period. Not for `pivot`, which has its own filters, and `site_report`; for
    /// `tag_test_compliance` and `visitor_log` only the period. A period without an end ends now.
    #[schema(value_type = Option<FilterFields>)]
    #[field(read = optional_filters)]
    filters: Option<IncursionFilter>,
    /// For the kind `pivot`: the pivot, with its filters.
    #[schema(value_type = Option<NewPivot>)]
    #[field(read = optional_pivot)]
    pivot: Option<PivotFields>,
    /// For the kind `pivot`: identifier of a saved view of the kind `pivot`, whose definition is used as it is now.
    saved_view_id: Option<SavedViewId>,
    /// For the kind `site_report`: identifier of a written site report that is ready.
    site_report_id: Option<SiteReportId>,
    /// Size of the pages of a PDF; the default is the usual one of the region in your language setting.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    paper: Option<Paper>,
}

/// The parsed request of a report. Whether its parts fit together is checked by the use case.
pub struct ReportFields(pub NewReport);

impl FromFields for ReportFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        read_report(fields).map(Self)
    }
}

/// The parsed request of the reports of a schedule. The schedule sets the period, and a written site report exists only once.
pub struct ReportFieldsOfSchedule(pub NewReport);

impl FromFields for ReportFieldsOfSchedule {
    fn read(fields: &mut Fields) -> Option<Self> {
        let new = read_report(fields)?;
        if new.kind == ReportKind::SiteReport {
            return fields.add_fault("kind", Invalid::new("not_allowed", "cannot be scheduled"));
        }
        let filters = [
            ("filters", new.filter.as_deref()),
            ("pivot.filters", new.pivot.as_ref().map(|(filter, _)| &**filter)),
        ];
        let mut is_sound = true;
        for (path, filter) in filters {
            let Some(period) = filter.and_then(|filter| filter.period) else { continue };
            for (name, bound) in [("from", period.from), ("to", period.to)] {
                if bound.is_some() {
                    let invalid = Invalid::new("not_allowed", "is set by the schedule, as its period");
                    let _: Option<()> = fields.add_fault(&format!("{path}.{name}"), invalid);
                    is_sound = false;
                }
            }
        }
        is_sound.then_some(Self(new))
    }
}

fn read_report(fields: &mut Fields) -> Option<NewReport> {
    let parts = NewReportBody::read_parts(fields);
    complete_report(fields, parts)
}

/// Puts the parts of a request together. `None` means that an error was recorded.
pub fn complete_report(fields: &mut Fields, parts: NewReportBodyParts) -> Option<NewReport> {
    let (pivot, saved_view) = (parts.pivot?, parts.saved_view_id?);
    if pivot.is_some() && saved_view.is_some() {
        let invalid = Invalid::new("ambiguous", "cannot be given together with pivot");
        return fields.add_fault("saved_view_id", invalid);
    }
    let kind = parts.kind?;
    let usual = kind.formats().first().copied().unwrap_or(ReportFormat::Pdf);
    Some(NewReport {
        kind,
        format: parts.format?.unwrap_or(usual),
        subject: ReportSubject {
            project: parts.project_id?,
            worksite: parts.worksite_id?,
            machine: parts.machine_id?,
            person: parts.person_id?,
        },
        filter: parts.filters?.map(Box::new),
        pivot: pivot.map(|PivotFields(filter, request)| (filter, request)),
        saved_view,
        site_report: parts.site_report_id?,
        paper: parts.paper?,
    })
}

/// Puts the definition of a saved view into the request that names it.
pub async fn resolve_saved_view(
    app: &App,
    caller: &app::Caller<ReadInsights>,
    new: &mut NewReport,
) -> Result<(), Error> {
    let Some(id) = new.saved_view else { return Ok(()) };
    let view = app.find_saved_view(caller, id).await.map_err(|error| match error.kind {
        ErrorKind::NotFound => {
            let text = "is not a saved view that you see";
            Error::missing_relation("saved_view_id", "unknown_saved_view", text)
        }
        _ => error,
    })?;
    match parse_stored_view(&view)? {
        ViewQuery::Pivot(filter, request) => {
            new.pivot = Some((filter, request));
            Ok(())
        }
        ViewQuery::Filter(_) => {
            let text = "is a view of kind filter; only a pivot can be a report";
            Err(Error::invalid_field("saved_view_id", Invalid::new("not_a_pivot", text)))
        }
    }
}
