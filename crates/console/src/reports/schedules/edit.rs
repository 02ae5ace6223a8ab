//! GET and POST /reports/schedules/{id}/edit

use std::sync::Arc;

use app::{App, Error, ErrorKind, ScheduleView};
use axum::extract::State;
use domain::Change;
use domain::access::{ReadInsights, ScheduleReports};
use texts::console::report_schedules as t;
use texts::reports::report_title;
use web::{Caller, Params, PathId, Result};

use super::{SAVED, fields, find, form, path_of, reach};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::reports::form_page::FormPage;
use crate::reports::show::NoneOfItsOwn;
use crate::response;

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    Params(NoneOfItsOwn): Params<NoneOfItsOwn>,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    render(&app, &frame, &stored, &form::stored(&stored)).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    match change(&app, &frame, &caller, &stored, &form).await {
        Ok(()) => Ok(response::redirect(&frame.link(&path_of(&stored)), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, form::stored(&stored));
            render(&app, &frame, &stored, &view).await
        }
    }
}

async fn change(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ScheduleReports>,
    stored: &ScheduleView,
    form: &Form,
) -> Result<(), Error> {
    let mut change = fields::read_change(form, stored)?;
    if let Change::Set(report) = &mut change.report
        && report.saved_view.is_some()
        && report.saved_view != stored.report.saved_view
    {
        let reader = caller.with_permission::<ReadInsights>()?;
        web::resolve_saved_view(app, &reader, report).await?;
    }
    let changed = app.change_report_schedule(caller, stored, reach(frame), &form.if_match(), change).await?;
    match changed {
        Some(_) => Ok(()),
        None => Err(stale()),
    }
}

/// Somebody else has changed the schedule meanwhile.
pub fn stale() -> Error {
    Error::new(ErrorKind::PreconditionFailed, "stale", "The schedule was changed meanwhile.")
}

async fn render(app: &App, frame: &Frame, stored: &ScheduleView, view: &FormView) -> Result {
    let kind = stored.report.kind;
    let fields = form::fields(app, frame, view, kind, stored.report.pivot.is_some()).await?;
    let page = frame.link(&path_of(stored));
    let form =
        FormPart::new(frame.link(&format!("{}/edit", path_of(stored))), view, fields, frame.text(t::SAVE))
            .changing(stored.schedule.version)
            .cancelled_at(page);
    let page = FormPage {
        frame,
        title: frame.fill(t::EDIT_OF, &[("name", &stored.schedule.name)]),
        lead: report_title(frame.language, kind.as_str()),
        instead: None,
        form,
    };
    page.answer(view.status)
}
