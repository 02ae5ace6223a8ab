//! What needs attention, the most urgent first.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::formats::Tone;

/// A list of what needs attention.
#[derive(Template)]
#[template(path = "parts/attention.html")]
pub struct Attention {
    pub items: Vec<AttentionItem>,
}

/// One thing that needs attention, with the page that shows it.
pub struct AttentionItem {
    pub tone: Tone,
    pub title: String,
    pub text: String,
    /// What it is, such as an alarm or a tag.
    pub kind: String,
    pub href: String,
}

impl AttentionItem {
    /// The sign that says the tone without colour.
    fn sign(&self) -> &'static str {
        match self.tone {
            Tone::Bad => "▲",
            Tone::Warning => "◆",
            Tone::Good => "✓",
            Tone::Neutral => "•",
        }
    }
}

impl HtmlSafe for Attention {}
