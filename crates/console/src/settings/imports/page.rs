//! The page of an import: what a file must be like, the form that sends one, and what was found in it.

use askama::Template;
use texts::console::settings::imports as t;
use web::Result;

use super::Imported;
use super::outcome::Outcome;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::{response, settings};

#[derive(Template)]
#[template(path = "settings/imports/page.html")]
struct ImportPage<'a> {
    frame: &'a Frame,
    title: &'static str,
    /// The columns that the file may have.
    columns: String,
    example: &'static str,
    /// None for a reader who would not see what they import.
    form: Option<FormPart>,
    outcome: Option<Outcome>,
    /// The address of this page.
    path: String,
}

pub fn render<T: Imported>(frame: &Frame, view: &FormView, outcome: Option<Outcome>) -> Result {
    let path = format!("{}/import", T::LIST);
    let is_open = T::UNRESTRICTED_ACTION.is_none() || settings::is_unrestricted(frame);
    let form = is_open.then(|| {
        let field = Field::new(frame, view, "file", t::FILE, Input::File { accept: ".csv,text/csv" })
            .required()
            .hint(frame.text(t::FILE_HINT));
        FormPart::new(path.clone(), view, vec![field], frame.text(t::CHECK)).upload().cancelled_at(T::LIST)
    });
    let columns = T::COLUMNS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let page = ImportPage {
        frame,
        title: frame.text(T::TITLE),
        columns: frame.fill(t::COLUMNS, &[("columns", &columns)]),
        example: T::EXAMPLE,
        form,
        outcome,
        path,
    };
    response::page_with(view.status, frame, &page)
}
