//! POST /api/v2/reports

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::ReadInsights;
use utoipa::ToSchema;
use web::{
    Caller, FilterFields, FromFields, IdempotentBody, NewPivot, NoParams, ReportFields, Result, enum_schemas,
    json_api_errors,
};

use super::documents::object;
use super::{DEFINITION, Report};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new report, for OpenAPI. [`ReportFields`] is read from them and from the relationships `project`, `worksite`,
/// `machine` and `person`.
#[derive(ToSchema)]
#[schema(as = NewReportAttributes)]
#[expect(dead_code, reason = "describes the attributes for OpenAPI")]
pub struct NewReport {
    /// Kind of the report. `site_safety` requires the relationship `worksite`, `project_summary` requires `project`, `machine` requires
    /// `machine`, and `person` requires `person`; others narrow the report. `pivot` requires `pivot` or `saved_view_id`, and
    /// `site_report` requires `site_report_id`.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    kind: String,
    /// File format; the default is `pdf`. Every kind has `pdf` and `json`; `xlsx` and `csv` are for the kinds with a table:
    /// `project_summary`, `tag_test_compliance`, `visitor_log`, `incursions` and `pivot`.
    #[schema(value_type = Option<enum_schemas::ReportFormat>, example = "pdf")]
    format: Option<String>,
    /// Filters of the incursions; `from` and `to` are the period. Not for `pivot`, which has its own filters, and `site_report`; for
    /// `tag_test_compliance` and `visitor_log` only the period. A period without an end ends now.
    #[schema(value_type = Option<FilterFields>)]
    filters: Option<FilterFields>,
    /// For the kind `pivot`: the pivot, with its filters.
    #[schema(value_type = Option<NewPivot>)]
    pivot: Option<NewPivot>,
    /// For the kind `pivot`: id of a saved view of the kind `pivot`, whose definition is used as it is now.
    saved_view_id: Option<i64>,
    /// For the kind `site_report`: id of a written site report that is ready.
    site_report_id: Option<i64>,
    /// Size of the pages of a PDF; the default is the usual one of the region in your language setting.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    paper: Option<String>,
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
        let ReportFields(mut new) = value.resource(&DEFINITION, &Target::New, ReportFields::read)?;
        // A retry gets the stored response, even if the view is gone by now.
        if new.saved_view.is_some() && !app.has_stored_response(key).await? {
            web::resolve_saved_view(&app, &caller, &mut new).await?;
        }
        app.request_report(&caller, new, once).await
    });
    Ok(json_api::render_stored(made.await?))
}
