//! Answers of pages: HTML, redirects and files.

use app::Error;
use askama::Template;
use axum::body::Body;
use axum::response::Response;
use domain::{IdempotencyKey, StoredResponse};
use http::{HeaderValue, StatusCode, header};

use crate::done::{Done, JustDone};
use crate::frame::Frame;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// Returns 200 with a page.
pub fn page(frame: &Frame, template: &impl Template) -> web::Result {
    page_with(StatusCode::OK, frame, template)
}

/// Returns a page with another status, such as a form that has faults.
pub fn page_with(status: StatusCode, frame: &Frame, template: &impl Template) -> web::Result {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    write_page(&mut response, frame, template)?;
    Ok(response)
}

/// Writes a page into a response, whose status and other headers stay.
pub fn write_page(response: &mut Response, frame: &Frame, template: &impl Template) -> Result<(), Error> {
    let html = template.render().map_err(Error::internal)?;
    let policy = HeaderValue::from_str(frame.policy()).map_err(Error::internal)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(frame.language.as_str()));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    // With `no-referrer`, browsers send `Origin: null` with forms, which the protection against other origins would refuse.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(html);
    Ok(())
}

/// Leads to another page after a form was accepted, which then says what was done; the id is that of the record to undo it for.
pub fn redirect(to: &str, done: Option<(&'static Done, Option<i64>)>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let location = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, location);
    if let Some((done, id)) = done {
        response.extensions_mut().insert(JustDone { code: done.code, id });
    }
    response
}

/// Returns the address of the record that a use case created, whether now or when the form was sent before.
pub fn stored_location(stored: StoredResponse) -> String {
    stored.location.unwrap_or_else(|| "/".to_owned())
}

/// Says which page a new record has, for use cases that create. With a key, sending the form twice creates one record; a second click
/// while the first is being worked on waits for it and leads to the same page.
pub fn made<T: 'static>(
    key: Option<IdempotencyKey>,
    place: impl FnOnce(&T) -> String + Send + 'static,
) -> app::Idempotent<'static, T> {
    app::Idempotent::new(key, move |record: &T| StoredResponse {
        status: 201,
        location: Some(place(record)),
        version: None,
        body: "{}".to_owned(),
    })
    .waiting()
}

/// Returns a file; the disposition says whether it is shown or saved, and under which name.
pub fn bytes(media_type: &'static str, bytes: Vec<u8>, disposition: Option<String>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Some(disposition) = disposition.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

#[cfg(test)]
mod tests {
    use texts::Text;

    use super::*;

    const SAVED: Done =
        Done { code: "saved", text: Text { key: "SAVED", english: "a", german: "b" }, undo: None };

    #[test]
    fn a_redirect_is_followed_with_get_and_stays_here() {
        let response = redirect("/machines/7", Some((&SAVED, Some(7))));
        assert_eq!(response.status(), 303);
        assert_eq!(response.headers()["location"], "/machines/7");
        let just = response.extensions().get::<JustDone>().unwrap();
        assert_eq!((just.code, just.id), ("saved", Some(7)));
        assert_eq!(redirect("/a\r\nset-cookie: b", None).headers()["location"], "/");
    }
}
