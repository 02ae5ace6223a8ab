//! The links to the pages of a list.

use askama::Template;
use askama::filters::HtmlSafe;
use domain::Cursor;
use texts::console::parts as t;

use crate::frame::Frame;

/// The links to the first and the next page of a list. The page before is the browser's way back.
#[derive(Template)]
#[template(path = "parts/pager.html")]
pub struct Pager {
    pub first: Option<String>,
    pub next: Option<String>,
    /// The number of rows on all pages, if it is known.
    pub total: Option<i64>,
    counted: String,
    first_text: &'static str,
    next_text: &'static str,
}

impl Pager {
    pub fn of(frame: &Frame, shown: usize, total: Option<i64>, next: Option<&Cursor>) -> Self {
        let on_page = i64::try_from(shown).unwrap_or(i64::MAX);
        let counted = match total {
            Some(total) if total != on_page => {
                let (shown, rows) = (frame.formats().integer(on_page), frame.count(t::ROWS, total));
                frame.fill(t::SHOWN_OF, &[("shown", &shown), ("total", &rows)])
            }
            _ => frame.count(t::ROWS, on_page),
        };
        let is_first = frame.address.first("cursor").is_none();
        Self {
            first: (!is_first).then(|| frame.here("cursor", None)),
            next: next.map(|cursor| frame.here("cursor", Some(cursor.as_str()))),
            total,
            counted,
            first_text: frame.text(t::FIRST_PAGE),
            next_text: frame.text(t::NEXT_PAGE),
        }
    }
}

impl HtmlSafe for Pager {}
