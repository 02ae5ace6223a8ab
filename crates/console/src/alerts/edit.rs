//! GET and POST /alerts/{id}/edit

use std::sync::Arc;

use app::{AlertChange, AlertView, App, Error, ErrorKind};
use axum::extract::State;
use domain::access::{ManageAlerts, ReadInsights};
use domain::{AlertMetric, AlertRuleId};
use texts::console::alerts as t;
use web::{Caller, Fields, Params, PathId, Result};

use super::choose::{self, MetricChoice, MetricQuery};
use super::fields::{kinds, read_alert};
use super::form::{AlertForm, Purpose};
use super::new::metric_of;
use super::{SAVED, form_page, form_values};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::response;

/// Finds an alert that the reader may change.
pub async fn find_own(app: &App, frame: &Frame, id: i64) -> Result<AlertView, Error> {
    let stored = app.find_alert(&frame.caller::<ReadInsights>()?, AlertRuleId(id)).await?;
    match stored.is_yours {
        true => Ok(stored),
        false => {
            let detail =
                "The alert belongs to someone else. Only its owner and those who manage the brand change it.";
            Err(Error::new(ErrorKind::Forbidden, "not_yours", detail))
        }
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    Params(query): Params<MetricQuery>,
) -> Result {
    let stored = find_own(&app, &frame, id).await?;
    let metric = match query.metric {
        MetricChoice::Open => stored.rule.terms.metric,
        MetricChoice::Of(metric) => metric,
        MetricChoice::Another => {
            let page = format!("/alerts/{id}/edit");
            return choose::render(&frame, t::OTHER_METRIC, &page, page.clone());
        }
    };
    let view = FormView::new(form_values::stored(&frame, &stored, metric));
    render(&app, &frame, &view, metric, &stored).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find_own(&app, &frame, id).await?;
    let read = |fields: &mut Fields| read_alert(fields, frame.language, stored.rule.enabled);
    let saved = match form.read(&kinds(), read) {
        Ok(to) => {
            let changes_terms = to.terms != stored.rule.terms;
            let change = AlertChange { to, changes_terms };
            app.change_alert(&caller, stored.rule.id, &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("/alerts/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let metric = metric_of(&view);
            let view = view.beside(&frame, FormView::new(form_values::stored(&frame, &stored, metric)));
            render(&app, &frame, &view, metric, &stored).await
        }
    }
}

async fn render(
    app: &App,
    frame: &Frame,
    view: &FormView,
    metric: AlertMetric,
    stored: &AlertView,
) -> Result {
    let form = AlertForm::load(app, frame, view, metric, Purpose::Change(stored)).await?;
    form_page::render(frame, view.status, frame.fill(t::EDIT_OF, &[("name", &stored.rule.name)]), form)
}
