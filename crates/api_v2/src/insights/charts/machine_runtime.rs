//! GET /api/v2/insights/charts/machine_runtime

use std::sync::Arc;

use app::insights::{Chart, ChartDetails, DrivenMachine, DrivenSpan, MachineRuntimeRequest, Operators};
use app::{App, Error};
use axum::extract::State;
use domain::Timestamp;
use domain::access::ReadInsights;
use web::{
    Accept, Caller, ChartImageQuery, DimensionValue, FactFilters, FromParams, Params, Query, Result,
    enum_schemas, json_api_errors,
};

use super::responses::{ChartHead, TimeSeries, time_series};
use super::{ChartParams, IntervalParams, render_chart};

/// Chart of the runtime of machines.
#[web::answer]
pub struct MachineRuntimeChart {
    #[serde(flatten)]
    head: ChartHead,
    /// Hours of each machine, keyed by its id; the machine with the most runtime first.
    series: Vec<TimeSeries>,
    /// Hours of all machines together, including those without a series.
    total: Option<TimeSeries>,
    /// With `operators=true`: who operated each machine and when. Machines that did not run are left out.
    operators: Option<Vec<OperatedMachine>>,
}

/// A machine with its operators.
#[web::answer]
pub struct OperatedMachine {
    /// Id of the machine.
    #[schema(example = "3")]
    key: String,
    /// Name of the machine.
    #[schema(example = "Crane 3")]
    label: String,
    /// Spans of runtime within the period, in order of time.
    spans: Vec<OperatedSpan>,
}

/// A span of time in which a machine ran with the same operator.
#[web::answer]
pub struct OperatedSpan {
    /// Start of the span, RFC 3339 in UTC.
    #[schema(value_type = String, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// End of the span, RFC 3339 in UTC.
    #[schema(value_type = String, example = "2026-03-01T09:30:00Z")]
    to: Timestamp,
    /// Length of the span in hours.
    #[schema(example = 1.5)]
    hours: f64,
    /// Operator; null if not known.
    operator: Option<DimensionValue>,
}

fn shape(chart: Chart) -> MachineRuntimeChart {
    let head = ChartHead::of(&chart);
    let span = |span: DrivenSpan| OperatedSpan {
        from: span.from,
        to: span.to,
        hours: (span.to - span.from).micros() as f64 / 3.6e9,
        operator: span.operator.map(DimensionValue::from),
    };
    let machine = |machine: DrivenMachine| OperatedMachine {
        key: machine.key,
        label: machine.label,
        spans: machine.spans.into_iter().map(span).collect(),
    };
    let (total, operators) = match chart.details {
        ChartDetails::Runtime { total, operators } => (Some(TimeSeries::from(total)), operators),
        _ => (None, None),
    };
    let operators = operators.map(|machines| machines.into_iter().map(machine).collect());
    MachineRuntimeChart { head, series: time_series(chart.series), total, operators }
}

/// The parsed query parameters.
pub struct MachineRuntimeParams(MachineRuntimeRequest);

impl FromParams for MachineRuntimeParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let IntervalParams(interval) = IntervalParams::read(query)?;
        let operators = if query.flag("operators")? { Operators::Shown } else { Operators::Hidden };
        let limit = query.integer("limit", 1..=MachineRuntimeRequest::MAX_LIMIT as i64)?;
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.unwrap_or(MachineRuntimeRequest::DEFAULT_LIMIT);
        Ok(Self(MachineRuntimeRequest { interval, operators, limit }))
    }
}

/// Chart the runtime of machines
///
/// Shows the hours that the ignition of each machine was on, for each step, of the machines with the most runtime, and the total of all
/// machines. With `operators=true` also returns who operated each machine and when, for at most 31 days; the image is then a Gantt
/// chart of operators.
#[web::operation(
    get, path = "/api/v2/insights/charts/machine_runtime", tag = "charts", operation_id = "get_machine_runtime_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ("operators" = Option<bool>, Query, description = "Whether to return the operators. Default: `false`."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100,
            description = "Maximum number of machines, those with the most runtime. Default: 10."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.",
            content((MachineRuntimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_machine_runtime_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<MachineRuntimeParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.machine_runtime_chart(&caller, &params.filter, params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
