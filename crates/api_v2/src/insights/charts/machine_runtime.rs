//! GET /api/v2/insights/charts/machine_runtime

use std::sync::Arc;

use app::insights::{Chart, ChartDetails, DrivenMachine, DrivenSpan, MachineRuntimeRequest, Operators};
use app::{App, Error};
use axum::extract::State;
use domain::Timestamp;
use domain::access::ReadInsights;
use serde::Serialize;
use utoipa::ToSchema;
use web::{
    Accept, Caller, ChartImageQuery, DimensionValue, FactFilters, FromParams, Params, Query, Result,
    enum_schemas, json_api_errors,
};

use super::responses::{ChartHead, TimeSeries, time_series};
use super::{ChartParams, IntervalParams, render_chart};

/// How long machines ran.
#[derive(Serialize, ToSchema)]
pub struct MachineRuntimeChart {
    #[serde(flatten)]
    head: ChartHead,
    /// The hours of each machine, keyed by its id, the one that ran the longest first.
    series: Vec<TimeSeries>,
    /// With `operators=true`: who drove which machine when. Machines that did not run are left out.
    operators: Option<Vec<OperatedMachine>>,
}

/// A machine and when it ran.
#[derive(Serialize, ToSchema)]
pub struct OperatedMachine {
    /// Its id.
    #[schema(example = "3")]
    key: String,
    /// What it is called.
    #[schema(example = "Crane 3")]
    label: String,
    /// When it ran, in order, within the period.
    spans: Vec<OperatedSpan>,
}

/// A time in which a machine ran and the same person drove.
#[derive(Serialize, ToSchema)]
pub struct OperatedSpan {
    /// Since when.
    #[schema(value_type = String, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when.
    #[schema(value_type = String, example = "2026-03-01T09:30:00Z")]
    to: Timestamp,
    /// How long that is.
    #[schema(example = 1.5)]
    hours: f64,
    /// Who drove; null if that is not known.
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
    let operators = match chart.details {
        ChartDetails::Operators(machines) => Some(machines.into_iter().map(machine).collect()),
        _ => None,
    };
    MachineRuntimeChart { head, series: time_series(chart.series), operators }
}

/// What is asked.
pub struct MachineRuntimeParams(MachineRuntimeRequest);

impl FromParams for MachineRuntimeParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let IntervalParams(interval) = IntervalParams::read(query)?;
        let operators = if query.flag("operators")? { Operators::Shown } else { Operators::Hidden };
        Ok(Self(MachineRuntimeRequest { interval, operators }))
    }
}

/// How many hours the ignition of each machine was on, step by step: of the 20 that ran the longest.
///
/// With `operators=true` also who drove when, for at most 31 days; the picture is then a Gantt chart of operators.
#[utoipa::path(
    get, path = "/api/v2/insights/charts/machine_runtime", tag = "charts", operation_id = "get_machine_runtime_chart",
    security(("jwt" = [])),
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "In which steps; left out: `day`"),
        ("operators" = Option<bool>, Query, description = "Whether it is told who drove; left out: `false`"),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart",
            content((MachineRuntimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
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
