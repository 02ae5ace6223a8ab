//! Fresh proof of who the reader is, asked for in place.

use app::{App, Credentials, FreshCaller, Proof};
use askama::Template;
use axum::response::{IntoResponse, Response};
use domain::Permission;
use domain::access::ManageOwnSignIn;
use http::{HeaderValue, StatusCode, header};
use texts::console::parts as t;
use web::Failure;

use crate::form::Form;
use crate::frame::Frame;
use crate::parts::ProofFields;
use crate::response;

/// The page that asks for proof and carries the form that needs it.
#[derive(Template)]
#[template(path = "prove.html")]
struct ProvePage<'a> {
    frame: &'a Frame,
    /// The address that the form was sent to.
    to: String,
    fields: Vec<(&'a str, &'a str)>,
    proof: ProofFields,
}

/// Returns the fields that ask for proof in place; none while the last one is fresh.
pub fn fields<P: Permission>(app: &App, frame: &Frame, caller: &app::Caller<P>) -> Option<ProofFields> {
    // The form that this page answers has brought the proof, which the caller was identified without.
    if frame.has_new_cookie() {
        return None;
    }
    // Whatever else fails will fail again when the form is sent.
    let is_fresh = match app.require_proof(caller.with_permission::<ManageOwnSignIn>().ok()?) {
        Ok(_) => true,
        Err(error) => error.code != "proof_required",
    };
    (!is_fresh).then(|| ask(frame, None))
}

/// Returns the caller with fresh proof, or the page to answer with. The form's `_password` and `_otp` are the proof if one is needed. They
/// replace the session's cookie; whoever sends such a form twice gets the same one.
pub async fn fresh<P: Permission + Clone>(
    app: &App,
    frame: &Frame,
    caller: app::Caller<P>,
    form: &Form,
) -> Result<FreshCaller<P>, Response> {
    let refusal = match app.require_proof(caller.clone()) {
        Ok(fresh) => return Ok(fresh),
        Err(error) => error,
    };
    if refusal.code != "proof_required" {
        return Err(Failure::from(refusal).into_response());
    }
    let proof = match read(form) {
        Ok(proof) => proof,
        // Nobody has been asked yet, so that nothing is missing.
        Err(_) if !form.has("_password") => return Err(page(frame, form, StatusCode::OK, None)),
        Err(fault) => return Err(page_of_fault(frame, form, frame.text(fault).to_owned())),
    };
    match app.prove_in_form(caller, proof).await {
        Ok((fresh, cookie)) => {
            frame.remember_cookie(cookie);
            Ok(fresh)
        }
        Err(error) if matches!(error.code, "invalid_credentials" | "otp_required") => {
            Err(page_of_fault(frame, form, frame.text(t::PROOF_WRONG).to_owned()))
        }
        Err(error) if error.code == "too_many_attempts" => {
            Err(page_to_wait(frame, form, error.retry_after_s.unwrap_or(60)))
        }
        Err(error) => Err(Failure::from(error).into_response()),
    }
}

/// Reads the proof of a form; refuses one without a password or with one that no account can have.
fn read(form: &Form) -> Result<Proof, texts::Text> {
    let password = form.value("_password").filter(|password| !password.is_empty()).ok_or(t::PROOF_MISSING)?;
    let password = Credentials::check_password(password).map_err(|_| t::PROOF_WRONG)?;
    let otp = Credentials::check_otp(form.value("_otp").unwrap_or_default()).map_err(|_| t::PROOF_WRONG)?;
    Ok(Proof { password, otp })
}

fn ask(frame: &Frame, fault: Option<String>) -> ProofFields {
    let asks_code = frame.identity().is_some_and(|identity| identity.has_second_factor);
    ProofFields { asks_code, fault, language: frame.language }
}

/// The page after a wrong proof.
fn page_of_fault(frame: &Frame, form: &Form, fault: String) -> Response {
    page(frame, form, StatusCode::FORBIDDEN, Some(fault))
}

/// The page after too many wrong proofs. It carries the form on, so that nothing of it is lost while the reader waits.
fn page_to_wait(frame: &Frame, form: &Form, seconds: i64) -> Response {
    let fault = frame.fill(t::PROOF_TOO_MANY, &[("seconds", &frame.formats().integer(seconds))]);
    let mut response = page(frame, form, StatusCode::TOO_MANY_REQUESTS, Some(fault));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The page that asks for proof and carries the form.
fn page(frame: &Frame, form: &Form, status: StatusCode, fault: Option<String>) -> Response {
    let kept = form.pairs().iter().filter(|(name, _)| !matches!(name.as_str(), "_password" | "_otp"));
    let page = ProvePage {
        frame,
        to: frame.address.to_string(),
        fields: kept.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        proof: ask(frame, fault),
    };
    let answer = response::page_with(status, frame, &page);
    answer.unwrap_or_else(IntoResponse::into_response)
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;
    use crate::frame::sample;

    #[test]
    fn the_form_is_carried_without_the_proof() {
        let frame = sample(Language::English, "/settings/users?a=%22b");
        let fields = vec![("name", "<b>\"x\""), ("_once", "k")];
        let page =
            ProvePage { frame: &frame, to: frame.address.to_string(), fields, proof: ask(&frame, None) };
        let html = page.render().unwrap();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(&html, options).unwrap();
        let value = |name: &str| {
            let node = document.descendants().find(|node| node.attribute("name") == Some(name)).unwrap();
            node.attribute("value").unwrap_or_default().to_owned()
        };
        assert_eq!((value("name").as_str(), value("_once").as_str()), ("<b>\"x\"", "k"));
        assert_eq!(value("_password"), "");
    }
}
