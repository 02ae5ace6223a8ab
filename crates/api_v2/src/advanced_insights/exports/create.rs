//! POST /api/v2/advanced_insights/exports

use std::sync::Arc;

use app::{App, ExportFormat, ExportRequest, ExportSource, Idempotent};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{ExportKind, Invalid};
use web::{
    Caller, DeferredBody, Fields, FromFields, IdempotentBody, NewPivot, NoParams, PivotFields, Result,
    default_filters, enum_schemas, json_api_errors, optional_filters, optional_pivot,
};

use super::{Export, path_of, shape};

/// Export request. `pivot` goes with the kind `pivot`, `filters` with the kind `incursions`.
#[web::body(parts)]
pub struct NewExport {
    /// Content of the export: a pivot, or a list of incursions.
    #[schema(value_type = enum_schemas::ExportKind, example = "pivot")]
    kind: ExportKind,
    /// File format. A workbook (`xlsx`) can hold 1,048,575 rows.
    #[schema(value_type = enum_schemas::ExportFormat, example = "csv")]
    #[field(parse = read_format)]
    format: ExportFormat,
    /// For the kind `pivot`: the pivot, as in the body of `POST /api/v2/advanced_insights/pivot`. A period without an end ends now.
    #[schema(value_type = Option<NewPivot>)]
    #[field(read = optional_pivot)]
    pivot: Option<PivotFields>,
    /// For the kind `incursions`: the filters of the incursions. A period without an end ends now.
    #[schema(value_type = Option<Object>)]
    #[field(read = optional_filters)]
    filters: Option<IncursionFilter>,
}

/// The parsed export request.
pub struct ExportFields(ExportRequest);

impl FromFields for ExportFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let NewExportParts { kind, format, pivot, filters } = NewExport::read_parts(fields);
        let (kind, format, pivot, filters) = (kind?, format?, pivot?, filters?);
        let of = match (kind, pivot, filters) {
            (ExportKind::Pivot, Some(PivotFields(filter, request)), None) => {
                ExportSource::Pivot(filter, request)
            }
            (ExportKind::Pivot, Some(_), Some(_)) => {
                let inside = Invalid::new("ambiguous", "must be given inside pivot");
                return fields.add_fault("filters", inside);
            }
            (ExportKind::Pivot, None, _) => {
                return fields.add_fault("pivot", Invalid::new("required", "must be given with kind pivot"));
            }
            (ExportKind::Incursions, Some(_), _) => {
                let other = Invalid::new("ambiguous", "is allowed only with kind pivot");
                return fields.add_fault("pivot", other);
            }
            (ExportKind::Incursions, None, filters) => {
                ExportSource::Incursions(Box::new(filters.unwrap_or_else(default_filters)))
            }
        };
        Some(Self(ExportRequest { format, source: of }))
    }
}

fn read_format(text: &str) -> Result<ExportFormat, Invalid> {
    ExportFormat::parse(text)
        .ok_or_else(|| Invalid::new("invalid_format", "must be one of xlsx, csv, ndjson, parquet"))
}

/// Request an export of a pivot or of incursions
///
/// The file is written in the background and contains what you may see at that time. Poll the export until its `state` is `done`, then
/// download the file. A pivot that is too large, and more incursions than a workbook can hold, are refused immediately. Nobody else in
/// your brand can see the export. The file is deleted after some days, at `expires_at`.
#[web::operation(
    post, path = "/api/v2/advanced_insights/exports", tag = "advanced insights", operation_id = "request_export", request_body = NewExport,
    responses(
        (status = 201, description = "The export was requested.", body = Export),
        json_api_errors::BadBody, json_api_errors::BadParams, json_api_errors::Conflict, json_api_errors::Unavailable,
    ),
)]
pub async fn request_export(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let IdempotentBody { value: ExportFields(request), key } = body.into_idempotent().await?;
    let once = Idempotent::new(key, |made: &domain::Export| {
        web::created_to_store(path_of(made), &shape(made.clone()))
    });
    Ok(web::render_stored(app.request_export(&caller, request, once).await?))
}
