//! /settings/password: the reader's own password.

use std::sync::Arc;

use app::{App, Credentials, Error, Proof};
use askama::Template;
use axum::extract::State;
use domain::Invalid;
use domain::access::ManageOwnSignIn;
use texts::console::{accounts as t, parts};
use web::{Caller, Fields, Result};

use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::{prove, response, sign_in};

pub const CHANGED: Done = Done { code: "password-changed", text: t::PASSWORD_CHANGED, undo: None };

pub const PATH: &str = "/settings/password";

const KINDS: &[(&str, Kind)] =
    &[("current_password", Kind::Secret), ("new_password", Kind::Secret), ("otp", Kind::Text)];

#[derive(Template)]
#[template(path = "settings/password.html")]
struct PasswordPage<'a> {
    frame: &'a Frame,
    /// Whether the password was made for the reader, who must choose one now.
    is_due: bool,
    form: FormPart,
}

struct PasswordChange {
    current: String,
    new: String,
    otp: Option<String>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    frame: Frame,
) -> Result {
    render(&app, &frame, &caller, &FormView::new(Vec::new())).await
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    frame: Frame,
    form: Form,
) -> Result {
    let changed = match form.read(KINDS, read) {
        Ok(change) => change_password(&app, &frame, &caller, &change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => {
            let next = sign_in::destination(frame.address.first("next"));
            let to = next.as_ref().map_or_else(|| PATH.to_owned(), ToString::to_string);
            Ok(response::redirect(&to, Some((&CHANGED, None))))
        }
        Err(error) => render(&app, &frame, &caller, &form.view(&frame, error)?).await,
    }
}

fn read(fields: &mut Fields) -> Option<PasswordChange> {
    let current = fields.required("current_password", web::text(Credentials::check_password));
    let new = fields.required("new_password", web::text(Credentials::check_password));
    let otp = fields.optional("otp", web::text(Credentials::check_otp));
    Some(PasswordChange { current: current?, new: new?, otp: otp?.flatten() })
}

async fn change_password(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageOwnSignIn>,
    change: &PasswordChange,
) -> Result<(), Error> {
    match app.require_proof(caller.clone()) {
        Err(error) if error.code == "proof_required" => prove_and_change(app, frame, caller, change).await,
        fresh => app.change_own_password_in_form(&fresh?, &change.current, &change.new).await,
    }
}

/// The current password, which the form asks for anyway, is also the proof. The page that asks for proof elsewhere would have to carry the
/// new password.
async fn prove_and_change(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageOwnSignIn>,
    change: &PasswordChange,
) -> Result<(), Error> {
    let proof = Proof { password: change.current.clone(), otp: change.otp.clone() };
    match app.prove_and_change_own_password(caller.clone(), proof, &change.new).await {
        Ok((cookie, changed)) => {
            frame.remember_cookie(cookie);
            changed
        }
        Err(error) if error.code == "otp_required" => {
            Err(Error::invalid_field("otp", Invalid::new("required", "must be given")))
        }
        Err(error) if error.code == "invalid_credentials" => {
            let wrong = match caller.identity.has_second_factor {
                true => Invalid::new("wrong_password_or_code", frame.text(parts::PROOF_WRONG)),
                false => Invalid::new("wrong_password", "is not your password"),
            };
            Err(Error::invalid_field("current_password", wrong))
        }
        Err(error) => Err(error),
    }
}

async fn render(app: &App, frame: &Frame, caller: &app::Caller<ManageOwnSignIn>, view: &FormView) -> Result {
    let mut fields = vec![
        Field::new(frame, view, "current_password", t::CURRENT_PASSWORD, Input::Password)
            .required()
            .autocomplete("current-password"),
    ];
    if prove::fields(app, frame, caller).is_some_and(|proof| proof.asks_code) {
        let code = Field::new(frame, view, "otp", t::CODE, Input::Text).hint(frame.text(t::CODE_HINT));
        fields.push(code.required().autocomplete("one-time-code"));
    }
    fields.push(
        Field::new(frame, view, "new_password", t::NEW_PASSWORD, Input::Password)
            .required()
            .hint(frame.text(t::PASSWORD_HINT))
            .autocomplete("new-password"),
    );
    let form = FormPart::new(sign_in::keep_next(frame, PATH), view, fields, frame.text(t::SAVE));
    let is_due = caller.identity.password_change_due;
    response::page_with(view.status, frame, &PasswordPage { frame, is_due, form })
}
