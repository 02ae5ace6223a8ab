//! One user: what they may do and see, and their sign-in.

use std::sync::Arc;

use app::{App, UserChange, UserWithProjects};
use askama::Template;
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Change, Name, User, UserId, UserState};
use texts::Text;
use texts::console::settings::{self as s, users as t};
use web::{BodyField, Caller, Fields, PathId, Result};

use super::{PATH, SAVED, state_badge};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Action, Cell, Details, Field, FormPart, Input};
use crate::settings::account_access;
use crate::{prove, response};

const KINDS: &[(&str, Kind)] =
    &[("name", Kind::Text), ("role", Kind::Text), ("access", Kind::Text), ("project_ids", Kind::Numbers)];

/// Something that can be done about the sign-in of a user.
struct HintedAction {
    hint: &'static str,
    button: Action,
}

#[derive(Template)]
#[template(path = "settings/users/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    user: &'a User,
    details: Details,
    form: FormPart,
    actions: Vec<HintedAction>,
    is_own: bool,
}

fn read_change(fields: &mut Fields) -> Option<UserChange> {
    let name = fields.change("name", Name::from_json);
    let access = account_access::read(fields)?;
    Some(UserChange { name: name?, role: Change::Set(access.role), projects: Change::Set(access.projects) })
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
) -> Result {
    let user = app.find_user_of_brand(&caller, UserId(id)).await?;
    render(&app, &frame, &caller, &user, &view_of(&user)).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let user = app.find_user_of_brand(&caller, UserId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let saved = match form.read(KINDS, read_change) {
        Ok(change) => app.change_user(&fresh, UserId(id), &form.if_match(), change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&SAVED, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?.beside(&frame, view_of(&user));
            render(&app, &frame, &caller, &user, &view).await
        }
    }
}

/// The form as it is filled from the stored user.
pub fn view_of((user, projects): &UserWithProjects) -> FormView {
    let mut values = account_access::values(user.role, projects.as_deref());
    values.push(("name", user.name.clone()));
    FormView::new(values)
}

pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageUsers>,
    (user, projects): &UserWithProjects,
    view: &FormView,
) -> Result {
    let path = format!("{PATH}/{}", user.id);
    let name = Field::new(frame, view, "name", t::NAME, Input::Text).required();
    let mut fields = vec![name.autocomplete("off")];
    let choices = account_access::project_choices(app, frame, projects.as_deref()).await?;
    fields.extend(account_access::fields(frame, view, choices));
    let form = FormPart::new(path.clone(), view, fields, frame.text(s::SAVE))
        .changing(user.version)
        .cancelled_at(PATH)
        .proven(prove::fields(app, frame, caller));
    let is_own = caller.identity.user == user.id;
    let page = EditPage {
        frame,
        user,
        details: details(frame, user),
        form,
        actions: actions(frame, user, &path, is_own),
        is_own,
    };
    response::page_with(view.status, frame, &page)
}

fn details(frame: &Frame, user: &User) -> Details {
    let formats = frame.formats();
    let login = match user.last_login_at {
        Some(at) => Cell::text(formats.own(at)).note(formats.ago(at)),
        None => Cell::text(frame.text(t::NEVER)),
    };
    let rows = [
        (t::EMAIL, Cell::text(user.email.clone())),
        (t::STATE, Cell::badge(state_badge(frame, user.state))),
        (t::SECOND_FACTOR, Cell::text(frame.text(if user.has_second_factor { s::YES } else { s::NO }))),
        (t::LAST_LOGIN, login),
        (s::ADDED_AT, Cell::text(formats.own(user.created_at))),
    ];
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}

/// What can be done about the sign-in of a user in this state. Nobody deactivates themselves by a slip: they could not undo it.
fn actions(frame: &Frame, user: &User, path: &str, is_own: bool) -> Vec<HintedAction> {
    let action = |to: &str, text: Text, hint: Text, is_danger: bool| HintedAction {
        hint: frame.text(hint),
        button: Action {
            to: format!("{path}/{to}"),
            text: frame.text(text).to_owned(),
            is_danger,
            hidden: Vec::new(),
        },
    };
    let resend = || action("resend-invitation", t::RESEND, t::RESEND_HINT, false);
    let end = || action("end-sessions", t::END_SESSIONS, t::END_SESSIONS_HINT, false);
    let reset = || action("reset-second-factor", t::RESET_FACTOR, t::RESET_FACTOR_HINT, true);
    let deactivate = || action("deactivate", t::DEACTIVATE, t::DEACTIVATE_HINT, true);
    let reactivate = || action("reactivate", t::REACTIVATE, t::REACTIVATE_HINT, false);
    let mut actions = Vec::new();
    match user.state {
        UserState::Invited => actions.push(resend()),
        UserState::Active => actions.push(end()),
        UserState::Deactivated => actions.push(reactivate()),
    }
    if user.has_second_factor {
        actions.push(reset());
    }
    if user.state != UserState::Deactivated && !is_own {
        actions.push(deactivate());
    }
    actions
}
