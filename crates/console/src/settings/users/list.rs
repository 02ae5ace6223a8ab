//! The list of users, and the form that invites one.

use std::sync::Arc;

use app::{App, Error, NewInvitation, UserWithProjects};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{EmailAddress, Invalid, Name, Role, UserFilter, UserState};
use texts::console::settings::{self as s, access as a, users as t};
use web::{BodyField, Caller, Fields, FromParams, Params, Query, Result};

use super::{INVITED, PATH, state_badge, state_word};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, FormPart, Input, Pager, Plain, Row, Table, csv_response};
use crate::settings::account_access;
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::PageOfList;
use crate::{prove, response};

const KINDS: &[(&str, Kind)] = &[
    ("email", Kind::Text),
    ("name", Kind::Text),
    ("role", Kind::Text),
    ("access", Kind::Text),
    ("project_ids", Kind::Numbers),
];

fn read_new(fields: &mut Fields) -> Option<NewInvitation> {
    let email = fields.required("email", EmailAddress::from_json);
    let name = fields.required("name", Name::from_json);
    let access = account_access::read(fields)?;
    Some(NewInvitation { email: email?, name: name?, role: access.role, projects: access.projects })
}

pub struct ListQuery {
    filter: UserFilter,
    page: PageOfList,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let state = |text: &str| {
            let state = UserState::parse(text);
            state.ok_or_else(|| Invalid::new("invalid_state", "must be one of invited, active, deactivated"))
        };
        let filter = UserFilter {
            role: query.one("role", Role::parse)?,
            state: query.one("state", state)?,
            q: query.search("q")?,
        };
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
        return Ok(csv_response("users.csv", &table));
    }
    let view = FormView::new(account_access::first_values(&frame));
    render(&app, &frame, &caller, table, (&params, &view)).await
}

pub async fn invite(
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
    let made = match form.read(KINDS, read_new) {
        Ok(new) => {
            let place = |made: &UserWithProjects| format!("{PATH}/{}", made.0.id);
            app.invite_user(&fresh, &new, response::made(form.once(&frame), place)).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&INVITED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
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
    let (found, total) = app.list_users(caller, &params.filter, &params.page.request(), true).await?;
    let labels = [t::NAME, t::EMAIL, a::ROLE, t::STATE, a::ACCESS, t::SECOND_FACTOR, t::LAST_LOGIN];
    let columns = labels.map(|label| Column::text(frame.text(label))).into_iter().collect();
    let rows: Vec<Row> = found.rows.iter().map(|user| row(frame, user)).collect();
    let pager = Pager::of(frame, rows.len(), total, found.next.as_ref());
    let UserFilter { role, state, q } = &params.filter;
    let is_filtered = role.is_some() || state.is_some() || q.is_some();
    let empty = list_page::empty(frame, is_filtered, (t::NONE_YET, t::NONE_YET_REASON), PATH);
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(frame))
}

fn row(frame: &Frame, (user, projects): &UserWithProjects) -> Row {
    let never = || frame.text(t::NEVER).to_owned();
    let cells = vec![
        Cell::head(user.name.clone(), format!("{PATH}/{}", user.id)),
        Cell::text(user.email.clone()),
        Cell::text(account_access::role_word(frame, user.role)),
        Cell::badge(state_badge(frame, user.state)),
        Cell::text(account_access::describe_projects(frame, projects.as_deref())),
        Cell::text(frame.text(if user.has_second_factor { s::YES } else { s::NO })),
        Cell::text(user.last_login_at.map_or_else(never, |at| frame.formats().own(at)))
            .plain(Plain::time(user.last_login_at)),
    ];
    Row::new(cells).muted(user.state == UserState::Deactivated)
}

async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageUsers>,
    table: Table,
    (params, view): (&ListQuery, &FormView),
) -> Result {
    let email = Field::new(frame, view, "email", t::EMAIL, Input::Email).required().autocomplete("off");
    let mut fields = vec![
        email.hint(frame.text(t::EMAIL_HINT)),
        Field::new(frame, view, "name", t::NAME, Input::Text).required().autocomplete("off"),
    ];
    let projects = account_access::project_choices(app, frame, None).await?;
    fields.extend(account_access::fields(frame, view, projects));
    let proof = prove::fields(app, frame, caller);
    let form = FormPart::new(PATH, view, fields, frame.text(t::SEND)).creating(frame).proven(proof);
    ListPage::new(frame, t::TITLE, t::LEAD, table)
        .searched(params.filter.q.as_deref(), filter_fields(frame, &params.filter))
        .adding(t::INVITE, view, form)
        .respond()
}

fn filter_fields(frame: &Frame, filter: &UserFilter) -> Vec<Field> {
    let with_all = |choices: Vec<Choice>| -> Vec<Choice> {
        std::iter::once(Choice::blank(frame.text(s::ALL_OF_THEM))).chain(choices).collect()
    };
    let states = UserState::ALL.map(|state| Choice::new(state.as_str(), state_word(frame, state)));
    let view = FormView::new(vec![
        ("role", filter.role.map(Role::as_str).unwrap_or_default().to_owned()),
        ("state", filter.state.map(UserState::as_str).unwrap_or_default().to_owned()),
    ]);
    let roles = with_all(account_access::role_choices(frame));
    vec![
        Field::new(frame, &view, "role", a::ROLE, Input::Select(roles)),
        Field::new(frame, &view, "state", t::STATE, Input::Select(with_all(states.into_iter().collect()))),
    ]
}
