//! GET /api/v2/worksites/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, Known, PathId, Result, json_api};

use super::{Worksite, whole};
use crate::document::{self, DocumentOf, Included, Negotiated, Reading, Wanted};

type WorksiteReading = Reading<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// One worksite that you see, as it is now.
#[utoipa::path(
    get, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "get_worksite", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The worksite's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
        WorksiteReading,
    ),
    responses(
        (status = 200, description = "The worksite", body = WorksiteDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Its version"))),
        (status = 304, description = "You have it already"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    known: Known,
    wanted: Wanted<WorksiteReading>,
) -> Result {
    let include = &wanted.params.include;
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let version = site.version;
    let mut included = Included::default();
    let object = whole(&app, &caller, site, include, &mut included).await?;
    let known = include.known(known);
    Ok(web::versioned(document::one(&wanted, object, included), version, known.as_ref()))
}
