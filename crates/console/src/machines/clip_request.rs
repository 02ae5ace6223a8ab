//! POST /machines/{id}/clips: asks the base station of a machine for a video clip.

use std::sync::Arc;

use app::{App, ClipSubject, Error};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineId, PartName, VideoClip};
use web::{Caller, Params, PathId, Result};

use super::show::{self, Forms};
use super::{CLIP_ASKED, MachineAtSite, PickerParams, clip_form};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn ask(
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
    let asked = match form.read(clip_form::KINDS, clip_form::read) {
        Ok(wanted) => {
            let subject = ClipSubject::Time(wanted.from, wanted.from + wanted.length);
            let camera = wanted.camera.as_ref().map(PartName::as_str);
            let once = response::made(form.once(&frame), move |clip: &VideoClip| {
                format!("/machines/{id}/clips/{}", clip.id)
            });
            app.request_video_clip(&caller, station, camera, subject, once).await
        }
        Err(error) => Err(error),
    };
    match asked {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&CLIP_ASKED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let forms = Forms { status: view.status, clip: view, ..Forms::fresh(&frame, &at) };
            show::render(&app, &frame, &at, pickers, &forms).await
        }
    }
}
