//! The page of one record of a registry: what is known of it, the form that changes it, and how it is archived or restored.

use askama::Template;
use http::StatusCode;
use texts::Text;
use texts::console::settings as t;
use web::Result;

use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Action, Details, FormPart};
use crate::response;

#[derive(Template)]
#[template(path = "settings/record_page.html")]
pub struct RecordPage<'a> {
    frame: &'a Frame,
    name: &'a str,
    /// What the record is, such as a machine.
    kind: &'static str,
    /// What the reader must know first, such as that the record is archived.
    notices: Vec<String>,
    details: Option<Details>,
    form: Option<FormPart>,
    /// Other pages about the record: texts and addresses.
    links: Vec<(&'static str, String)>,
    /// What archiving ends.
    hint: Option<&'static str>,
    /// Archives the record, or restores it.
    archiving: Option<Action>,
    status: StatusCode,
}

impl<'a> RecordPage<'a> {
    pub fn new(frame: &'a Frame, name: &'a str, kind: Text) -> Self {
        Self {
            frame,
            name,
            kind: frame.text(kind),
            notices: Vec::new(),
            details: None,
            form: None,
            links: Vec::new(),
            hint: None,
            archiving: None,
            status: StatusCode::OK,
        }
    }

    pub fn noticing(mut self, notice: impl Into<String>) -> Self {
        self.notices.push(notice.into());
        self
    }

    /// Says why something was refused, with the status of the refusal.
    pub fn refusing(mut self, view: &FormView) -> Self {
        self.status = view.status;
        self.notices.extend(view.notice.clone());
        self
    }

    pub fn detailed(mut self, details: Details) -> Self {
        self.details = Some(details);
        self
    }

    /// Adds the form of the record. After a fault the page has the status of the form.
    pub fn changing(mut self, view: &FormView, form: FormPart) -> Self {
        self.status = view.status;
        self.form = Some(form);
        self
    }

    pub fn linking(mut self, text: Text, href: impl Into<String>) -> Self {
        self.links.push((self.frame.text(text), href.into()));
        self
    }

    /// Adds the button that archives the record at `path`, or restores it. The hint says what archiving ends.
    pub fn archiving(mut self, path: &str, is_archived: bool, hint: Option<Text>) -> Self {
        let (to, text) = match is_archived {
            true => ("restore", t::RESTORE),
            false => ("archive", t::ARCHIVE),
        };
        self.hint = hint.filter(|_| !is_archived).map(|hint| self.frame.text(hint));
        self.archiving = Some(Action {
            to: format!("{path}/{to}"),
            text: self.frame.text(text).to_owned(),
            is_danger: !is_archived,
            hidden: Vec::new(),
        });
        self
    }

    pub fn respond(self) -> Result {
        response::page_with(self.status, self.frame, &self)
    }
}
