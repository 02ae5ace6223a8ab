//! POST /machines/{id}/notes

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EntityType, MachineId};
use web::{Caller, Params, PathId, Result};

use super::show::{self, Forms};
use super::{MachineAtSite, NOTE_ADDED, PickerParams};
use crate::entities::notes;
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn add(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(pickers)): Params<PickerParams>,
    form: Form,
) -> Result {
    let at = MachineAtSite::find(&app, &frame, MachineId(id)).await?;
    let place = format!("{}#notes", at.address(&frame));
    match notes::add(&app, &frame, &caller, (EntityType::Machine, id), &form, place).await {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&NOTE_ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let forms = Forms { status: view.status, note: view, ..Forms::fresh(&frame, &at) };
            show::render(&app, &frame, &at, pickers, &forms).await
        }
    }
}
