//! POST /api/v1/notes

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EntityType, MultilineText};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, enum_schemas, id,
    problem, text,
};

use super::{Note, shape};

/// Fields of a new note.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewNote {
    /// Whether the note is about a person or a machine.
    #[schema(value_type = enum_schemas::EntityType, example = "person")]
    entity_type: String,
    /// Identifier of the person or machine.
    #[schema(example = 7)]
    entity_id: i64,
    /// Text of the note; it may have several lines.
    #[schema(example = "Needs a new tag clip.", min_length = 1, max_length = 4000)]
    body: String,
}

pub struct NoteFields {
    subject: (EntityType, i64),
    body: MultilineText,
}

impl FromFields for NoteFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let subject = fields.required("entity_type", text(EntityType::parse));
        let id = fields.required("entity_id", id);
        let body = fields.required("body", text(MultilineText::parse));
        Some(Self { subject: (subject?, id?), body: body? })
    }
}

/// Add a note to a person or machine
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[utoipa::path(
    post, path = "/api/v1/notes", tag = "notes", operation_id = "create_note", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewNote,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new note", body = Note),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_note(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NoteFields { subject, body }, key }: IdempotentBody<NoteFields>,
) -> Result {
    let once = Idempotent::new(key, |note: &store::Note| {
        let (kind, id) = (note.subject.as_str(), note.subject_id);
        web::created_to_store(
            format!("/api/v1/notes?entity_type={kind}&entity_id={id}"),
            &shape(note.clone()),
        )
    });
    Ok(web::render_stored(app.create_note(&caller, subject, &body, once).await?))
}
