//! The page for links of mails that cannot be used any more.

use askama::Template;
use http::StatusCode;
use texts::Text;
use web::Result;

use crate::frame::Frame;
use crate::response;

#[derive(Template)]
#[template(path = "sign_in/dead_link.html")]
struct DeadLinkPage<'a> {
    frame: &'a Frame,
    title: &'static str,
    reason: &'static str,
    /// What to do next.
    link: &'static str,
    href: &'static str,
}

/// Says why a link cannot be used, and what to do next.
pub fn dead_link(
    frame: &Frame,
    status: StatusCode,
    (title, reason): (Text, Text),
    (link, href): (Text, &'static str),
) -> Result {
    let (title, reason) = (frame.text(title), frame.text(reason));
    let page = DeadLinkPage { frame, title, reason, link: frame.text(link), href };
    response::page_with(status, frame, &page)
}
