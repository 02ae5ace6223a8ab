//! The page of a form about a report or a schedule.

use askama::Template;
use http::StatusCode;
use web::Result;

use crate::frame::Frame;
use crate::parts::FormPart;
use crate::response;

#[derive(Template)]
#[template(path = "reports/form_page.html")]
pub struct FormPage<'a> {
    pub frame: &'a Frame,
    pub title: String,
    /// What it is about.
    pub lead: &'static str,
    /// Where to go instead: the text and the address.
    pub instead: Option<(&'static str, String)>,
    pub form: FormPart,
}

impl FormPage<'_> {
    pub fn answer(&self, status: StatusCode) -> Result {
        response::page_with(status, self.frame, self)
    }
}
