//! The fields by which a signed-in reader proves again who they are.

use askama::Template;
use askama::filters::HtmlSafe;
use texts::console::parts as t;
use texts::{Language, Text};

/// The fields that ask for the password, and for a code of the second factor.
#[derive(Clone, Template)]
#[template(path = "parts/proof_fields.html")]
pub struct ProofFields {
    /// Whether the reader has a second factor.
    pub asks_code: bool,
    /// What was wrong with the proof that was sent. Only one on a page has it, because it has an id.
    pub fault: Option<String>,
    pub language: Language,
}

impl ProofFields {
    fn text(&self, text: Text) -> &'static str {
        text.get(self.language)
    }
}

impl HtmlSafe for ProofFields {}
