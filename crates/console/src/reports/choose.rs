//! The page on which the kind of a report is chosen, for one report or for a schedule.

use askama::Template;
use domain::ReportKind;
use texts::console::reports as t;
use texts::reports::report_title;
use web::Result;

use crate::frame::Frame;
use crate::response;

#[derive(Template)]
#[template(path = "reports/choose.html")]
struct ChoosePage<'a> {
    frame: &'a Frame,
    title: &'static str,
    kinds: Vec<KindLink>,
    back: String,
    back_text: &'static str,
}

struct KindLink {
    title: &'static str,
    about: &'static str,
    href: String,
}

/// Shows the kinds, each of which leads to a form at `path`.
pub fn render(
    frame: &Frame,
    title: &'static str,
    path: &str,
    kinds: impl Iterator<Item = ReportKind>,
    (back, back_text): (String, &'static str),
) -> Result {
    let kinds = kinds.map(|kind| KindLink {
        title: report_title(frame.language, kind.as_str()),
        about: t::about_kind(frame.language, kind.as_str()),
        href: frame.link_with(path, &[("kind", kind.as_str())]),
    });
    let page = ChoosePage { frame, title, kinds: kinds.collect(), back, back_text };
    response::page(frame, &page)
}
