//! One project: its fields, and how it is archived.

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Change, Project, ProjectId};
use texts::console::settings::{self as s, projects as t};
use web::{Caller, PathId, Result};

use super::{ARCHIVED, KINDS, PATH, RESTORED, SAVED, fields_of, read_change};
use crate::done::Done;
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Details, FormPart};
use crate::response;
use crate::settings::record_page::RecordPage;

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let project = app.find_project(&caller, ProjectId(id)).await?;
    render(&frame, &project, &view_of(&project))
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_project(&frame.caller::<ReadRegistry>()?, ProjectId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_project(&caller, ProjectId(id), &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&stored));
            render(&frame, &stored, &view)
        }
    }
}

pub async fn archive(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    set_archived(&app, &caller, (id, true), &form, &ARCHIVED).await
}

pub async fn restore(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    set_archived(&app, &caller, (id, false), &form, &RESTORED).await
}

async fn set_archived(
    app: &App,
    caller: &app::Caller<WriteRegistry>,
    (id, is_archived): (i64, bool),
    form: &Form,
    done: &'static Done,
) -> Result {
    let page = format!("{PATH}/{id}");
    // The button was pressed before signing in again.
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    let change = ProjectChange { archived: Change::Set(is_archived), ..ProjectChange::default() };
    app.change_project(caller, ProjectId(id), &form.if_match(), change).await?;
    Ok(response::redirect(&page, Some((done, Some(id)))))
}

fn view_of(project: &Project) -> FormView {
    FormView::new(vec![("name", project.name.clone()), ("code", project.code.clone().unwrap_or_default())])
}

fn render(frame: &Frame, project: &Project, view: &FormView) -> Result {
    let path = format!("{PATH}/{}", project.id);
    let id = project.id.to_string();
    let mut page = RecordPage::new(frame, &project.name, t::PROJECT)
        .linking(t::SITES, frame.link_with("/sites", &[("project_id", &id)]));
    if let Some(at) = project.archived_at {
        page = page.noticing(frame.fill(t::ARCHIVED_SINCE, &[("at", &frame.formats().own(at))]));
    }
    if !frame.may::<WriteRegistry>() {
        let code = Cell::text(project.code.clone().unwrap_or_else(|| frame.text(s::NONE).to_owned()));
        return page.detailed(Details { rows: vec![(frame.text(t::CODE).to_owned(), code)] }).respond();
    }
    let form = FormPart::new(path.clone(), view, fields_of(frame, view), frame.text(s::SAVE))
        .changing(project.version)
        .cancelled_at(PATH);
    page.changing(view, form).archiving(&path, project.archived_at.is_some(), None).respond()
}
