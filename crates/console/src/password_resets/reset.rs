//! GET and POST /password-resets/{token}: a new password is chosen.

use std::sync::Arc;

use app::{App, Credentials, Error, ErrorKind};
use askama::Template;
use axum::extract::State;
use http::StatusCode;
use texts::console::accounts as t;
use web::{PathText, Result};

use super::{PASSWORD_SET, PATH};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::{response, sign_in};

const KINDS: &[(&str, Kind)] = &[("password", Kind::Secret)];

#[derive(Template)]
#[template(path = "password_resets/reset.html")]
struct ResetPage<'a> {
    frame: &'a Frame,
    form: FormPart,
}

pub async fn show(State(app): State<Arc<App>>, frame: Frame, PathText(token): PathText) -> Result {
    match app.check_password_reset(&token).await {
        Ok(()) => render(&frame, &FormView::new(Vec::new())),
        Err(error) => refuse(&frame, error),
    }
}

pub async fn save(
    State(app): State<Arc<App>>,
    frame: Frame,
    PathText(token): PathText,
    form: Form,
) -> Result {
    if let Err(error) = app.check_password_reset(&token).await {
        return refuse(&frame, error);
    }
    let read = form.read(KINDS, |fields| fields.required("password", web::text(Credentials::check_password)));
    let saved = match read {
        Ok(password) => app.reset_password(&token, &password, &frame.origin).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(()) => Ok(response::redirect("/sign-in", Some((&PASSWORD_SET, None)))),
        Err(error) if error.kind == ErrorKind::Invalid => render(&frame, &form.view(&frame, error)?),
        Err(error) => refuse(&frame, error),
    }
}

/// Says that the link cannot be used. Other errors are passed on.
fn refuse(frame: &Frame, error: Error) -> Result {
    if error.kind != ErrorKind::NotFound {
        return Err(error.into());
    }
    let texts = (t::NO_RESET, t::NO_RESET_REASON);
    sign_in::dead_link(frame, StatusCode::NOT_FOUND, texts, (t::ASK_AGAIN, PATH))
}

fn render(frame: &Frame, view: &FormView) -> Result {
    let password = Field::new(frame, view, "password", t::NEW_PASSWORD, Input::Password)
        .required()
        .hint(frame.text(t::PASSWORD_HINT))
        .autocomplete("new-password")
        .focused(true);
    let form = FormPart::new(frame.address.path(), view, vec![password], frame.text(t::SET_PASSWORD));
    response::page_with(view.status, frame, &ResetPage { frame, form })
}
