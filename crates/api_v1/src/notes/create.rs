//! POST /api/v1/notes

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EntityType, MultilineText};
use web::{Caller, IdempotentBody, NoParams, Result, enum_schemas, id, problem};

use super::{Note, shape};

/// Fields of a new note.
#[web::body]
pub struct NewNote {
    /// Whether the note is about a person or a machine.
    #[schema(value_type = enum_schemas::EntityType, example = "person")]
    entity_type: EntityType,
    /// Identifier of the person or machine.
    #[schema(example = 7)]
    #[field(with = id)]
    entity_id: i64,
    /// Text of the note; it may have several lines.
    #[schema(example = "Needs a new tag clip.", min_length = 1, max_length = 4000)]
    body: MultilineText,
}

/// Add a note to a person or machine
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[web::operation(
    post, path = "/api/v1/notes", tag = "notes", operation_id = "create_note",
    request_body = NewNote,
    responses(
        (status = 201, description = "The new note", body = Note),
        problem::BadBody,
    ),
)]
pub async fn create_note(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewNote { entity_type, entity_id, body }, key }: IdempotentBody<NewNote>,
) -> Result {
    let once = Idempotent::new(key, |note: &domain::Note| {
        let (kind, id) = (note.subject.as_str(), note.subject_id);
        web::created_to_store(
            format!("/api/v1/notes?entity_type={kind}&entity_id={id}"),
            &shape(note.clone()),
        )
    });
    Ok(web::render_stored(app.create_note(&caller, (entity_type, entity_id), &body, once).await?))
}
