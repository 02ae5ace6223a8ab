//! The list of people, and the form that adds one.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{NewPerson, PeopleFilter, Person, PersonKind, RegistryRows};
use texts::console::settings::{self as s, people as t};
use texts::values;
use web::{Caller, FromFields, FromParams, Params, Query, Result, SortOrders};

use super::{ADDED, KINDS, PATH, fields_of, kind_choices};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, FormPart, Input, Pager, Plain, Row, Table, csv_response};
use crate::response;
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::RegistryParams;

pub struct ListQuery {
    archived: bool,
    kind: Option<PersonKind>,
    registry: RegistryParams,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let archived = query.flag("archived")?;
        let kind = query.one("kind", PersonKind::parse)?;
        Ok(Self { archived, kind, registry: RegistryParams::read(query, &SortOrders::BY_NAME)? })
    }
}

impl ListQuery {
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
        return Ok(csv_response("people.csv", &table));
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
    let made = match form.read(KINDS, NewPerson::read) {
        Ok(new) => {
            let once = response::made(form.once(&frame), |made: &Person| format!("{PATH}/{}", made.id));
            app.create_person(&caller.editor(), &new, once).await
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
    let filter = PeopleFilter {
        kinds: params.kind.into_iter().collect(),
        q: params.registry.q.clone(),
        archived: params.archived,
        rows: RegistryRows::default(),
    };
    let found = app.list_people(&caller.reader(), &filter, &params.registry.request()).await?;
    let sort = params.registry.sort("name");
    let columns = vec![
        Column::text(frame.text(t::NAME)).sorted(frame, "name", &sort),
        Column::text(frame.text(t::KIND)),
        Column::text(frame.text(t::EMPLOYEE_ID)),
        Column::text(frame.text(t::COMPANY)),
        Column::text(frame.text(s::ADDED_AT)).sorted(frame, "created_at", &sort),
    ];
    let rows: Vec<Row> = found.rows.iter().map(|person| row(frame, person)).collect();
    let pager = Pager::of(frame, rows.len(), found.total, found.next.as_ref());
    let empty = list_page::empty(frame, params.is_filtered(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, person: &Person) -> Row {
    let name = Cell::head(person.name.clone(), format!("{PATH}/{}", person.id));
    let name = match person.erased_at {
        Some(_) => name.note(frame.text(t::ERASED)),
        None => name,
    };
    let cells = vec![
        name,
        Cell::text(values::person_kind(frame.language, person.kind.as_str())),
        Cell::text(person.employee_id.clone().unwrap_or_default()),
        Cell::text(person.company.clone().unwrap_or_default()),
        Cell::text(frame.formats().own(person.created_at)).plain(Plain::time(person.created_at)),
    ];
    Row::new(cells).muted(person.archived_at.is_some())
}

fn render(frame: &Frame, table: Table, params: &ListQuery, view: &FormView) -> Result {
    let mut page = ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.registry.q.as_deref(), filter_fields(frame, params));
    if !frame.sees_names() {
        page = page.refusing(t::NAMES_HIDDEN);
    }
    if !frame.may::<WriteRegistry>() {
        return page.respond();
    }
    let form = FormPart::new(PATH, view, fields_of(frame, view), frame.text(s::ADD)).creating(frame);
    page.linking(s::IMPORT, "/settings/people/import").adding(t::NEW, view, form).respond()
}

fn filter_fields(frame: &Frame, params: &ListQuery) -> Vec<Field> {
    let kinds =
        std::iter::once(Choice::blank(frame.text(s::ALL_OF_THEM))).chain(kind_choices(frame)).collect();
    let chosen = params.kind.map(PersonKind::as_str).unwrap_or_default();
    let view = FormView::new(vec![("kind", chosen.to_owned())]);
    vec![
        Field::new(frame, &view, "kind", t::KIND, Input::Select(kinds)),
        list_page::archived_field(frame, params.archived),
    ]
}
