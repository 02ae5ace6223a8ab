//! The list of machines, and the form that adds one.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Machine, MachineFilter, MachineKind};
use texts::console::settings::{self as s, machines as t};
use texts::values;
use web::{Caller, FromParams, Params, Query, Result, SortOrders};

use super::fields::{KINDS, fields_of, kind_choices, read_new};
use super::{ADDED, PATH};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, FormPart, Input, Pager, Plain, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;
use crate::{response, settings};

pub struct ListQuery {
    archived: bool,
    kind: Option<MachineKind>,
    registry: RegistryParams,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let archived = query.flag("archived")?;
        let kind = query.one("kind", MachineKind::parse)?;
        Ok(Self { archived, kind, registry: RegistryParams::read(query, &SortOrders::BY_NAME)? })
    }
}

impl ListQuery {
    fn filter(&self) -> MachineFilter {
        MachineFilter {
            archived: self.archived,
            kinds: self.kind.into_iter().collect(),
            q: self.registry.q.clone(),
            ..MachineFilter::default()
        }
    }

    fn is_filtered(&self) -> bool {
        self.archived || self.kind.is_some() || self.registry.q.is_some()
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
        return Ok(csv_response("machines.csv", &table));
    }
    render(&app, &frame, table, &params, &FormView::new(Vec::new())).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    Params(params): Params<ListQuery>,
    form: Form,
) -> Result {
    let made = match form.read(KINDS, read_new) {
        Ok(new) => {
            let once = response::made(form.once(&frame), |made: &Machine| format!("{PATH}/{}", made.id));
            app.create_machine(&caller, new, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let reader = frame.caller::<ReadRegistry>()?;
            let table = table(&app, &frame, &reader, &params).await?;
            render(&app, &frame, table, &params, &view).await
        }
    }
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ReadRegistry>,
    params: &ListQuery,
) -> Result<Table, Error> {
    let found = app.list_machines(caller, &params.filter(), &params.registry.request()).await?;
    let sort = params.registry.sort("name");
    let columns = vec![
        Column::text(frame.text(t::NAME)).sorted(frame, "name", &sort),
        Column::text(frame.text(t::KIND)),
        Column::text(frame.text(t::SERIAL_NUMBER)),
        Column::text(frame.text(t::WORKSITE)),
        Column::text(frame.text(t::BASE_STATION)),
        Column::text(frame.text(s::ADDED_AT)).sorted(frame, "created_at", &sort),
    ];
    let rows: Vec<Row> = found.rows.iter().map(|machine| row(frame, machine)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.is_filtered(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, machine: &Machine) -> Row {
    let site = match &machine.worksite {
        Some((id, name)) => Cell::link(name.clone(), frame.link(&format!("/sites/{id}"))),
        None => Cell::text(""),
    };
    let station = match &machine.base_station {
        Some((id, serial)) => Cell::link(serial.clone(), format!("/settings/base-stations/{id}")),
        None => Cell::text(""),
    };
    let cells = vec![
        Cell::head(machine.name.clone(), format!("{PATH}/{}", machine.id)),
        Cell::text(values::machine_kind(frame.language, machine.kind.as_str())),
        Cell::text(machine.serial_number.clone().unwrap_or_default()),
        site,
        station,
        Cell::text(frame.formats().own(machine.created_at)).plain(Plain::time(machine.created_at)),
    ];
    Row::new(cells).muted(machine.archived_at.is_some())
}

async fn render(app: &App, frame: &Frame, table: Table, params: &ListQuery, view: &FormView) -> Result {
    let page = ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.registry.q.as_deref(), filter_fields(frame, params));
    if !frame.may::<WriteRegistry>() {
        return page.respond();
    }
    let page = match settings::is_unrestricted(frame) {
        true => page.linking(s::IMPORT, "/settings/machines/import"),
        false => page,
    };
    let fields = fields_of(frame, view, Some(settings::worksite_choices(app, frame).await?));
    let form = FormPart::new(PATH, view, fields, frame.text(s::ADD)).creating(frame);
    page.adding(t::NEW, view, form).respond()
}

fn filter_fields(frame: &Frame, params: &ListQuery) -> Vec<Field> {
    let kinds =
        std::iter::once(Choice::blank(frame.text(s::ALL_OF_THEM))).chain(kind_choices(frame)).collect();
    let chosen = params.kind.map(MachineKind::as_str).unwrap_or_default();
    let view = FormView::new(vec![("kind", chosen.to_owned())]);
    vec![
        Field::new(frame, &view, "kind", t::KIND, Input::Select(kinds)),
        list_page::archived_field(frame, params.archived),
    ]
}
