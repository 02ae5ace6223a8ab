//! The page of a list of settings: search, table, and the form that adds a record.

use askama::Template;
use http::StatusCode;
use texts::Text;
use texts::console::settings as t;
use web::Result;

use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Choice, Empty, Field, FormPart, Input, Table};
use crate::response;

#[derive(Template)]
#[template(path = "settings/list_page.html")]
pub struct ListPage<'a> {
    frame: &'a Frame,
    title: &'static str,
    /// What the list is for.
    lead: &'static str,
    /// Other pages about the list: texts and addresses.
    links: Vec<(&'static str, String)>,
    /// The fields of the search.
    search: Vec<Field>,
    table: Table,
    /// The form that adds a record, if the reader may.
    add: Option<(&'static str, FormPart)>,
    /// Why the reader may not add anything.
    refusal: Option<&'static str>,
    status: StatusCode,
}

impl<'a> ListPage<'a> {
    pub fn new(frame: &'a Frame, title: Text, lead: Text, table: Table) -> Self {
        Self {
            frame,
            title: frame.text(title),
            lead: frame.text(lead),
            links: Vec::new(),
            search: Vec::new(),
            table,
            add: None,
            refusal: None,
            status: StatusCode::OK,
        }
    }

    /// Adds a link to another page about the list, such as an import.
    pub fn linking(mut self, text: Text, href: impl Into<String>) -> Self {
        self.links.push((self.frame.text(text), href.into()));
        self
    }

    /// Adds the search by a part of the name, and further fields.
    pub fn searched(mut self, q: Option<&str>, more: Vec<Field>) -> Self {
        let view = FormView::new(vec![("q", q.unwrap_or_default().to_owned())]);
        let field = Field::new(self.frame, &view, "q", t::SEARCH, Input::Text);
        self.search = std::iter::once(field).chain(more).collect();
        self
    }

    /// Adds fields that filter the list, without a search by name.
    pub fn filtered(mut self, fields: Vec<Field>) -> Self {
        self.search = fields;
        self
    }

    /// Adds the form of a new record. After a fault the page has the status of the form.
    pub fn adding(mut self, title: Text, view: &FormView, form: FormPart) -> Self {
        self.status = view.status;
        self.add = Some((self.frame.text(title), form));
        self
    }

    pub fn refusing(mut self, refusal: Text) -> Self {
        self.refusal = Some(self.frame.text(refusal));
        self
    }

    pub fn respond(self) -> Result {
        response::page_with(self.status, self.frame, &self)
    }
}

/// The choice between active and archived records.
pub fn archived_field(frame: &Frame, is_archived: bool) -> Field {
    let chosen = if is_archived { "true" } else { "" };
    let view = FormView::new(vec![("archived", chosen.to_owned())]);
    let choices = vec![Choice::blank(frame.text(t::ACTIVE)), Choice::new("true", frame.text(t::ARCHIVED))];
    Field::new(frame, &view, "archived", t::SHOWN, Input::Select(choices))
}

/// What an empty table says: there is no record yet, or none that matches.
pub fn empty(frame: &Frame, is_filtered: bool, none_yet: (Text, Text), path: &str) -> Empty {
    match is_filtered {
        true => Empty {
            title: frame.text(t::NO_MATCH).to_owned(),
            reason: frame.text(t::NO_MATCH_REASON).to_owned(),
            action: Some((frame.text(t::SHOW_ALL).to_owned(), frame.link(path))),
        },
        false => Empty {
            title: frame.text(none_yet.0).to_owned(),
            reason: frame.text(none_yet.1).to_owned(),
            action: None,
        },
    }
}
