//! POST /people/{id}/notes

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EntityType, PersonId};
use web::{Caller, Params, PathId, Result};

use super::{NOTE_ADDED, show};
use crate::entities::notes;
use crate::form::Form;
use crate::frame::Frame;
use crate::machines::PickerParams;
use crate::response;

pub async fn add(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(pickers)): Params<PickerParams>,
    form: Form,
) -> Result {
    let person = app.find_person(&caller.editor().reader(), PersonId(id)).await?;
    let place = format!("{}#notes", frame.link(&format!("/people/{id}")));
    match notes::add(&app, &frame, &caller, (EntityType::Person, id), &form, place).await {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&NOTE_ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            show::render(&app, &frame, &person, pickers, &view).await
        }
    }
}
