//! POST /reports/{id}/remake and /delete
//!
//! A form that was brought back after signing in is not acted upon: the page of the report shows the button again.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, PathId, Result};

use super::{DELETED, REMADE};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn remake(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let report = app.find_report(&caller, ReportId(id)).await?.report;
    let page = frame.link(&format!("/reports/{id}"));
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    app.remake_report(&caller, report.id).await?;
    Ok(response::redirect(&page, Some((&REMADE, None))))
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let report = app.find_report(&caller, ReportId(id)).await?.report;
    if form.has("_resumed") {
        return Ok(response::redirect(&frame.link(&format!("/reports/{id}")), None));
    }
    app.delete_report(&caller, report.id).await?;
    Ok(response::redirect(&frame.link("/reports"), Some((&DELETED, None))))
}
