//! Forms that were sent after the session had ended: they come back filled in when the reader has signed in again.
//!
//! The fields travel through the sign-in form, without passwords and codes. What comes back is never acted upon: the page shows its form
//! again, and the reader sends it.

use askama::Template;
use http::StatusCode;
use texts::console::shell as t;

use crate::address::Address;
use crate::frame::Frame;
use crate::{problem, response};

/// The field of the sign-in form with the address to go on to.
pub const NEXT: &str = "_next";
/// The field of the sign-in form with the fields that are kept.
pub const FORM: &str = "_form";
/// The field of a form that was brought back.
pub const RESUMED: &str = "_resumed";

/// Forms that are larger are not kept.
pub const MAX_BYTES: usize = 64 * 1024;

/// The page that asks to sign in again, and carries the form.
#[derive(Template)]
#[template(path = "session_over.html")]
struct SessionOver<'a> {
    frame: &'a Frame,
    text: &'static str,
    next: String,
    form: String,
}

/// The page that brings the form back. Without script it is one button to press.
#[derive(Template)]
#[template(path = "resume.html")]
struct Resume<'a> {
    frame: &'a Frame,
    to: String,
    fields: Vec<(String, String)>,
}

/// Returns the fields of a form that are kept, encoded as they were sent: all but passwords and codes.
pub fn kept_fields(body: &[u8]) -> String {
    let mut kept = form_urlencoded::Serializer::new(String::new());
    let is_secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("password") || name.contains("otp")
    };
    let fields = form_urlencoded::parse(body).filter(|(name, _)| !is_secret(name) && name != RESUMED);
    kept.extend_pairs(fields);
    kept.finish()
}

/// Asks the sender of a form to sign in again (401). A button without fields is not pressed again for the reader: they return to its page,
/// which is `back`.
pub fn ask_to_sign_in(frame: &Frame, back: Option<Address>, body: &[u8]) -> web::Result {
    let kept = kept_fields(body);
    let has_fields = form_urlencoded::parse(kept.as_bytes()).any(|(name, _)| !name.starts_with('_'));
    let (text, next, form) = match has_fields {
        true => (t::SESSION_OVER_TEXT, frame.address.clone(), kept),
        false => (problem::sign_in_text(frame), back.unwrap_or_else(|| Address::new("/")), String::new()),
    };
    let page = SessionOver { frame, text: frame.text(text), next: next.to_string(), form };
    response::page_with(StatusCode::UNAUTHORIZED, frame, &page)
}

/// Brings a form back to its page, for a reader who has just signed in. `form` is the field [`FORM`] of the sign-in form.
pub fn page(frame: &Frame, next: &Address, form: &str) -> web::Result {
    let kept = kept_fields(form.as_bytes());
    let fields = form_urlencoded::parse(kept.as_bytes()).into_owned().collect();
    response::page(frame, &Resume { frame, to: next.to_string(), fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_kept() {
        let body = b"name=Bagger+7&_password=a&new_password=b&otp=1&_otp=2&Password=c&_resumed=1&_version=3&tag=1&tag=2";
        assert_eq!(kept_fields(body), "name=Bagger+7&_version=3&tag=1&tag=2");
        assert_eq!(kept_fields(b""), "");
    }

    #[test]
    fn a_form_comes_back_escaped() {
        let frame = crate::frame::sample(texts::Language::English, "/sign-in");
        let kept = kept_fields("note=%22%3E%3Cscript%3E&n=ä".as_bytes());
        let fields = form_urlencoded::parse(kept.as_bytes()).into_owned().collect();
        let html = Resume { frame: &frame, to: "/machines/7?a=1&b=2".to_owned(), fields }.render().unwrap();
        let document = roxmltree::Document::parse_with_options(
            &html,
            roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
        )
        .unwrap();
        let field = |name: &str| {
            let node = document.descendants().find(|node| node.attribute("name") == Some(name)).unwrap();
            node.attribute("value").unwrap().to_owned()
        };
        assert_eq!(field("note"), "\"><script>");
        assert_eq!(field("n"), "ä");
        assert_eq!(field(RESUMED), "1");
    }
}
