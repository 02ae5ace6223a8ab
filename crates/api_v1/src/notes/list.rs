//! GET /api/v1/notes

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{EntityType, Invalid};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{Note, shape};

pub struct NoteParams {
    subject: (EntityType, i64),
    list: ListParams,
}

impl FromParams for NoteParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let required = |name| Error::bad_parameter(name, Invalid::new("required", "must be given"));
        let subject = query.one("entity_type", EntityType::parse)?.ok_or_else(|| required("entity_type"))?;
        let id = query.id("entity_id")?.ok_or_else(|| required("entity_id"))?;
        Ok(Self { subject: (subject, id), list: ListParams::read(query)? })
    }
}

pub type NoteList = List<Note>;

/// List notes on a person or machine
///
/// The newest notes come first.
#[web::operation(
    get, path = "/api/v1/notes", tag = "notes", operation_id = "list_notes",
    params(
        ("entity_type" = enum_schemas::EntityType, Query, description = "Whether the notes are about a person or a machine", example = "person"),
        ("entity_id" = i64, Query, description = "Identifier of the person or machine", example = 7),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of notes", body = NoteList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_notes(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<NoteParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_notes(&caller, params.subject, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}
