//! POST /api/v2/reports

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{
    MachineId, Paper, PersonId, ProjectId, ReportFormat, ReportKind, SavedViewId, SiteReportId, WorksiteId,
};
use web::{
    Caller, Fields, FilterFields, IdempotentBody, NewPivot, NewReportBodyParts, NoParams, PivotFields,
    Result, complete_report, enum_schemas, json_api_errors, optional_filters, optional_pivot,
};

use super::documents::object;
use super::{DEFINITION, Report};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new report. The relationships `project`, `worksite`, `machine` and `person` narrow any report; a kind that is about one
/// of them requires it.
#[web::body(parts)]
#[schema(as = NewReportAttributes)]
pub struct NewReport {
    /// Kind of the report. `site_safety` requires the relationship `worksite`, `project_summary` requires `project`, `machine` requires
    /// `machine`, and `person` requires `person`; others narrow the report. `pivot` requires `pivot` or `saved_view_id`, and
    /// `site_report` requires `site_report_id`.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    kind: ReportKind,
    /// File format; the default is `pdf`. Every kind has `pdf` and `json`; `xlsx` and `csv` are for the kinds with a table:
    /// `project_summary`, `tag_test_compliance`, `visitor_log`, `incursions` and `pivot`.
    #[schema(value_type = Option<enum_schemas::ReportFormat>, example = "pdf")]
    format: Option<ReportFormat>,
    /// Identifier of the project, from the relationship `project`.
    #[schema(ignore)]
    project_id: Option<ProjectId>,
    /// Identifier of the worksite, from the relationship `worksite`.
    #[schema(ignore)]
    worksite_id: Option<WorksiteId>,
    /// Identifier of the machine, from the relationship `machine`.
    #[schema(ignore)]
    machine_id: Option<MachineId>,
    /// Identifier of the person, from the relationship `person`.
    #[schema(ignore)]
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
    /// For the kind `pivot`: id of a saved view of the kind `pivot`, whose definition is used as it is now.
    saved_view_id: Option<SavedViewId>,
    /// For the kind `site_report`: id of a written site report that is ready.
    site_report_id: Option<SiteReportId>,
    /// Size of the pages of a PDF; the default is the usual one of the region in your language setting.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    paper: Option<Paper>,
}

/// Reads the same as V1, in which the relationships are fields.
fn read(fields: &mut Fields) -> Option<app::NewReport> {
    let parts = NewReport::read_parts(fields);
    let parts = NewReportBodyParts {
        kind: parts.kind,
        format: parts.format,
        project_id: parts.project_id,
        worksite_id: parts.worksite_id,
        machine_id: parts.machine_id,
        person_id: parts.person_id,
        filters: parts.filters,
        pivot: parts.pivot,
        saved_view_id: parts.saved_view_id,
        site_report_id: parts.site_report_id,
        paper: parts.paper,
    };
    complete_report(fields, parts)
}

type NewReportDocument = NewOf<Report>;
type ReportDocument = DocumentOf<Report>;

/// Request a report
///
/// The report is made in the background, from what you may see at that time. Poll it until its `state` is `ready`, then download its
/// file. It is in your language and has your formats. Everyone whose projects and right to names cover what is in it can see it. Its
/// figures are stored, so that other formats and a remake say the same later.
///
/// Too many rows for the format, and other things that cannot be, are refused immediately, with the field that is concerned. Answers
/// 409 `too_many_reports` if 20 of your reports are not finished, or too many of the brand.
#[web::operation(
    post, path = "/api/v2/reports", tag = "reports", operation_id = "request_report",
    request_body(content = NewReportDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The report was requested.", body = ReportDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn request_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key.clone(), |report: &domain::Report| {
        json_api::created_to_store(&object(report.clone())).with_version(report.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let mut new = value.resource(&DEFINITION, &Target::New, read)?;
        // A retry gets the stored response, even if the view is gone by now.
        if new.saved_view.is_some() && !app.has_stored_response(key).await? {
            web::resolve_saved_view(&app, &caller, &mut new).await?;
        }
        app.request_report(&caller, new, once).await
    });
    Ok(json_api::render_stored(made.await?))
}
