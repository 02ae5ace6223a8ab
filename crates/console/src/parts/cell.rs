//! A cell of a table, or the value of a list of details.

use askama::Template;
use askama::filters::HtmlSafe;

use super::action::Action;
use super::badge::Badge;
use super::plain::Plain;
use crate::formats::Shown;

/// What a cell of a table contains.
#[derive(Clone, Default, Template)]
#[template(path = "parts/cell.html")]
pub struct Cell {
    pub text: String,
    /// Where the text leads to: a record, or the incursions behind a figure.
    pub href: Option<String>,
    /// A smaller line below the text.
    pub note: Option<String>,
    pub badge: Option<Badge>,
    /// The value and the maximum of a bar beside the text.
    pub bar: Option<(f64, f64)>,
    pub action: Option<Action>,
    /// What a file says in place of the text.
    pub(super) plain: Option<Plain>,
    /// Whether the cell names its row.
    pub is_head: bool,
    /// Whether it is a number, which is aligned to the right. A table decides it by the column.
    pub(super) is_number: bool,
}

impl Cell {
    /// The cell that names its row, with the page of what it names.
    pub fn head(text: impl Into<String>, href: impl Into<String>) -> Self {
        Self { is_head: true, ..Self::link(text, href) }
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn link(text: impl Into<String>, href: impl Into<String>) -> Self {
        Self { href: Some(href.into()), ..Self::text(text) }
    }

    /// A figure with the records behind it; the reason if there is none.
    pub fn figure(shown: &Shown, href: Option<String>) -> Self {
        Self { href, note: shown.reason.clone(), ..Self::text(shown.text.clone()) }
    }

    /// A figure with a bar, whose whole length is `max`.
    pub fn bar(shown: &Shown, value: f64, max: f64, href: Option<String>) -> Self {
        Self { bar: Some((value, max)), ..Self::figure(shown, href) }
    }

    pub fn badge(badge: Badge) -> Self {
        Self { badge: Some(badge), ..Self::default() }
    }

    pub fn action(action: Action) -> Self {
        Self { action: Some(action), ..Self::default() }
    }

    /// Adds a smaller line below the text.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Says what a file has in place of the text: pages write numbers and times for people, files for programs.
    pub fn plain(mut self, plain: Plain) -> Self {
        self.plain = Some(plain);
        self
    }

    pub(super) fn class(&self) -> &'static str {
        match (self.is_number, self.bar.is_some()) {
            (_, true) => "n bar",
            (true, false) => "n",
            (false, false) => "t",
        }
    }

    fn meter_value(&self) -> f64 {
        self.bar.map_or(0.0, |(value, _)| if value.is_finite() { value } else { 0.0 })
    }

    /// Never zero, because a bar of no length has no parts.
    fn meter_max(&self) -> f64 {
        self.bar.map_or(1.0, |(_, max)| if max > 0.0 { max } else { 1.0 })
    }
}

impl HtmlSafe for Cell {}
