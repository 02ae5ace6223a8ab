//! One base station: its state, its fields, its machine and its token.

use std::sync::Arc;

use app::{App, BaseStationView, Error};
use askama::Template;
use axum::extract::State;
use domain::access::{ManageDevices, ReadRegistry, WriteRegistry};
use domain::{BaseStation, BaseStationId, PageRequest};
use texts::console::settings::{self as s, base_stations as t};
use web::{Caller, PathId, Result};

use super::fields::{KINDS, fields_of, lines_of_zones, read_change};
use super::{PATH, SAVED, installation_form, name_of, status_badge};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, Details, Empty, FormPart, Row, Table};
use crate::response;
use crate::settings::token_panel::TokenPanel;

/// The number of installations that the page shows, the latest first.
const SHOWN_INSTALLATIONS: u16 = 50;

#[derive(Template)]
#[template(path = "settings/base_stations/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    name: &'a str,
    details: Details,
    form: Option<FormPart>,
    install: Option<FormPart>,
    installations: Table,
    token: Option<TokenPanel>,
}

/// What a page shows besides the stored station.
#[derive(Default)]
pub struct Shown {
    /// The form of the fields after a fault.
    pub fields: Option<FormView>,
    /// The form of the installation after a fault.
    pub installation: Option<FormView>,
    /// A token that was issued just now.
    pub secret: Option<String>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let view = app.find_base_station(&caller, BaseStationId(id)).await?;
    render(&app, &frame, &view, Shown::default()).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let id = BaseStationId(id);
    let stored = app.find_base_station(&caller, id).await?;
    let saved = match form.read(KINDS, |fields| read_change(fields, frame.language)) {
        Ok(change) => app.change_base_station(&caller, id, &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let fields = Some(form.view(&frame, error)?.beside(&frame, view_of(&frame, &stored)));
            render(&app, &frame, &stored, Shown { fields, ..Shown::default() }).await
        }
    }
}

pub async fn render(app: &App, frame: &Frame, view: &BaseStationView, shown: Shown) -> Result {
    let station = &view.station;
    let path = format!("{PATH}/{}", station.id);
    let refused = shown.fields.as_ref().or(shown.installation.as_ref());
    let status = refused.map_or(http::StatusCode::OK, |view| view.status);
    let (mut form, mut token) = (None, None);
    if frame.may::<ManageDevices>() {
        let caller = frame.caller::<ManageDevices>()?;
        let fields = shown.fields.unwrap_or_else(|| view_of(frame, view));
        let part = FormPart::new(path.clone(), &fields, fields_of(frame, &fields), frame.text(s::SAVE));
        form = Some(part.changing(station.version).cancelled_at(PATH));
        token = Some(TokenPanel::new(app, frame, &caller, path, station.token.as_ref(), shown.secret).await);
    }
    let install = match frame.may::<WriteRegistry>() {
        true => Some(installation_form::form(app, frame, station, shown.installation).await?),
        false => None,
    };
    let page = EditPage {
        frame,
        name: name_of(station),
        details: details(frame, view),
        form,
        install,
        installations: installations(app, frame, station).await?,
        token,
    };
    response::page_with(status, frame, &page)
}

fn view_of(frame: &Frame, view: &BaseStationView) -> FormView {
    let station = &view.station;
    FormView::new(vec![
        ("serial", station.serial.clone()),
        ("name", station.name.clone().unwrap_or_default()),
        ("cameras", station.cameras.join("\n")),
        ("zones", lines_of_zones(frame.language, &view.zones)),
    ])
}

fn details(frame: &Frame, view: &BaseStationView) -> Details {
    let (station, formats) = (&view.station, frame.formats());
    let mut status = Cell::badge(status_badge(frame, view.health.status));
    if let Some(since) = view.health.since {
        status = status.note(frame.fill(t::SINCE, &[("at", &formats.own(since))]));
    }
    let seen = match station.heartbeat.last_seen_at {
        Some(at) => Cell::text(formats.own(at)).note(formats.ago(at)),
        None => Cell::text(frame.text(t::NEVER)),
    };
    let machine = match &station.machine {
        Some((id, name, since)) => Cell::link(name.clone(), frame.link(&format!("/machines/{id}")))
            .note(frame.fill(t::SINCE, &[("at", &formats.own(*since))])),
        None => Cell::text(frame.text(t::ON_NO_MACHINE)),
    };
    let mut rows = vec![
        (frame.text(t::SERIAL).to_owned(), Cell::text(station.serial.clone())),
        (frame.text(t::STATE).to_owned(), status),
    ];
    if !station.heartbeat.faults.is_empty() {
        rows.push((frame.text(t::FAULTS).to_owned(), Cell::text(station.heartbeat.faults.join(", "))));
    }
    rows.push((frame.text(t::LAST_SEEN).to_owned(), seen));
    rows.push((frame.text(t::MACHINE).to_owned(), machine));
    rows.push((
        frame.text(t::FIRMWARE).to_owned(),
        Cell::text(station.firmware.clone().unwrap_or_else(|| frame.text(t::NOT_REPORTED).to_owned())),
    ));
    if !frame.may::<ManageDevices>() {
        let zones = lines_of_zones(frame.language, &view.zones).replace('\n', ", ");
        rows.push((frame.text(t::CAMERAS).to_owned(), Cell::text(station.cameras.join(", "))));
        rows.push((frame.text(t::ZONES).to_owned(), Cell::text(zones)));
    }
    Details { rows }
}

async fn installations(app: &App, frame: &Frame, station: &BaseStation) -> Result<Table, Error> {
    let caller = frame.caller::<ReadRegistry>()?;
    let page = PageRequest { limit: SHOWN_INSTALLATIONS, after: None };
    let (found, _) = app.list_installations(&caller, station.id, &page, false).await?;
    let formats = frame.formats();
    let rows = found.rows.iter().map(|row| {
        let until = row.to.map_or_else(|| frame.text(t::STILL).to_owned(), |to| formats.own(to));
        Row::new(vec![
            Cell::head(row.machine_name.clone(), frame.link(&format!("/machines/{}", row.machine))),
            Cell::text(formats.own(row.from)),
            Cell::text(until),
        ])
    });
    let columns =
        [t::MACHINE, t::FROM, t::UNTIL].map(|label| Column::text(frame.text(label))).into_iter().collect();
    let empty = Empty {
        title: frame.text(t::NEVER_INSTALLED).to_owned(),
        reason: frame.text(t::NEVER_INSTALLED_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::INSTALLATIONS), columns, rows.collect(), empty))
}
