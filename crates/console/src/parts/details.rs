//! A list of names and values.

use askama::Template;
use askama::filters::HtmlSafe;

use super::cell::Cell;

/// What is known of a record, as names and values.
#[derive(Template)]
#[template(path = "parts/details.html")]
pub struct Details {
    pub rows: Vec<(String, Cell)>,
}

impl HtmlSafe for Details {}
