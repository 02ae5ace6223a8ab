//! GET and POST /sign-in

use app::{Credentials, Error, UserIdentity};
use askama::Template;
use axum::extract::State;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use texts::console::accounts as t;
use web::{EdgeState, Fields, Result};

use super::destination;
use crate::address::Address;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input};
use crate::{response, resume};

const KINDS: &[(&str, Kind)] = &[("email", Kind::Text), ("password", Kind::Secret), ("otp", Kind::Text)];

#[derive(Template)]
#[template(path = "sign_in/page.html")]
struct SignInPage<'a> {
    frame: &'a Frame,
    notice: Option<&'a str>,
    /// Where to go on to.
    next: &'a str,
    /// The fields of the form that was sent when the session was over.
    kept: &'a str,
    fields: Vec<Field>,
}

/// Shows the form. Who is signed in goes on to the page that was asked for.
pub async fn show(frame: Frame) -> Result {
    let next = destination(frame.address.first("next"));
    if frame.identity().is_some() {
        let next = next.unwrap_or_else(|| Address::new("/"));
        return Ok(response::redirect(&next.to_string(), None));
    }
    let mut view = FormView::new(Vec::new());
    view.notice = next.as_ref().map(|_| frame.text(t::SIGN_IN_FIRST).to_owned());
    let next = next.as_ref().map(ToString::to_string).unwrap_or_default();
    render(&frame, &view, (&next, ""), false)
}

/// Signs in with email, password and, if the account has a second factor, a code.
pub async fn sign_in(
    State(EdgeState(edge)): State<EdgeState>,
    frame: Frame,
    headers: HeaderMap,
    form: Form,
) -> Result {
    let credentials = match form.read(KINDS, read) {
        Ok(credentials) => credentials,
        Err(error) => {
            let mut view = form.view(&frame, error)?;
            // What is missing is said beside its field.
            view.notice = None;
            return render(&frame, &view, carried(&form), form.has("otp"));
        }
    };
    let old_cookie = web::cookie(&headers, web::session_cookie_name(edge.config.server.is_https()));
    match edge.app.log_in_with_cookie(&credentials, old_cookie, &frame.origin).await {
        Ok(login) => {
            frame.remember_cookie(login.cookie);
            go_on(&frame, &login.identity, &form)
        }
        Err(error) => refuse(&frame, &form, error),
    }
}

fn read(fields: &mut Fields) -> Option<Credentials> {
    let email = fields.required("email", web::text(Credentials::check_email));
    let password = fields.required("password", web::text(Credentials::check_password));
    let otp = fields.optional("otp", web::text(Credentials::check_otp));
    Some(Credentials { email: email?, password: password?, otp: otp?.flatten() })
}

/// Leads to the page that was asked for, or brings the form back that was sent when the session was over.
fn go_on(frame: &Frame, identity: &UserIdentity, form: &Form) -> Result {
    let next = destination(form.value(resume::NEXT)).unwrap_or_else(|| Address::new("/"));
    // Who owes a password or a second factor is led there first.
    let is_due = identity.password_change_due || identity.second_factor_due();
    match form.value(resume::FORM) {
        Some(kept) if !kept.is_empty() && !is_due => resume::page(frame, &next, kept),
        _ => Ok(response::redirect(&next.to_string(), None)),
    }
}

/// Shows the form again with what is wrong, or asks for the code of the second factor.
fn refuse(frame: &Frame, form: &Form, error: Error) -> Result {
    let (status, notice) = match error.code {
        "invalid_credentials" => (StatusCode::UNAUTHORIZED, frame.text(t::WRONG).to_owned()),
        "otp_required" => (StatusCode::UNAUTHORIZED, frame.text(t::CODE_NEEDED).to_owned()),
        "too_many_attempts" => {
            let seconds = frame.formats().integer(error.retry_after_s.unwrap_or(60));
            (StatusCode::TOO_MANY_REQUESTS, frame.fill(t::TOO_MANY, &[("seconds", &seconds)]))
        }
        _ => return Err(error.into()),
    };
    let mut view = FormView::new(vec![("email", form.value("email").unwrap_or_default().to_owned())]);
    view.status = status;
    view.notice = Some(notice);
    let asks_code = error.code == "otp_required" || form.has("otp");
    let mut response = render(frame, &view, carried(form), asks_code)?;
    if let Some(seconds) = error.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    Ok(response)
}

/// Where the form leads on to, and the form that it brings back.
fn carried(form: &Form) -> (&str, &str) {
    (form.value(resume::NEXT).unwrap_or_default(), form.value(resume::FORM).unwrap_or_default())
}

fn render(frame: &Frame, view: &FormView, (next, kept): (&str, &str), asks_code: bool) -> Result {
    let has_email = !view.value("email").is_empty();
    let email = Field::new(frame, view, "email", t::EMAIL, Input::Email);
    let password = Field::new(frame, view, "password", t::PASSWORD, Input::Password);
    let mut fields = vec![
        email.required().autocomplete("username").focused(!has_email),
        password.required().autocomplete("current-password").focused(has_email && !asks_code),
    ];
    if asks_code {
        let code = Field::new(frame, view, "otp", t::CODE, Input::Text).hint(frame.text(t::CODE_HINT));
        fields.push(code.required().autocomplete("one-time-code").focused(has_email));
    }
    let page = SignInPage { frame, notice: view.notice.as_deref(), next, kept, fields };
    response::page_with(view.status, frame, &page)
}
