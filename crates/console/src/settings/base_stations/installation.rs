//! The move of a base station to another machine, or off its machine.

use std::sync::Arc;

use app::{App, InstallationChange, LaterInstallations};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, MachineId, Timestamp};
use web::{BodyField, Caller, Fields, PathId, Result};

use super::edit::{self, Shown};
use super::{INSTALLED, PATH};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::response;

const KINDS: &[(&str, Kind)] =
    &[("machine_id", Kind::Number), ("effective_from", Kind::LocalTime), ("replace", Kind::Flag)];

fn read(fields: &mut Fields) -> Option<InstallationChange> {
    let machine = fields.optional("machine_id", MachineId::from_json);
    let effective_from = fields.optional("effective_from", Timestamp::from_json);
    let replace = fields.required("replace", bool::from_json);
    Some(InstallationChange {
        machine: machine?,
        effective_from: effective_from?,
        later_installations: match replace? {
            true => LaterInstallations::Replace,
            false => LaterInstallations::Refuse,
        },
    })
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let id = BaseStationId(id);
    let stored = app.find_base_station(&caller, id).await?;
    let moved = match form.read(KINDS, read) {
        Ok(to) => app.install_base_station(&caller, id, &form.if_match(), &to).await,
        Err(error) => Err(error),
    };
    match moved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&INSTALLED, None)))),
        Err(error) => {
            let installation = Some(form.view(&frame, error)?);
            edit::render(&app, &frame, &stored, Shown { installation, ..Shown::default() }).await
        }
    }
}
