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

/// A note to be written.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewNote {
    /// What kind of thing it is about.
    #[schema(value_type = enum_schemas::EntityType, example = "person")]
    entity_type: String,
    /// Which of them.
    #[schema(example = 7)]
    entity_id: i64,
    /// What it says; it may have lines.
    #[schema(example = "Needs a new tag clip.", min_length = 1, max_length = 4000)]
    body: String,
}

/// A note that was read.
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

/// Writes a note on a person or machine that you see.
///
/// 403 `restricted` if you are restricted to projects and everything known of the person lies outside of them.
#[utoipa::path(
    post, path = "/api/v1/notes", tag = "notes", operation_id = "create_note", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewNote,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Written", body = Note),
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
