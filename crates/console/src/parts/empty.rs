//! What is shown where there is nothing: what it is, why, and what to do next.

use askama::Template;
use askama::filters::HtmlSafe;

/// What is shown where there is nothing.
#[derive(Clone, Template)]
#[template(path = "parts/empty.html")]
pub struct Empty {
    pub title: String,
    pub reason: String,
    /// The text and the address of what to do next.
    pub action: Option<(String, String)>,
}

impl HtmlSafe for Empty {}
