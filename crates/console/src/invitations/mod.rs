//! /invitations/{token}: where the link of an invitation leads to.

use std::sync::Arc;

use app::{App, Credentials, Error, ErrorKind, OpenInvitation};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use domain::{Name, Role};
use http::StatusCode;
use texts::Text;
use texts::console::accounts as t;
use web::{BodyField, EdgeState, Fields, PathText, Result};

use crate::done::Done;
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Field, FormPart, Input};
use crate::{response, sign_in};

const JOINED: Done = Done { code: "invitation-accepted", text: t::JOINED, undo: None };

pub const DONE: &[Done] = &[JOINED];

const KINDS: &[(&str, Kind)] = &[("name", Kind::Text), ("password", Kind::Secret)];

pub fn routes() -> Router<EdgeState> {
    Router::new().route("/invitations/{token}", get(show).post(accept))
}

#[derive(Template)]
#[template(path = "invitations/page.html")]
struct InvitationPage<'a> {
    frame: &'a Frame,
    title: String,
    invited: String,
    until: String,
    form: FormPart,
}

async fn show(State(app): State<Arc<App>>, frame: Frame, PathText(token): PathText) -> Result {
    match app.read_invitation(&token).await {
        Ok(invitation) => {
            let view = FormView::new(vec![("name", invitation.name.clone())]);
            render(&frame, &invitation, &view)
        }
        Err(error) => refuse(&frame, error),
    }
}

async fn accept(State(app): State<Arc<App>>, frame: Frame, PathText(token): PathText, form: Form) -> Result {
    let invitation = match app.read_invitation(&token).await {
        Ok(invitation) => invitation,
        Err(error) => return refuse(&frame, error),
    };
    let accepted = match form.read(KINDS, read) {
        Ok((password, name)) => {
            app.accept_invitation(&token, (&password, name.as_ref()), &frame.origin).await
        }
        Err(error) => Err(error),
    };
    match accepted {
        // Without the email, which would stay in the history of the browser and in the logs of proxies.
        Ok(_) => Ok(response::redirect("/sign-in", Some((&JOINED, None)))),
        Err(error) if error.kind == ErrorKind::Invalid => {
            render(&frame, &invitation, &form.view(&frame, error)?)
        }
        Err(error) => refuse(&frame, error),
    }
}

/// Reads the password and, if it is given, another name than the one in the invitation.
fn read(fields: &mut Fields) -> Option<(String, Option<Name>)> {
    let password = fields.required("password", web::text(Credentials::check_password));
    let name = fields.optional("name", Name::from_json);
    Some((password?, name?))
}

/// Says why the link cannot be used. Other errors are passed on.
fn refuse(frame: &Frame, error: Error) -> Result {
    let (status, reason) = match error.kind {
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, t::NO_INVITATION_REASON),
        ErrorKind::Conflict => (StatusCode::CONFLICT, t::ADDRESS_IN_USE),
        _ => return Err(error.into()),
    };
    sign_in::dead_link(frame, status, (t::NO_INVITATION, reason), (t::BACK_TO_SIGN_IN, "/sign-in"))
}

fn role_text(role: Role) -> Text {
    match role {
        Role::Viewer => t::ROLE_VIEWER,
        Role::Member => t::ROLE_MEMBER,
        Role::Admin => t::ROLE_ADMIN,
    }
}

fn render(frame: &Frame, invitation: &OpenInvitation, view: &FormView) -> Result {
    let fields = vec![
        Field::new(frame, view, "name", t::YOUR_NAME, Input::Text).autocomplete("name"),
        Field::new(frame, view, "password", t::CHOOSE_PASSWORD, Input::Password)
            .required()
            .hint(frame.text(t::PASSWORD_HINT))
            .autocomplete("new-password"),
    ];
    let form = FormPart::new(frame.address.path(), view, fields, frame.text(t::ACCEPT));
    let brand = ("brand", invitation.brand_name.as_str());
    let role = ("role", frame.text(role_text(invitation.role)));
    let email = ("email", invitation.email.as_str());
    let until = frame.formats().own(invitation.expires_at);
    let page = InvitationPage {
        frame,
        title: frame.fill(t::JOIN, &[brand]),
        invited: frame.fill(t::INVITED_AS, &[brand, role, email]),
        until: frame.fill(t::INVITED_UNTIL, &[("until", &until)]),
        form,
    };
    response::page_with(view.status, frame, &page)
}
