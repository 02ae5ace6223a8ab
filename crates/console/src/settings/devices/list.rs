//! The list of devices of a kind, and the form that adds one.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use texts::console::settings as t;
use web::{Caller, FromParams, Params, Query, Result, SortOrders};

use super::{Device, DeviceSummary};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, FormPart, Pager, Plain, Row, Table, csv_response};
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

pub async fn show<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    Params(ListQuery(params)): Params<ListQuery>,
) -> Result {
    let table = table::<D>(&app, &frame, &caller, &params).await?;
    if params.page.csv {
        return Ok(csv_response(D::PAGES.csv, &table));
    }
    render::<D>(&app, &frame, table, &params, &FormView::new(Vec::new())).await
}

pub async fn create<D: Device>(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    frame: Frame,
    Params(ListQuery(params)): Params<ListQuery>,
    form: Form,
) -> Result {
    caller.require_unrestricted(D::REFUSED.add)?;
    let place = |device: &D| format!("{}/{}", D::PAGES.path, device.summary().id);
    let once = response::made(form.once(&frame), place);
    match D::create(&app, &caller, &form, once).await {
        Ok(stored) => {
            Ok(response::redirect(&response::stored_location(stored), Some((D::PAGES.added, None))))
        }
        Err(error) => {
            let view = form.view(&frame, error)?;
            let table = table::<D>(&app, &frame, &caller, &params).await?;
            render::<D>(&app, &frame, table, &params, &view).await
        }
    }
}

async fn table<D: Device>(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageDevices>,
    params: &RegistryParams,
) -> Result<Table, Error> {
    let found = D::list(app, caller, params).await?;
    let (pages, sort) = (D::PAGES, params.sort("name"));
    let mut columns = vec![Column::text(frame.text(pages.name)).sorted(frame, "name", &sort)];
    columns.extend(pages.columns.iter().map(|label| Column::text(frame.text(*label))));
    columns.push(Column::text(frame.text(t::TOKEN)));
    columns.push(Column::text(frame.text(t::ADDED_AT)).sorted(frame, "created_at", &sort));
    let rows: Vec<Row> = found.rows.iter().map(|device| row(frame, device)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.q.is_some(), pages.none_yet, pages.path);
    Ok(Table::new(frame.text(pages.title), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row<D: Device>(frame: &Frame, device: &D) -> Row {
    let DeviceSummary { id, name, token, created_at, .. } = device.summary();
    let mut cells = vec![Cell::head(name, format!("{}/{id}", D::PAGES.path))];
    cells.extend(device.cells(frame));
    cells.push(Cell::badge(token_panel::badge(frame, token)));
    cells.push(Cell::text(frame.formats().own(created_at)).plain(Plain::time(created_at)));
    Row::new(cells)
}

async fn render<D: Device>(
    app: &App,
    frame: &Frame,
    table: Table,
    params: &RegistryParams,
    view: &FormView,
) -> Result {
    let pages = D::PAGES;
    let page = ListPage::new(frame, pages.title, pages.lead, table).searched(params.q.as_deref(), Vec::new());
    if !settings::is_unrestricted(frame) {
        return page.refusing(pages.restricted).respond();
    }
    let fields = D::fields(app, frame, view, None).await?;
    let form = FormPart::new(pages.path, view, fields, frame.text(t::ADD)).creating(frame);
    page.adding(pages.new, view, form).respond()
}
