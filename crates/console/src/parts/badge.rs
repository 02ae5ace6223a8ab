//! A status: a word with a sign, so that it does not depend on colour.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::formats::Tone;

/// A status in a word with a sign.
#[derive(Clone, Template)]
#[template(path = "parts/badge.html")]
pub struct Badge {
    pub word: String,
    pub sign: &'static str,
    pub tone: Tone,
}

impl HtmlSafe for Badge {}
