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

/// Attributes of a worksite to change. Attributes that are left out stay as they are.
#[derive(ToSchema)]
#[schema(as = ChangedWorksiteAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$", nullable = false)]
    colour: Option<String>,
    /// Kind of work done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure", nullable = false, required = false)]
    kind: Option<String>,
    /// IANA time zone of the worksite, which decides when its days begin.
    #[schema(example = "Europe/Berlin", nullable = false)]
    time_zone: Option<String>,
    /// Boundary of the worksite; null removes it.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Contact for technical questions; null removes it.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// `true` archives the worksite and ends the assignments of its machines, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
    /// Time from which the given time zone, boundary and project apply, RFC 3339; now if left out. It must not be in the future, and at
    /// most five years in the past. Values recorded for later times are replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type ChangedWorksiteDocument = ChangeOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Change, archive or restore a worksite
///
/// Set `archived` to archive or restore the worksite.
/// Answers 403 `restricted` if your access is restricted to projects and the change would affect data outside of them.
#[utoipa::path(
    patch, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "change_worksite", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the worksite has changed since."),
    ),
    request_body(content = ChangedWorksiteDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The worksite was changed.", body = WorksiteDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the worksite."))),
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
