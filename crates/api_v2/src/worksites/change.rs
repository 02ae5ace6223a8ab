//! PATCH /api/v2/worksites/{id}

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Timestamp, WorksiteId};
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas, json_api_errors,
};

use super::{DEFINITION, Worksite, object};
use crate::json_api::{self, ChangeOf, DocumentOf, Negotiated, Payload, Target, with_pointers};

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[schema(as = ChangedWorksiteAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedWorksite {
    /// What it is called.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// The colour it is drawn in.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$", nullable = false)]
    colour: Option<String>,
    /// What is done there.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure", nullable = false, required = false)]
    kind: Option<String>,
    /// Whose days are its days: a zone of the IANA database.
    #[schema(example = "Europe/Berlin", nullable = false)]
    time_zone: Option<String>,
    /// Where it is; null takes it away.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Whom to ask about the technology there; null takes it away.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// `true` archives it and sends its machines away, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
    /// Since when zone, boundary and project, as far as they are named, are so; left out, from now on. Not in the future, at
    /// most five years ago. What was said of them for the time after it is replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type ChangedWorksiteDocument = ChangeOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Changes a worksite; with `archived`, archives or restores it.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "change_worksite", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The worksite's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body(content = ChangedWorksiteDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = WorksiteDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Its version"))),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let change =
        body.read::<Payload>().await?.resource(&DEFINITION, Target::Existing(id), WorksiteChange::read)?;
    let site = app.change_worksite(&caller, WorksiteId(id), &if_match, change).await;
    let site = site.map_err(|error| with_pointers(&DEFINITION, error))?;
    let version = site.version;
    Ok(web::with_etag(json_api::updated_response(&object(site)), version, None))
}
