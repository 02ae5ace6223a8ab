//! POST /reports/site-reports/{id}/render and /delete

use std::sync::Arc;

use app::{App, NewReport};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Report, ReportFormat, ReportKind, ReportSubject, SiteReportId};
use web::{BodyField, Caller, PathId, Result};

use super::DELETED;
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::reports::ORDERED as REPORT_ORDERED;
use crate::response;

const KINDS: &[(&str, Kind)] = &[("format", Kind::Text)];

/// Makes a document of the text, and shows it.
pub async fn render(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let written = app.find_site_report(&caller, SiteReportId(id)).await?.report;
    if form.has("_resumed") {
        return Ok(response::redirect(&frame.link(&format!("/reports/site-reports/{id}")), None));
    }
    let format = form.read(KINDS, |fields| fields.optional("format", ReportFormat::from_json))?;
    let new = NewReport {
        kind: ReportKind::SiteReport,
        format: format.unwrap_or(ReportFormat::Pdf),
        subject: ReportSubject::default(),
        filter: None,
        pivot: None,
        saved_view: None,
        site_report: Some(written.id),
        paper: None,
    };
    let once = response::made(form.once(&frame), |report: &Report| format!("/reports/{}", report.id));
    let stored = app.request_report(&caller, new, once).await?;
    let page = frame.link(&response::stored_location(stored));
    Ok(response::redirect(&page, Some((&REPORT_ORDERED, None))))
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let written = app.find_site_report(&caller, SiteReportId(id)).await?.report;
    if form.has("_resumed") {
        return Ok(response::redirect(&frame.link(&format!("/reports/site-reports/{id}")), None));
    }
    app.delete_site_report(&caller, written.id).await?;
    Ok(response::redirect(&frame.link("/reports/site-reports"), Some((&DELETED, None))))
}
