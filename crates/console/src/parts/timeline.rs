//! What happened, day by day.

use askama::Template;
use askama::filters::HtmlSafe;

use super::badge::Badge;

/// What happened, day by day.
#[derive(Template)]
#[template(path = "parts/timeline.html")]
pub struct Timeline {
    pub days: Vec<TimelineDay>,
}

/// A day of a timeline.
pub struct TimelineDay {
    pub label: String,
    pub entries: Vec<TimelineItem>,
}

/// One event of a timeline.
pub struct TimelineItem {
    pub time: String,
    pub badge: Option<Badge>,
    pub title: String,
    pub text: String,
    pub href: Option<String>,
}

impl HtmlSafe for Timeline {}
