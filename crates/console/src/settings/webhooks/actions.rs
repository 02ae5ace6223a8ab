//! POST /settings/webhooks/{id}/enable, /disable, /delete, /test and /deliveries/{delivery_id}/redeliver
//!
//! A form that was brought back after signing in is not acted upon: its page shows the button again.

use std::sync::Arc;

use app::{App, Error, FreshCaller, WebhookChange};
use axum::extract::State;
use axum::routing::{MethodRouter, post};
use domain::access::ManageBrand;
use domain::{AlertDeliveryId, Change, WebhookId};
use web::{Caller, EdgeState, PathId, PathIds, Result};

use super::{DELETED, DISABLED, ENABLED, PATH, REDELIVERED, TESTED};
use crate::form::Form;
use crate::settings::Press;
use crate::{prove, response};

/// The buttons that change a webhook, for which the reader proves who they are.
#[derive(Clone, Copy)]
pub enum Button {
    Enable,
    Disable,
    Delete,
}

/// Handles a button.
pub fn on(button: Button) -> MethodRouter<EdgeState> {
    post(move |press: Press<ManageBrand>| act(button, press))
}

async fn act(
    button: Button,
    (State(app), Caller(caller), frame, PathId(id), form): Press<ManageBrand>,
) -> Result {
    let page = format!("{PATH}/{id}");
    let id = WebhookId(id);
    app.find_webhook(&caller, id).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    let fresh = match prove::fresh(&app, &frame, caller, &form).await {
        Ok(fresh) => fresh,
        Err(response) => return Ok(response),
    };
    let (next, done) = match button {
        Button::Enable => {
            switch(&app, &fresh, id, &form, true).await?;
            (page.as_str(), &ENABLED)
        }
        Button::Disable => {
            switch(&app, &fresh, id, &form, false).await?;
            (page.as_str(), &DISABLED)
        }
        Button::Delete => {
            app.delete_webhook(&fresh, id, &form.if_match()).await?;
            (PATH, &DELETED)
        }
    };
    Ok(response::redirect(next, Some((done, None))))
}

async fn switch(
    app: &App,
    caller: &FreshCaller<ManageBrand>,
    id: WebhookId,
    form: &Form,
    enabled: bool,
) -> Result<(), Error> {
    let change = WebhookChange {
        name: Change::Keep,
        url: Change::Keep,
        alerts: Change::Keep,
        enabled: Change::Set(enabled),
    };
    app.change_webhook(caller, id, &form.if_match(), change).await?;
    Ok(())
}

pub async fn test(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathId(id): PathId,
    form: Form,
) -> Result {
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    app.test_webhook(&caller, WebhookId(id)).await?;
    Ok(response::redirect(&format!("{PATH}/{id}#deliveries"), Some((&TESTED, None))))
}

pub async fn redeliver(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathIds(id, delivery): PathIds,
    form: Form,
) -> Result {
    if form.has("_resumed") {
        return Ok(response::redirect(&format!("{PATH}/{id}"), None));
    }
    app.redeliver(&caller, WebhookId(id), AlertDeliveryId(delivery)).await?;
    Ok(response::redirect(&format!("{PATH}/{id}#deliveries"), Some((&REDELIVERED, None))))
}
