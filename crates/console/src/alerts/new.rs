//! GET and POST /alerts/new

use std::sync::Arc;

use app::{AlertView, App};
use axum::extract::State;
use domain::AlertMetric;
use domain::access::ManageAlerts;
use texts::console::alerts as t;
use web::{Caller, Params, Result};

use super::choose::{self, MetricChoice, MetricQuery};
use super::fields::{kinds, read_alert};
use super::form::{AlertForm, Purpose};
use super::{ADDED, form_page, form_values};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::response;

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ManageAlerts>,
    frame: Frame,
    Params(query): Params<MetricQuery>,
) -> Result {
    match query.metric {
        MetricChoice::Of(metric) => render(&app, &frame, &form_values::fresh(&frame, metric), metric).await,
        MetricChoice::Open | MetricChoice::Another => {
            choose::render(&frame, t::NEW, "/alerts/new", "/alerts".to_owned())
        }
    }
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    form: Form,
) -> Result {
    let made = match form.read(&kinds(), |fields| read_alert(fields, frame.language, true)) {
        Ok(new) => {
            let once =
                response::made(form.once(&frame), |view: &AlertView| format!("/alerts/{}", view.rule.id));
            app.create_alert(&caller, new, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, &view, metric_of(&view)).await
        }
    }
}

/// The metric for which a sent form is shown again.
pub fn metric_of(view: &FormView) -> AlertMetric {
    AlertMetric::parse(&view.value("metric")).unwrap_or(AlertMetric::Incursions)
}

async fn render(app: &App, frame: &Frame, view: &FormView, metric: AlertMetric) -> Result {
    let form = AlertForm::load(app, frame, view, metric, Purpose::New).await?;
    form_page::render(frame, view.status, frame.text(t::NEW).to_owned(), form)
}
