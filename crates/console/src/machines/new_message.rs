//! POST /machines/{id}/messages

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineId, Message};
use web::{Caller, Params, PathId, Result};

use super::show::{self, Forms};
use super::{MESSAGE_SENT, MachineAtSite, PickerParams, messages};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn send(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    Params(PickerParams(pickers)): Params<PickerParams>,
    form: Form,
) -> Result {
    let at = MachineAtSite::find(&app, &frame, MachineId(id)).await?;
    let Some((station, _)) = at.machine.base_station else {
        return Err(Error::not_found("base station").into());
    };
    let place = format!("{}#messages", at.address(&frame));
    let sent = match form.read(messages::KINDS, messages::read) {
        Ok((text, lifetime)) => {
            let once = response::made(form.once(&frame), move |_: &Message| place);
            app.create_message(&caller, station, &text, lifetime, once).await
        }
        Err(error) => Err(error),
    };
    match sent {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&MESSAGE_SENT, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let forms = Forms { status: view.status, message: view, ..Forms::fresh(&frame, &at) };
            show::render(&app, &frame, &at, pickers, &forms).await
        }
    }
}
