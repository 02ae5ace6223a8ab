//! GET and POST /password-resets: the link to a new password is asked for by mail.

use std::sync::Arc;

use app::App;
use askama::Template;
use axum::extract::State;
use domain::EmailAddress;
use texts::console::accounts as t;
use web::{BodyField, Result};

use super::PATH;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::response;

const KINDS: &[(&str, Kind)] = &[("email", Kind::Text)];

/// The page that follows, whatever the address was.
const SENT: &str = "/password-resets?sent=1";

#[derive(Template)]
#[template(path = "password_resets/request.html")]
struct RequestPage<'a> {
    frame: &'a Frame,
    title: &'static str,
    text: &'static str,
    /// None after it was sent.
    form: Option<FormPart>,
}

pub async fn show(frame: Frame) -> Result {
    if frame.address.first("sent").is_some() {
        let (title, text) = (frame.text(t::RESET_SENT), frame.text(t::RESET_SENT_TEXT));
        return response::page(&frame, &RequestPage { frame: &frame, title, text, form: None });
    }
    render(&frame, &FormView::new(Vec::new()))
}

/// Takes an address. The answer is the same whether or not it has an account.
pub async fn send(State(app): State<Arc<App>>, frame: Frame, form: Form) -> Result {
    match form.read(KINDS, |fields| fields.required("email", EmailAddress::from_json)) {
        Ok(email) => {
            app.request_password_reset(email)?;
            Ok(response::redirect(SENT, None))
        }
        Err(error) => render(&frame, &form.view(&frame, error)?),
    }
}

fn render(frame: &Frame, view: &FormView) -> Result {
    let email = Field::new(frame, view, "email", t::EMAIL, Input::Email).required().autocomplete("username");
    let form = FormPart::new(PATH, view, vec![email.focused(true)], frame.text(t::RESET_SEND));
    let (title, text) = (frame.text(t::RESET), frame.text(t::RESET_INTRO));
    response::page_with(view.status, frame, &RequestPage { frame, title, text, form: Some(form) })
}
