//! The list of tester devices, and the form that adds one.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceFilter, RegistryRows, TesterDevice};
use texts::console::{settings as s, tester_devices as t};
use web::{Caller, FromParams, Params, Query, Result, SortOrders};

use super::{ADDED, KINDS, PATH, fields_of, read_new};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, FormPart, Pager, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;
use crate::settings::token_panel;
use crate::{response, settings};

pub struct ListQuery(RegistryParams);

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        RegistryParams::read(query, &SortOrders::BY_NAME).map(Self)
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    Params(ListQuery(params)): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &params).await?;
    if params.page.csv {
        return Ok(csv_response("tester-devices.csv", &table));
    }
    render(&app, &frame, table, &params, &FormView::new(Vec::new())).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    Params(ListQuery(params)): Params<ListQuery>,
    form: Form,
) -> Result {
    let made = match form.read(KINDS, read_new) {
        Ok(new) => {
            let once =
                response::made(form.once(&frame), |device: &TesterDevice| format!("{PATH}/{}", device.id));
            app.create_tester_device(&caller, &new, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let table = table(&app, &frame, &caller, &params).await?;
            render(&app, &frame, table, &params, &view).await
        }
    }
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageDevices>,
    params: &RegistryParams,
) -> Result<Table, Error> {
    let filter = DeviceFilter { q: params.q.clone(), rows: RegistryRows::default() };
    let found = app.list_tester_devices(caller, &filter, &params.request()).await?;
    let sort = params.sort("name");
    let columns = vec![
        Column::text(frame.text(t::NAME)).sorted(frame, "name", &sort),
        Column::text(frame.text(t::SERIAL)),
        Column::text(frame.text(t::WORKSITE)),
        Column::text(frame.text(s::TOKEN)),
        Column::text(frame.text(s::ADDED_AT)).sorted(frame, "created_at", &sort),
    ];
    let rows: Vec<Row> = found.rows.iter().map(|device| row(frame, device)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.q.is_some(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, device: &TesterDevice) -> Row {
    let site = device.worksite.as_ref();
    Row::new(vec![
        Cell::head(device.name.clone(), format!("{PATH}/{}", device.id)),
        Cell::text(device.serial.clone().unwrap_or_default()),
        match site {
            Some((id, name)) => Cell::link(name.clone(), frame.link(&format!("/sites/{id}"))),
            None => Cell::text(""),
        },
        Cell::badge(token_panel::badge(frame, device.token.as_ref())),
        Cell::text(frame.formats().own(device.created_at)),
    ])
}

async fn render(app: &App, frame: &Frame, table: Table, params: &RegistryParams, view: &FormView) -> Result {
    let page = ListPage::new(frame, t::TITLE, t::LEAD, table).searched(params.q.as_deref(), Vec::new());
    if !settings::is_unrestricted(frame) {
        return page.refusing(t::RESTRICTED).respond();
    }
    let fields = fields_of(frame, view, settings::worksite_choices(app, frame).await?);
    let form = FormPart::new(PATH, view, fields, frame.text(t::ADD)).creating(frame);
    page.adding(t::NEW, view, form).respond()
}
