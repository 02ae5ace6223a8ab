//! GET and POST /reports/new: the form that orders a report. The address names the kind, and what the reader came from.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Day, PeriodBound, Report, ReportKind};
use texts::console::reports as t;
use texts::reports::report_title;
use web::{Caller, FromParams, Params, Query, Result};

use super::form::{self, Purpose};
use super::form_page::FormPage;
use super::{ORDERED, choose, request};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::FormPart;
use crate::pickers::Pickers;
use crate::response;

pub struct NewQuery {
    pub kind: Option<ReportKind>,
    pub pickers: Pickers,
    /// Records that the page before was about: the names of fields with their ids.
    pub given: Vec<(&'static str, i64)>,
}

impl FromParams for NewQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let kind = query.one("kind", ReportKind::parse)?;
        let pickers = Pickers::read(query)?;
        let mut given = Vec::new();
        for name in ["machine_id", "person_id", "saved_view_id", "site_report_id"] {
            given.extend(query.id(name)?.map(|id| (name, id)));
        }
        Ok(Self { kind, pickers, given })
    }
}

impl NewQuery {
    /// Returns what a new form is filled with: the usual file, and what the reader came from.
    pub fn values(self, frame: &Frame) -> Vec<(&'static str, String)> {
        let filter = self.pickers.resolved(frame).filter;
        let mut values = vec![("format", "pdf".to_owned())];
        values.extend(filter.worksites.first().map(|id| ("worksite_id", id.to_string())));
        values.extend(filter.projects.first().map(|id| ("project_id", id.to_string())));
        values.extend(self.given.into_iter().map(|(name, id)| (name, id.to_string())));
        let period = filter.period.unwrap_or_default();
        let day = |bound: Option<PeriodBound>, days_before: i64| match bound? {
            PeriodBound::Day(day) => Some(Day::from_number(day.number() - days_before).to_string()),
            PeriodBound::Instant(at) => {
                Some(Day::from_number(frame.preferences.time_zone.local(at).day).to_string())
            }
        };
        values.extend(day(period.from, 0).map(|day| ("filters.from", day)));
        // The end is exclusive; the form has the last day.
        values.extend(day(period.to, 1).map(|day| ("filters.to", day)));
        values
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<NewQuery>,
) -> Result {
    let Some(kind) = query.kind else {
        let back = (frame.link("/reports"), frame.text(t::ALL_REPORTS));
        return choose::render(
            &frame,
            frame.text(t::CHOOSE_KIND),
            "/reports/new",
            ReportKind::ALL.into_iter(),
            back,
        );
    };
    let view = FormView::new(query.values(&frame));
    render(&app, &frame, kind, &view).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    Params(query): Params<NewQuery>,
    form: Form,
) -> Result {
    let Some(kind) = query.kind else {
        return Ok(response::redirect(&frame.link("/reports/new"), None));
    };
    match order(&app, &frame, &caller, kind, &form).await {
        Ok(page) => Ok(response::redirect(&frame.link(&page), Some((&ORDERED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, kind, &view).await
        }
    }
}

/// Orders the report and returns its page.
async fn order(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ReadInsights>,
    kind: ReportKind,
    form: &Form,
) -> Result<String, Error> {
    let (mut new, days) = request::read(form, kind)?;
    let key = form.once(frame);
    // A repeat gets the same answer, even if the view is gone by now.
    if new.saved_view.is_some() && !app.has_stored_response(key.clone()).await? {
        web::resolve_saved_view(app, caller, &mut new).await?;
        if let (Some(days), Some((filter, _))) = (days, &mut new.pivot) {
            filter.period = Some(days);
        }
    }
    let once = response::made(key, |report: &Report| format!("/reports/{}", report.id));
    Ok(response::stored_location(app.request_report(caller, new, once).await?))
}

async fn render(app: &App, frame: &Frame, kind: ReportKind, view: &FormView) -> Result {
    let fields = form::fields(app, frame, view, kind, Purpose::Order).await?;
    let to = frame.link_with("/reports/new", &[("kind", kind.as_str())]);
    let form = FormPart::new(to, view, fields, frame.text(t::ORDER))
        .creating(frame)
        .cancelled_at(frame.link("/reports"));
    let page = FormPage {
        frame,
        title: report_title(frame.language, kind.as_str()).to_owned(),
        lead: t::about_kind(frame.language, kind.as_str()),
        instead: Some((frame.text(t::OTHER_KIND), frame.link("/reports/new"))),
        form,
    };
    page.answer(view.status)
}
