//! The list of base stations, and the form that registers one.

use std::sync::Arc;

use app::{App, BaseStationView, Error, unrestricted};
use axum::extract::State;
use domain::access::{ManageDevices, ReadRegistry};
use domain::{BaseStationFilter, RegistryRows, StationStatus};
use texts::console::settings::{self as s, base_stations as t};
use web::{Caller, FromParams, Params, Query, Result, SortOrders};

use super::fields::{KINDS, fields_of, read_new};
use super::{ADDED, PATH, status_badge, status_word};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, FormPart, Input, Pager, Plain, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;
use crate::settings::token_panel;
use crate::{response, settings};

pub struct ListQuery {
    /// Empty for all.
    statuses: Vec<StationStatus>,
    installed: Option<bool>,
    registry: RegistryParams,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let statuses = query.many("status", StationStatus::ALL.len(), StationStatus::parse)?;
        let installed = query.optional_flag("installed")?;
        Ok(Self { statuses, installed, registry: RegistryParams::read(query, &SortOrders::BY_SERIAL)? })
    }
}

impl ListQuery {
    fn is_filtered(&self) -> bool {
        !self.statuses.is_empty() || self.installed.is_some() || self.registry.q.is_some()
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    frame: Frame,
    Params(params): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &params).await?;
    if params.registry.page.csv {
        return Ok(csv_response("base-stations.csv", &table));
    }
    render(&frame, table, &params, &FormView::new(Vec::new()))
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    Params(params): Params<ListQuery>,
    form: Form,
) -> Result {
    caller.require_unrestricted(unrestricted::REGISTER_BASE_STATION)?;
    let made = match form.read(KINDS, |fields| read_new(fields, frame.language)) {
        Ok((serial, new)) => {
            let place = |made: &BaseStationView| format!("{PATH}/{}", made.station.id);
            app.create_base_station(&caller, serial, new, response::made(form.once(&frame), place)).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let reader = frame.caller::<ReadRegistry>()?;
            let table = table(&app, &frame, &reader, &params).await?;
            render(&frame, table, &params, &view)
        }
    }
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ReadRegistry>,
    params: &ListQuery,
) -> Result<Table, Error> {
    let filter = BaseStationFilter {
        q: params.registry.q.clone(),
        statuses: params.statuses.clone(),
        machines: Vec::new(),
        installed: params.installed,
        rows: RegistryRows::default(),
    };
    let found = app.list_base_stations(caller, &filter, &params.registry.request()).await?;
    let sort = params.registry.sort("serial");
    let sees_tokens = frame.may::<ManageDevices>();
    let mut columns = vec![
        Column::text(frame.text(t::SERIAL)).sorted(frame, "serial", &sort),
        Column::text(frame.text(t::NAME)),
        Column::text(frame.text(t::MACHINE)),
        Column::text(frame.text(t::STATE)),
        Column::text(frame.text(t::LAST_SEEN)),
    ];
    if sees_tokens {
        columns.push(Column::text(frame.text(s::TOKEN)));
    }
    let rows: Vec<Row> = found.rows.iter().map(|view| row(frame, view, sees_tokens)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.is_filtered(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, view: &BaseStationView, sees_tokens: bool) -> Row {
    let station = &view.station;
    let machine = match &station.machine {
        Some((id, name, _)) => Cell::link(name.clone(), frame.link(&format!("/machines/{id}"))),
        None => Cell::text(""),
    };
    let seen = station.heartbeat.last_seen_at.map(|at| frame.formats().own(at));
    let mut cells = vec![
        Cell::head(station.serial.clone(), format!("{PATH}/{}", station.id)),
        Cell::text(station.name.clone().unwrap_or_default()),
        machine,
        Cell::badge(status_badge(frame, view.health.status)),
        Cell::text(seen.unwrap_or_else(|| frame.text(t::NEVER).to_owned()))
            .plain(Plain::time(station.heartbeat.last_seen_at)),
    ];
    if sees_tokens {
        cells.push(Cell::badge(token_panel::badge(frame, station.token.as_ref())));
    }
    Row::new(cells)
}

fn render(frame: &Frame, table: Table, params: &ListQuery, view: &FormView) -> Result {
    let page = ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.registry.q.as_deref(), filter_fields(frame, params));
    if !frame.may::<ManageDevices>() {
        return page.respond();
    }
    if !settings::is_unrestricted(frame) {
        return page.refusing(t::RESTRICTED).respond();
    }
    let form = FormPart::new(PATH, view, fields_of(frame, view), frame.text(s::ADD)).creating(frame);
    page.linking(s::IMPORT, "/settings/base-stations/import").adding(t::NEW, view, form).respond()
}

fn filter_fields(frame: &Frame, params: &ListQuery) -> Vec<Field> {
    let all = || Choice::blank(frame.text(s::ALL_OF_THEM));
    let statuses = StationStatus::ALL.map(|status| Choice::new(status.as_str(), status_word(frame, status)));
    let installed = vec![
        all(),
        Choice::new("true", frame.text(t::ON_A_MACHINE)),
        Choice::new("false", frame.text(t::ON_NO_MACHINE)),
    ];
    let mut given = vec![("installed", params.installed.map(|is| is.to_string()).unwrap_or_default())];
    given.extend(params.statuses.iter().map(|status| ("status", status.as_str().to_owned())));
    let view = FormView::new(given);
    vec![
        Field::new(frame, &view, "status", t::STATE, Input::Checks(statuses.into())),
        Field::new(frame, &view, "installed", t::MACHINE, Input::Select(installed)),
    ]
}
