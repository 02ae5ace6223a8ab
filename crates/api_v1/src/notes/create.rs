//! POST /api/v1/notes

use std::sync::Arc;

use app::{App, Once};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EntityType, Prose};
use utoipa::ToSchema;
use web::{Caller, Creation, Fields, FromFields, NoParams, Repeatable, Result, id, problem, text, words};

use super::{Note, shape};

/// A note to be written.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewNote {
    /// What kind of thing it is about.
    #[schema(value_type = words::EntityType, example = "person")]
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
    on: (EntityType, i64),
    body: Prose,
}

impl FromFields for NoteFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let subject = fields.required("entity_type", text(EntityType::parse));
        let id = fields.required("entity_id", id);
        let body = fields.required("body", text(Prose::parse));
        Some(Self { on: (subject?, id?), body: body? })
    }
}

/// Writes a note on a person or machine that you see.
///
/// 403 `restricted` if you are restricted to projects and everything known of the person lies outside of them.
#[utoipa::path(
    post, path = "/api/v1/notes", tag = "notes", operation_id = "create_note", security(("session" = [])),
    params(Repeatable),
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
    Creation { value: NoteFields { on, body }, key }: Creation<NoteFields>,
) -> Result {
    let once = Once::new(key, |note: &store::Note| {
        let (kind, id) = (note.subject.as_str(), note.subject_id);
        web::made(format!("/api/v1/notes?entity_type={kind}&entity_id={id}"), &shape(note.clone()))
    });
    Ok(web::reply(app.create_note(&caller, on, &body, once).await?))
}
