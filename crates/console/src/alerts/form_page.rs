//! The page of a form that saves an alert.

use askama::Template;
use http::StatusCode;
use texts::console::alerts as t;
use web::Result;

use super::form::AlertForm;
use crate::frame::Frame;
use crate::response;

#[derive(Template)]
#[template(path = "alerts/form_page.html")]
struct FormPage<'a> {
    frame: &'a Frame,
    title: String,
    form: AlertForm,
}

pub fn render(frame: &Frame, status: StatusCode, title: String, form: AlertForm) -> Result {
    response::page_with(status, frame, &FormPage { frame, title, form })
}
