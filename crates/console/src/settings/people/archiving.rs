//! Archiving a person, and restoring them.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::WriteRegistry;
use web::{Caller, PathId, Result};

use super::{ARCHIVED, PATH, RESTORED, edit};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;
use crate::settings::account_access;

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
        Err(error) => {
            let view = account_access::with_refusal(&form, &frame, error, edit::view_of(&stored))?;
            edit::render(&frame, &stored, &view)
        }
    }
}
