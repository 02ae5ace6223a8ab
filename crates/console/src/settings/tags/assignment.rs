//! Handing a tag out and taking it back.

use std::sync::Arc;

use app::{App, IfAssigned, NewAssignment, TagReference};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Assignment, PageRequest, PersonId, TagId};
use web::{BodyField, Caller, PathId, Result};

use super::edit::{self, Refused};
use super::{HANDED_OUT, PATH, TAKEN_BACK};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::response;

const KINDS: &[(&str, Kind)] = &[("person_id", Kind::Number)];

pub async fn hand_out(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let editor = caller.editor();
    let stored = app.find_tag(&editor.reader(), TagId(id)).await?;
    let read = form.read(KINDS, |fields| fields.required("person_id", PersonId::from_json));
    let made = match read {
        Ok(person) => {
            let new = NewAssignment {
                tag: TagReference::Id(TagId(id)),
                person,
                if_assigned: IfAssigned::Refuse,
                assigned_at: None,
            };
            let place = |made: &Assignment| format!("{PATH}/{}", made.tag);
            app.assign_tag(&editor, &new, response::made(form.once(&frame), place)).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => {
            Ok(response::redirect(&response::stored_location(stored), Some((&HANDED_OUT, Some(id)))))
        }
        Err(error) => {
            let hand_out = Some(form.view(&frame, error)?);
            edit::render(&app, &frame, &stored, Refused { hand_out, ..Refused::default() }).await
        }
    }
}

/// Ends the open assignment. It is fine if nobody wears the tag.
pub async fn take_back(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: Form,
) -> Result {
    let editor = caller.editor();
    let page = PageRequest { limit: 1, after: None };
    let (found, _) = app.list_assignments_of_tag(&editor.reader(), TagId(id), &page, false).await?;
    if let Some(open) = found.rows.iter().find(|assignment| assignment.ended_at.is_none()) {
        app.end_tag_assignment(&editor, open.id).await?;
    }
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((&TAKEN_BACK, None))))
}
