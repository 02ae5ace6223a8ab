//! One machine: its fields, its worksite, and how it is archived.

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Change, Machine, MachineId};
use texts::console::settings::{self as s, machines as t};
use texts::values;
use web::{Caller, PathId, Result};

use super::fields::{KINDS, fields_of, read_change, view_of};
use super::{ARCHIVED, PATH, RESTORED, SAVED};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Details, FormPart};
use crate::settings::record_page::RecordPage;
use crate::{response, settings};

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let machine = app.find_machine(&caller, MachineId(id)).await?;
    render(&app, &frame, &machine, &view_of(&machine)).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_machine(&frame.caller::<ReadRegistry>()?, MachineId(id)).await?;
    let saved = match form.read(KINDS, read_change) {
        Ok(mut change) => {
            // The worksite where the machine is already may have been archived since, which would be refused.
            if change.worksite == Change::Set(stored.worksite.as_ref().map(|(id, _)| *id)) {
                change.worksite = Change::Keep;
            }
            app.change_machine(&caller, MachineId(id), &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&stored));
            render(&app, &frame, &stored, &view).await
        }
    }
}

pub async fn archive(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let page = format!("{PATH}/{id}");
    // The button was pressed before signing in again.
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    app.archive_machine(&caller, MachineId(id), &form.if_match()).await?;
    Ok(response::redirect(&page, Some((&ARCHIVED, Some(id)))))
}

pub async fn restore(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let page = format!("{PATH}/{id}");
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    app.restore_machine(&caller, MachineId(id), &form.if_match()).await?;
    Ok(response::redirect(&page, Some((&RESTORED, None))))
}

async fn render(app: &App, frame: &Frame, machine: &Machine, view: &FormView) -> Result {
    let path = format!("{PATH}/{}", machine.id);
    let may_change = frame.may::<WriteRegistry>();
    let mut page = RecordPage::new(frame, &machine.name, t::MACHINE)
        .detailed(details(frame, machine, !may_change))
        .linking(t::FIGURES, frame.link(&format!("/machines/{}", machine.id)));
    if let Some(at) = machine.archived_at {
        page = page.noticing(frame.fill(t::ARCHIVED_SINCE, &[("at", &frame.formats().own(at))]));
    }
    if !may_change {
        return page.respond();
    }
    let worksites = match machine.archived_at {
        None => Some(settings::worksite_choices_with(app, frame, machine.worksite.as_ref()).await?),
        Some(_) => None,
    };
    let form = FormPart::new(path.clone(), view, fields_of(frame, view, worksites), frame.text(s::SAVE))
        .changing(machine.version)
        .cancelled_at(PATH);
    let is_archived = machine.archived_at.is_some();
    page.changing(view, form).archiving(&path, is_archived, Some(t::ARCHIVE_HINT)).respond()
}

/// What the form does not show: the base station, and everything for a reader who may only look.
fn details(frame: &Frame, machine: &Machine, has_fields: bool) -> Details {
    let mut rows = Vec::new();
    if has_fields {
        let site = match &machine.worksite {
            Some((id, name)) => Cell::link(name.clone(), frame.link(&format!("/sites/{id}"))),
            None => Cell::text(frame.text(s::NONE)),
        };
        let kind = values::machine_kind(frame.language, machine.kind.as_str());
        rows.extend([(t::KIND, Cell::text(kind)), (t::WORKSITE, site)]);
        let year = machine.year.map(|year| year.to_string());
        let texts = [
            (t::SERIAL_NUMBER, &machine.serial_number),
            (t::MANUFACTURER, &machine.manufacturer),
            (t::MODEL, &machine.model),
            (t::YEAR, &year),
            (t::NUMBER_PLATE, &machine.number_plate),
        ];
        rows.extend(texts.into_iter().filter_map(|(label, value)| Some((label, Cell::text(value.clone()?)))));
    }
    let station = match &machine.base_station {
        Some((id, serial)) => Cell::link(serial.clone(), format!("/settings/base-stations/{id}")),
        None => Cell::text(frame.text(t::NO_BASE_STATION)),
    };
    rows.push((t::BASE_STATION, station));
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}
