//! The list of service accounts, and the form that adds one.

use std::sync::Arc;

use app::{App, Error, ServiceAccountWithProjects};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Day, ServiceAccountFilter};
use texts::console::settings::{self as s, access as a, service_accounts as t};
use web::{Caller, FromParams, Params, Query, Result};

use super::{ADDED, KINDS, PATH, fields_of, last_day, named_as_shown, read_fields, state_badge};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Cell, Column, FormPart, Pager, Plain, Row, Table, csv_response};
use crate::settings::account_access;
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::PageOfList;
use crate::{prove, response};

/// The days for which a new account is valid, unless another day is chosen.
const DEFAULT_DAYS: i64 = 365;

pub struct ListQuery {
    filter: ServiceAccountFilter,
    page: PageOfList,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = ServiceAccountFilter { archived: query.flag("archived")?, q: query.search("q")? };
        Ok(Self { filter, page: PageOfList::read(query)? })
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    Params(params): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &params).await?;
    if params.page.csv {
        return Ok(csv_response("service-accounts.csv", &table));
    }
    let mut values = account_access::first_values(&frame);
    let today = frame.preferences.time_zone.local(frame.now).day;
    values.push(("last_day", Day::from_number(today + DEFAULT_DAYS).to_string()));
    render(&app, &frame, &caller, table, (&params, &FormView::new(values))).await
}

pub async fn create(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    Params(params): Params<ListQuery>,
    form: Form,
) -> Result {
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let made = match form.read(KINDS, |fields| read_fields(fields, &frame.preferences.time_zone)) {
        Ok(new) => {
            let place = |made: &ServiceAccountWithProjects| format!("{PATH}/{}", made.0.id);
            let once = response::made(form.once(&frame), place);
            app.create_service_account(&fresh, &new, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&ADDED, None)))),
        Err(error) => {
            let view = form.view(&frame, named_as_shown(error))?;
            let table = table(&app, &frame, &caller, &params).await?;
            render(&app, &frame, &caller, table, (&params, &view)).await
        }
    }
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageUsers>,
    params: &ListQuery,
) -> Result<Table, Error> {
    let page = params.page.request();
    let (found, total) = app.list_service_accounts(caller, &params.filter, &page, true).await?;
    let labels = [t::NAME, a::ROLE, a::ACCESS, t::STATE, t::EXPIRES, s::ADDED_AT];
    let columns = labels.map(|label| Column::text(frame.text(label))).into_iter().collect();
    let rows: Vec<Row> = found.rows.iter().map(|account| row(frame, account)).collect();
    let pager = Pager::of(frame, rows.len(), total, found.next.as_ref());
    let is_filtered = params.filter.archived || params.filter.q.is_some();
    let empty = list_page::empty(frame, is_filtered, (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, (account, projects): &ServiceAccountWithProjects) -> Row {
    let formats = frame.formats();
    let until = last_day(account.expires_at, &frame.preferences.time_zone);
    let cells = vec![
        Cell::head(account.name.clone(), format!("{PATH}/{}", account.id)),
        Cell::text(account_access::role_word(frame, account.role)),
        Cell::text(account_access::describe_projects(frame, projects.as_deref())),
        Cell::badge(state_badge(frame, account)),
        Cell::text(formats.day(until)),
        Cell::text(formats.own(account.created_at)).plain(Plain::time(account.created_at)),
    ];
    Row::new(cells).muted(account.archived_at.is_some())
}

async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageUsers>,
    table: Table,
    (params, view): (&ListQuery, &FormView),
) -> Result {
    let fields = fields_of(frame, view, account_access::project_choices(app, frame, None).await?);
    let proof = prove::fields(app, frame, caller);
    let form = FormPart::new(PATH, view, fields, frame.text(s::ADD)).creating(frame).proven(proof);
    let archived = list_page::archived_field(frame, params.filter.archived);
    ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.filter.q.as_deref(), vec![archived])
        .adding(t::NEW, view, form)
        .respond()
}
