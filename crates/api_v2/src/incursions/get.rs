//! GET /api/v2/incursions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::IncursionId;
use domain::access::{ReadInsights, ReadRegistry};
use web::{Caller, PathId, Result, json_api_errors};

use super::Incursion;
use super::documents::{add_included, object, relations};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type IncursionReading = ResourceParams<Incursion>;
type IncursionDocument = DocumentOf<Incursion>;

/// Get an incursion
///
/// Returns the incursion in its current form. V1 also returns its reviews and its history of changes.
#[web::operation(
    get, path = "/api/v2/incursions/{id}", tag = "incursions", operation_id = "get_incursion",
    params(("id" = String, Path, description = "Id of the incursion."), IncursionReading),
    responses(
        (status = 200, description = "The incursion.", body = IncursionDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Sequence number of the last change."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_incursion(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<IncursionReading>,
) -> Result {
    let view = app.find_incursion(&caller, IncursionId(id)).await?.view.without_names();
    let (row, include) = (&view.details.stored.row, &query.params.include);
    let seq = row.seq;
    let mut included = Included::default();
    if include.is_given() {
        let reader = caller.with_permission::<ReadRegistry>()?;
        let related = app.find_related_records(&reader, &[row.attribution], relations(include)).await?;
        add_included(&app, &reader, &[row], include, (related, &mut included)).await?;
    }
    // 304 is never sent: video can come without a change of the incursion.
    Ok(web::with_etag(json_api::resource_response(&query, object(view), included), seq, None))
}
