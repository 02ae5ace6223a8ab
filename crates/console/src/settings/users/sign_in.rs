//! What admins do about the sign-in of a user.

use axum::extract::State;
use axum::routing::{MethodRouter, post};
use domain::UserId;
use domain::access::ManageUsers;
use web::{Caller, EdgeState, PathId, Result};

use super::{DEACTIVATED, FACTOR_RESET, INVITED_AGAIN, PATH, REACTIVATED, SESSIONS_ENDED, edit};
use crate::settings::{Press, account_access};
use crate::{prove, response};

/// The buttons of the page of a user.
#[derive(Clone, Copy)]
pub enum Button {
    Resend,
    EndSessions,
    ResetFactor,
    Deactivate,
    Reactivate,
}

/// Handles a button.
pub fn on(button: Button) -> MethodRouter<EdgeState> {
    post(move |press: Press<ManageUsers>| act(button, press))
}

async fn act(
    button: Button,
    (State(app), Caller(caller), frame, PathId(id), form): Press<ManageUsers>,
) -> Result {
    let id = UserId(id);
    let user = app.find_user_of_brand(&caller, id).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let pressed = match (account_access::read_button(&form), button) {
        (Err(error), _) => Err(error),
        (Ok(()), Button::Resend) => app.resend_invitation(&fresh, id).await.map(drop),
        (Ok(()), Button::EndSessions) => app.end_user_sessions(&fresh, id).await.map(drop),
        (Ok(()), Button::ResetFactor) => app.reset_second_factor(&fresh, id).await.map(drop),
        (Ok(()), Button::Deactivate) => app.deactivate_user(&fresh, id).await.map(drop),
        (Ok(()), Button::Reactivate) => app.reactivate_user(&fresh, id).await.map(drop),
    };
    if let Err(error) = pressed {
        let view = account_access::with_refusal(&form, &frame, error, edit::view_of(&user))?;
        return edit::render(&app, &frame, &caller, &user, &view).await;
    }
    let done = match button {
        Button::Resend => &INVITED_AGAIN,
        Button::EndSessions => &SESSIONS_ENDED,
        Button::ResetFactor => &FACTOR_RESET,
        Button::Deactivate => &DEACTIVATED,
        Button::Reactivate => &REACTIVATED,
    };
    Ok(response::redirect(&format!("{PATH}/{id}"), Some((done, Some(id.0)))))
}
