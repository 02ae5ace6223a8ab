//! The tokens of a service account: they are issued, shown once, replaced with an overlap and revoked.

use std::sync::Arc;

use app::{App, ShownOnce};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Span, UserId};
use web::{Caller, Fields, PathId, Result};

use super::edit::{self, Shown};
use super::token_part::{DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS};
use super::{ISSUED_BEFORE, PATH, REVOKED};
use crate::form::{Form, Kind};
use crate::frame::Frame;
use crate::settings::account_access;
use crate::{prove, response};

const KINDS: &[(&str, Kind)] = &[("overlap_hours", Kind::Number)];

fn read_overlap(fields: &mut Fields) -> Option<Span> {
    let hours = fields.optional("overlap_hours", web::integer_within(0..=MAX_OVERLAP_HOURS))?;
    Some(Span::minutes(hours.unwrap_or(DEFAULT_OVERLAP_HOURS) * 60))
}

/// Issues a token and shows it. Whoever sends the form twice, by a double click or a reload, issues one: a second one would end the token
/// before. A second click shows the same token; later it is not shown again, because only a hash of it is stored.
pub async fn issue(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_service_account(&caller, UserId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let issued = match form.read(KINDS, read_overlap) {
        Ok(overlap) => {
            let once = response::made(form.once(&frame), |account: &UserId| format!("{PATH}/{account}"));
            app.issue_service_token_once(&fresh, UserId(id), overlap, once).await
        }
        Err(error) => Err(error),
    };
    match issued {
        Ok(ShownOnce { answer, secret: None }) => {
            Ok(response::redirect(&response::stored_location(answer), Some((&ISSUED_BEFORE, None))))
        }
        Ok(ShownOnce { secret, .. }) => {
            let account = app.find_service_account(&caller, UserId(id)).await?;
            edit::render(&app, &frame, &caller, &account, Shown { secret, ..Shown::default() }).await
        }
        Err(error) => {
            let token = Some(form.view(&frame, error)?);
            edit::render(&app, &frame, &caller, &stored, Shown { token, ..Shown::default() }).await
        }
    }
}

pub async fn revoke(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = app.find_service_account(&caller, UserId(id)).await?;
    let fresh = match prove::fresh(&app, &frame, caller.clone(), &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let revoked = match account_access::read_button(&form) {
        Ok(()) => app.revoke_service_tokens(&fresh, UserId(id)).await,
        Err(error) => Err(error),
    };
    match revoked {
        Ok(_) => Ok(response::redirect(&format!("{PATH}/{id}"), Some((&REVOKED, None)))),
        Err(error) => {
            let token = Some(form.view(&frame, error)?);
            edit::render(&app, &frame, &caller, &stored, Shown { token, ..Shown::default() }).await
        }
    }
}
