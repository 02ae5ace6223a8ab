//! POST /visitors/{id}/check-out and POST /visitors/{id}/reopen, which undoes it.

use std::sync::Arc;

use app::{App, IfMatch, VisitCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, VisitId};
use web::{Caller, PathId, Result};

use super::{CHECKED_OUT, PATH, REOPENED};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn check_out(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    if let Some(again) = brought_back(&frame, id, &form) {
        return Ok(again);
    }
    app.check_out(&caller.editor(), VisitId(id)).await?;
    Ok(response::redirect(&frame.link(PATH), Some((&CHECKED_OUT, Some(id)))))
}

pub async fn reopen(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    if let Some(again) = brought_back(&frame, id, &form) {
        return Ok(again);
    }
    let change = VisitCorrection { checked_out_at: Change::Set(None), ..VisitCorrection::default() };
    app.correct_visitor_session(&caller.editor(), VisitId(id), &IfMatch::Any, change).await?;
    Ok(response::redirect(&frame.link(PATH), Some((&REOPENED, None))))
}

/// A form that was brought back after signing in is not acted upon: the page of the visit has its button.
fn brought_back(frame: &Frame, id: i64, form: &Form) -> Option<axum::response::Response> {
    form.has("_resumed").then(|| response::redirect(&frame.link(&format!("{PATH}/{id}")), None))
}
