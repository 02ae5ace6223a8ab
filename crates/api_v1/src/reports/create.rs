//! POST /api/v1/reports

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, IdempotentBody, NewReportBody, NoParams, ReportFields, ReportRecord, Result, problem};

use super::{PATH, shape};

/// Request a report
///
/// The report is made in the background, from what you may see at that time. Poll it until its `state` is `ready`, then download its
/// file. It is in your language and has your formats. Everyone whose projects and right to names cover what is in it can see it. Its
/// figures are stored, so that other formats and a remake say the same later.
///
/// Too many rows for the format, and other things that cannot be, are refused immediately, with the field that is concerned. Fails
/// with 409 `too_many_reports` if 20 of your reports are not finished, or too many of the brand.
#[web::operation(
    post, path = "/api/v1/reports", tag = "reports", operation_id = "request_report", request_body = NewReportBody,
    responses(
        (status = 201, description = "The requested report", body = ReportRecord),
        problem::BadBody, problem::Conflict,
    ),
)]
pub async fn request_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: NoParams,
    IdempotentBody { value: ReportFields(mut new), key }: IdempotentBody<ReportFields>,
) -> Result {
    // A retry gets the stored response, even if the view is gone by now.
    if new.saved_view.is_some() && !app.has_stored_response(key.clone()).await? {
        web::resolve_saved_view(&app, &caller, &mut new).await?;
    }
    let once = Idempotent::new(key, |report: &domain::Report| {
        web::created_to_store(format!("{PATH}/{}", report.id), &shape(report.clone()))
            .with_version(report.version)
    });
    Ok(web::render_stored(app.request_report(&caller, new, once).await?))
}
