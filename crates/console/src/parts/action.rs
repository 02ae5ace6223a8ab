//! A form with one button.

use askama::Template;
use askama::filters::HtmlSafe;

/// A form with one button, which posts its hidden fields.
#[derive(Clone, Template)]
#[template(path = "parts/action.html")]
pub struct Action {
    pub to: String,
    pub text: String,
    /// Whether it takes something away.
    pub is_danger: bool,
    pub hidden: Vec<(String, String)>,
}

impl HtmlSafe for Action {}
