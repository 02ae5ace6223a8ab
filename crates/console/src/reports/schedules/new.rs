//! GET and POST /reports/schedules/new. The address names the kind of the reports.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::ReportKind;
use domain::access::{ReadInsights, ScheduleReports};
use texts::console::report_schedules as t;
use texts::console::reports as of_reports;
use texts::reports::report_title;
use web::{Caller, Params, Result};

use super::{CREATED, fields, form, path_of};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::reports::choose;
use crate::reports::form_page::FormPage;
use crate::reports::new::NewQuery;
use crate::response;

const PATH: &str = "/reports/schedules/new";

/// A written site report exists only once, so that it cannot be scheduled.
fn kinds() -> impl Iterator<Item = ReportKind> {
    ReportKind::ALL.into_iter().filter(|kind| *kind != ReportKind::SiteReport)
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ScheduleReports>,
    frame: Frame,
    Params(query): Params<NewQuery>,
) -> Result {
    let Some(kind) = query.kind.filter(|kind| *kind != ReportKind::SiteReport) else {
        let back = (frame.link("/reports/schedules"), frame.text(t::ALL_SCHEDULES));
        return choose::render(&frame, frame.text(t::CHOOSE_KIND), PATH, kinds(), back);
    };
    let mut values = query.values(&frame);
    values.extend(form::usual(&frame));
    render(&app, &frame, kind, &FormView::new(values)).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    Params(query): Params<NewQuery>,
    form: Form,
) -> Result {
    let Some(kind) = query.kind else {
        return Ok(response::redirect(&frame.link(PATH), None));
    };
    match save(&app, &frame, &caller, kind, &form).await {
        Ok(page) => Ok(response::redirect(&frame.link(&page), Some((&CREATED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, kind, &view).await
        }
    }
}

/// Sets up the schedule and returns its page.
async fn save(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ScheduleReports>,
    kind: ReportKind,
    form: &Form,
) -> Result<String, Error> {
    let mut new = fields::read_new(form, kind)?;
    let key = form.once(frame);
    // A repeat gets the same answer, even if the view is gone by now.
    if new.report.saved_view.is_some() && !app.has_stored_response(key.clone()).await? {
        let reader = caller.with_permission::<ReadInsights>()?;
        web::resolve_saved_view(app, &reader, &mut new.report).await?;
    }
    let once = response::made(key, path_of);
    Ok(response::stored_location(app.create_report_schedule(caller, new, once).await?))
}

async fn render(app: &App, frame: &Frame, kind: ReportKind, view: &FormView) -> Result {
    let fields = form::fields(app, frame, view, kind, false).await?;
    let to = frame.link_with(PATH, &[("kind", kind.as_str())]);
    let form = FormPart::new(to, view, fields, frame.text(t::SET_UP))
        .creating(frame)
        .cancelled_at(frame.link("/reports/schedules"));
    let title = report_title(frame.language, kind.as_str());
    let page = FormPage {
        frame,
        title: frame.fill(t::NEW_OF, &[("kind", title)]),
        lead: of_reports::about_kind(frame.language, kind.as_str()),
        instead: Some((frame.text(t::OTHER_KIND), frame.link(PATH))),
        form,
    };
    page.answer(view.status)
}
