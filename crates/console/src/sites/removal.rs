//! POST /sites/{id}/delete and POST /sites/{id}/restore
//!
//! A form that was brought back after signing in is not acted upon: its page shows the button again.

use std::sync::Arc;

use app::{App, Deletion, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, WorksiteId};
use web::{Caller, PathId, Result};

use super::{ARCHIVED, DELETED, RESTORED};
use crate::form::Form;
use crate::response;

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("/sites/{id}"), None));
    }
    let done = match app.delete_worksite(&caller, WorksiteId(id), &form.if_match()).await? {
        Deletion::Deleted(_) => (&DELETED, None),
        Deletion::Archived(site) => (&ARCHIVED, Some(site.id.0)),
    };
    Ok(response::redirect("/sites", Some(done)))
}

pub async fn restore(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("/sites/{id}"), None));
    }
    let change = WorksiteChange { archived: Change::Set(false), ..WorksiteChange::default() };
    app.change_worksite(&caller, WorksiteId(id), &form.if_match(), change).await?;
    Ok(response::redirect(&format!("/sites/{id}"), Some((&RESTORED, None))))
}
