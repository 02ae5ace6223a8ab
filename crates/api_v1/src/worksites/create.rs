//! POST /api/v1/worksites

use std::sync::Arc;

use app::{App, Once};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteKind};
use geography::Boundary;
use serde_json::Value;
use utoipa::ToSchema;
use web::{Caller, Creation, Fields, FromFields, NoParams, Repeatable, Result, id, problem, text, words};

use super::{Worksite, shape};

/// What a new worksite is made of.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewWorksite {
    /// What it is called.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: String,
    /// The colour it is drawn in.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: String,
    /// What is done there.
    #[schema(value_type = words::WorksiteKind, example = "infrastructure")]
    kind: String,
    /// Whose days are its days: a zone of the IANA database.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Where it is.
    #[schema(schema_with = super::boundary_schema)]
    boundary: Option<Value>,
    /// Whom to ask about the technology there.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// The project it belongs to. Must be given by those who are restricted to projects.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// Since when zone, boundary and project are so; left out, from now on. Not in the future, at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// A new worksite that was read.
pub struct NewWorksiteFields(store::NewWorksite, Option<Timestamp>);

impl FromFields for NewWorksiteFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", text(Name::parse));
        let colour = fields.required("colour", text(Colour::parse));
        let kind = fields.required("kind", text(WorksiteKind::parse));
        let time_zone = fields.required("time_zone", text(TimeZone::parse));
        let boundary = fields.optional("boundary", Boundary::from_geojson);
        let technical_contact = fields.optional("technical_contact", text(Name::parse));
        let project = fields.optional("project_id", id);
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        let new = store::NewWorksite {
            name: name?,
            colour: colour?,
            kind: kind?,
            technical_contact: technical_contact?,
            time_zone: time_zone?,
            boundary: boundary?.as_ref().map(app::kept),
            project: project?.map(ProjectId),
            archived_at: None,
        };
        Some(Self(new, effective_from?))
    }
}

/// Adds a worksite.
#[utoipa::path(
    post, path = "/api/v1/worksites", tag = "worksites", operation_id = "create_worksite", security(("session" = [])),
    params(Repeatable),
    request_body = NewWorksite,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Added", body = Worksite),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    Creation { value: NewWorksiteFields(new, from), key }: Creation<NewWorksiteFields>,
) -> Result {
    let once = Once::new(key, |site: &store::Worksite| {
        web::made(format!("/api/v1/worksites/{}", site.id), &shape(site.clone()))
    });
    Ok(web::reply(app.create_worksite(&caller, &new, from, once).await?))
}
