//! The page on which is chosen what an alert measures.

use app::Error;
use askama::Template;
use domain::AlertMetric;
use texts::console::alert_words as words;
use texts::console::alerts as t;
use web::{FromParams, Query, Result};

use crate::frame::Frame;
use crate::pickers::Pickers;
use crate::response;

#[derive(Template)]
#[template(path = "alerts/choose.html")]
struct ChoosePage<'a> {
    frame: &'a Frame,
    title: &'static str,
    cancel: String,
    metrics: Vec<MetricLink>,
}

struct MetricLink {
    name: &'static str,
    about: &'static str,
    href: String,
}

/// The metric for which a form is shown.
pub struct MetricQuery {
    pub metric: MetricChoice,
}

#[derive(Clone, Copy)]
pub enum MetricChoice {
    /// The address says nothing.
    Open,
    /// Another one is to be chosen.
    Another,
    Of(AlertMetric),
}

impl FromParams for MetricQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address. They mean nothing here.
        Pickers::read(query)?;
        let metric = query.one("metric", |text| match text {
            "choose" => Ok(MetricChoice::Another),
            _ => AlertMetric::parse(text).map(MetricChoice::Of),
        })?;
        Ok(Self { metric: metric.unwrap_or(MetricChoice::Open) })
    }
}

/// Shows what can be measured, with links to the form at `path`.
pub fn render(frame: &Frame, title: texts::Text, path: &str, cancel: String) -> Result {
    let metrics = AlertMetric::ALL.map(|metric| MetricLink {
        name: words::metric(frame.language, metric.as_str()),
        about: words::about_metric(frame.language, metric.as_str()),
        href: format!("{path}?metric={}", metric.as_str()),
    });
    let page = ChoosePage { frame, title: frame.text(title), cancel, metrics: metrics.into() };
    response::page(frame, &page)
}
