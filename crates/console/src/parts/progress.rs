//! How far something is that takes a while.

use askama::Template;
use askama::filters::HtmlSafe;

/// How far something is that takes a while.
#[derive(Template)]
#[template(path = "parts/progress.html")]
pub struct Progress {
    /// None while it waits.
    pub percent: Option<u8>,
    pub text: String,
    /// Where a form posts to that ends it.
    pub cancel: Option<String>,
    /// The key by which the text is renewed.
    pub live: String,
}

impl HtmlSafe for Progress {}
