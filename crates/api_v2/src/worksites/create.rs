//! POST /api/v2/worksites

use std::sync::Arc;

use app::{App, Idempotent, WorksiteCreation};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteKind};
use geography::Boundary;
use web::{Caller, FromFields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors};

use super::{DEFINITION, Worksite, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new worksite.
#[web::body(into = WorksiteCreation)]
#[schema(as = NewWorksiteAttributes)]
pub struct NewWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: Name,
    /// Colour in which the worksite is drawn, as `#rrggbb`; one of a palette, by the name, if left out.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: Option<Colour>,
    /// Kind of work done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure")]
    kind: WorksiteKind,
    /// IANA time zone of the worksite, which decides when its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: TimeZone,
    /// Boundary of the worksite.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Boundary>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<Name>,
    /// Identifier of the project, from the relationship `project`.
    #[schema(ignore)]
    #[field(into = project)]
    project_id: Option<ProjectId>,
    /// Time from which time zone, boundary and project apply, RFC 3339; now if left out. It must not be in the future, and at most five
    /// years in the past.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type NewWorksiteDocument = NewOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Create a worksite
///
/// If your access is restricted to projects, the worksite must belong to one of them. Answers 403 `restricted` if your access is
/// restricted to projects and the change would affect data outside of them.
#[web::operation(
    post, path = "/api/v2/worksites", tag = "worksites", operation_id = "create_worksite",
    request_body(content = NewWorksiteDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The worksite was created.", body = WorksiteDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |site: &domain::Worksite| {
        json_api::created_to_store(&object(site.clone())).with_version(site.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let new = value.resource(&DEFINITION, &Target::New, NewWorksite::read)?;
        app.create_worksite(&caller, new.into(), once).await
    });
    Ok(json_api::render_stored(made.await?))
}
