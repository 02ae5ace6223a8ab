//! GET and POST /alerts/dry-run, GET /alerts/dry-run/chart: what an alert would have done in the last 30 days.

use std::sync::Arc;

use app::chart_images::{ChartImageRequest, Theme};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::access::ManageAlerts;
use domain::{AlertMetric, AlertScope, Name};
use http::StatusCode;
use texts::console::alerts as t;
use web::{Caller, FromParams, Params, Query, Result, read_chart_image, svg_response};

use super::choose::{self, MetricChoice, MetricQuery};
use super::dry_run_result::Outcome;
use super::edit::find_own;
use super::fields::{TERM_KINDS, kinds, read_terms, read_trial, trial};
use super::form::{AlertForm, Purpose};
use super::form_values;
use super::new::metric_of;
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::response;

#[derive(Template)]
#[template(path = "alerts/dry_run.html")]
struct DryRunPage<'a> {
    frame: &'a Frame,
    /// None before it was tried.
    outcome: Option<Outcome>,
    form: AlertForm,
}

/// The form without a result.
pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<ManageAlerts>,
    frame: Frame,
    Params(query): Params<MetricQuery>,
) -> Result {
    match query.metric {
        MetricChoice::Of(metric) => {
            let view = form_values::fresh(&frame, metric);
            render(&app, &frame, &view, metric, (Purpose::New, None)).await
        }
        MetricChoice::Open | MetricChoice::Another => {
            choose::render(&frame, t::DRY_RUN, "/alerts/dry-run", "/alerts".to_owned())
        }
    }
}

/// Tries the form of a new or changed alert on the past, and shows it again below what came out. Nothing is saved.
pub async fn run(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    form: Form,
) -> Result {
    let stored = match form.value("_alert") {
        Some(id) => {
            let id = id.parse::<i64>().map_err(|_| Error::not_found("alert"))?;
            Some(find_own(&app, &frame, id).await?)
        }
        None => None,
    };
    let purpose = match &stored {
        Some(stored) => Purpose::Change(stored),
        None => Purpose::New,
    };
    let name = trial_name(&frame)?;
    let tried = match form.read(&kinds(), |fields| read_trial(fields, frame.language, &name)) {
        Ok(new) => app.dry_run_alert(&caller, &new).await.map(|run| (new, run)),
        Err(error) => Err(error),
    };
    match tried {
        Ok((new, run)) => {
            let view = form.again();
            let outcome = Outcome::new(&frame, &new, &run, form.pairs());
            render(&app, &frame, &view, new.terms.metric, (purpose, Some(outcome))).await
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&app, &frame, &view, metric_of(&view), (purpose, None)).await
        }
    }
}

/// What an alert is called that has no name yet.
fn trial_name(frame: &Frame) -> Result<Name, Error> {
    Name::parse(frame.text(t::TRIAL)).map_err(|invalid| Error::internal(invalid.message.into_owned()))
}

async fn render(
    app: &App,
    frame: &Frame,
    view: &FormView,
    metric: AlertMetric,
    (purpose, outcome): (Purpose<'_>, Option<Outcome>),
) -> Result {
    let mut form = AlertForm::load(app, frame, view, metric, purpose).await?;
    if form.alert.is_none() {
        form.other_metric = "/alerts/dry-run".to_owned();
    }
    // What was not saved yet is not a fault of a form that only tries.
    if view.status == StatusCode::UNPROCESSABLE_ENTITY {
        form.notice = Some(frame.text(t::NOT_TRIED).to_owned());
    }
    response::page_with(view.status, frame, &DryRunPage { frame, outcome, form })
}

/// What a picture shows, with the fields of the form in the address. Names and addresses of people are not among them.
pub struct ChartQuery {
    image: ChartImageRequest,
    pairs: Vec<(String, String)>,
}

impl FromParams for ChartQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let image = read_chart_image(query, Theme::Auto)?;
        let mut pairs = Vec::new();
        for (name, _) in TERM_KINDS {
            let values = query.many(name, AlertScope::MAX_IDS, |text| Ok(text.to_owned()))?;
            pairs.extend(values.into_iter().map(|value| ((*name).to_owned(), value)));
        }
        Ok(Self { image: ChartImageRequest { without_title: true, ..image }, pairs })
    }
}

/// The worst value of each day, with the threshold.
pub async fn chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    frame: Frame,
    Params(query): Params<ChartQuery>,
) -> Result {
    let terms = Form::of_pairs(query.pairs).read(TERM_KINDS, |fields| read_terms(fields, frame.language))?;
    let new = trial(trial_name(&frame)?, terms);
    let run = app.dry_run_alert(&caller, &new).await?;
    Ok(svg_response(app.render_dry_run(&caller, &new, &run, query.image).await?))
}
