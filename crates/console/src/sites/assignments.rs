//! POST /sites/{id}/machines and POST /sites/{id}/machines/end

use std::sync::Arc;

use app::{App, Error, ErrorKind};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{MachineId, Timestamp, WorksiteId};
use web::{BodyField, Caller, Fields, PathId, Result};

use super::machines_panel::KINDS;
use super::{ASSIGNED, UNASSIGNED, show};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::response;

pub async fn assign(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let registry = frame.caller::<ReadRegistry>()?;
    let found = app.find_worksite_geo(&registry, WorksiteId(id), None).await?;
    let assigned = match form.read(KINDS, read_assignment) {
        Ok((machine, from)) => {
            app.assign_machine(&caller, machine, WorksiteId(id), from).await.map_err(name_machine)
        }
        Err(error) => Err(error),
    };
    match assigned {
        Ok(_) => Ok(response::redirect(&format!("/sites/{id}#machines"), Some((&ASSIGNED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            show::render(&app, &frame, found, None, &view).await
        }
    }
}

fn read_assignment(fields: &mut Fields) -> Option<(MachineId, Option<Timestamp>)> {
    let machine = fields.required("machine_id", MachineId::from_json);
    let from = fields.optional("effective_from", Timestamp::from_json);
    machine.zip(from)
}

/// Makes a machine that the reader does not see a fault of its field. The worksite was found before.
fn name_machine(error: Error) -> Error {
    match error.kind {
        ErrorKind::NotFound => {
            Error::missing_relation("machine_id", "unknown_machine", "is not a machine that you see")
        }
        _ => error,
    }
}

/// Ends an assignment. A form that was brought back after signing in is not acted upon.
pub async fn end(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let back = format!("/sites/{id}#machines");
    if form.has("_resumed") {
        return Ok(response::redirect(&back, None));
    }
    let read = |fields: &mut Fields| fields.required("machine_id", MachineId::from_json);
    let machine = form.read(&[("machine_id", Kind::Number)], read)?;
    app.end_machine_assignment(&caller, machine, WorksiteId(id)).await?;
    Ok(response::redirect(&back, Some((&UNASSIGNED, None))))
}
