//! Archiving a person, and restoring them.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Person, PersonId};
use web::{Caller, PathId, Result};

use super::{ARCHIVED, PATH, RESTORED, edit};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn archive(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let page = format!("{PATH}/{id}");
    // The button was pressed before signing in again.
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    app.archive_person(&caller.editor(), PersonId(id)).await?;
    Ok(response::redirect(&page, Some((&ARCHIVED, Some(id)))))
}

/// Restores a person. If someone else has their employee number by now, the page says so.
pub async fn restore(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let page = format!("{PATH}/{id}");
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    let editor = caller.editor();
    let stored = app.find_person(&editor.reader(), PersonId(id)).await?;
    match app.restore_person(&editor, PersonId(id)).await {
        Ok(_) => Ok(response::redirect(&page, Some((&RESTORED, None)))),
        Err(error) => refuse(&frame, &stored, &form, error),
    }
}

/// Shows the stored fields with the reason above them.
fn refuse(frame: &Frame, person: &Person, form: &Form, error: Error) -> Result {
    let refused = form.view(frame, error)?;
    let mut view = edit::view_of(person);
    (view.status, view.notice) = (refused.status, refused.notice);
    edit::render(frame, person, &view)
}
