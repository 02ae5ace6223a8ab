//! GET /api/v2/insights/charts

use axum::response::Response;
use domain::access::ReadInsights;
use domain::insights::{ChartKind, Unit};
use web::{Caller, ChartFormat, FactFilters, NoParams, enum_schemas, json_api_errors};

use super::parameters::{ChartParameter, of};

/// List of the available charts.
#[web::answer]
pub struct ChartList {
    /// All charts.
    charts: Vec<ChartEntry>,
    /// Filters that every chart accepts; the same as for other insights.
    #[schema(example = json!(["from", "to", "worksite_id"]))]
    filters: Vec<&'static str>,
}

/// An available chart.
#[web::answer]
pub struct ChartEntry {
    /// Key of the chart.
    #[schema(value_type = enum_schemas::ChartKind, example = "machine_runtime")]
    key: &'static str,
    /// Title of the chart.
    #[schema(example = "Machine runtime")]
    title: &'static str,
    /// Description of the chart and how it is computed.
    description: &'static str,
    /// Unit of the values; null if it depends on the chosen metric.
    #[schema(value_type = Option<enum_schemas::MeasureUnit>, example = "hours")]
    unit: Option<&'static str>,
    /// Path of the chart.
    #[schema(example = "/api/v2/insights/charts/machine_runtime")]
    path: String,
    /// Formats, chosen with the parameter `format` or the header `Accept`.
    #[schema(value_type = Vec<enum_schemas::ChartFormat>, example = json!(["json", "svg"]))]
    formats: [&'static str; 2],
    /// Parameters that the chart accepts besides the filters.
    parameters: Vec<ChartParameter>,
}

/// List the available charts
///
/// Returns each chart with the parameters it accepts.
#[web::operation(
    get, path = "/api/v2/insights/charts", tag = "charts", operation_id = "list_charts",
    responses(
        (status = 200, description = "All charts.", body = ChartList),
        json_api_errors::BadParams,
    ),
)]
pub async fn list_charts(Caller(_): Caller<ReadInsights>, _: NoParams) -> Response {
    let entry = |kind: ChartKind| ChartEntry {
        key: kind.as_str(),
        title: kind.title(),
        description: kind.description(),
        unit: kind.unit().map(Unit::as_str),
        path: format!("/api/v2/insights/charts/{}", kind.as_str()),
        formats: ChartFormat::ALL.map(ChartFormat::as_str),
        parameters: of(kind),
    };
    web::json_response(&ChartList {
        charts: ChartKind::ALL.into_iter().map(entry).collect(),
        filters: FactFilters::NAMES.to_vec(),
    })
}
