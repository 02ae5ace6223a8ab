//! GET /api/v2/insights/charts

use axum::response::Response;
use domain::access::ReadInsights;
use domain::insights::{ChartKind, Unit};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, ChartFormat, FactFilters, NoParams, json_api_errors};

use super::parameters::{ChartParameter, of};

/// The charts there are.
#[derive(Serialize, ToSchema)]
pub struct ChartList {
    /// All of them.
    charts: Vec<ChartEntry>,
    /// The filters that every chart takes; those of other insights.
    #[schema(example = json!(["from", "to", "worksite_id"]))]
    filters: Vec<&'static str>,
}

/// A chart there is.
#[derive(Serialize, ToSchema)]
pub struct ChartEntry {
    /// Its key.
    #[schema(example = "machine_runtime")]
    key: &'static str,
    /// What it is called.
    #[schema(example = "Machine runtime")]
    title: &'static str,
    /// What it answers, and how that is computed.
    description: &'static str,
    /// What its values are counted in; null if its metric decides.
    #[schema(example = "hours")]
    unit: Option<&'static str>,
    /// Where it is.
    #[schema(example = "/api/v2/insights/charts/machine_runtime")]
    path: String,
    /// In which forms: by `format`, or by the header `Accept`.
    #[schema(example = json!(["json", "svg"]))]
    formats: [&'static str; 2],
    /// What it takes besides the filters.
    parameters: Vec<ChartParameter>,
}

/// The charts there are, each with the parameters it takes.
#[utoipa::path(
    get, path = "/api/v2/insights/charts", tag = "charts", operation_id = "list_charts", security(("jwt" = [])),
    responses(
        (status = 200, description = "All charts", body = ChartList),
        json_api_errors::BadParams, json_api_errors::Unauthenticated,
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
