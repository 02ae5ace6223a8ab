//! /settings/second-factor: the reader's own second factor.

use std::sync::Arc;

use app::{App, Credentials, SecondFactorState, ShownOnce};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use domain::access::ManageOwnSignIn;
use domain::{Timestamp, UserId};
use texts::console::accounts as t;
use web::{Caller, EdgeState, Result};

use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, Input, ProofFields};
use crate::{prove, response, sign_in};

pub const REMOVED: Done = Done { code: "second-factor-removed", text: t::FACTOR_REMOVED, undo: None };
/// Said to whoever sent the form twice.
pub const CONFIRMED_BEFORE: Done =
    Done { code: "second-factor-confirmed-before", text: t::FACTOR_CONFIRMED_BEFORE, undo: None };

const PATH: &str = "/settings/second-factor";
const CONFIRM: &str = "/settings/second-factor/confirm";
const REMOVE: &str = "/settings/second-factor/remove";

const KINDS: &[(&str, Kind)] = &[("otp", Kind::Text)];

pub fn routes() -> Router<EdgeState> {
    Router::new().route(PATH, get(show).post(begin)).route(CONFIRM, post(confirm)).route(REMOVE, post(remove))
}

#[derive(Template)]
#[template(path = "settings/second_factor.html")]
struct FactorPage<'a> {
    frame: &'a Frame,
    state: SecondFactorState,
    /// Since when codes have been asked for, and how many recovery codes are left; none while none are asked for.
    on: Option<(String, String)>,
    /// The secret that is being added, and the form that confirms it.
    setup: Option<Setup>,
    proof: Option<ProofFields>,
    begin_to: String,
    /// The key that makes a repeat of the form that begins show the same secret.
    begin_once: String,
    confirm_to: String,
}

#[derive(Template)]
#[template(path = "settings/recovery_codes.html")]
struct RecoveryCodesPage<'a> {
    frame: &'a Frame,
    codes: Vec<String>,
    go_on: String,
}

/// A secret that is being added to an app. It travels in the form that confirms it, so that a wrong code does not hide it.
struct Setup {
    secret: String,
    /// In groups of four characters, as people type it.
    groups: String,
    /// The same as an `otpauth` address.
    uri: String,
    notice: Option<String>,
    code: Field,
    /// The key that makes a repeat of the form show the same recovery codes.
    once: String,
}

impl Setup {
    fn new(frame: &Frame, (secret, uri): (&str, &str), view: &FormView) -> Self {
        let letters: Vec<char> = secret.chars().collect();
        let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
        let code = Field::new(frame, view, "otp", t::FACTOR_CODE, Input::Text);
        Self {
            secret: secret.to_owned(),
            groups: groups.join(" "),
            uri: uri.to_owned(),
            notice: view.notice.clone(),
            code: code.required().autocomplete("one-time-code").focused(true),
            once: frame.once(),
        }
    }

    /// The secret that a form brought back; empty texts for what cannot be one.
    fn carried(form: &Form) -> (&str, &str) {
        let is_base32 = |secret: &&str| secret.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
        let secret = form.value("_secret").filter(is_base32).unwrap_or_default();
        let uri = form.value("_uri").filter(|uri| uri.starts_with("otpauth://totp/"));
        (secret, uri.unwrap_or_default())
    }
}

async fn show(State(app): State<Arc<App>>, Caller(caller): Caller<ManageOwnSignIn>, frame: Frame) -> Result {
    render(&app, &frame, &caller, &FormView::new(Vec::new()), None).await
}

/// Makes a secret and shows it once. It has no effect until it is confirmed. A second click shows the same one.
async fn begin(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    frame: Frame,
    form: Form,
) -> Result {
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let once = response::made(form.once(&frame), |_: &UserId| PATH.to_owned());
    let begun = match app.begin_second_factor_once(&fresh, once).await {
        Ok(ShownOnce { secret: Some(begun), .. }) => begun,
        // The page says that there is a secret, and offers another one.
        Ok(ShownOnce { answer, secret: None }) => {
            return Ok(response::redirect(&response::stored_location(answer), None));
        }
        // Another page of the reader has added it meanwhile.
        Err(error) if error.code == "second_factor_exists" => return Ok(response::redirect(PATH, None)),
        Err(error) => return Err(error.into()),
    };
    let view = FormView::new(Vec::new());
    let setup = Setup::new(&frame, begun.split_once('\n').unwrap_or((begun.as_str(), "")), &view);
    render(&app, &frame, &caller, &view, Some(setup)).await
}

/// Turns the second factor on with a code of the app, and shows the recovery codes. A second click shows the same ones; later they are not
/// shown again, because only their hashes are stored.
async fn confirm(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    frame: Frame,
    form: Form,
) -> Result {
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    // An empty code is a wrong code.
    let read = |text: &str| Credentials::check_otp(text).map(Option::unwrap_or_default);
    let confirmed = match form.read(KINDS, |fields| fields.required("otp", web::text(read))) {
        Ok(otp) => {
            let once = response::made(form.once(&frame), |_: &SecondFactorState| PATH.to_owned());
            app.confirm_second_factor_once(&fresh, &otp, once).await
        }
        Err(error) => Err(error),
    };
    match confirmed {
        Ok(ShownOnce { secret: Some(codes), .. }) => {
            let codes = codes.lines().map(str::to_owned).collect();
            let next = sign_in::destination(frame.address.first("next"));
            let go_on = next.as_ref().map_or_else(|| PATH.to_owned(), ToString::to_string);
            response::page(&frame, &RecoveryCodesPage { frame: &frame, codes, go_on })
        }
        Ok(ShownOnce { answer, secret: None }) => {
            Ok(response::redirect(&response::stored_location(answer), Some((&CONFIRMED_BEFORE, None))))
        }
        // Another page of the reader has confirmed it meanwhile.
        Err(error) if error.code == "second_factor_not_begun" => Ok(response::redirect(PATH, None)),
        Err(error) => {
            let view = form.view(&frame, error)?;
            let setup = Setup::new(&frame, Setup::carried(&form), &view);
            render(&app, &frame, &caller, &view, Some(setup)).await
        }
    }
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    frame: Frame,
    form: Form,
) -> Result {
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    app.remove_second_factor(&fresh).await?;
    Ok(response::redirect(PATH, Some((&REMOVED, None))))
}

fn describe(frame: &Frame, since: Timestamp, codes_left: i64) -> (String, String) {
    let since = frame.fill(t::FACTOR_ON, &[("since", &frame.formats().own(since))]);
    let left = match codes_left {
        0 => frame.text(t::RECOVERY_NONE).to_owned(),
        left => frame.count(t::RECOVERY_LEFT, left),
    };
    (since, left)
}

async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageOwnSignIn>,
    view: &FormView,
    setup: Option<Setup>,
) -> Result {
    let state = app.find_second_factor(caller).await?;
    let page = FactorPage {
        frame,
        state,
        on: state.enabled_at.map(|at| describe(frame, at, state.recovery_codes_left)),
        setup,
        proof: prove::fields(app, frame, caller),
        begin_to: sign_in::keep_next(frame, PATH),
        begin_once: frame.once(),
        confirm_to: sign_in::keep_next(frame, CONFIRM),
    };
    response::page_with(view.status, frame, &page)
}
