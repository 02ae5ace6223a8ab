//! One service account: what it may do and see, until when, and its tokens.

use std::sync::Arc;

use app::{App, ServiceAccountWithProjects};
use askama::Template;
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{ServiceAccount, UserId};
use texts::console::settings::{self as s, access as a, service_accounts as t};
use web::{Caller, PathId, Result};

use super::token_part::TokenPart;
use super::{
    ARCHIVED, KINDS, PATH, SAVED, change_to, fields_of, last_day, named_as_shown, read_fields, state_badge,
};
use crate::form::{Form, FormView};
use crate::frame::Frame;
use crate::parts::{Action, Cell, Details, FormPart};
use crate::settings::account_access;
use crate::{prove, response};

#[derive(Template)]
#[template(path = "settings/service_accounts/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    account: &'a ServiceAccount,
    details: Details,
    /// None for an account that was archived; so for the following.
    form: Option<FormPart>,
    token: Option<TokenPart>,
    archive: Option<Action>,
}

/// What a page shows besides the stored account.
#[derive(Default)]
pub struct Shown {
    /// The form of the account after a fault.
    pub fields: Option<FormView>,
    /// The form of its token after a fault.
    pub token: Option<FormView>,
    /// A token that was issued just now.
    pub secret: Option<String>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let account = app.find_service_account(&caller, UserId(id)).await?;
    render(&app, &frame, &caller, &account, Shown::default()).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_service_account(&caller, UserId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let zone = &frame.preferences.time_zone;
    let saved = match form.read(KINDS, |fields| read_fields(fields, zone)) {
        Ok(to) => {
            let change = change_to(to, &stored.0, zone);
            app.change_service_account(&fresh, UserId(id), &form.if_match(), change).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, named_as_shown(error))?;
            let fields = Some(view.beside(&frame, view_of(&frame, &stored)));
            render(&app, &frame, &caller, &stored, Shown { fields, ..Shown::default() }).await
        }
    }
}

pub async fn archive(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_service_account(&caller, UserId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let archived = match account_access::read_button(&form) {
        Ok(()) => app.archive_service_account(&fresh, UserId(id)).await,
        Err(error) => Err(error),
    };
    match archived {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&ARCHIVED, None)))),
        Err(error) => {
            let stored_view = view_of(&frame, &stored);
            let fields = Some(account_access::with_refusal(&form, &frame, error, stored_view)?);
            render(&app, &frame, &caller, &stored, Shown { fields, ..Shown::default() }).await
        }
    }
}

/// The form as it is filled from the stored account.
fn view_of(frame: &Frame, (account, projects): &ServiceAccountWithProjects) -> FormView {
    let mut values = account_access::values(account.role, projects.as_deref());
    let until = last_day(account.expires_at, &frame.preferences.time_zone);
    values.extend([("name", account.name.clone()), ("last_day", until.to_string())]);
    FormView::new(values)
}

pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageUsers>,
    stored: &ServiceAccountWithProjects,
    shown: Shown,
) -> Result {
    let (account, projects) = stored;
    let path = format!("{PATH}/{}", account.id);
    let refused = shown.fields.as_ref().or(shown.token.as_ref());
    let status = refused.map_or(http::StatusCode::OK, |view| view.status);
    let (mut form, mut token, mut archive) = (None, None, None);
    if account.archived_at.is_none() {
        let proof = prove::fields(app, frame, caller);
        let view = shown.fields.unwrap_or_else(|| view_of(frame, stored));
        let choices = account_access::project_choices(app, frame, projects.as_deref()).await?;
        let fields = fields_of(frame, &view, choices);
        let part = FormPart::new(path.clone(), &view, fields, frame.text(s::SAVE));
        form = Some(part.changing(account.version).cancelled_at(PATH).proven(proof.clone()));
        token = Some(TokenPart::new(frame, account, &path, (shown.token, proof), shown.secret));
        archive = Some(Action {
            to: format!("{path}/archive"),
            text: frame.text(t::ARCHIVE).to_owned(),
            is_danger: true,
            hidden: Vec::new(),
        });
    }
    let page = EditPage { frame, account, details: details(frame, stored), form, token, archive };
    response::page_with(status, frame, &page)
}

fn details(frame: &Frame, (account, projects): &ServiceAccountWithProjects) -> Details {
    let formats = frame.formats();
    let mut state = Cell::badge(state_badge(frame, account));
    if let Some(at) = account.archived_at {
        state = state.note(frame.fill(t::ARCHIVED_ON, &[("at", &formats.own(at))]));
    }
    let rows = [
        (t::STATE, state),
        (a::ROLE, Cell::text(account_access::role_word(frame, account.role))),
        (a::ACCESS, Cell::text(account_access::describe_projects(frame, projects.as_deref()))),
        (t::EXPIRES, Cell::text(formats.own(account.expires_at))),
        (s::ADDED_AT, Cell::text(formats.own(account.created_at))),
    ];
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}
