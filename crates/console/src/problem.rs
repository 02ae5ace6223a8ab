//! Errors as pages: what happened, why, and where to go on.

use app::{Error, ErrorKind, STILL_RUNNING};
use askama::Template;
use axum::response::Response;
use texts::Text;
use texts::console::{faults, refusals, shell as t};

use crate::address::Address;
use crate::frame::Frame;
use crate::response;

/// How addresses end that take a form and have no page, or a page that is nothing but the form.
const FORMS: [&str; 8] =
    ["new", "check-in", "import", "confirm", "remove", "logo", "end-others", "dimensions"];

/// Lists whose records have no page of their own.
const LISTS: [&str; 1] = ["/settings/sessions"];

/// A problem within the navigation of a reader who is signed in.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: &'a Frame,
    problem: Problem,
}

/// The same for everyone else.
#[derive(Template)]
#[template(path = "problem_bare.html")]
struct BareProblemPage<'a> {
    frame: &'a Frame,
    problem: Problem,
}

/// What a page says about an error.
#[derive(Debug)]
struct Problem {
    title: &'static str,
    text: String,
    /// Invalid parameters or fields.
    faults: Vec<String>,
    /// A text and an address.
    links: Vec<(&'static str, String)>,
    /// The id of the request, for faults of the service.
    request_id: Option<String>,
}

/// Writes an error as a page into its response, whose status and headers stay. `back` is the page that the reader came from.
pub fn write(
    response: &mut Response,
    frame: &Frame,
    error: &Error,
    back: Option<&Address>,
) -> Result<(), Error> {
    let problem = describe(frame, error, back);
    match frame.identity() {
        Some(_) => response::write_page(response, frame, &ProblemPage { frame, problem }),
        None => response::write_page(response, frame, &BareProblemPage { frame, problem }),
    }
}

fn describe(frame: &Frame, error: &Error, back: Option<&Address>) -> Problem {
    let (title, text) = sentences(frame, error);
    let fault = |fault: &app::FieldError| {
        let message = faults::of(frame.language, fault.invalid.code).unwrap_or(&fault.invalid.message);
        format!("{}: {message}", fault.field)
    };
    let faults = match error.kind {
        ErrorKind::BadRequest | ErrorKind::Invalid | ErrorKind::MissingRelation => {
            error.fields.iter().map(fault).collect()
        }
        _ => Vec::new(),
    };
    let is_ours = matches!(error.kind, ErrorKind::Internal | ErrorKind::Unavailable);
    let request_id = is_ours.then(|| frame.origin.request_id.to_string());
    Problem { title, text, faults, links: links(frame, error, back), request_id }
}

/// Returns the title and the text of an error. What it refuses is said in the reader's language, if its code has a sentence.
fn sentences(frame: &Frame, error: &Error) -> (&'static str, String) {
    let refusal = refusals::of(frame.language, error.code);
    let refused = || refusal.unwrap_or(&error.detail).to_owned();
    let said = |title, text| (title, frame.text(text).to_owned());
    let seconds = error.retry_after_s.unwrap_or(1);
    let (title, text) = match error.kind {
        ErrorKind::Unauthenticated => said(t::SIGN_IN_FIRST, sign_in_text(frame)),
        ErrorKind::Forbidden => match refusal {
            Some(text) => (t::NOT_ALLOWED, text.to_owned()),
            None => said(t::NOT_ALLOWED, t::NOT_ALLOWED_TEXT),
        },
        ErrorKind::NotFound => match refusal {
            Some(text) => (t::NOTHING_HERE, text.to_owned()),
            None => said(t::NOTHING_HERE, t::NOTHING_HERE_TEXT),
        },
        ErrorKind::MethodNotAllowed => said(t::NOT_THIS_WAY, t::NOT_THIS_WAY_TEXT),
        ErrorKind::BadRequest if is_about_body(error) => said(t::FORM_UNREADABLE, t::FORM_UNREADABLE_TEXT),
        ErrorKind::BadRequest => said(t::NOT_UNDERSTOOD, t::NOT_UNDERSTOOD_TEXT),
        ErrorKind::PreconditionFailed => said(t::CHANGED_MEANWHILE, t::CHANGED_MEANWHILE_TEXT),
        ErrorKind::RateLimited => (t::TOO_OFTEN, frame.count(t::WAIT, seconds)),
        ErrorKind::TooLarge => said(t::TOO_LARGE, t::TOO_LARGE_TEXT),
        ErrorKind::Unavailable => match refusal {
            // Trying again could do it twice.
            Some(text) if error.retry_after_s.is_none() => (t::NOT_NOW, text.to_owned()),
            Some(text) => (t::NOT_NOW, format!("{text} {}", frame.count(t::TRY_AGAIN, seconds))),
            None => (t::NOT_NOW, frame.count(t::TRY_AGAIN, seconds)),
        },
        ErrorKind::Internal => said(t::OUR_FAULT, t::OUR_FAULT_TEXT),
        ErrorKind::Conflict if error.code == STILL_RUNNING => (t::BEING_WORKED_ON, refused()),
        ErrorKind::Conflict
        | ErrorKind::Invalid
        | ErrorKind::MissingRelation
        | ErrorKind::RangeNotSatisfiable
        | ErrorKind::NotAcceptable
        | ErrorKind::UnsupportedMediaType => (t::NOT_POSSIBLE, refused()),
    };
    (frame.text(title), text)
}

/// Says to whoever sent a form without a session, and of which nothing is kept, what may have come of it.
pub fn sign_in_text(frame: &Frame) -> Text {
    match frame.address.path() {
        "/settings/password" => t::PASSWORD_MAY_BE_NEW,
        _ => t::SIGN_IN_FIRST_TEXT,
    }
}

fn links(frame: &Frame, error: &Error, back: Option<&Address>) -> Vec<(&'static str, String)> {
    if error.code == STILL_RUNNING {
        // Not back to the form, where the same would be sent again under another key.
        let page = page_of(frame.address.path());
        return vec![(frame.text(t::LOOK_THERE), page), (frame.text(t::TO_OVERVIEW), "/".to_owned())];
    }
    let mut links = Vec::new();
    match error.kind {
        ErrorKind::Unauthenticated => {
            let next = frame.address.to_string();
            links.push((frame.text(t::SIGN_IN), Address::new("/sign-in").and("next", &next).to_string()));
        }
        // Without its parameters, the page opens.
        ErrorKind::BadRequest if !is_about_body(error) => {
            links.push((frame.text(t::WITHOUT_PARAMETERS), frame.address.path().to_owned()));
        }
        ErrorKind::RateLimited | ErrorKind::Unavailable | ErrorKind::Internal => {
            links.push((frame.text(t::AGAIN), back.unwrap_or(&frame.address).to_string()));
        }
        _ => {}
    }
    if let Some(back) = back
        && *back != frame.address
    {
        links.push((frame.text(t::BACK), back.to_string()));
    }
    links.push((frame.text(t::TO_OVERVIEW), "/".to_owned()));
    links
}

/// Whether what was sent cannot be read, rather than a parameter of the address.
fn is_about_body(error: &Error) -> bool {
    error.code.starts_with("broken_") || error.code.starts_with("body_")
}

/// Returns the page that shows what comes of a form: that of the record whose id is in its address, and otherwise the list.
pub fn page_of(path: &str) -> String {
    let is_in = |list: &&str| path.strip_prefix(*list).is_some_and(|rest| rest.starts_with('/'));
    if let Some(list) = LISTS.into_iter().find(is_in) {
        return list.to_owned();
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_id = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_form = |part: &&&str| FORMS.contains(*part);
    let length = match parts.iter().position(is_id) {
        Some(id) => id + 1,
        None => parts.len() - parts.iter().rev().take_while(is_form).count(),
    };
    format!("/{}", parts[..length].join("/"))
}

#[cfg(test)]
mod tests {
    use domain::Invalid;
    use texts::Language;

    use super::*;

    fn html(language: Language, error: &Error) -> String {
        let frame = crate::frame::sample(language, "/machines?colour=<b>");
        let mut response = Response::new(axum::body::Body::empty());
        write(&mut response, &frame, error, Some(&Address::new("/people"))).unwrap();
        assert_eq!(response.headers()["content-type"], response::HTML);
        BareProblemPage { frame: &frame, problem: describe(&frame, error, None) }.render().unwrap()
    }

    #[test]
    fn a_parameter_is_named_and_escaped() {
        let invalid = Invalid::new("unknown_parameter", "is not a parameter of this path");
        let page = html(Language::German, &Error::bad_parameter("<b>", invalid));
        assert!(!page.contains("<b>") && page.contains("href=\"/machines\""), "{page}");
    }

    #[test]
    fn a_body_that_cannot_be_read_is_no_fault_of_the_address() {
        let page = html(
            Language::English,
            &Error::new(ErrorKind::BadRequest, "broken_form", "The form could not be read."),
        );
        assert!(page.contains("The form or its file") && !page.contains("part of the address"), "{page}");
        assert!(!page.contains("href=\"/machines\""), "{page}");
    }

    #[test]
    fn an_error_without_a_field_is_not_about_the_body() {
        let error = Error::new(ErrorKind::BadRequest, "invalid_host", "The host is not a name.");
        let page = html(Language::English, &error);
        assert!(page.contains("part of the address") && !page.contains("The form or its file"), "{page}");
    }

    #[test]
    fn what_is_being_worked_on_leads_to_its_page_and_not_back_to_the_form() {
        let error = Error::new(ErrorKind::Conflict, STILL_RUNNING, "It is still running.");
        let page = html(Language::English, &error);
        assert!(page.contains("still being worked on") && page.contains("href=\"/machines\""), "{page}");
        let back = Address::new("/people");
        let frame = crate::frame::sample(Language::English, "/settings/tags/7/assignment");
        let links: Vec<String> =
            links(&frame, &error, Some(&back)).into_iter().map(|(_, address)| address).collect();
        assert_eq!(links, ["/settings/tags/7", "/"]);
        for (path, page) in [
            ("/", "/"),
            ("/alerts/new", "/alerts"),
            ("/explore/exports", "/explore/exports"),
            ("/machines/7/messages", "/machines/7"),
            ("/reports/schedules/new", "/reports/schedules"),
            ("/settings/gateways", "/settings/gateways"),
            ("/settings/gateways/7/token", "/settings/gateways/7"),
            ("/settings/people/import", "/settings/people"),
            ("/settings/second-factor/confirm", "/settings/second-factor"),
            ("/settings/sessions/7/end", "/settings/sessions"),
            ("/settings/sessions/end-others", "/settings/sessions"),
            ("/settings/second-factor/remove", "/settings/second-factor"),
            ("/settings/brand/logo/remove", "/settings/brand"),
            ("/visitors/check-in", "/visitors"),
        ] {
            assert_eq!(page_of(path), page);
        }
    }

    #[test]
    fn only_after_the_form_of_a_password_a_new_one_may_apply() {
        let text = |path: &str| sign_in_text(&crate::frame::sample(Language::English, path));
        let says_so = |path: &str| text(path).get(Language::English).contains("new password");
        assert!(says_so("/settings/password") && !says_so("/settings/sessions/7/end"));
    }

    #[test]
    fn a_fault_of_the_service_has_the_id_and_no_details() {
        let page = html(Language::English, &Error::internal("a secret plum"));
        assert!(page.contains("request-1") && !page.contains("plum"), "{page}");
        let busy = Error::new(ErrorKind::RateLimited, "rate_limited", "Too many calls.").retry_after(30);
        assert!(html(Language::English, &busy).contains("30 seconds"));
    }
}
