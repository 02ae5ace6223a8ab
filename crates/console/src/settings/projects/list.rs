//! The list of projects, and the form that adds one.

use std::sync::Arc;

use app::{App, Error, unrestricted};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Project, ProjectFilter, RegistryRows};
use texts::console::settings::{self as s, projects as t};
use web::{Caller, FromParams, Params, Query, Result, SortOrders};

use super::{ADDED, KINDS, PATH, fields_of, read_new};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, FormPart, Pager, Plain, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;
use crate::{response, settings};

pub struct ListQuery {
    archived: bool,
    registry: RegistryParams,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let archived = query.flag("archived")?;
        Ok(Self { archived, registry: RegistryParams::read(query, &SortOrders::BY_NAME)? })
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
        return Ok(csv_response("projects.csv", &table));
    }
    render(&frame, table, &params, &FormView::new(Vec::new()))
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    Params(params): Params<ListQuery>,
    form: Form,
) -> Result {
    caller.require_unrestricted(unrestricted::ADD_PROJECT)?;
    let made = match form.read(KINDS, read_new) {
        Ok(new) => {
            let once = response::made(form.once(&frame), |made: &Project| format!("{PATH}/{}", made.id));
            app.create_project(&caller, &new, once).await
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
    let registry = &params.registry;
    let filter =
        ProjectFilter { archived: params.archived, q: registry.q.clone(), rows: RegistryRows::default() };
    let found = app.list_projects(caller, &filter, &registry.request()).await?;
    let sort = registry.sort("name");
    let columns = vec![
        Column::text(frame.text(t::NAME)).sorted(frame, "name", &sort),
        Column::text(frame.text(t::CODE)),
        Column::text(frame.text(s::ADDED_AT)).sorted(frame, "created_at", &sort),
    ];
    let row = |project: &Project| {
        let cells = vec![
            Cell::head(project.name.clone(), format!("{PATH}/{}", project.id)),
            Cell::text(project.code.clone().unwrap_or_default()),
            Cell::text(frame.formats().own(project.created_at)).plain(Plain::time(project.created_at)),
        ];
        Row::new(cells).muted(project.archived_at.is_some())
    };
    let rows: Vec<Row> = found.rows.iter().map(row).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let is_filtered = params.archived || registry.q.is_some();
    let empty = list_page::empty(frame, is_filtered, (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn render(frame: &Frame, table: Table, params: &ListQuery, view: &FormView) -> Result {
    let archived = list_page::archived_field(frame, params.archived);
    let page =
        ListPage::new(frame, t::TITLE, t::LEAD, table).searched(params.registry.q.as_deref(), vec![archived]);
    if !frame.may::<WriteRegistry>() {
        return page.respond();
    }
    if !settings::is_unrestricted(frame) {
        return page.refusing(t::RESTRICTED).respond();
    }
    let form = FormPart::new(PATH, view, fields_of(frame, view), frame.text(s::ADD)).creating(frame);
    page.adding(t::NEW, view, form).respond()
}
